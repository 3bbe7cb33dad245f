/*
 * SPDX-License-Identifier: MIT
 *
 * test_events_module.c - the module `events` on a host that raises every event there is, with arguments that no runtime
 * would give: each is a line, whatever its types hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <monocle/host.h>
#include "../core/child.h"

static char path[] = "/tmp/monocle-events-XXXXXX";
static char *text; /* the log */

static MonocleSupport
support (void *host, monocle_event number)
{
	return MONOCLE_SUPPORT_EXACT;
}

static void
start (const char *options)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "odd",
		.runtime_version = "odd 1",
		.event_support = support,
	};
	char desc[4096 + 300];
	int fd = mkstemp (path);
	CHECK (fd >= 0);
	close (fd);
	snprintf (desc, sizeof desc, "events:%s,output=%s", options, path);
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	CHECK (monocle_host_load (desc) == MONOCLE_OK);
	monocle_host_startup_done ();
}

/* Ends the log and reads it. */
static void
finish (void)
{
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
	FILE *file = fopen (path, "r");
	text = calloc (1, 1 << 20);
	CHECK (file && text);
	text[fread (text, 1, (1 << 20) - 1, file)] = 0;
	fclose (file);
	unlink (path);
}

/* --- every row, with odd arguments -------------------------------------------------------------------------------- */

/* Records, and what is read through a pointer, can only be NULL; addresses that are shown as such can be anything. */
static uintptr_t
odd (const char *type, uintptr_t value)
{
	static const char *const read[] = { "Mono", "mono_bool *", "const char *" };
	size_t length = strlen (type);
	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		if (strncmp (type, read[i], strlen (read[i])) == 0 && type[length - 1] == '*')
			return 0;
	return value;
}

