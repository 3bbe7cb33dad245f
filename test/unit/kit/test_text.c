/*
 * SPDX-License-Identifier: MIT
 *
 * test_text.c - text logs: order, loss, and outputs that the program takes away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "given-time.h"

static char folder[64], path[128];

static int
make_folder (void **state)
{
	strcpy (folder, "/tmp/monocle-text-XXXXXX");
	if (!mkdtemp (folder))
		return -1;
	snprintf (path, sizeof path, "%s/log.txt", folder);
	return 0;
}

static int
remove_folder (void **state)
{
	char command[128];
	given_time_end ();
	snprintf (command, sizeof command, "rm -rf %s", folder);
	return system (command);
}

static monocle_kit_text *
open_with (const char *output, bool threads, uint64_t buffer)
{
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "test",
		.output = output,
		.head = "# head\n",
		.threads = threads,
		.buffer = buffer,
	};
	return monocle_kit_text_open (&config);
}

static bool
say (monocle_kit_text *text, const char *line)
{
	return monocle_kit_text_line (text, monocle_kit_now (), line, strlen (line));
}

/* More by one for each thread. */
static nlink_t
threads (void)
{
	struct stat status;
	assert_int_equal (stat ("/proc/self/task", &status), 0);
	return status.st_nlink;
}

/* The whole file; the caller frees. */
static char *
read_all (const char *name)
{
	FILE *file = fopen (name, "r");
	assert_non_null (file);
	char *data = calloc (1, 32 << 20);
	size_t length = fread (data, 1, (32 << 20) - 1, file);
	data[length] = '\0';
	fclose (file);
	return data;
}

static void
check_file (const char *name, const char *should)
{
	char *is = read_all (name);
	assert_string_equal (is, should);
	free (is);
}

/* --- order -------------------------------------------------------------------------------------------------------- */

enum { THREADS = 8, LINES = 4000 };

static _Atomic (uint64_t) last_time;

static void *
count_up (void *data)
{
	for (int i = 0; i < LINES; i++) {
		char line[32];
		uint64_t time = ++last_time;
		int length = snprintf (line, sizeof line, "%" PRIu64, time);
		assert_true (monocle_kit_text_line (data, time, line, (size_t) length));
	}
	return NULL;
}

/* Lines have times that are yet to come, so that none is written before all are there. */
static void
lines_of_all_threads_come_in_the_order_of_their_times (void **state)
{
	given_time_begin ();
	monocle_kit_text *text = open_with (path, false, 4 << 20);
	uint64_t begun = monocle_kit_now ();
	last_time = begun;
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create (&threads[i], NULL, count_up, text);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	assert_true (monocle_kit_text_sync (text, 1));
	check_file (path, "# head\n");
	given_time_pass (THREADS * LINES / 2);
	assert_true (monocle_kit_text_sync (text, 1));
	char *half = read_all (path);
	assert_int_equal (monocle_kit_text_close (text), 0);
	char *all = read_all (path), *at = all + strlen ("# head\n");
	assert_memory_equal (half, all, strlen (half));
	for (uint64_t time = begun + 1; time <= last_time; time++) {
		if (time == begun + THREADS * LINES / 2 + 1)
			assert_ptr_equal (at, all + strlen (half));
		assert_int_equal (strtoul (at, &at, 10), time);
		assert_int_equal (*at++, '\n');
	}
	assert_int_equal (*at, '\0');
	assert_int_equal (last_time, begun + THREADS * LINES);
	free (half);
	free (all);
}

static void
tabs_stay_in_a_line (void **state)
{
	monocle_kit_text *text = open_with (path, false, 4 << 20);
	say (text, "a\tb\tc");
	say (text, "a\vb\t\033\t");
	assert_int_equal (monocle_kit_text_close (text), 0);
	check_file (path, "# head\na\tb\tc\na b\t?\t\n");
}

