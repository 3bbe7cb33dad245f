/*
 * SPDX-License-Identifier: MIT
 *
 * debug-file.c - where the names of a stripped file's functions are: in a file of their own.
 *
 *     FILE.dbg, FILE.debug                        beside it, where dotnet-symbol puts Microsoft's
 *     /usr/lib/debug/.build-id/NN/NNN.debug       from packages of the system
 *     CACHE/NNN/debuginfo                         what a client of debuginfod has fetched before
 *
 * CACHE is DEBUGINFOD_CACHE_PATH, else debuginfod_client in XDG_CACHE_HOME or in ~/.cache. Nothing is fetched. A file
 * is used when it has the same build's number (NNN) and a table of functions.
 */
#include "native.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "environment.h"

typedef struct {
	uint8_t bytes[MONOCLE__BUILD_ID_MOST];
	size_t size;
	char text[2 * MONOCLE__BUILD_ID_MOST + 1];
} build_id;

static bool
read_build_id (int fd, build_id *ret)
{
	ret->size = monocle__elf_symbols_build_id (fd, ret->bytes);
	for (size_t i = 0; i < ret->size; i++)
		snprintf (ret->text + 2 * i, 3, "%02x", ret->bytes[i]);
	return ret->size > 1;
}

/* Why it cannot be used; NULL: it can. */
static const char *
fault_of (int fd, const build_id *wanted)
{
	build_id has;
	struct stat status;
	if (fstat (fd, &status) || !S_ISREG (status.st_mode))
		return "it is no file";
	if (!read_build_id (fd, &has))
		return "it is damaged, or no ELF file with a build-id";
	if (has.size != wanted->size || memcmp (has.bytes, wanted->bytes, has.size))
		return "it belongs to another build";
	return monocle__elf_symbols_are_missing (fd) ? "it has no symbols either" : NULL;
}

static int
try_path (const char *path, const build_id *wanted)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	const char *fault = fault_of (fd, wanted);
	if (!fault)
		return fd;
	monocle_kit_log ("symbols", "%s is not used: %s", path, fault);
	close (fd);
	return -1;
}

static int
try_beside (const char *path, const build_id *wanted)
{
	static const char *const endings[] = { ".dbg", ".debug" };
	char name[PATH_MAX];
	int fd = -1;
	for (size_t i = 0; i < sizeof endings / sizeof *endings && fd < 0; i++)
		if ((size_t) snprintf (name, sizeof name, "%s%s", path, endings[i]) < sizeof name)
			fd = try_path (name, wanted);
	return fd;
}

static int
try_systems (const build_id *wanted)
{
	char name[PATH_MAX];
	snprintf (name, sizeof name, "/usr/lib/debug/.build-id/%.2s/%s.debug", wanted->text, wanted->text + 2);
	return try_path (name, wanted);
}

static int
try_cache (const build_id *wanted)
{
	const char *cache = monocle__variable ("DEBUGINFOD_CACHE_PATH"), *caches = monocle__variable ("XDG_CACHE_HOME");
	const char *home = monocle__variable ("HOME");
	char name[PATH_MAX];
	int length = -1;
	if (cache && *cache)
		length = snprintf (name, sizeof name, "%s/%s/debuginfo", cache, wanted->text);
	else if (caches && *caches)
		length = snprintf (name, sizeof name, "%s/debuginfod_client/%s/debuginfo", caches, wanted->text);
	else if (home && *home)
		length = snprintf (name, sizeof name, "%s/.cache/debuginfod_client/%s/debuginfo", home, wanted->text);
	return length > 0 && (size_t) length < sizeof name ? try_path (name, wanted) : -1;
}

int
monocle__debug_file_open (const char *path, int fd)
{
	build_id wanted;
	if (!monocle__elf_symbols_are_missing (fd) || !read_build_id (fd, &wanted))
		return -1;
	int found = try_beside (path, &wanted);
	if (found < 0)
		found = try_systems (&wanted);
	return found < 0 ? try_cache (&wanted) : found;
}
