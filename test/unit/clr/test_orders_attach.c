/*
 * SPDX-License-Identifier: MIT
 *
 * test_orders_attach.c - an attach, and its end, against what the program unloads and loads meanwhile, in every order.
 * The scripted runtime ends the process when it is asked about a module that it frees or has freed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/profiler.h>
#include "fake-runtime.h"
#include "house.h"
#include "orders.h"
#include "probes/reinstrument.h"
#include "service.h"

static MonoProfilerHandle handle;

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	handle = mono_profiler_create (NULL);
}

static fake_module house = { .path = u"/srv/house.exe", .is_mapped = true };
static fake_module guest = { .path = u"/srv/guest.exe", .flags = COR_PRF_MODULE_COLLECTIBLE, .is_mapped = true };

static void
start (void)
{
	static bool is_started;
	if (is_started) {
		monocle__service_begin ();
		return;
	}
	is_started = true;
	setenv ("MONOCLE_PROFILE", "watch", 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
	house.data = house_data ();
	guest.data = house_data ();
	fake_modules[0] = &house;
	fake_modules[1] = &guest;
	fake_load (&house);
}

static void
end_service (void)
{
	monocle__service_leave ();
	monocle__service_forget ();
}

static void
unload_guest (void)
{
	fake_unload (&guest);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static _Atomic (unsigned) guests_told, assemblies_told;
static atomic_bool attach_listens;

static bool
is_guests (MonoImage *image)
{
	monocle__clr_image *known = monocle__clr_image_find (ID (&guest));
	return known && known->cli.record == image;
}

static void
on_image (MonoProfiler *prof, MonoImage *image)
{
	atomic_fetch_add (&guests_told, is_guests (image));
}

static void
on_assembly (MonoProfiler *prof, MonoAssembly *assembly)
{
	atomic_fetch_add (&assemblies_told, is_guests (mono_assembly_get_image (assembly)));
}

/* The program has loaded it before anything of ours was there. */
static void
have_guest (void)
{
	start ();
	monocle__clr_state.attached = true;
	mono_profiler_set_image_loaded_callback (handle, on_image);
	mono_profiler_set_assembly_loaded_callback (handle, on_assembly);
	atomic_store (&guest.is_gone, false);
	atomic_store (&guest.is_unlisted, false);
	atomic_store (&attach_listens, false);
	atomic_store (&guests_told, 0);
	atomic_store (&assemblies_told, 0);
}

/* As InitializeForAttach and ProfilerAttachComplete do it. */
static void
catch_up (void)
{
	monocle__codemap_catch_up_begin ();
	monocle__images_catch_up_begin ();
	atomic_store (&attach_listens, true);
	MONOCLE__PAUSE (attach_begins);
	monocle__images_catch_up ();
	monocle__codemap_abandon_catch_up ();
}

static void
guest_is_told_once_at_most (void)
{
	CHECK (atomic_load (&guests_told) <= 1 && atomic_load (&assemblies_told) <= 1);
	CHECK (!monocle__clr_image_find (ID (&guest)));
}

static void
what_an_attach_asks_about_stays_until_it_was_asked (void **state)
{
	orders_run (&(orders) {
	    .name = "catch_up_against_unload",
	    .prepare = have_guest,
	    .check = guest_is_told_once_at_most,
	    .clean_up = end_service,
	    .threads = { { "attach", catch_up }, { "unload", unload_guest } },
	    .meets = "fake_modules_listed image_goes fake_unloads sleep",
	});
}

static void
have_no_guest (void)
{
	have_guest ();
	atomic_store (&guest.is_gone, true);
}

/* The runtime lists a module when it is complete, and calls back about it after that where a profiler listens. */
static void
load_guest (void)
{
	MONOCLE__PAUSE (guest_is_complete);
	atomic_store (&guest.is_gone, false);
	bool is_told = atomic_load (&attach_listens);
	MONOCLE__PAUSE (guest_is_listed);
	if (is_told)
		fake_load (&guest);
}

static void
guest_is_told_once (void)
{
	CHECK (atomic_load (&guests_told) == 1 && atomic_load (&assemblies_told) == 1);
}

static void
unload_guest_too (void)
{
	unload_guest ();
	end_service ();
}

static void
an_image_that_comes_during_an_attach_is_told_once (void **state)
{
	orders_run (&(orders) {
	    .name = "catch_up_against_load",
	    .prepare = have_no_guest,
	    .check = guest_is_told_once,
	    .clean_up = unload_guest_too,
	    .threads = { { "attach", catch_up }, { "load", load_guest } },
	    .meets = "fake_modules_listed image_claimed guest_is_listed",
	});
}

/* --- further bodies ----------------------------------------------------------------------------------------------- */

static MonoProfilerCallInstrumentationFlags
calls_of_house (MonoProfiler *prof, MonoMethod *method)
{
	bool is_wanted = mono_class_get_image (mono_method_get_class (method)) == house_record (&house);
	return is_wanted ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static void
want_calls (void)
{
	have_guest ();
	fake_load (&guest);
	monocle__clr_state.late = true;
	mono_profiler_set_call_instrumentation_filter_callback (handle, calls_of_house);
	atomic_store (&fake_requested, 0);
	atomic_store (&fake_reverted, 0);
}

static void
want_no_calls (void)
{
	mono_profiler_set_call_instrumentation_filter_callback (handle, NULL);
	monocle__clr_state.late = false;
	end_service ();
}

static void
request (void)
{
	CHECK (monocle__reinstrument_begin ());
}

static void
house_was_asked_for (void)
{
	CHECK (atomic_load (&fake_requested) > 0);
}

static void
end_of_request (void)
{
	monocle__reinstrument_end ();
	want_no_calls ();
}

/* The runtime goes through methods of all images while it serves a request. */
static void
nothing_goes_while_the_runtime_serves_a_request (void **state)
{
	orders_run (&(orders) {
	    .name = "request_against_unload",
	    .prepare = want_calls,
	    .check = house_was_asked_for,
	    .clean_up = end_of_request,
	    .threads = { { "request", request }, { "unload", unload_guest } },
	    .meets = "reinstrument_noted fake_copies_listed image_goes image_off_the_list fake_unloads",
	});
}

/* A method of the guest holds a copy of one that has a further body: the runtime gives it one, too. */
static void
have_a_copy (void)
{
	want_calls ();
	request ();
	CHECK (!monocle__reinstrument_takes (monocle__clr_image_find (ID (&guest)), HOUSE_MAIN));
}

static void
end_requests (void)
{
	monocle__reinstrument_end ();
}

static void
house_has_its_own_code (void)
{
	CHECK (atomic_load (&fake_reverted) >= atomic_load (&fake_requested));
}

static void
what_is_taken_back_at_the_end_is_there (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_unload",
	    .prepare = have_a_copy,
	    .check = house_has_its_own_code,
	    .clean_up = want_no_calls,
	    .threads = { { "end", end_requests }, { "unload", unload_guest } },
	    .meets = "reinstrument_list_taken fake_reverts image_goes image_off_the_list fake_unloads sleep",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (what_an_attach_asks_about_stays_until_it_was_asked),
		cmocka_unit_test (an_image_that_comes_during_an_attach_is_told_once),
		cmocka_unit_test (nothing_goes_while_the_runtime_serves_a_request),
		cmocka_unit_test (what_is_taken_back_at_the_end_is_there),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