/* The last event of all closes the log. */
static void
raise_all (uintptr_t value)
{
#define MONOCLE_EVENT_TYPE(type) (type) odd (#type, value)
#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, count, values, names) \
	if (strcmp (#name, "runtime_shutdown_end")) \
		monocle_raise_##name values;
#include <monocle/event-rows.h>
}

static const char *const names[] = {
#define MONOCLE_EVENT_ROW(name, ...) #name,
#include <monocle/event-rows.h>
};

enum { NAME_COUNT = sizeof names / sizeof *names };

static unsigned
lines_of (const char *name)
{
	unsigned count = 0;
	size_t length = strlen (name);
	for (const char *at = text; (at = strstr (at, name)); at++)
		count += at > text && at[-1] == ' ' && (at[length] == ' ' || at[length] == '\n');
	return count;
}

/* Three lines of each; none of samples, which come in signal handlers. */
static void
check_lines (void)
{
	for (size_t i = 0; i < NAME_COUNT; i++) {
		bool is_sample = !strcmp (names[i], "sample_hit") || !strcmp (names[i], "method_samplepoint");
		unsigned should = is_sample ? 0 : strcmp (names[i], "runtime_shutdown_end") ? 3 : 1;
		if (lines_of (names[i]) == should)
			continue;
		fprintf (stderr, "%s is in %u lines of:\n%s\n", names[i], lines_of (names[i]), text);
		_exit (99);
	}
}

static void
check_holds (const char *words)
{
	if (strstr (text, words))
		return;
	fprintf (stderr, "\"%s\" is not in:\n%s\n", words, text);
	_exit (99);
}

CHILD_TEST (every_event_is_a_line_whatever_its_arguments_are)
{
	char desc[4096] = "noindent,only=";
	for (size_t i = 0; i < NAME_COUNT; i++)
		snprintf (desc + strlen (desc), sizeof desc - strlen (desc), "%s%s", i ? "+" : "", names[i]);
	start (desc);
	raise_all (0);
	raise_all (1);
	raise_all (UINTPTR_MAX);
	finish ();
	check_lines ();
	check_holds (" gc_event event=start generation=0 is_serial=no\n");
	check_holds (" gc_event event=1 generation=1 is_serial=yes\n");
	check_holds (" gc_event event=4294967295 generation=4294967295 is_serial=yes\n");
	check_holds (" thread_started tid=18446744073709551615\n");
	check_holds (" jit_done method=null jinfo=null");
	check_holds (" load_failed kind=image name=null result=0x00000001\n");
	check_holds (" suspension phase=4294967295 reason=4294967295 nanoseconds=18446744073709551615\n");
	check_holds (" jit_code_buffer buffer=0xffffffffffffffff size=18446744073709551615 type=4294967295 data=");
}

CHILD_TEST (a_prefix_alone_means_the_usual_events)
{
	start ("noindent,only=gc+gc_moves+gc_handle+method");
	raise_all (0);
	finish ();
	CHECK (lines_of ("gc_event") == 1 && lines_of ("gc_resize") == 1 && lines_of ("method_free") == 1);
	CHECK (!lines_of ("gc_allocation") && !lines_of ("gc_root_register") && !lines_of ("method_enter"));
	CHECK (lines_of ("gc_moves") == 1);          /* its whole name */
	CHECK (lines_of ("gc_handle_created") == 1); /* no event that begins so is usual */
}

CHILD_TEST (a_prefix_besides_the_usual_means_all)
{
	start ("noindent,also=gc");
	raise_all (0);
	finish ();
	CHECK (lines_of ("gc_event") == 1 && lines_of ("gc_allocation") == 1 && lines_of ("gc_moves") == 1);
}

static void *
raise_started (void *tid)
{
	monocle_raise_thread_started ((uintptr_t) tid);
	return NULL;
}

/*
 * So many keys are taken that ours allocates, or that there is only the text's own: a thread is told from others by its
 * number.
 */
static void
check_levels (int keys)
{
	pthread_key_t key = 0;
	pthread_t thread;
	while (keys && pthread_key_create (&key, NULL) == 0)
		keys--;
	if (keys)
		pthread_key_delete (key);
	start ("only=jit_begin+jit_done+thread_started");
	monocle_raise_jit_begin (NULL);
	raise_started ((void *) 1);
	CHECK (pthread_create (&thread, NULL, raise_started, (void *) 2) == 0);
	pthread_join (thread, NULL);
	monocle_raise_jit_done (NULL, NULL);
	raise_started ((void *) 3);
	finish ();
	check_holds ("   thread_started tid=1\n");
	check_holds (" thread_started tid=2\n");
	check_holds (" thread_started tid=3\n");
	CHECK (!strstr (text, "  thread_started tid=2") && !strstr (text, "  thread_started tid=3"));
}

/* The time of so many levels is known that are open at once; of deeper ones only that they are. */
CHILD_TEST (the_deepest_level_that_has_a_time_is_the_64th)
{
	enum { KNOWN = 64, ALL = KNOWN + 2 };
	unsigned times = 0;
	start ("only=jit_begin+jit_done");
	for (int i = 0; i < ALL; i++)
		monocle_raise_jit_begin (NULL);
	for (int i = 0; i < ALL; i++)
		monocle_raise_jit_done (NULL, NULL);
	finish ();
	for (const char *at = text; (at = strstr (at, " us)\n")); at++)
		times++;
	CHECK (times == KNOWN);
}

CHILD_TEST (lines_are_indented_by_what_is_open_on_their_thread)
{
	check_levels (0);
}

CHILD_TEST (so_they_are_where_a_key_would_allocate)
{
	check_levels (64);
}

CHILD_TEST (so_they_are_where_one_key_is_left)
{
	check_levels (PTHREAD_KEYS_MAX + 1);
}

int
main (void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_event_is_a_line_whatever_its_arguments_are),
		cmocka_unit_test (a_prefix_alone_means_the_usual_events),
		cmocka_unit_test (a_prefix_besides_the_usual_means_all),
		cmocka_unit_test (the_deepest_level_that_has_a_time_is_the_64th),
		cmocka_unit_test (lines_are_indented_by_what_is_open_on_their_thread),
		cmocka_unit_test (so_they_are_where_a_key_would_allocate),
		cmocka_unit_test (so_they_are_where_one_key_is_left),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