static void
a_line_cannot_steer_a_terminal (void **state)
{
	monocle_kit_text *text = open_with (path, false, 4 << 20);
	say (text, "call A:\033[31mB ()");
	say (text, "call \xe2\x80\xaeydob\xe2\x80\xac, \xc2\x9bx, \x9bx, gr\xc3\xbc\xc3\x9f\nmore");
	assert_int_equal (monocle_kit_text_close (text), 0);
	char *all = read_all (path);
	assert_non_null (strstr (all, "call A:?[31mB ()\ncall ?ydob?, ?x, ?x, gr\xc3\xbc\xc3\x9f more\n"));
	free (all);
}

static void *
one_line (void *data)
{
	say (data, "mine");
	return NULL;
}

static void
each_thread_can_have_its_file (void **state)
{
	monocle_kit_text *text = open_with (path, true, 0);
	pthread_t other;
	glob_t found;
	char pattern[160];
	say (text, "first");
	pthread_create (&other, NULL, one_line, text);
	pthread_join (other, NULL);
	assert_int_equal (monocle_kit_text_close (text), 0);
	snprintf (pattern, sizeof pattern, "%s/log.*.txt", folder);
	assert_int_equal (glob (pattern, 0, NULL, &found), 0);
	assert_int_equal (found.gl_pathc, 2);
	snprintf (pattern, sizeof pattern, "%s/log.%d.txt", folder, (int) getpid ());
	check_file (pattern, "# head\nfirst\n");
	bool is_first = strcmp (found.gl_pathv[0], pattern) == 0;
	check_file (found.gl_pathv[is_first], "# head\nmine\n");
	globfree (&found);
	assert_int_not_equal (access (path, F_OK), 0);
}

static void
the_next_thread_may_use_what_a_dead_one_left (void **state)
{
	struct rusage before, after;
	monocle_kit_text *text = open_with (path, false, 0);
	getrusage (RUSAGE_SELF, &before);
	for (int i = 0; i < 2000; i++) {
		pthread_t other;
		assert_int_equal (pthread_create (&other, NULL, one_line, text), 0);
		pthread_join (other, NULL);
	}
	getrusage (RUSAGE_SELF, &after);
	assert_int_equal (monocle_kit_text_close (text), 0);
	assert_in_range (after.ru_maxrss - before.ru_maxrss, 0, 128 << 10);
	char *all = read_all (path);
	assert_int_equal (strlen (all), strlen ("# head\n") + 2000 * strlen ("mine\n"));
	free (all);
}

/* --- loss --------------------------------------------------------------------------------------------------------- */

/* The reader begins when all lines were said: a line that waited for it would wait for ever. */
static void
a_slow_reader_costs_lines_and_not_time (void **state)
{
	static char line[1001];
	char output[400], go[160];
	snprintf (go, sizeof go, "%s/go", folder);
	assert_int_equal (mkfifo (go, 0600), 0);
	snprintf (output, sizeof output, "|read go < %s; cat > %s", go, path);
	memset (line, 'x', 1000);
	monocle_kit_text *text = open_with (output, false, 1 << 17);
	int64_t lost = 0;
	for (int i = 0; i < 20000; i++)
		lost += !say (text, line);
	assert_true (lost > 1000);
	int fd = open (go, O_WRONLY);
	assert_int_equal (write (fd, "go\n", 3), 3);
	close (fd);
	assert_int_equal (monocle_kit_text_close (text), lost);
	char *all = read_all (path), *at = all;
	int64_t told = 0;
	for (long n; (at = strstr (at, "--- ")); at++)
		told += sscanf (at, "--- %ld lines of thread", &n) == 1 ? n : 0;
	assert_int_equal (told, lost);
	free (all);
}

/* Nobody reads the pipe: lines are lost, and the end comes all the same. */
static void
a_reader_that_stops_reading_stops_no_program (void **state)
{
	given_time_begin ();
	nlink_t before = threads ();
	assert_int_equal (mkfifo (path, 0600), 0);
	assert_null (open_with (path, false, 0)); /* nobody has opened it either */
	int reader = open (path, O_RDONLY | O_NONBLOCK);
	monocle_kit_text *text = open_with (path, false, 1 << 17);
	assert_non_null (text);
	uint64_t start = monocle_kit_now ();
	int64_t lost = 0;
	for (int i = 0; i < 100000; i++)
		lost += !say (text, "a line that nobody will read");
	assert_true (lost > 10000);
	given_time_flies (true);
	assert_int_equal (monocle_kit_text_close (text), -1);
	assert_in_range (monocle_kit_now () - start, 4000000000, 15000000000);
	monocle_kit_text_free (text); /* which its thread is in the middle of */
	close (reader);               /* it ends, too: it gets an error, and says of which log */
	while (threads () != before)
		sched_yield ();
}

