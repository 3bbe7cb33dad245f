/*
 * SPDX-License-Identifier: MIT
 *
 * samples_floor.c - what the kernel asks for a sample, without a runtime and without us: threads that are busy have
 * perf's task clock as an event that signals them, and a handler that does nothing.
 *
 *     samples-floor FREQUENCY PAIRS MILLISECONDS THREADS
 *
 * Prints for each pair the CPU time that the same work took without samples and with them, as sampling.cs does.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

static long amount = 1000;
static long frequency; /* 0: no samples */
static volatile unsigned sink;

static int64_t
cpu_ns (void)
{
	struct timespec time;
	clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t) time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
on_signal (int number)
{
}

static void
fail (const char *what)
{
	perror (what);
	exit (77);
}

static int
open_event (void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attributes,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = (uint64_t) (1000000000 / frequency),
		.wakeup_events = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	pid_t self = (pid_t) syscall (SYS_gettid);
	struct f_owner_ex owner = { F_OWNER_TID, self };
	int fd = (int) syscall (SYS_perf_event_open, &attributes, self, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fail ("perf_event_open");
	fcntl (fd, F_SETOWN_EX, &owner);
	fcntl (fd, F_SETSIG, SIGURG);
	fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_ASYNC);
	return fd;
}

static void *
work (void *nothing)
{
	int fd = frequency ? open_event () : -1;
	unsigned sum = 0;
	for (long i = 0; i < amount; i++)
		for (unsigned k = 0; k < 1000; k++)
			sum = sum * 31 + k + (unsigned) i;
	sink = sum;
	if (fd >= 0)
		close (fd);
	return NULL;
}

static int64_t
measure (int threads)
{
	pthread_t all[THREADS_MAX];
	int64_t from = cpu_ns ();
	for (int i = 0; i < threads; i++)
		if (pthread_create (&all[i], NULL, work, NULL))
			fail ("pthread_create");
	for (int i = 0; i < threads; i++)
		pthread_join (all[i], NULL);
	return cpu_ns () - from;
}

int
main (int count, char **arguments)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	int threads = count == 5 ? atoi (arguments[4]) : 0;
	long wanted = threads ? atol (arguments[1]) : 0;
	if (threads < 1 || threads > THREADS_MAX || wanted < 1)
		return 2;
	sigaction (SIGURG, &action, NULL);
	while (measure (threads) < atol (arguments[3]) * 1000000)
		amount = amount * 5 / 4;
	for (int i = 0; i < atoi (arguments[2]); i++) {
		int64_t took[2];
		for (int k = 0; k < 2; k++) {
			int on = (i + k) % 2;
			frequency = on ? wanted : 0;
			took[on] = measure (threads);
		}
		printf ("pair\t%lld\t%lld\n", (long long) took[0], (long long) took[1]);
	}
	return 0;
}
