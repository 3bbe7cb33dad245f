/*
 * SPDX-License-Identifier: MIT
 *
 * processes.c - all .NET and Mono processes that the caller may see, and the one that a word means.
 */
#include "process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
monocle__live_processes_free (monocle__live_process *processes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		monocle__live_process_done (&processes[i]);
	free (processes);
}

/* 0: the name is no process's number. */
static pid_t
pid_of (const char *name)
{
	char *end;
	long number = isdigit ((unsigned char) name[0]) ? strtol (name, &end, 10) : 0;
	return number > 0 && number <= INT_MAX && !*end ? (pid_t) number : 0;
}

static int
compare_pids (const void *a, const void *b)
{
	const monocle__live_process *x = a, *y = b;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* False: out of memory. */
static bool
add (monocle__live_process **processes, size_t *count, size_t *room, const monocle__live_process *process)
{
	if (*count == *room) {
		size_t more = *room ? *room * 2 : 16;
		monocle__live_process *grown = realloc (*processes, more * sizeof *grown);
		if (!grown)
			return false;
		*processes = grown;
		*room = more;
	}
	(*processes)[(*count)++] = *process;
	return true;
}

monocle__live_process *
monocle__live_processes_new (size_t *ret_count)
{
	monocle__live_process *processes = NULL, process;
	size_t count = 0, room = 0;
	struct dirent *entry;
	DIR *folder = opendir ("/proc");
	bool is_good = true;
	while (folder && is_good && (entry = readdir (folder))) {
		pid_t pid = pid_of (entry->d_name);
		int error = pid && pid != getpid () ? monocle__live_process_read (pid, &process) : -ESRCH;
		if (error == 0 && process.kind == MONOCLE__LIVE_FOREIGN)
			monocle__live_process_done (&process);
		else if (error == 0 && !(is_good = add (&processes, &count, &room, &process)))
			monocle__live_process_done (&process);
		is_good = is_good && error != -ENOMEM;
	}
	if (folder)
		closedir (folder);
	if (is_good && !processes)
		processes = calloc (1, sizeof *processes);
	if (!is_good || !processes) {
		monocle__live_processes_free (processes, count);
		return NULL;
	}
	qsort (processes, count, sizeof *processes, compare_pids);
	*ret_count = count;
	return processes;
}

/* "app" means app.dll, app.exe and app. */
static bool
is_named (const monocle__live_process *process, const char *word)
{
	size_t length = strlen (word);
	const char *program = process->program;
	return strncmp (program, word, length) == 0 && (!program[length] || strcasecmp (program + length, ".dll") == 0 ||
	                                                strcasecmp (program + length, ".exe") == 0);
}

/* Processes that the caller cannot look into are meant only where there is no other of that name. */
static bool
is_meant (const monocle__live_process *process, const char *word, bool has_own)
{
	return is_named (process, word) && (process->is_visible || !has_own);
}

static bool
has_own (const monocle__live_process *processes, size_t count, const char *word)
{
	bool found = false;
	for (size_t i = 0; i < count && !found; i++)
		found = processes[i].is_visible && is_named (&processes[i], word);
	return found;
}

static int
find_pid (pid_t pid, monocle__live_process *ret_process, char *ret_error, size_t size)
{
	monocle__live_process process;
	int error = monocle__live_process_read (pid, &process);
	if (error == 0 && (process.kind != MONOCLE__LIVE_FOREIGN || !process.is_visible)) {
		*ret_process = process;
		return 0;
	}
	if (error == 0)
		snprintf (ret_error, size, "process %d (%s) is neither .NET nor Mono", (int) pid, process.program);
	else
		snprintf (ret_error, size, error == -ENOMEM ? "out of memory" : "there is no process %d", (int) pid);
	if (error == 0)
		monocle__live_process_done (&process);
	return -1;
}

/* "app is the name of 3 processes: 12, 34, 56". */
static void
say_several (const char *word, const monocle__live_process *processes, size_t count, char *ret_error, size_t size)
{
	size_t named = 0, used;
	bool own = has_own (processes, count, word);
	for (size_t i = 0; i < count; i++)
		named += is_meant (&processes[i], word, own);
	used = (size_t) snprintf (ret_error, size, "%s is the name of %zu processes; give a number:", word, named);
	for (size_t i = 0; i < count && used < size; i++) {
		if (is_meant (&processes[i], word, own))
			used += (size_t) snprintf (ret_error + used, size - used, " %d", (int) processes[i].pid);
	}
}

int
monocle__live_processes_find (const char *word, monocle__live_process *ret_process, char *ret_error, size_t size)
{
	size_t count = 0, named = 0, chosen = 0;
	monocle__live_process *processes;
	if (pid_of (word))
		return find_pid (pid_of (word), ret_process, ret_error, size);
	processes = monocle__live_processes_new (&count);
	bool own = processes && has_own (processes, count, word);
	for (size_t i = 0; processes && i < count; i++) {
		if (is_meant (&processes[i], word, own)) {
			chosen = i;
			named++;
		}
	}
	if (named == 1) {
		*ret_process = processes[chosen];
		processes[chosen] = (monocle__live_process) { 0 };
	} else if (named > 1) {
		say_several (word, processes, count, ret_error, size);
	} else {
		snprintf (ret_error, size,
		          processes ? "no .NET or Mono process is called %s; monocle ps lists them" : "out of memory (%s)",
		          word);
	}
	monocle__live_processes_free (processes, processes ? count : 0);
	return named == 1 ? 0 : -1;
}
