/*
 * SPDX-License-Identifier: MIT
 *
 * sampler-strangers.c - threads of the runtime that nobody attaches, found by their names in the kernel.
 *
 * Such threads are few and live long: the collector's, above all. So the sampler's thread looks for them only when it
 * checks, four times a second, and goes through the process's threads when their number has changed, or once a second.
 */
#include "sampler.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <monocle/host.h>
#include "read-file.h"

enum { NAME_SIZE = 16, AT_ONCE = 64, CHECKS = 4 };

static char names_begin[NAME_SIZE];
static atomic_bool is_wanted;

mono_bool
monocle_sampling_include (const char *name)
{
	if (!name || !*name || strlen (name) >= NAME_SIZE)
		return 0;
	if (atomic_load (&is_wanted))
		return strcmp (names_begin, name) == 0;
	strcpy (names_begin, name);
	atomic_store (&is_wanted, true);
	return 1;
}

static bool
is_named_so (pid_t os_id)
{
	char name[NAME_SIZE] = "";
	return monocle__read_file_of_thread ((uint64_t) os_id, "comm", name, sizeof name) &&
	       strncmp (name, names_begin, strlen (names_begin)) == 0;
}

/* Has the number of threads changed since this was asked last, or was that long ago? */
static bool
is_time (void)
{
	static nlink_t before;
	static unsigned checks;
	struct stat tasks;
	if (stat ("/proc/self/task", &tasks))
		return false;
	bool changed = tasks.st_nlink != before;
	before = tasks.st_nlink;
	checks = changed ? 0 : (checks + 1) % CHECKS;
	return checks == 0;
}

static int
by_number (const void *a, const void *b)
{
	pid_t x = *(const pid_t *) a, y = *(const pid_t *) b;
	return (x > y) - (x < y);
}

/* The ids of all threads that are known, sorted; the caller frees them. NULL: no memory. */
static pid_t *
known_ids (size_t *ret_count)
{
	size_t count = 0, room = 1;
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		room++;
	pid_t *ids = malloc (room * sizeof *ids);
	for (monocle__sampled *thread = monocle__sampler_first (); ids && thread && count < room; thread = thread->next)
		if ((ids[count] = atomic_load (&thread->os_id)))
			count++;
	if (ids)
		qsort (ids, count, sizeof *ids, by_number);
	*ret_count = count;
	return ids;
}

static size_t
find_others (DIR *tasks, const pid_t *known, size_t known_count, pid_t *ret)
{
	size_t count = 0;
	const struct dirent *entry;
	while (count < AT_ONCE && (entry = readdir (tasks))) {
		pid_t os_id = (pid_t) atol (entry->d_name);
		if (os_id > 0 && !bsearch (&os_id, known, known_count, sizeof *known, by_number) && is_named_so (os_id))
			ret[count++] = os_id;
	}
	return count;
}

void
monocle__sampler_strangers_look (void)
{
	pid_t others[AT_ONCE];
	size_t known_count, count = 0;
	if (!atomic_load (&is_wanted) || !is_time ())
		return;
	pid_t *known = known_ids (&known_count);
	DIR *tasks = known ? opendir ("/proc/self/task") : NULL;
	if (tasks) {
		count = find_others (tasks, known, known_count, others);
		closedir (tasks);
	}
	free (known);
	for (size_t i = 0; i < count; i++)
		monocle__sampler_take_in (others[i]);
}

/* In the handler. */
monocle__sampled *
monocle__sampler_stranger (void)
{
	pid_t own = atomic_load (&is_wanted) ? gettid () : 0;
	for (monocle__sampled *thread = monocle__sampler_first (); own && thread; thread = thread->next)
		if (thread->is_stranger && atomic_load (&thread->os_id) == own)
			return thread;
	return NULL;
}
