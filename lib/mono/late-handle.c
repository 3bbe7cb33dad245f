/*
 * SPDX-License-Identifier: MIT
 *
 * late-handle.c - see late-handle.h.
 *
 * Twins are made in the order of Mono's handles and taken in that order, so that newer handles come first, as always.
 * Setters run in any context, wrappers too: a callback is one word, exchanged. A wrapper that has read its callback has
 * counted itself before; who takes the callbacks out reads the count afterwards. (Both with the order of all atomics:
 * one of the two sees the other.)
 */
#include "late-handle.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check/slots.h"
#include "late-sampler.h"
#include "lending.h"
#include "log.h"
#include "look.h"
#include "mono-nested.h"

typedef struct twin {
	struct twin *older;            /* by Mono's order; all of them, for ever */
	MonoProfilerHandle handle;     /* of Mono's */
	_Atomic (MonoProfiler *) prof; /* the module's */
	_Atomic (void *) callbacks[MONOCLE_EVENT_COUNT];
	_Atomic (MonoProfilerCleanupCallback) cleanup;
	atomic_bool is_taken;
	atomic_uint inside; /* threads in a callback of it, or about to look whether there is one */
} twin;

static monocle__late_handle_mono mono;
static _Atomic (twin *) newest;   /* of all */
static MonoProfilerHandle own;    /* of Mono's sampler; NULL: it is lending.h's, or somebody else's */
static _Atomic (twin *) borrower; /* of the sampler */

/* NULL: it is not one of ours. */
static twin *
twin_of (MonoProfilerHandle handle)
{
	twin *one = atomic_load (&newest);
	while (one && one->handle != handle)
		one = one->older;
	return one;
}

/* The owner of Mono's sampler, as long as no module has it; NULL: one has. */
static MonoProfilerHandle
sampler (void)
{
	return own ? own : monocle__lending_handle ();
}

/* --- what Mono calls ---------------------------------------------------------------------------------------------- */

static void *
enter (MonoProfiler *prof, monocle_event event, bool is_last)
{
	twin *to = (twin *) prof;
	atomic_fetch_add (&to->inside, 1);
	if (event == MONOCLE_EVENT_sample_hit)
		monocle__mono_nested_look ();
	if (event == MONOCLE_EVENT_sample_hit && monocle__look_is_here ())
		return NULL;
	return is_last ? atomic_exchange (&to->callbacks[event], NULL) : atomic_load (&to->callbacks[event]);
}

static void
leave (MonoProfiler *prof)
{
	atomic_fetch_sub (&((twin *) prof)->inside, 1);
}

/* The end comes from Mono or from us, once. */
static bool
is_of_the_end (monocle_event event)
{
	return event == MONOCLE_EVENT_runtime_shutdown_begin || event == MONOCLE_EVENT_runtime_shutdown_end;
}

/* clang-format off */

