/*
 * SPDX-License-Identifier: MIT
 *
 * test_stacks.c - profiles by stack: what adds up, what is asked and when, what is lost, and who may come in between.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stack-ring.h"
#include "thread-state.h"
#include "tree.h"

#include <cmocka.h>

static char frame_main[] = "main", frame_f[] = "f", frame_g[] = "g", frame_hidden[] = "";

/* Addresses from 0x1000 on: which methods are there, and how often they were asked for. */
static _Atomic (char *) code_at_1000;
static _Atomic int asked, begun, ended;
static sem_t gate, arrived;
static _Atomic bool is_gated;

static uint32_t
resolve (void *data, uintptr_t address, void **ret_keys, uint32_t capacity)
{
	asked++;
	assert_int_equal (begun, ended + 1);
	assert_string_equal (data, "data");
	if (is_gated) {
		sem_post (&arrived);
		while (sem_wait (&gate))
			;
	}
	ret_keys[0] = address == 0x1000 ? code_at_1000 : NULL;
	return ret_keys[0] != NULL;
}

static void
begin (void *data)
{
	begun++;
}

static void
end (void *data)
{
	ended++;
}

static monocle_kit_stacks_config
config_at (const char *output)
{
	asked = begun = ended = 0;
	is_gated = false;
	return (monocle_kit_stacks_config) {
		.size = sizeof (monocle_kit_stacks_config),
		.module = "stacks",
		.output = output,
		.desc = "stacks:test",
		.values = { { "samples", "count" }, { "cpu", "nanoseconds" } },
		.period = 1000000,
		.data = "data",
		.resolve = resolve,
		.name = tree_name,
		.begin = begin,
		.end = end,
	};
}

static monocle_kit_stacks *
open_stacks (bool threads)
{
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.threads = threads;
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	assert_non_null (stacks);
	return stacks;
}

/* The profile begins with its spool. */
static monocle_kit_spool *
spool_of (monocle_kit_stacks *stacks)
{
	return (monocle_kit_spool *) stacks;
}

static uint64_t
samples (monocle_kit_stacks *stacks, const char *path)
{
	assert_true (monocle_kit_stacks_sync (stacks, 20000));
	return tree_calls (spool_of (stacks), path);
}

static bool
add (monocle_kit_stacks *stacks, uint64_t thread, uint64_t nanoseconds, const monocle_kit_frame *frames, uint32_t count)
{
	uint64_t values[2] = { 1, nanoseconds };
	return monocle_kit_stacks_add (stacks, frames, count, thread, values);
}

static const monocle_kit_frame f_of_main[] = { { frame_f, 0 }, { frame_main, 0 } };
static const monocle_kit_frame g_of_main[] = { { frame_g, 0 }, { frame_main, 0 } };
static const monocle_kit_frame code[] = { { NULL, 0x1000 }, { frame_main, 0 } };
static const monocle_kit_frame nowhere[] = { { NULL, 0x2000 }, { frame_main, 0 } };

/* --- room for paths ----------------------------------------------------------------------------------------------- */

/* Stacks that differ in the middle: [0] is the innermost frame. */
static void
add_different (monocle_kit_stacks *stacks, uint32_t count)
{
	enum { MIDDLE = 10 };
	for (uint32_t i = 0; i < count; i++) {
		monocle_kit_frame frames[MIDDLE + 2] = { { i % 2 ? frame_f : frame_g, 0 }, [MIDDLE + 1] = { frame_main, 0 } };
		for (uint32_t k = 0; k < MIDDLE; k++)
			frames[k + 1] = (monocle_kit_frame) { i * 2654435761u >> k & 1 ? frame_f : frame_g, 0 };
		assert_true (add (stacks, 1, 3, frames, MIDDLE + 2));
		if (i % 512 == 0)
			assert_true (monocle_kit_stacks_sync (stacks, 20000)); /* The ring holds so many. */
	}
	assert_true (monocle_kit_stacks_sync (stacks, 20000));
}

