/*
 * SPDX-License-Identifier: MIT
 *
 * floor.c - what the kernel asks for samples: all threads of the process have perf's task clock as an event while the
 * switch is on, and the handler does nothing. Nothing of ours takes part.
 *
 *     floor[:FREQUENCY]      0: the switch does nothing at all, which shows what the measurement itself is worth
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "switch.h"

enum { EVENTS_MAX = 1024 };

static long frequency = 1000;
static int events[EVENTS_MAX];
static unsigned event_count;

static void
on_signal (int number)
{
}

static void
open_event (pid_t thread)
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
	struct f_owner_ex owner = { F_OWNER_TID, thread };
	int fd = event_count < EVENTS_MAX
	           ? (int) syscall (SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)
	           : -1;
	if (fd < 0)
		return;
	events[event_count++] = fd;
	fcntl (fd, F_SETOWN_EX, &owner);
	fcntl (fd, F_SETSIG, SIGURG);
	fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_ASYNC);
}

static void
set_events (bool is_on)
{
	DIR *folder = is_on && frequency ? opendir ("/proc/self/task") : NULL;
	while (event_count)
		close (events[--event_count]);
	for (struct dirent *entry; folder && (entry = readdir (folder));)
		if (atoi (entry->d_name))
			open_event (atoi (entry->d_name));
	if (folder)
		closedir (folder);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_floor (const char *desc);

void
mono_profiler_init_floor (const char *desc)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const char *colon = strchr (desc, ':');
	frequency = colon ? atol (colon + 1) : frequency;
	sigaction (SIGURG, &action, NULL);
	mono_profiler_create (NULL);
	switch_call (set_events);
}
