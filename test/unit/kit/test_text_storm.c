/*
 * SPDX-License-Identifier: MIT
 *
 * test_text_storm.c - text logs whose lines come as fast as they can, from threads and from a handler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"

static monocle_kit_text *
open_with (uint64_t buffer)
{
	monocle_kit_text_config config = {
		.size = sizeof config,
		.module = "test",
		.output = tree_file ("log.txt"),
		.buffer = buffer,
	};
	return monocle_kit_text_open (&config);
}

enum { THREADS = 8, LINES = 4000 };

static void *
count_up (void *data)
{
	monocle_kit_text *text = data;
	for (int i = 0; i < LINES; i++) {
		char line[64];
		uint64_t now = monocle_kit_now ();
		int length = snprintf (line, sizeof line, "%lu %d", (unsigned long) now, i);
		monocle_kit_text_line (text, now, line, (size_t) length);
		if (i % 64 == 0)
			usleep (100);
	}
	return NULL;
}

static void
lines_of_all_threads_come_in_the_order_of_their_times (void **state)
{
	monocle_kit_text *text = open_with (4 << 20);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create (&threads[i], NULL, count_up, text);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	assert_int_equal (monocle_kit_text_close (text), 0);
	FILE *file = fopen (tree_file ("log.txt"), "r");
	int lines = 0, late = 0;
	unsigned long last = 0, time;
	for (; fscanf (file, "%lu %*d", &time) == 1; lines++) {
		late += time < last;
		last = time > last ? time : last;
	}
	fclose (file);
	assert_int_equal (lines, THREADS * LINES);
	assert_in_range (late, 0, lines / 100); /* threads that were stopped between their time and their line */
}

static monocle_kit_text *interrupted;
static volatile int handled;

static bool
say (monocle_kit_text *text, const char *line)
{
	return monocle_kit_text_line (text, monocle_kit_now (), line, strlen (line));
}

static void
on_alarm (int number)
{
	handled += say (interrupted, "handler") ? 1 : 0x10000;
}

static void
a_signal_handler_may_come_at_any_instruction (void **state)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, before;
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec fast = { { 0, 20000 }, { 0, 20000 } };
	int64_t lost = 0, lines = 0;
	interrupted = open_with (8 << 20);
	say (interrupted, "warm");
	sigaction (SIGUSR1, &action, &before);
	assert_int_equal (timer_create (CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime (timer, 0, &fast, NULL);
	for (uint64_t end = monocle_kit_now () + 300000000; monocle_kit_now () < end; lines++)
		lost += !say (interrupted, "plain");
	timer_delete (timer);
	sigaction (SIGUSR1, &before, NULL);
	assert_true (handled & 0xffff);
	assert_int_equal (monocle_kit_text_close (interrupted), lost + (handled >> 16));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown (lines_of_all_threads_come_in_the_order_of_their_times, tree_setup,
		                                 tree_teardown),
		cmocka_unit_test_setup_teardown (a_signal_handler_may_come_at_any_instruction, tree_setup, tree_teardown),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