static void
stacks_without_room_are_folded_and_leaves_stay_exact (void **state)
{
	enum { COUNT = 4000 };
	static const uint64_t rooms[] = { 1, 100000, 200000, MONOCLE_KIT_PATHS };
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
		config.paths = rooms[i];
		monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
		struct monocle__spool_view view;
		struct monocle__call_paths paths;
		const char *error;
		uint64_t calls[2] = { 0, 0 }, self = 0;
		add_different (stacks, COUNT);
		monocle_kit_spool *spool = spool_of (stacks);
		assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
		assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
		for (uint32_t k = 0; k < paths.path_count; k++) {
			char last = paths.functions[paths.paths[k].function].name[0];
			self += paths.paths[k].self;
			if (last == 'f' || last == 'g')
				calls[last == 'f'] += paths.paths[k].calls;
			else
				assert_int_equal (paths.paths[k].calls, 0);
		}
		assert_int_equal (calls[0], COUNT / 2);
		assert_int_equal (calls[1], COUNT / 2);
		assert_int_equal (self, 3 * COUNT);
		assert_int_equal (paths.folded[0] > 0, rooms[i] != MONOCLE_KIT_PATHS);
		assert_int_equal (paths.folded[1], 3 * paths.folded[0]);
		assert_int_equal (monocle_kit_stacks_lost (stacks), 0);
		monocle__call_paths_done (&paths);
		monocle_kit_stacks_close (stacks);
		monocle_kit_stacks_free (stacks);
	}
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void
equal_stacks_add_up_and_their_values_too (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	for (int i = 0; i < 100; i++) {
		assert_true (add (stacks, 1, 5, f_of_main, 2));
		assert_true (add (stacks, 2, 7, g_of_main, 2));
	}
	assert_true (add (stacks, 3, 11, f_of_main + 1, 1));
	assert_int_equal (samples (stacks, "main;f"), 100);
	assert_int_equal (samples (stacks, "main;g"), 100);
	assert_int_equal (samples (stacks, "main"), 1);
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	const char *error;
	uint64_t sum = 0;
	monocle_kit_spool *spool = spool_of (stacks);
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++)
		sum += paths.paths[i].self;
	monocle__call_paths_done (&paths);
	assert_int_equal (sum, 500 + 700 + 11);
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
	assert_int_equal (access (tree_file ("p.pb.gz"), R_OK), 0);
	assert_int_not_equal (access (tree_file ("p.pb.gz.spool"), R_OK), 0);
}

static void
no_frames_and_too_many_are_shown_as_such (void **state)
{
	static monocle_kit_frame deep[MONOCLE_KIT_MAX_FRAMES + 2];
	monocle_kit_stacks *stacks = open_stacks (false);
	const monocle_kit_frame native = { (void *) MONOCLE_KIT_FRAME_NATIVE, 0 };
	assert_true (add (stacks, 1, 1, NULL, 0));
	assert_true (add (stacks, 1, 1, &native, 1));
	for (int i = 0; i < MONOCLE_KIT_MAX_FRAMES + 2; i++)
		deep[i].method = frame_f;
	assert_true (add (stacks, 1, 1, deep, MONOCLE_KIT_MAX_FRAMES + 2));
	assert_int_equal (samples (stacks, "[unknown]"), 1);
	assert_int_equal (samples (stacks, "[native]"), 1);
	static char path[2 * MONOCLE_KIT_MAX_FRAMES + 16] = "[truncated]";
	for (int i = 1; i < MONOCLE_KIT_MAX_FRAMES; i++)
		strcat (path, ";f");
	assert_int_equal (samples (stacks, path), 1);
	monocle_kit_stacks_close (stacks);
}

static void
a_frame_without_a_name_is_hidden_and_its_samples_are_its_callers (void **state)
{
	const monocle_kit_frame frames[] = { { frame_hidden, 0 }, { frame_main, 0 } };
	monocle_kit_stacks *stacks = open_stacks (false);
	add (stacks, 1, 1, frames, 2);
	assert_int_equal (samples (stacks, "main"), 1);
	monocle_kit_stacks_close (stacks);
}