#define MONOCLE_MONO_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, ...)                   \
	static void                                                                                              \
	on_##name parameters                                                                                     \
	{                                                                                                        \
		MonoProfiler *twin_ = prof;                                                                          \
		void *callback_ = enter (twin_, MONOCLE_EVENT_##name, is_of_the_end (MONOCLE_EVENT_##name));         \
                                                                                                             \
		prof = ((twin *) twin_)->prof;                                                                       \
		if (callback_)                                                                                       \
			((Callback) callback_) arguments;                                                                \
		leave (twin_);                                                                                       \
	}
#include <monocle/event-rows.h>

/* clang-format on */

static void
on_cleanup (MonoProfiler *prof)
{
	twin *to = (twin *) prof;
	MonoProfilerCleanupCallback callback = atomic_exchange (&to->cleanup, NULL);
	if (callback)
		callback (to->prof);
}

/* --- what the module calls ---------------------------------------------------------------------------------------- */

/* The oldest that nobody has, but newer than those that were taken. Modules are started one after the other. */
static twin *
take_free (void)
{
	twin *found = NULL;
	for (twin *one = atomic_load (&newest); one && !one->is_taken; one = one->older)
		found = one;
	return found;
}

static twin *
make_twin (void)
{
	twin *made = calloc (1, sizeof *made);
	if (made && !(made->handle = mono.create ((MonoProfiler *) made))) {
		free (made);
		made = NULL;
	}
	if (made) {
		made->older = atomic_load (&newest);
		atomic_store (&newest, made);
	}
	return made;
}

static MonoProfilerHandle
create (MonoProfiler *prof)
{
	twin *mine = take_free ();
	mine = mine ? mine : make_twin ();
	if (!mine)
		return NULL;
	atomic_store (&mine->prof, prof);
	atomic_store (&mine->is_taken, true);
	return mine->handle;
}

static void
set (MonoProfilerHandle handle, monocle_event event, void *callback, void *wrapper)
{
	twin *to = twin_of (handle);
	if (to)
		atomic_store (&to->callbacks[event], callback);
	mono.set[event](handle, to && callback ? wrapper : callback);
}

/* clang-format off */

#define MONOCLE_MONO_EVENT_ROW(name, ...)                                          \
	static void                                                                    \
	set_##name (MonoProfilerHandle handle, void *callback)                         \
	{                                                                              \
		set (handle, MONOCLE_EVENT_##name, callback, (void *) on_##name);          \
	}
#include <monocle/event-rows.h>

/* clang-format on */

static void
set_cleanup (MonoProfilerHandle handle, MonoProfilerCleanupCallback callback)
{
	twin *to = twin_of (handle);
	if (to)
		atomic_store (&to->cleanup, callback);
	mono.set_cleanup (handle, to && callback ? on_cleanup : callback);
}

static void
learn (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	monocle__late_sampler_learn (context);
}

/* The first module for which it is needed waits for a hit or two of Mono's own sampler. */
static void
learn_sampler (void)
{
	enum { HERTZ = 1000, STEP_NS = 1000000, STEPS = 200 };
	if (monocle__late_sampler_has_learnt ())
		return;
	mono.set[MONOCLE_EVENT_sample_hit](sampler (), (void *) learn);
	mono.set_sample_mode (sampler (), MONO_PROFILER_SAMPLE_MODE_REAL, HERTZ);
	for (int i = 0; i < STEPS && !monocle__late_sampler_has_learnt (); i++)
		nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
	mono.set_sample_mode (sampler (), MONO_PROFILER_SAMPLE_MODE_NONE, HERTZ);
	mono.set[MONOCLE_EVENT_sample_hit](sampler (), NULL);
}

static mono_bool
enable_sampling (MonoProfilerHandle handle)
{
	twin *nobody = NULL, *to = twin_of (handle);
	if (!sampler () || !to)
		return mono.enable_sampling (handle);
	if (!atomic_compare_exchange_strong (&borrower, &nobody, to))
		return 1;
	learn_sampler ();
	monocle__late_sampler_begin ();
	return 1;
}

static mono_bool
set_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency)
{
	twin *to = atomic_load (&borrower);
	bool is_borrower = to && to->handle == handle;
	if (is_borrower && monocle__late_sampler_set_mode (mode, frequency))
		return 1;
	return frequency && mono.set_sample_mode (is_borrower ? sampler () : handle, mode, frequency);
}

static mono_bool
get_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode *mode, uint32_t *frequency)
{
	twin *to = atomic_load (&borrower);
	bool is_borrower = to && to->handle == handle;
	if (is_borrower && monocle__late_sampler_get_mode (mode, frequency))
		return 1;
	return mono.get_sample_mode (is_borrower ? sampler () : handle, mode, frequency);
}

/* Mono asks it of each method that it compiles, and the code keeps what was answered. */
static void
set_call_filter (MonoProfilerHandle handle, MonoProfilerCallInstrumentationFilterCallback callback)
{
	if (callback)
		monocle_log ("in a program that runs already Mono tells of no calls: what would tell would stay in the code");
}

static void
set_coverage_filter (MonoProfilerHandle handle, MonoProfilerCoverageFilterCallback callback)
{
}

static const monocle__slots_row replacements[] = {
	{ "mono_profiler_create", (void *) create },
	{ "mono_profiler_enable_sampling", (void *) enable_sampling },
	{ "mono_profiler_set_sample_mode", (void *) set_sample_mode },
	{ "mono_profiler_get_sample_mode", (void *) get_sample_mode },
	{ "mono_profiler_set_cleanup_callback", (void *) set_cleanup },
	{ "mono_profiler_set_call_instrumentation_filter_callback", (void *) set_call_filter },
	{ "mono_profiler_set_coverage_filter_callback", (void *) set_coverage_filter },
#define MONOCLE_MONO_EVENT_ROW(name, setter, ...) { #setter, (void *) set_##name },
#include <monocle/event-rows.h>
};

/* --- slots -------------------------------------------------------------------------------------------------------- */

bool
monocle__late_handle_take (const void *code)
{
	return monocle__slots_replace (code, replacements, sizeof replacements / sizeof *replacements);
}

/* A weak name that nobody had when the linker looked for it. */
static void
fill_in (void *data, const char *name, void **word)
{
	if (!*word && !strcmp (name, "monocle_host_setting"))
		monocle__slots_write (word, (void *) monocle_host_setting);
}

void
monocle__late_handle_reach_toolkit (void)
{
	struct link_map *map = NULL;
	monocle__slots slots;
	void *toolkit = dlopen ("libmonocle-kit.so.0", RTLD_LAZY | RTLD_NOLOAD);
	if (toolkit && dlinfo (toolkit, RTLD_DI_LINKMAP, &map) == 0 && monocle__slots_read (map, &slots)) {
		monocle__slots_each (&slots, fill_in, NULL);
		monocle__slots_protect (&slots);
	}
	if (toolkit)
		dlclose (toolkit);
}