static void
too_long_a_line_is_lost (void **state)
{
	char *line = malloc (80000);
	memset (line, 'x', 80000);
	monocle_kit_text *text = open_with (path, false, 0);
	assert_false (monocle_kit_text_line (text, 1, line, 70000));
	assert_true (monocle_kit_text_line (text, 2, line, 65536));
	assert_int_equal (monocle_kit_text_close (text), 1);
	free (line);
}

/* --- the program's own business ----------------------------------------------------------------------------------- */

static void
a_forked_child_writes_nothing (void **state)
{
	monocle_kit_text *text = open_with (path, false, 0);
	say (text, "parent");
	pid_t child = fork ();
	if (child == 0) {
		bool done = say (text, "child");
		_exit (done || monocle_kit_text_close (text) ? 1 : 0);
	}
	int status;
	waitpid (child, &status, 0);
	assert_int_equal (status, 0);
	assert_int_equal (monocle_kit_text_close (text), 0);
	check_file (path, "# head\nparent\n");
}

static __attribute__ ((unused)) void
a_program_that_closes_all_descriptors_loses_no_line (void **state)
{
	char other[160];
	given_time_begin ();
	snprintf (other, sizeof other, "%s/other", folder);
	monocle_kit_text *text = open_with (path, false, 0);
	say (text, "before");
	assert_true (monocle_kit_text_sync (text, 1));
	for (int fd = 150; fd < 1024; fd++)
		close (fd);
	int own[64];
	for (int i = 0; i < 64; i++)
		own[i] = fcntl (open (other, O_WRONLY | O_CREAT, 0600), F_DUPFD, 200);
	say (text, "after");
	assert_int_equal (monocle_kit_text_close (text), 0);
	check_file (path, "# head\nbefore\nafter\n");
	check_file (other, "");
	for (int i = 0; i < 64; i++)
		close (own[i]);
}

static void
what_cannot_be_written_is_said_at_once (void **state)
{
	assert_null (open_with ("/nonexistent/folder/log", false, 0));
	assert_null (open_with ("#77", false, 0));
	monocle_kit_text *text = open_with ("/dev/full", false, 0);
	if (text) {
		say (text, "lost");
		assert_int_equal (monocle_kit_text_close (text), -1);
	}
}

static off_t
size_of (const char *name)
{
	struct stat status;
	return stat (name, &status) ? 0 : status.st_size;
}

/* Lines of 100 bytes, twenty at a time, so that some of the last ones fit. */
static void
a_log_ends_at_its_limit (void **state)
{
	enum { LINE = 100, BATCH = 20, ROUNDS = 3, HEAD = 7, LIMIT = 5050 };
	static char line[LINE];
	char name[160];
	memset (line, 'x', LINE - 1);
	snprintf (name, sizeof name, "%s/limited.log", folder);
	for (int is_limited = 0; is_limited < 2; is_limited++) {
		monocle_kit_text_config config = {
			.size = sizeof config, .module = "test", .output = name, .head = "# head\n", .limit = is_limited ? LIMIT : 0
		};
		monocle_kit_text *text = monocle_kit_text_open (&config);
		for (int i = 0; i < ROUNDS * BATCH; i++) {
			assert_true (say (text, line));
			assert_true (i % BATCH || monocle_kit_text_sync (text, 60000));
		}
		assert_int_equal (monocle_kit_text_close (text), is_limited ? -1 : 0);
		assert_int_equal (size_of (name), HEAD + (is_limited ? LIMIT / LINE * LINE : ROUNDS * BATCH * LINE));
		monocle_kit_text_free (text);
	}
}

