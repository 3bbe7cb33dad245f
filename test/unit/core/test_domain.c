/*
 * SPDX-License-Identifier: MIT
 *
 * test_domain.c - the one domain, its context, the threads in it, and the end of the runtime.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <pthread.h>
#include <mono/jit/jit.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/threads.h>
#include <mono/utils/mono-counters.h>
#include <mono/utils/mono-logger.h>
#include <monocle/host.h>
#include "child.h"

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
};

static int seen_in_begin = -1;

static void
shutdown_begin (MonoProfiler *prof)
{
	seen_in_begin = mono_runtime_is_shutting_down ();
}

static void
end_with_event (void)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	mono_profiler_set_runtime_shutdown_begin_callback (mono_profiler_create (NULL), shutdown_begin);
	monocle_host_startup_done ();
	CHECK (!mono_runtime_is_shutting_down ());
	monocle_raise_runtime_shutdown_begin ();
	CHECK (seen_in_begin == 1 && mono_runtime_is_shutting_down () == 1);
	monocle_host_shutdown ();
	CHECK (mono_runtime_is_shutting_down () == 1);
}

static void
end_without_event (void)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	monocle_host_startup_done ();
	monocle_host_shutdown ();
	CHECK (mono_runtime_is_shutting_down () == 1);
}

static void
the_runtime_shuts_down_from_the_first_callback_on (void **state)
{
	child_passes (end_with_event);
	child_passes (end_without_event);
}

static void
the_context_is_the_default_one_of_the_domain (void **state)
{
	assert_non_null (mono_context_get ());
	assert_int_equal (mono_context_get_id (mono_context_get ()), 0);
	assert_int_equal (mono_context_get_domain_id (mono_context_get ()), mono_domain_get_id (mono_get_root_domain ()));
	assert_int_equal (mono_context_get_id (NULL), -1);
	assert_int_equal (mono_context_get_domain_id (NULL), -1);
	assert_false (mono_domain_is_unloading (mono_get_root_domain ()));
}

static void *
attach_for_compiled_code (void *nothing)
{
	assert_null (mono_jit_thread_attach (mono_get_root_domain ()));
	MonoThread *thread = mono_thread_current ();
	assert_non_null (thread);
	assert_true (mono_thread_is_foreign (thread));
	assert_null (mono_jit_thread_attach (mono_get_root_domain ()));
	assert_ptr_equal (mono_thread_current (), thread);
	mono_thread_set_manage_callback (thread, NULL);
	assert_false (mono_thread_detach_if_exiting ());
	mono_thread_detach (thread);
	assert_null (mono_thread_current ());
	return NULL;
}

static void
a_thread_is_attached_for_compiled_code_once (void **state)
{
	pthread_t thread;
	assert_int_equal (pthread_create (&thread, NULL, attach_for_compiled_code, NULL), 0);
	pthread_join (thread, NULL);
}

/* The host attached it, so a module does not detach it. */
static void
the_main_thread_counts_as_attached (void **state)
{
	MonoThread *thread = monocle_thread_attach ((uintptr_t) pthread_self ());
	assert_ptr_equal (mono_thread_get_main (), thread);
	assert_true (mono_thread_is_foreign (thread));
	mono_thread_detach (thread);
	assert_ptr_equal (mono_thread_current (), thread);
}

/* --- what is installed for a moment of the runtime ---------------------------------------------------------------- */

static char told[128];

static void
hook (MonoAssembly *assembly, void *user_data)
{
	strcat (strcat (told, assembly ? user_data : "NULL"), " ");
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	strcat (told, "event ");
}

static void
shutdown_end (MonoProfiler *prof)
{
	strcat (told, "end ");
}

static void
cleanup (MonoDomain *domain, void *user_data)
{
	CHECK (domain == mono_get_root_domain () && !user_data);
	strcat (told, "cleanup ");
}

static void
late_cleanup (MonoDomain *domain, void *user_data)
{
	strcat (told, "late ");
}

static MonoAssembly *
load (void)
{
	MonoImage *image = monocle_image_new ("/tmp/words.dll", 0, 1, 1, NULL);
	monocle_image_set_assembly_visible (image);
	return monocle_image_assembly (image);
}

CHILD_TEST (load_hooks_run_newest_first_and_before_the_event)
{
	mono_install_assembly_load_hook (NULL, NULL);
	mono_install_assembly_load_hook (hook, "one");
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_install_assembly_load_hook (hook, "two");
	monocle_raise_assembly_loaded (load ());
	CHECK_STRING (told, "");
	monocle_host_startup_done ();
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_assembly_loaded] == 2);
	mono_install_assembly_load_hook (hook, "two");
	monocle_raise_assembly_loaded (load ());
	CHECK_STRING (told, "two two one event ");
	monocle_host_shutdown ();
	monocle_raise_assembly_loaded (load ());
	CHECK_STRING (told, "two two one event ");
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_assembly_loaded] == 0);
}