/* --- what was there before, and the end --------------------------------------------------------------------------- */

/* An older handle may be taken and a newer one not, never the other way round. */
#define RAISE(name, ...) \
	for (twin *one = atomic_load (&newest); one; one = one->older) \
		if (one->is_taken) \
	on_##name ((MonoProfiler *) one, ##__VA_ARGS__)

void
monocle__late_handle_raise_domain (MonoDomain *domain)
{
	RAISE (domain_loading, domain);
	RAISE (domain_loaded, domain);
}

void
monocle__late_handle_raise_assembly (MonoAssembly *assembly, MonoImage *image)
{
	RAISE (image_loading, image);
	RAISE (image_loaded, image);
	RAISE (assembly_loading, assembly);
	RAISE (assembly_loaded, assembly);
}

void
monocle__late_handle_raise_initialized (void)
{
	RAISE (runtime_initialized);
}

void
monocle__late_handle_raise_end_begin (void)
{
	RAISE (runtime_shutdown_begin);
}

/* --- the end of an attach ----------------------------------------------------------------------------------------- */

static void
take_callback_out (twin *of, size_t event)
{
	if (atomic_exchange (&of->callbacks[event], NULL) || is_of_the_end ((monocle_event) event))
		if (mono.set[event])
			mono.set[event](of->handle, NULL);
}

/* All but that of the last event. */
static void
take_callbacks_out (twin *of)
{
	for (size_t event = 0; event < MONOCLE_EVENT_COUNT; event++)
		if (event != MONOCLE_EVENT_runtime_shutdown_end)
			take_callback_out (of, event);
}

bool
monocle__late_handle_stop (void)
{
	enum { STEP_NS = 1000000, STEPS = 2000 };
	bool is_quiet = true;
	monocle__late_sampler_end ();
	if (atomic_load (&borrower))
		mono.set_sample_mode (sampler (), MONO_PROFILER_SAMPLE_MODE_NONE, 100);
	for (twin *one = atomic_load (&newest); one; one = one->older)
		if (one->is_taken)
			take_callbacks_out (one);
	for (twin *one = atomic_load (&newest); one; one = one->older)
		for (int i = 0; one->inside && (is_quiet = i < STEPS); i++)
			nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
	RAISE (runtime_shutdown_end);
	for (twin *one = atomic_load (&newest); one; one = one->older)
		if (one->is_taken)
			take_callback_out (one, MONOCLE_EVENT_runtime_shutdown_end);
	return is_quiet;
}

void
monocle__late_handle_forget (void)
{
	for (twin *one = atomic_load (&newest); one; one = one->older) {
		if (!one->is_taken)
			continue;
		on_cleanup ((MonoProfiler *) one);
		mono.set_cleanup (one->handle, NULL);
		atomic_store (&one->prof, NULL);
		atomic_store (&one->is_taken, false);
	}
	atomic_store (&borrower, NULL);
}

/* --- before Mono starts ------------------------------------------------------------------------------------------- */

static void
find_setters (void)
{
#define MONOCLE_MONO_EVENT_ROW(name, setter, ...) \
	mono.set[MONOCLE_EVENT_##name] = (void (*) (MonoProfilerHandle, void *)) dlsym (RTLD_DEFAULT, #setter);
#include <monocle/event-rows.h>
}

#define FIND(member, name) (*(void **) &mono.member = dlsym (RTLD_DEFAULT, name))

const monocle__late_handle_mono *
monocle__late_handle_begin (const char **ret_reason)
{
	monocle__slots slots;
	bool is_whole = FIND (create, "mono_profiler_create") && FIND (set_cleanup, "mono_profiler_set_cleanup_callback") &&
	                FIND (enable_sampling, "mono_profiler_enable_sampling") &&
	                FIND (set_sample_mode, "mono_profiler_set_sample_mode") &&
	                FIND (get_sample_mode, "mono_profiler_get_sample_mode");
	*ret_reason = is_whole ? "no module's calls can be led elsewhere on this machine"
	                       : "this Mono lacks functions of its profiler API";
	if (!is_whole || !monocle__slots_read_of ((void *) monocle__late_handle_begin, &slots))
		return NULL;
	find_setters ();
	MonoProfilerHandle mine = monocle__lending_begin () ? NULL : mono.create (NULL);
	MonoProfilerSampleMode mode;
	uint32_t frequency;
	if (mine && mono.enable_sampling (mine) && mono.get_sample_mode (mine, &mode, &frequency))
		own = mine;
	return &mono;
}
