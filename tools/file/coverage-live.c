/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-live.c - see coverage-live.h.
 *
 * Probes go on while counters are set back. Hits are exchanged with 0, eight at a time: one that is stored meanwhile is
 * in what was taken, or it stays. Counters of executions are never written here: their bases become what they are, and
 * only who has the lock writes bases.
 */
#include "coverage-live.h"

#include "command/command.h"
#include "cover-file.h"
#include "coverage-ask.h"
#include "coverage-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int
fail (const monocle__coverage_live *live, const char *problem)
{
	monocle__say ("%s: %s", live->path, problem);
	return -1;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int
open_at (monocle__coverage_live *live, char *path, bool writable, int flags)
{
	*live = (monocle__coverage_live) { .path = path, .is_writable = writable };
	live->fd = open (path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	return live->fd < 0 ? fail (live, strerror (errno)) : 0;
}

int
monocle__coverage_live_open (monocle__coverage_live *live, const char *path, bool writable)
{
	struct stat status;
	if (open_at (live, monocle__format ("%s", path), writable, 0) != 0)
		return -1;
	if (fstat (live->fd, &status) != 0 || !S_ISREG (status.st_mode))
		return fail (live, "it is not a file");
	return 0;
}

/* A line of /proc/PID/maps: a shared mapping of a file's beginning. The path is the rest of the line. */
static bool
is_shared_beginning (char *line, uint64_t *ret_inode, const char **ret_path)
{
	char permissions[8];
	uint64_t offset;
	int at = 0;
	line[strcspn (line, "\n")] = '\0';
	if (sscanf (line, "%*x-%*x %7s %" SCNx64 " %*s %" SCNu64 " %n", permissions, &offset, ret_inode, &at) != 3 || !at)
		return false;
	*ret_path = line + at;
	return permissions[3] == 's' && offset == 0 && line[at] == '/';
}

/* The user's own file with this number of an inode: what the process has mapped, and not what has its name now. */
static bool
is_the_file (const monocle__coverage_live *live, uint64_t inode)
{
	uint64_t magic;
	struct stat status;
	return fstat (live->fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_ino == inode &&
	       status.st_uid == geteuid () && pread (live->fd, &magic, sizeof magic, 0) == sizeof magic &&
	       magic == MONOCLE__COVER_MAGIC;
}

/* The process's own view of its files: it may be in a container. */
static bool
try_mapped (monocle__coverage_live *live, pid_t pid, const char *path, uint64_t inode, bool writable)
{
	int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
	*live = (monocle__coverage_live) { .is_writable = writable };
	live->path = monocle__format ("/proc/%d/root%s", (int) pid, path);
	live->fd = open (live->path, flags);
	if (live->fd >= 0 && is_the_file (live, inode))
		return true;
	monocle__coverage_live_close (live);
	return false;
}

static bool
find_mapped (monocle__coverage_live *live, pid_t pid, FILE *maps, bool writable)
{
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	while (!found && getline (&line, &capacity, maps) > 0) {
		const char *path;
		uint64_t inode;
		found = is_shared_beginning (line, &inode, &path) && try_mapped (live, pid, path, inode, writable);
	}
	free (line);
	return found;
}

int
monocle__coverage_live_open_process (monocle__coverage_live *live, pid_t pid, bool writable)
{
	char *name = monocle__format ("/proc/%d", (int) pid), *path = monocle__format ("/proc/%d/maps", (int) pid);
	struct stat status;
	bool found = false, is_there = stat (name, &status) == 0;
	FILE *maps = is_there && status.st_uid == geteuid () ? fopen (path, "re") : NULL;
	*live = (monocle__coverage_live) { .fd = -1 };
	if (maps)
		found = find_mapped (live, pid, maps, writable);
	if (!is_there)
		monocle__say ("there is no process %d", (int) pid);
	else if (status.st_uid != geteuid ())
		monocle__say ("process %d is another user's", (int) pid);
	else if (!maps)
		monocle__say ("process %d cannot be looked at: %s: %s", (int) pid, path, strerror (errno));
	else if (!found)
		monocle__say ("process %d writes no coverage file", (int) pid);
	if (maps)
		fclose (maps);
	free (name);
	free (path);
	return found ? 0 : -1;
}

void
monocle__coverage_live_close (monocle__coverage_live *live)
{
	if (live->map)
		munmap (live->map, live->size);
	free (live->copy);
	if (live->fd >= 0)
		close (live->fd);
	free (live->path);
	*live = (monocle__coverage_live) { .fd = -1 };
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

typedef void (*counters_visitor) (monocle__coverage_live *live, size_t at, uint32_t count);

/* Calls `visit` with where the counters of each method are. Records that are damaged end it: reading refuses them. */
static void
each_counters (monocle__coverage_live *live, counters_visitor visit)
{
	struct monocle__cover_header header;
	memcpy (&header, live->copy, sizeof header);
	for (size_t at = MONOCLE__COVER_HEADER, size; live->size - at >= sizeof (struct monocle__cover_record);
	     at += size) {
		struct monocle__cover_method m = { 0 };
		memcpy (&m.record, live->copy + at, sizeof m.record);
		size = m.record.size;
		if (size < sizeof m.record || size % 8 != 0 || size > live->size - at)
			return;
		if (m.record.kind != MONOCLE__COVER_METHOD || size < sizeof m)
			continue;
		memcpy (&m, live->copy + at, sizeof m);
		if (m.counters % 8 != 0 || m.counters < sizeof m ||
		    m.counters + monocle__cover_counters_size (&m, header.counter_size) > size)
			return;
		visit (live, at + m.counters, m.counter_count);
	}
}

static void
take_hits (monocle__coverage_live *live, size_t at, uint32_t count)
{
	for (size_t end = at + monocle__cover_round (count); at < end; at += 8) {
		uint64_t *word = (uint64_t *) (live->map + at);
		uint64_t taken = __atomic_load_n (word, __ATOMIC_RELAXED);
		/* Most have nothing, and their pages stay as they are. */
		if (taken)
			taken = __atomic_exchange_n (word, 0, __ATOMIC_ACQ_REL);
		memcpy (live->copy + at, &taken, sizeof taken);
	}
}

static void
put_back_hits (monocle__coverage_live *live, size_t at, uint32_t count)
{
	for (size_t end = at + monocle__cover_round (count); at < end; at += 8) {
		uint64_t taken;
		memcpy (&taken, live->copy + at, sizeof taken);
		if (taken)
			__atomic_fetch_or ((uint64_t *) (live->map + at), taken, __ATOMIC_ACQ_REL);
	}
}

static void
take_counts (monocle__coverage_live *live, size_t at, uint32_t count)
{
	uint32_t *counters = (uint32_t *) (live->map + at), *bases = counters + count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t now = __atomic_load_n (&counters[i], __ATOMIC_RELAXED);
		memcpy (live->copy + at + (size_t) i * 4, &now, sizeof now);
		if (now != bases[i])
			__atomic_store_n (&bases[i], now, __ATOMIC_RELEASE);
	}
}

static void
put_back_counts (monocle__coverage_live *live, size_t at, uint32_t count)
{
	memcpy (live->map + at + (size_t) count * 4, live->copy + at + (size_t) count * 4, (size_t) count * 4);
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

static int
read_copy (monocle__coverage_live *live)
{
	char *data;
	if (monocle__coverage_file_read (live->path, live->fd, &data, &live->size) != 0)
		return -1;
	live->copy = (uint8_t *) data;
	return live->size >= MONOCLE__COVER_HEADER ? 0 : fail (live, "it is no coverage file");
}

static int
map_file (monocle__coverage_live *live)
{
	struct stat status;
	void *map;
	if (fstat (live->fd, &status) != 0 || (uint64_t) status.st_size < live->size)
		return fail (live, "it is cut off");
	map = mmap (NULL, live->size, PROT_READ | PROT_WRITE, MAP_SHARED, live->fd, 0);
	if (map == MAP_FAILED)
		return fail (live, strerror (errno));
	live->map = map;
	return 0;
}

static int
set_back (monocle__coverage_live *live, const struct monocle__cover_header *header)
{
	bool counts = header->flags & MONOCLE__COVER_COUNTS;
	if (header->counter_size != (counts ? 4 : 1) || header->version != MONOCLE__COVER_VERSION)
		return 0; /* reading says what is wrong with it */
	if (header->flags & MONOCLE__COVER_POLLED && !counts)
		return fail (live, "the runtime keeps these hits and cannot forget them; use cover:mode=count to reset");
	if (map_file (live) != 0)
		return -1;
	each_counters (live, counts ? take_counts : take_hits);
	__atomic_fetch_add (&((struct monocle__cover_header *) live->map)->reset, 1, __ATOMIC_RELEASE);
	return 0;
}

/* What a running process has until now is all that it can have. */
static void
end_copy (monocle__coverage_live *live, const struct monocle__cover_header *header)
{
	struct timespec now;
	uint64_t ended;
	if (header->ended_ns || !monocle__coverage_ask_is_running (header))
		return;
	clock_gettime (CLOCK_REALTIME, &now);
	ended = (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
	memcpy (live->copy + offsetof (struct monocle__cover_header, ended_ns), &ended, sizeof ended);
}

int
monocle__coverage_live_take (monocle__coverage_live *live, bool reset)
{
	struct monocle__cover_header header;
	if (pread (live->fd, &header, sizeof header, 0) != sizeof header || header.magic != MONOCLE__COVER_MAGIC)
		return fail (live, "it is no coverage file");
	monocle__coverage_ask (live->path, &header);
	if (flock (live->fd, LOCK_EX) != 0)
		return fail (live, strerror (errno));
	if (read_copy (live) != 0)
		return -1;
	memcpy (&header, live->copy, sizeof header);
	if (reset && set_back (live, &header) != 0)
		return -1;
	end_copy (live, &header);
	return 0;
}

void
monocle__coverage_live_put_back (monocle__coverage_live *live)
{
	struct monocle__cover_header header;
	if (!live->map)
		return;
	memcpy (&header, live->copy, sizeof header);
	each_counters (live, header.flags & MONOCLE__COVER_COUNTS ? put_back_counts : put_back_hits);
}