static void
an_address_is_resolved_once_and_an_unknown_one_again (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	code_at_1000 = frame_g;
	for (int i = 0; i < 50; i++)
		add (stacks, 1, 1, code, 2);
	for (int i = 0; i < 3; i++)
		add (stacks, 1, 1, nowhere, 2);
	assert_int_equal (samples (stacks, "main;g"), 50);
	assert_int_equal (samples (stacks, "main;[unknown]"), 3);
	assert_int_equal (asked, 1 + 3);
	assert_true (begun > 0 && begun == ended);
	monocle_kit_stacks_close (stacks);
}

static char frame_means[] = "means";

static uint32_t
leave_out_means (void *data, uint64_t *keys, uint32_t count)
{
	uint32_t left = 0;
	assert_string_equal (data, "data");
	assert_int_equal (begun, ended + 1);
	for (uint32_t i = 0; i < count; i++)
		if (keys[i] != (uintptr_t) frame_means)
			keys[left++] = keys[i];
	return left;
}

static void
frames_can_be_left_out (void **state)
{
	static const monocle_kit_frame frames[] = {
		{ frame_means, 0 }, { NULL, 0x1000 }, { frame_means, 0 }, { frame_f, 0 }
	};
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.shorten = leave_out_means;
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	code_at_1000 = frame_g;
	add (stacks, 1, 1, frames, 4);
	add (stacks, 1, 1, frames, 4);
	assert_int_equal (samples (stacks, "f;g"), 2);
	assert_int_equal (samples (stacks, "f;means"), 0);
	monocle_kit_stacks_close (stacks);
}

static void
after_sync_addresses_are_asked_for_again (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	code_at_1000 = frame_f;
	add (stacks, 1, 1, code, 2);
	assert_true (monocle_kit_stacks_sync (stacks, 20000));
	code_at_1000 = frame_g;
	add (stacks, 1, 1, code, 2);
	assert_int_equal (samples (stacks, "main;f"), 1);
	assert_int_equal (samples (stacks, "main;g"), 1);
	monocle_kit_stacks_close (stacks);
}

static void
threads_are_kept_apart_named_and_ended_in_order (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (true);
	add (stacks, 7, 1, f_of_main, 2);
	monocle_kit_stacks_thread_name (stacks, 7, "first");
	monocle_kit_stacks_thread_end (stacks, 7);
	monocle_kit_stacks_thread_name (stacks, 7, "second");
	add (stacks, 7, 1, f_of_main, 2);
	add (stacks, 7, 1, f_of_main, 2);
	for (uint64_t i = 100; i < 400; i++) {
		add (stacks, i, 1, g_of_main, 2);
		if (i % 3)
			monocle_kit_stacks_thread_end (stacks, i);
	}
	for (uint64_t i = 102; i < 400; i += 3)
		add (stacks, i, 1, g_of_main, 2);
	assert_int_equal (samples (stacks, "first:main;f"), 1);
	assert_int_equal (samples (stacks, "second:main;f"), 2);
	/* Of those that went on, each is still one; 300 threads, and what came again after its end is another. */
	assert_int_equal (samples (stacks, "Thread 5:main;g"), 2);
	assert_int_equal (samples (stacks, "Thread 3:main;g"), 1);
	assert_int_equal (spool_of (stacks)->thread_count, 302);
	monocle_kit_stacks_close (stacks);
}

/* Which threads are kept apart in the profile by what they did. */
static unsigned
labels_of (monocle_kit_stacks *stacks, const char *thread, uint64_t *ret_states)
{
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	const char *error;
	unsigned count = 0;
	monocle_kit_spool *spool = spool_of (stacks);
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++) {
		const struct monocle__label *label = &paths.labels[paths.paths[i].label];
		if (paths.paths[i].calls && !strcmp (label->text, thread))
			ret_states[count++] = label->state;
	}
	for (uint32_t i = 0; i < paths.function_count; i++)
		assert_false (monocle__thread_state_is_key (paths.functions[i].key));
	monocle__call_paths_done (&paths);
	return count;
}

