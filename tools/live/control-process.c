/*
 * SPDX-License-Identifier: MIT
 *
 * control-process.c - see control-process.h.
 */
#include "control-process.h"

#include "command/command.h"
#include "control.h"
#include "process.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHILDREN_MOST = 64, GENERATIONS_MOST = 8 };

typedef struct {
	pid_t pids[CHILDREN_MOST];
	int fds[CHILDREN_MOST];
	size_t count;
} found;

/* /proc/PID/task/TID/children, of all threads, would need CONFIG_PROC_CHILDREN; the first thread's are most. */
static void
add_children (found *all, pid_t pid, int generation)
{
	char *name = monocle__format ("/proc/%d/task/%d/children", (int) pid, (int) pid);
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	FILE *file = fopen (name, "re");
	int child;
	while (file && all->count < CHILDREN_MOST && fscanf (file, "%d", &child) == 1) {
		bool is_absent;
		int fd = monocle__live_control_connect (child, &is_absent, reason);
		if (fd >= 0) {
			all->pids[all->count] = child;
			all->fds[all->count++] = fd;
		} else if (generation < GENERATIONS_MOST) {
			add_children (all, child, generation + 1);
		}
	}
	if (file)
		fclose (file);
	free (name);
}

static int
connect_child (pid_t pid, pid_t *ret_pid, const char *reason)
{
	found all = { .count = 0 };
	add_children (&all, pid, 1);
	if (all.count == 0)
		monocle__say ("process %d: %s", (int) pid, reason);
	for (size_t i = 0; i < all.count && all.count > 1; i++) {
		monocle__say ("process %d has started process %d, which can be asked, among others: name one", (int) pid,
		              (int) all.pids[i]);
		close (all.fds[i]);
	}
	if (all.count != 1)
		return -1;
	*ret_pid = all.pids[0];
	return all.fds[0];
}

static int
connect_number (pid_t pid, pid_t *ret_pid)
{
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	bool is_absent;
	int fd = monocle__live_control_connect (pid, &is_absent, reason);
	*ret_pid = pid;
	if (fd < 0 && is_absent)
		return connect_child (pid, ret_pid, reason);
	if (fd < 0)
		monocle__say ("process %d: %s", (int) pid, reason);
	return fd;
}

int
monocle__control_process_connect (const char *word, pid_t *ret_pid)
{
	monocle__live_process process;
	char error[MONOCLE__LIVE_CONTROL_REASON];
	size_t number;
	if (monocle__try_number (word, &number) && number > 0 && number <= INT_MAX)
		return connect_number ((pid_t) number, ret_pid);
	if (monocle__live_processes_find (word, &process, error, sizeof error) != 0) {
		monocle__say ("%s", error);
		return -1;
	}
	pid_t pid = process.pid;
	monocle__live_process_done (&process);
	return connect_number (pid, ret_pid);
}