static void
a_name_with_a_number_is_never_overwritten (void **state)
{
	char numbered[160], first[160], second[160];
	snprintf (numbered, sizeof numbered, "%s/log-%%n.txt", folder);
	snprintf (first, sizeof first, "%s/log-1.txt", folder);
	snprintf (second, sizeof second, "%s/log-2.txt", folder);
	for (int i = 0; i < 2; i++) {
		monocle_kit_text *text = open_with (numbered, false, 0);
		say (text, i ? "two" : "one");
		assert_int_equal (monocle_kit_text_close (text), 0);
	}
	check_file (first, "# head\none\n");
	check_file (second, "# head\ntwo\n");
}

/* PROGRAM_TIME_PID-2.test.log, unless a second passed in between. */
static void
the_default_name_is_never_overwritten (void **state)
{
	char before[4096];
	glob_t found;
	assert_non_null (getcwd (before, sizeof before));
	assert_int_equal (chdir (folder), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal (monocle_kit_text_close (open_with (NULL, false, 0)), 0);
	assert_int_equal (glob ("*.test.log", 0, NULL, &found), 0);
	assert_int_equal (found.gl_pathc, 2);
	globfree (&found);
	assert_int_equal (chdir (before), 0);
}

/* --- many keys ---------------------------------------------------------------------------------------------------- */

static atomic_int ended;

static void *
say_ten (void *data)
{
	monocle_kit_text *text = data;
	bool done = true;
	for (int i = 0; i < 10; i++)
		done = say (text, "a line") && done;
	atomic_fetch_add (&ended, done);
	return NULL;
}

static void
run_threads (monocle_kit_text *text, int rounds)
{
	enum { AT_ONCE = 10 };
	pthread_t threads[AT_ONCE];
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < AT_ONCE; i++)
			assert_int_equal (pthread_create (&threads[i], NULL, say_ten, text), 0);
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join (threads[i], NULL);
	}
}

/* So many keys that the C library would have to allocate for a thread's value of ours. */
static void
threads_have_rings_where_a_key_would_allocate (void **state)
{
	pthread_key_t keys[40];
	given_time_begin ();
	ended = 0;
	for (int i = 0; i < 40; i++)
		assert_int_equal (pthread_key_create (&keys[i], NULL), 0);
	monocle_kit_text *text = open_with (path, false, 1 << 17);
	assert_non_null (text);
	run_threads (text, 20);
	for (int looks = 0; looks < 20; looks++) /* rings of threads that are gone are given up, and taken by others */
		given_time_pass (given_time_await (1));
	given_time_await (1);
	run_threads (text, 20);
	assert_int_equal (ended, 400);
	assert_int_equal (monocle_kit_text_close (text), 0);
	char *is = read_all (path);
	size_t lines = 0;
	for (char *at = is; (at = strstr (at, "a line\n")); at++)
		lines++;
	free (is);
	assert_int_equal (lines, 4000);
	for (int i = 0; i < 40; i++)
		pthread_key_delete (keys[i]);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, make_folder, remove_folder)
		TEST (lines_of_all_threads_come_in_the_order_of_their_times),
		TEST (a_line_cannot_steer_a_terminal),
		TEST (tabs_stay_in_a_line),
		TEST (each_thread_can_have_its_file),
		TEST (the_next_thread_may_use_what_a_dead_one_left),
		TEST (a_slow_reader_costs_lines_and_not_time),
		TEST (a_reader_that_stops_reading_stops_no_program),
		TEST (too_long_a_line_is_lost),
		TEST (a_forked_child_writes_nothing),
#ifndef __SANITIZE_THREAD__ /* it would call the program's close () a race */
		TEST (a_program_that_closes_all_descriptors_loses_no_line),
#endif
		TEST (what_cannot_be_written_is_said_at_once),
		TEST (a_log_ends_at_its_limit),
		TEST (a_name_with_a_number_is_never_overwritten),
		TEST (the_default_name_is_never_overwritten),
		TEST (threads_have_rings_where_a_key_would_allocate),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
