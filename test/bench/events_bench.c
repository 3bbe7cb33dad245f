/*
 * SPDX-License-Identifier: MIT
 *
 * events_bench.c - the module `events`, from raised events to lines in a file (budget: a million lines a second).
 *
 *   events-bench FILE [LINES [FOLDER]]     FILE is an image whose methods are named; the log goes to FOLDER, else /tmp
 *
 * Threads of a host that opens files raise calls of 64 methods, exceptions, steps of collections and threads, as fast
 * as they can, into buffers in which everything has room. "Left" is when the last thread has left its last line,
 * "written" when the log is closed and whole. Each figure is of a process of its own. A last row has a pipe that is
 * read at 1 MB/s and the usual buffer: what is left and what is lost then, while nobody waits.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file-host.h"
#include <monocle/host.h>

void mono_profiler_init_events (const char *desc);

#define EVENTS "only=method_enter+method_leave+exception_throw+gc_event+thread_started+runtime"

enum { METHODS = 64, THREADS_MOST = 8, PER_ROUND = 8 };

static MonoMethod *methods[METHODS];
static unsigned rounds;

static double
clock_of (clockid_t clock)
{
	struct timespec time;
	clock_gettime (clock, &time);
	return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static void *
raise_much (void *data)
{
	unsigned seed = (unsigned) (uintptr_t) data;
	for (unsigned i = 0; i < rounds; i++) {
		MonoMethod *outer = methods[(i + seed) % METHODS], *inner = methods[(i * 7 + seed) % METHODS];
		monocle_raise_method_enter (outer, NULL);
		monocle_raise_method_enter (inner, NULL);
		monocle_raise_exception_throw (NULL);
		monocle_raise_method_leave (inner, NULL);
		monocle_raise_gc_event (MONO_GC_EVENT_START, 0, 1);
		monocle_raise_gc_event (MONO_GC_EVENT_END, 0, 1);
		monocle_raise_thread_started (i);
		monocle_raise_method_leave (outer, NULL);
	}
	return NULL;
}

static bool
open_methods (const char *path)
{
	MonoImage *image = file_host_open (path);
	int rows = image ? mono_image_get_table_rows (image, MONO_TABLE_METHOD) : 0;
	for (int i = 0; rows >= METHODS && i < METHODS; i++)
		methods[i] = monocle_method_def (image, (uint32_t) (rows / METHODS * i + 1));
	return rows >= METHODS;
}

static bool
start (const char *path, const char *desc)
{
	file_host_start ();
	mono_profiler_init_events (desc);
	monocle_host_startup_done ();
	return open_methods (path);
}

/* Seconds until all have left their lines. */
static double
run_threads (unsigned count)
{
	pthread_t threads[THREADS_MOST];
	double before = clock_of (CLOCK_MONOTONIC);
	for (uintptr_t i = 0; i < count; i++)
		if (pthread_create (&threads[i], NULL, raise_much, (void *) i))
			abort ();
	for (unsigned i = 0; i < count; i++)
		pthread_join (threads[i], NULL);
	return clock_of (CLOCK_MONOTONIC) - before;
}

/* Lines of events in a file, and in *ret_lost those that it says are missing. */
static unsigned long
count_lines (const char *name, unsigned long *ret_lost)
{
	static char line[16384];
	unsigned long count = 0, lost;
	FILE *file = fopen (name, "r");
	*ret_lost = 0;
	while (file && fgets (line, sizeof line, file))
		if (sscanf (line, "--- %lu lines", &lost) == 1)
			*ret_lost += lost;
		else
			count += *line != '#';
	if (file)
		fclose (file);
	return count;
}

static int
measure (const char *path, const char *log, unsigned threads, unsigned lines)
{
	char desc[600];
	unsigned long lost;
	snprintf (desc, sizeof desc, "events:" EVENTS ",buffer=1g,output=%s", log);
	rounds = lines / PER_ROUND / threads;
	if (!start (path, desc))
		return 1;
	double cpu = clock_of (CLOCK_PROCESS_CPUTIME_ID), before = clock_of (CLOCK_MONOTONIC);
	double left = run_threads (threads);
	monocle_raise_runtime_shutdown_end ();
	double written = clock_of (CLOCK_MONOTONIC) - before;
	cpu = clock_of (CLOCK_PROCESS_CPUTIME_ID) - cpu;
	unsigned long count = count_lines (log, &lost), should = (unsigned long) rounds * PER_ROUND * threads;
	double millions = (double) count / 1e6;
	printf ("%u threads %11lu lines   left %5.2f M/s   written %5.2f M/s   >= 1%s   %4.0f ns of CPU each   %lu lost\n",
	        threads, count, millions / left, millions / written, millions / written < 1 ? " !" : "",
	        cpu * 1e3 / millions, lost);
	/* runtime_shutdown_end is the last line. */
	return count + lost == should + 1 ? 0 : 1;
}

/* Reads what comes, a megabyte a second, and writes it to `log`. */
static void
read_slowly (const char *fifo, const char *log)
{
	static char piece[10240];
	struct timespec pause = { 0, 10000000 };
	int in = open (fifo, O_RDONLY), out = open (log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (ssize_t n; (n = read (in, piece, sizeof piece)) > 0; nanosleep (&pause, NULL))
		if (write (out, piece, (size_t) n) != n)
			_exit (1);
	_exit (0);
}

static int
measure_slow (const char *path, const char *log, unsigned lines)
{
	char desc[700], fifo[512];
	unsigned long lost;
	snprintf (fifo, sizeof fifo, "%s.fifo", log);
	if (mkfifo (fifo, 0600))
		return 1;
	pid_t reader = fork ();
	if (reader == 0)
		read_slowly (fifo, log);
	usleep (200000); /* until it has opened the pipe */
	snprintf (desc, sizeof desc, "events:" EVENTS ",output=%s", fifo);
	rounds = lines / PER_ROUND;
	if (!start (path, desc))
		return 1;
	double left = run_threads (1);
	monocle_raise_runtime_shutdown_end ();
	waitpid (reader, NULL, 0);
	unsigned long count = count_lines (log, &lost), should = (unsigned long) rounds * PER_ROUND;
	printf ("a slow pipe %9lu lines   left %5.2f M/s   %lu written, %lu said to be lost\n", should,
	        (double) should / 1e6 / left, count, lost);
	unlink (fifo);
	return count + lost == should + 1 ? 0 : 1;
}

int
main (int argc, char **argv)
{
	static const unsigned threads[] = { 1, 2, 4, 0 };
	unsigned lines = argc > 2 ? (unsigned) atoi (argv[2]) : 2000000;
	char log[400];
	int failed = argc < 2;
	snprintf (log, sizeof log, "%s/monocle-events-bench.%d", argc > 3 ? argv[3] : "/tmp", (int) getpid ());
	for (size_t i = 0; !failed && i < sizeof threads / sizeof *threads; i++) {
		int status = 1;
		fflush (stdout);
		pid_t child = fork ();
		if (child == 0) {
			failed = threads[i] ? measure (argv[1], log, threads[i], lines) : measure_slow (argv[1], log, lines / 4);
			fflush (stdout);
			_exit (failed);
		}
		failed = child < 0 || waitpid (child, &status, 0) != child || status;
		unlink (log);
	}
	if (failed)
		fprintf (stderr, "events-bench FILE [LINES [FOLDER]]: an image with methods, and a folder to write to\n");
	return failed;
}
