/*
 * SPDX-License-Identifier: MIT
 *
 * native.c - what native code an address belongs to.
 *
 * The process's executable mappings are read from /proc/self/maps: again when an address is in none of them, but not
 * more often than ten times a second. A file's symbols are read when its first address is asked for, and kept. All of
 * it under one lock.
 */
#include "native.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "clock.h"
#include "nanoseconds.h"
#include "path.h"

#define REFRESH_NS 100000000u

struct file {
	struct file *next;
	struct monocle__symbols symbols;
	char path[];
};

struct mapping {
	uintptr_t start, end;
	uint64_t offset;
	struct file *file;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files; /* never freed: there are as many as the program loaded */
static struct mapping *mappings;
static size_t mapping_count, mapping_room;
static uint64_t mapped_at, perf_map_at;
static struct monocle__symbols perf_map;
static struct stat perf_map_status;

/* --- files -------------------------------------------------------------------------------------------------------- */

static void
read_symbols (struct file *file)
{
	int fd = *file->path == '/' ? open (file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct stat status;
	if (fd < 0)
		return;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)) {
		int named = monocle__debug_file_open (file->path, fd);
		if (named < 0 || monocle__elf_symbols_from (fd, named, &file->symbols))
			monocle__elf_symbols (fd, &file->symbols);
		if (named >= 0)
			close (named);
	}
	close (fd);
}

static struct file *
find_or_add_file (const char *path)
{
	struct file *file = files;
	while (file && strcmp (file->path, path))
		file = file->next;
	if (file)
		return file;
	file = calloc (1, sizeof *file + strlen (path) + 1);
	if (!file)
		return NULL;
	strcpy (file->path, path);
	read_symbols (file);
	file->next = files;
	return files = file;
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

static void
add_mapping (struct mapping mapping)
{
	if (mapping_count == mapping_room) {
		size_t room = mapping_room ? mapping_room * 2 : 64;
		struct mapping *larger = realloc (mappings, room * sizeof *larger);
		if (!larger)
			return;
		mappings = larger;
		mapping_room = room;
	}
	mappings[mapping_count++] = mapping;
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE PATH", see proc(5). */
static void
read_mapping (char *line)
{
	struct mapping mapping = { .start = 0 };
	char permissions[8];
	int path = 0;
	line[strcspn (line, "\n")] = '\0';
	if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %*s %*s %n", &mapping.start, &mapping.end, permissions,
	            &mapping.offset, &path) < 4 ||
	    !path || permissions[2] != 'x')
		return;
	/* Memory that a process shares with itself under a name is not a file with functions; code comes and goes there. */
	if (line[path] != '/' && strcmp (line + path, "[vdso]"))
		return;
	if (!strncmp (line + path, "/memfd:", 7) || !strncmp (line + path, "/dev/", 5))
		return;
	mapping.file = find_or_add_file (line + path);
	if (mapping.file)
		add_mapping (mapping);
}

static void
read_mappings (void)
{
	char *line = NULL;
	size_t room = 0;
	FILE *maps = fopen ("/proc/self/maps", "re");
	if (!maps)
		return;
	mapping_count = 0;
	while (getline (&line, &room, maps) > 0)
		read_mapping (line);
	free (line);
	fclose (maps);
}

static const struct mapping *
find_mapping_now (uintptr_t address)
{
	size_t low = 0, high = mapping_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < mappings[low - 1].end ? &mappings[low - 1] : NULL;
}

static bool
is_due (uint64_t *last)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (*last && now - *last < REFRESH_NS)
		return false;
	*last = now;
	return true;
}

static const struct mapping *
find_mapping (uintptr_t address)
{
	const struct mapping *mapping = find_mapping_now (address);
	if (mapping || !is_due (&mapped_at))
		return mapping;
	read_mappings ();
	return find_mapping_now (address);
}

/* --- the perf map ------------------------------------------------------------------------------------------------- */

/* Reads it again when it has grown. Only a file of our own user: anybody may write to /tmp. */
static void
refresh_perf_map (void)
{
	char path[64];
	struct stat status;
	struct monocle__symbols symbols;
	snprintf (path, sizeof path, "/tmp/perf-%d.map", (int) getpid ());
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	bool is_good = fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_uid == geteuid ();
	bool is_new = status.st_size != perf_map_status.st_size || status.st_ino != perf_map_status.st_ino;
	if (is_good && is_new && !monocle__perf_map (fd, &symbols)) {
		monocle__symbols_done (&perf_map);
		perf_map = symbols;
		perf_map_status = status;
	}
	close (fd);
}

static const struct monocle__symbol *
find_in_perf_map (uintptr_t address)
{
	const struct monocle__symbol *symbol = monocle__symbols_find (&perf_map, address);
	if (symbol || !is_due (&perf_map_at))
		return symbol;
	refresh_perf_map ();
	return monocle__symbols_find (&perf_map, address);
}

/* --- the questions ------------------------------------------------------------------------------------------------ */

static const struct monocle__symbol *
find_in_file (const struct mapping *mapping, uintptr_t address)
{
	return monocle__symbols_find (&mapping->file->symbols, address - mapping->start + mapping->offset);
}

/* The whole file, where no function begins. */
static uintptr_t
whole_file (const struct mapping *mapping)
{
	return mapping->start + 1;
}

uintptr_t
monocle_kit_native_function (uintptr_t address)
{
	uintptr_t result = 0;
	pthread_mutex_lock (&lock);
	const struct mapping *mapping = find_mapping (address);
	const struct monocle__symbol *symbol = mapping ? find_in_file (mapping, address) : find_in_perf_map (address);
	if (!mapping)
		result = symbol ? symbol->start : 0;
	else if (symbol && symbol->start >= mapping->offset)
		result = mapping->start + (uintptr_t) (symbol->start - mapping->offset);
	else
		result = whole_file (mapping);
	pthread_mutex_unlock (&lock);
	return result;
}

static size_t
put (const char *name, const char *file, char *buffer, size_t size)
{
	size_t name_size = strlen (name) + 1, file_size = strlen (file) + 1;
	if (name_size + file_size <= size) {
		memcpy (buffer, name, name_size);
		memcpy (buffer + name_size, file, file_size);
	}
	return name_size + file_size;
}

size_t
monocle_kit_native_name (uintptr_t function, char *buffer, size_t size)
{
	char text[300];
	size_t length;
	pthread_mutex_lock (&lock);
	const struct mapping *mapping = find_mapping (function);
	const struct monocle__symbol *symbol = NULL;
	if (!mapping)
		symbol = find_in_perf_map (function);
	else if (function != whole_file (mapping))
		symbol = find_in_file (mapping, function);
	if (symbol) {
		length = put ((mapping ? &mapping->file->symbols : &perf_map)->texts + symbol->name,
		              mapping ? mapping->file->path : "", buffer, size);
	} else if (mapping) {
		const char *name = monocle__path_base_name (mapping->file->path);
		snprintf (text, sizeof text, *name == '[' ? "%s" : "[%s]", name);
		length = put (text, mapping->file->path, buffer, size);
	} else {
		length = put ("[unknown]", "", buffer, size);
	}
	pthread_mutex_unlock (&lock);
	return length;
}