/* An embedder needs no module for it. */
CHILD_TEST (a_load_hook_needs_no_handle)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	monocle_host_startup_done ();
	mono_install_assembly_load_hook (hook, "one");
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_assembly_loaded] == 1);
	monocle_raise_assembly_loaded (load ());
	CHECK_STRING (told, "one ");
}

CHILD_TEST (the_last_installed_cleanup_runs_once_before_the_last_event)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	mono_profiler_set_runtime_shutdown_end_callback (mono_profiler_create (NULL), shutdown_end);
	mono_install_runtime_cleanup (late_cleanup);
	mono_install_runtime_cleanup (cleanup);
	monocle_host_startup_done ();
	monocle_raise_runtime_shutdown_begin ();
	CHECK_STRING (told, "");
	monocle_raise_runtime_shutdown_end ();
	monocle_raise_runtime_shutdown_end ();
	CHECK_STRING (told, "cleanup end end ");
	monocle_host_shutdown ();
	CHECK_STRING (told, "cleanup end end ");
}

CHILD_TEST (a_cleanup_can_be_taken_back)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	mono_install_runtime_cleanup (cleanup);
	mono_install_runtime_cleanup (NULL);
	monocle_host_startup_done ();
	CHECK (monocle_event_counts ()[MONOCLE_EVENT_runtime_shutdown_end] == 0);
	monocle_raise_runtime_shutdown_end ();
	CHECK_STRING (told, "");
}

/* --- the stacks of all threads ------------------------------------------------------------------------------------ */

static MonoMethod *method;
static int busy;

static int
visit_threads (void *host_data, const monocle_threads_visitor *visitor)
{
	const monocle_frame frame = { .method = method, .native_offset = 7 }, unknown = { .method = NULL };
	if (busy)
		return MONOCLE_E_BUSY;
	visitor->begin (visitor->data);
	visitor->thread (0x10, visitor->data);
	visitor->frame (&frame, visitor->data);
	visitor->frame (&unknown, visitor->data);
	visitor->thread (0x20, visitor->data);
	return MONOCLE_OK;
}

static const monocle_host_ops threads_host = {
	.size = sizeof threads_host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.visit_threads = visit_threads,
};

CHILD_PRINTS (the_stacks_of_all_threads_are_logged_in_mono_s_words,
              "monocle: the stacks of the threads, which a module asks for, cannot be had from this host now\n"
              "monocle: Full thread dump:\n"
              "monocle: \"worker\" tid=0x10\n"
              "monocle:   at <unknown>.<0x06000001> (<invalid signature>) <0x00007>\n"
              "monocle:   at <unknown>\n"
              "monocle: \"<unnamed thread>\" tid=0x20\n")
{
	CHECK (monocle_host_init (&threads_host) == MONOCLE_OK);
	method = monocle_method_def (monocle_image_new ("/tmp/words.dll", 0, 1, 1, NULL), 0x06000001);
	monocle_thread_attach (0x10);
	monocle_thread_set_name (0x10, "worker");
	mono_threads_request_thread_dump ();
	mono_threads_request_thread_dump ();
	monocle_host_startup_done ();
	mono_threads_request_thread_dump ();
	busy = 1;
	mono_threads_request_thread_dump ();
}

/* In no header: Mono exports them. */
void mono_set_rootdir (void);
void mono_set_config_dir (const char *folder);

CHILD_PRINTS (settings_that_only_mono_has_are_taken_silently,
              "monocle: mono_config_parse is not served by this host; it did nothing\n")
{
	mono_trace_set_level_string ("debug");
	mono_trace_set_mask_string ("all");
	mono_trace_set_log_handler (NULL, NULL);
	mono_trace_set_print_handler (NULL);
	mono_trace_set_printerr_handler (NULL);
	mono_set_assemblies_path ("/");
	mono_set_dirs ("/", "/");
	mono_set_rootdir ();
	mono_set_config_dir ("/");
	mono_counters_init ();
	mono_config_parse (NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (the_runtime_shuts_down_from_the_first_callback_on),
	cmocka_unit_test (the_context_is_the_default_one_of_the_domain),
	cmocka_unit_test (a_thread_is_attached_for_compiled_code_once),
	cmocka_unit_test (the_main_thread_counts_as_attached),
	cmocka_unit_test (load_hooks_run_newest_first_and_before_the_event),
	cmocka_unit_test (a_load_hook_needs_no_handle),
	cmocka_unit_test (the_last_installed_cleanup_runs_once_before_the_last_event),
	cmocka_unit_test (a_cleanup_can_be_taken_back),
	cmocka_unit_test (the_stacks_of_all_threads_are_logged_in_mono_s_words),
	cmocka_unit_test (settings_that_only_mono_has_are_taken_silently),
};

int
main (void)
{
	return cmocka_run_group_tests (tests, NULL, NULL);
}
