/*
 * SPDX-License-Identifier: MIT
 *
 * live-threads.c - see live-threads.h. A thread that ends while it is looked at is left out.
 */
#include "live-threads.h"

#include "live-text.h"
#include "nanoseconds.h"
#include "read-file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MOST = 1 << 16, USER_FIELD = 14 };

/* "12 (name) S 1 ...": the name may hold anything. */
static bool
read_thread (int folder, const char *id, monocle__live_thread *thread)
{
	char path[32], text[1024], *begin, *end;
	uint64_t tick = MONOCLE__NANOSECONDS_SECOND / (uint64_t) sysconf (_SC_CLK_TCK);
	snprintf (path, sizeof path, "%.16s/stat", id);
	if (!monocle__read_file_text (folder, path, text, sizeof text))
		return false;
	begin = strchr (text, '(');
	end = strrchr (text, ')');
	if (!begin || !end || end < begin || end[1] != ' ' || !end[2])
		return false;
	thread->id = (pid_t) strtol (text, NULL, 10);
	thread->state = end[2];
	snprintf (thread->name, sizeof thread->name, "%.*s", (int) (end - begin - 1), begin + 1);
	monocle__live_text_clean (thread->name);
	for (int field = 2; end && field < USER_FIELD; field++)
		end = strchr (end + 1, ' ');
	thread->cpu = end ? strtoull (end + 1, &end, 10) * tick : 0;
	thread->cpu += end ? strtoull (end, NULL, 10) * tick : 0;
	return true;
}

monocle__live_thread *
monocle__live_threads_new (pid_t pid, size_t *ret_count)
{
	char path[32];
	monocle__live_thread *threads = NULL;
	size_t count = 0, room = 0;
	struct dirent *entry;
	DIR *folder;
	snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
	folder = opendir (path);
	while (folder && count < THREADS_MOST && (entry = readdir (folder))) {
		if (count == room) {
			monocle__live_thread *grown = realloc (threads, (room = room ? room * 2 : 32) * sizeof *grown);
			if (!grown)
				break;
			threads = grown;
		}
		if (isdigit ((unsigned char) entry->d_name[0]) && read_thread (dirfd (folder), entry->d_name, &threads[count]))
			count++;
	}
	if (folder)
		closedir (folder);
	*ret_count = count;
	return threads;
}