static void
what_a_thread_did_is_no_frame_of_its_stack (void **state)
{
	monocle_kit_frame frames[] = { { frame_f, 0 }, { frame_main, 0 }, { (void *) MONOCLE_KIT_FRAME_WAITING, 0 } };
	monocle_kit_stacks *stacks = open_stacks (true);
	uint64_t states[8];
	monocle_kit_stacks_thread_name (stacks, 7, "waits");
	monocle_kit_stacks_thread_name (stacks, 8, "nobody knows");
	add (stacks, 7, 1, frames, 3);
	frames[2].method = (void *) MONOCLE_KIT_FRAME_RUNNING;
	add (stacks, 7, 1, frames, 3);
	add (stacks, 8, 1, frames, 2);
	assert_int_equal (samples (stacks, "nobody knows:main;f"), 1);
	assert_int_equal (labels_of (stacks, "waits", states), 2);
	assert_int_equal (states[0] + states[1], MONOCLE_KIT_FRAME_WAITING + MONOCLE_KIT_FRAME_RUNNING);
	assert_int_equal (labels_of (stacks, "nobody knows", states), 1);
	assert_int_equal (states[0], 0);
	monocle_kit_stacks_close (stacks);
}

/*
 * The numbers of roots and the addresses of methods differ in their lowest bits only: what tells two stacks apart must
 * not be that the one differs where the other does.
 */
static void
stacks_of_neighbours_are_not_mixed_up (void **state)
{
	enum { COUNT = 60 };
	static char names[COUNT][2] __attribute__ ((aligned (4096)));
	monocle_kit_stacks *stacks = open_stacks (true);
	for (int i = 0; i < COUNT; i++)
		names[i][0] = (char) ('A' + i);
	for (uint64_t thread = 0; thread < COUNT; thread++)
		for (int i = 0; i < COUNT; i++) {
			const monocle_kit_frame frames[] = { { names[i], 0 }, { frame_main, 0 } };
			add (stacks, 1000 + thread, 1, frames, 2);
		}
	for (int i = 0; i < COUNT; i++) {
		char path[160];
		snprintf (path, sizeof path, "Thread %d:main;%s", i + 1, names[i]);
		assert_int_equal (samples (stacks, path), 1);
	}
	monocle_kit_stacks_close (stacks);
}

/* --- loss --------------------------------------------------------------------------------------------------------- */

static void
a_full_ring_loses_and_counts_and_goes_on (void **state)
{
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.buffer = 1; /* The least there is. */
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	sem_init (&gate, 0, 0);
	sem_init (&arrived, 0, 0);
	is_gated = true;
	code_at_1000 = frame_g;
	add (stacks, 1, 1, code, 2);
	while (sem_wait (&arrived)) /* Now the drain thread hangs in resolve. */
		;
	uint64_t good = 0, lost = 0;
	errno = 77;
	for (int i = 0; i < 20000; i++)
		*(add (stacks, 1, 1, f_of_main, 2) ? &good : &lost) += 1;
	assert_int_equal (errno, 77);
	assert_true (good > 1000 && lost > 10000);
	assert_int_equal (monocle_kit_stacks_lost (stacks), lost);
	assert_false (monocle_kit_stacks_sync (stacks, 30));
	is_gated = false;
	sem_post (&gate);
	assert_int_equal (samples (stacks, "main;f"), good);
	assert_int_equal (tree_loss (spool_of (stacks), MONOCLE__LOSS_STACKS), lost);
	assert_true (add (stacks, 1, 1, f_of_main, 2));
	monocle_kit_stacks_close (stacks);
}

static void
close_stacks (void *stacks)
{
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
}

static void
what_was_lost_is_said_at_the_end (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	monocle__spool_lose (spool_of (stacks), MONOCLE__LOSS_STACKS, 41);
	char *messages = tree_messages (close_stacks, stacks);
	assert_non_null (strstr (messages, "monocle: stacks: 41 stacks are missing from "));
	free (messages);
	assert_false (add (stacks, 1, 1, f_of_main, 2));
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
}

static void
without_room_in_the_file_stacks_are_lost_and_counted (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	add (stacks, 1, 1, f_of_main, 2);
	assert_int_equal (samples (stacks, "main;f"), 1);
	monocle__fail_after = 1;
	static char names[100000][8];
	for (int i = 0; i < 100000; i++) {
		snprintf (names[i], sizeof names[i], "m%d", i);
		while (!add (stacks, 1, 1, &(monocle_kit_frame) { names[i], 0 }, 1))
			monocle_kit_stacks_sync (stacks, 1000);
	}
	assert_int_equal (samples (stacks, "main;f"), 1);
	add (stacks, 1, 1, f_of_main, 2);
	assert_int_equal (samples (stacks, "main;f"), 2);
	assert_true (tree_loss (spool_of (stacks), MONOCLE__LOSS_SPACE) > 0);
	monocle__fail_after = 0;
	char *messages = tree_messages (close_stacks, stacks);
	free (messages);
}

static void
what_cannot_be_opened_is_said_and_is_null (void **state)
{
	for (long nth = 1; nth < 20; nth++) {
		monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
		monocle__fail_after = nth;
		monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
		bool failed = monocle__fail_after == 1;
		monocle__fail_after = 0;
		assert_true (stacks || failed);
		assert_int_equal (monocle_kit_stacks_close (stacks), 0);
		assert_int_not_equal (access (tree_file ("p.pb.gz.spool"), F_OK), 0);
		if (stacks)
			return;
	}
	fail ();
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

static void
notes_are_replaced_by_key_and_there_are_eight (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (false);
	const struct monocle__note *notes = spool_of (stacks)->header->notes;
	char key[8], longer[400];
	memset (longer, 'x', sizeof longer);
	longer[399] = '\0';
	monocle_kit_stacks_note (stacks, "engine", "one");
	monocle_kit_stacks_note (stacks, "engine", "another");
	assert_int_equal (notes[0].length, strlen ("engine: another"));
	assert_memory_equal (notes[0].text, "engine: another", notes[0].length);
	assert_int_equal (notes[1].length, 0);
	for (int i = 0; i < 20; i++) {
		snprintf (key, sizeof key, "k%d", i);
		monocle_kit_stacks_note (stacks, key, longer);
	}
	assert_int_equal (notes[7].length, sizeof notes[7].text - 1);
	monocle_kit_stacks_close (stacks);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static void
a_forked_child_is_silent (void **state)
{
	monocle_kit_stacks *stacks = open_stacks (true);
	add (stacks, 1, 1, f_of_main, 2);
	pid_t child = fork ();
	if (!child) {
		bool silent = !add (stacks, 1, 1, f_of_main, 2) && monocle_kit_stacks_sync (stacks, 10) &&
		              !monocle_kit_stacks_lost (stacks) && !monocle_kit_stacks_close (stacks);
		monocle_kit_stacks_thread_name (stacks, 1, "child");
		monocle_kit_stacks_note (stacks, "who", "child");
		_exit (silent ? 0 : 1);
	}
	int status;
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
	assert_int_equal (samples (stacks, "Thread 1:main;f"), 1);
	assert_int_equal (spool_of (stacks)->header->notes[0].length, 0);
	monocle_kit_stacks_close (stacks);
	assert_int_equal (access (tree_file ("p.pb.gz"), R_OK), 0);
}

static void
what_a_killed_process_counted_becomes_its_profile (void **state)
{
	int pipes[2];
	assert_int_equal (pipe (pipes), 0);
	pid_t child = fork ();
	if (!child) {
		monocle_kit_stacks *stacks = open_stacks (false);
		for (int i = 0; i < 1000; i++)
			add (stacks, 1, 1, f_of_main, 2);
		monocle_kit_stacks_sync (stacks, 20000);
		if (write (pipes[1], "x", 1) != 1)
			_exit (1);
		for (;;)
			pause ();
	}
	char byte;
	const char *error = "";
	void *data;
	size_t length;
	assert_int_equal (read (pipes[0], &byte, 1), 1);
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	close (pipes[0]), close (pipes[1]);
	assert_int_equal (tree_file_calls (tree_file ("p.pb.gz.spool"), "main;f"), 1000);
	assert_int_equal (monocle_kit_spool_read (tree_file ("p.pb.gz.spool"), &data, &length, &error), 0);
	free (data);
}

static void
what_came_just_before_exit_is_counted (void **state)
{
	int status;
	fflush (NULL);
	pid_t child = fork ();
	if (!child) {
		add (open_stacks (false), 1, 1, f_of_main, 2);
		exit (0);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
	assert_int_equal (tree_file_calls (tree_file ("p.pb.gz.spool"), "main;f"), 1);
}

/* --- who comes in between ----------------------------------------------------------------------------------------- */

static monocle_kit_stacks *shared;
static _Atomic uint64_t handled, refused;
static _Atomic bool is_over;

static void
on_signal (int number)
{
	int saved_errno = errno;
	*(add (shared, 2, 1, g_of_main, 2) ? &handled : &refused) += 1;
	errno = saved_errno;
}

static void *
add_all_the_time (void *data)
{
	uint64_t *count = data;
	while (!is_over)
		if (add (shared, 1, 1, f_of_main, 2))
			++*count;
		else
			refused++;
	return NULL;
}

static void
a_signal_handler_may_add_in_the_middle_of_adding (void **state)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	uint64_t added = 0;
	pthread_t thread;
	shared = open_stacks (false);
	handled = refused = 0;
	is_over = false;
	sigaction (SIGUSR1, &action, &before);
	assert_int_equal (pthread_create (&thread, NULL, add_all_the_time, &added), 0);
	for (int i = 0; i < 20000; i++) {
		pthread_kill (thread, SIGUSR1);
		if (i % 16 == 0)
			sched_yield ();
	}
	is_over = true;
	pthread_join (thread, NULL);
	sigaction (SIGUSR1, &before, NULL);
	assert_int_equal (samples (shared, "main;f"), added);
	assert_int_equal (samples (shared, "main;g"), handled);
	assert_true (handled > 0);
	assert_int_equal (monocle_kit_stacks_lost (shared), refused);
	free (tree_messages (close_stacks, shared));
}

static void *
add_many (void *data)
{
	uint64_t *count = data;
	monocle_kit_frame frames[40];
	for (int i = 0; i < 30000; i++) {
		uint32_t depth = (uint32_t) (i % 40) + 1;
		for (uint32_t k = 0; k < depth; k++)
			frames[k] = (monocle_kit_frame) { k % 2 ? frame_f : frame_g, 0 };
		frames[depth - 1].method = frame_main;
		*count += add (shared, (uint64_t) (uintptr_t) data, 1, frames, depth);
	}
	return NULL;
}

static void
eight_threads_add_and_nothing_is_counted_twice (void **state)
{
	pthread_t threads[8];
	uint64_t counts[8] = { 0 }, added = 0, counted = 0;
	shared = open_stacks (true);
	for (int i = 0; i < 8; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, add_many, &counts[i]), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join (threads[i], NULL);
		added += counts[i];
	}
	assert_true (monocle_kit_stacks_sync (shared, 20000));
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	const char *error;
	monocle_kit_spool *spool = spool_of (shared);
	assert_int_equal (monocle__spool_view_init (&view, spool->header, spool->allocated, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++)
		counted += paths.paths[i].calls;
	monocle__call_paths_done (&paths);
	assert_int_equal (counted, added);
	assert_int_equal (added + monocle_kit_stacks_lost (shared), 8 * 30000);
	free (tree_messages (close_stacks, shared));
}

static void
two_modules_have_a_profile_each_beside_the_call_tree (void **state)
{
	monocle_kit_stacks_config config = config_at (tree_file ("a.pb.gz"));
	char other[128];
	snprintf (other, sizeof other, "%s", tree_file ("b.pb.gz"));
	monocle_kit_stacks *first = monocle_kit_stacks_open (&config);
	config.output = other;
	monocle_kit_stacks *second = monocle_kit_stacks_open (&config);
	monocle_kit_spool *calls = tree_open (false, false, 0);
	assert_true (first && second && calls);
	monocle_kit_calls_enter (calls, frame_f), monocle_kit_calls_leave (calls, frame_f);
	add (first, 1, 1, f_of_main, 2);
	add (second, 1, 1, g_of_main, 2);
	assert_int_equal (samples (first, "main;f"), 1);
	assert_int_equal (samples (second, "main;g"), 1);
	assert_int_equal (samples (second, "main;f"), 0);
	assert_int_equal (tree_calls (calls, "f"), 1);
	monocle_kit_stacks_close (first), monocle_kit_stacks_close (second);
}

static bool
is_there (const char *name)
{
	return access (tree_file (name), R_OK) == 0;
}

static void
each_cut_writes_what_came_since_the_one_before (void **state)
{
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.pieces = true;
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	assert_true (monocle_kit_stacks_cut (stacks, 20000)); /* Nothing was added: there is nothing to write. */
	assert_false (is_there ("p.pb.gz"));
	add (stacks, 1, 5, f_of_main, 2);
	assert_true (monocle_kit_stacks_cut (stacks, 20000));
	assert_true (is_there ("p.pb.gz") && !is_there ("p-2.pb.gz"));
	assert_int_equal (samples (stacks, "main;f"), 0);
	add (stacks, 1, 5, f_of_main, 2), add (stacks, 1, 5, g_of_main, 2), add (stacks, 1, 5, g_of_main, 2);
	assert_int_equal (samples (stacks, "main;f"), 1);
	assert_int_equal (samples (stacks, "main;g"), 2);
	assert_true (monocle_kit_stacks_cut (stacks, 20000));
	assert_true (is_there ("p-2.pb.gz") && is_there ("p.pb.gz.spool"));
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
	assert_false (is_there ("p-3.pb.gz") || is_there ("p.pb.gz.spool"));
}

static void
the_end_of_a_profile_in_pieces_is_one_more (void **state)
{
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.pieces = true;
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	add (stacks, 1, 5, f_of_main, 2);
	assert_true (monocle_kit_stacks_cut (stacks, 20000));
	add (stacks, 1, 5, f_of_main, 2);
	assert_int_equal (monocle_kit_stacks_close (stacks), 0);
	assert_true (is_there ("p.pb.gz") && is_there ("p-2.pb.gz") && !is_there ("p-3.pb.gz"));
}

static void
a_piece_that_cannot_be_written_is_in_the_next_one (void **state)
{
	monocle_kit_stacks_config config = config_at (tree_file ("p.pb.gz"));
	config.pieces = true;
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	add (stacks, 1, 5, f_of_main, 2);
	assert_int_equal (mkdir (tree_file ("p.pb.gz"), 0700), 0);
	assert_false (monocle_kit_stacks_cut (stacks, 20000));
	assert_int_equal (samples (stacks, "main;f"), 1);
	assert_int_equal (rmdir (tree_file ("p.pb.gz")), 0);
	assert_true (monocle_kit_stacks_cut (stacks, 20000));
	assert_true (is_there ("p.pb.gz"));
	monocle_kit_stacks_close (stacks);
}

#define tree_test(test) cmocka_unit_test_setup_teardown (test, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (stacks_without_room_are_folded_and_leaves_stay_exact),
		tree_test (equal_stacks_add_up_and_their_values_too),
		tree_test (no_frames_and_too_many_are_shown_as_such),
		tree_test (a_frame_without_a_name_is_hidden_and_its_samples_are_its_callers),
		tree_test (an_address_is_resolved_once_and_an_unknown_one_again),
		tree_test (frames_can_be_left_out),
		tree_test (after_sync_addresses_are_asked_for_again),
		tree_test (threads_are_kept_apart_named_and_ended_in_order),
		tree_test (what_a_thread_did_is_no_frame_of_its_stack),
		tree_test (stacks_of_neighbours_are_not_mixed_up),
		tree_test (a_full_ring_loses_and_counts_and_goes_on),
		tree_test (what_was_lost_is_said_at_the_end),
		tree_test (without_room_in_the_file_stacks_are_lost_and_counted),
		tree_test (what_cannot_be_opened_is_said_and_is_null),
		tree_test (notes_are_replaced_by_key_and_there_are_eight),
		tree_test (a_forked_child_is_silent),
		tree_test (what_a_killed_process_counted_becomes_its_profile),
		tree_test (what_came_just_before_exit_is_counted),
		tree_test (a_signal_handler_may_add_in_the_middle_of_adding),
		tree_test (eight_threads_add_and_nothing_is_counted_twice),
		tree_test (two_modules_have_a_profile_each_beside_the_call_tree),
		tree_test (each_cut_writes_what_came_since_the_one_before),
		tree_test (the_end_of_a_profile_in_pieces_is_one_more),
		tree_test (a_piece_that_cannot_be_written_is_in_the_next_one),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
