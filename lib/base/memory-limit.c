/*
 * SPDX-License-Identifier: MIT
 *
 * memory-limit.c - see memory-limit.h.
 *
 * A control group's limit holds for the groups in it, so that those above count as well. Inside a container the path
 * that /proc says may be one of outside: then the folder of all groups is the container's own group, which is the last
 * one that is asked for.
 */
#include "memory-limit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "read-file.h"

enum { GROUPS_SIZE = 8 << 10 };

/* A number in a file; UINT64_MAX: "max", or as much as there can be, or there is no such file. */
static uint64_t
read_limit (const char *path)
{
	static const uint64_t unlimited = UINT64_C (1) << 60; /* version 1 rounds what stands for no limit */
	char text[32], *end;
	if (!monocle__read_file_text (AT_FDCWD, path, text, sizeof text))
		return UINT64_MAX;
	unsigned long long limit = strtoull (text, &end, 10);
	return end == text || limit >= unlimited ? UINT64_MAX : limit;
}

/* The lowest limit of the group at `path` and of those above it. `path` is cut. */
static uint64_t
limit_of_group (const char *root, const char *mount, const char *file, char *path)
{
	uint64_t lowest = UINT64_MAX;
	if (strstr (path, "/.."))
		*path = '\0';
	for (;;) {
		char name[PATH_MAX];
		size_t length = strlen (path);
		while (length && path[length - 1] == '/')
			path[--length] = '\0';
		if (snprintf (name, sizeof name, "%s%s%s/%s", root, mount, path, file) < (int) sizeof name) {
			uint64_t limit = read_limit (name);
			lowest = limit < lowest ? limit : lowest;
		}
		char *slash = strrchr (path, '/');
		if (!slash)
			return lowest;
		*slash = '\0';
	}
}

/* Is "memory" in a comma list? */
static bool
has_memory (const char *controllers)
{
	static const char wanted[] = "memory";
	for (const char *at = controllers; (at = strstr (at, wanted)); at++)
		if ((at == controllers || at[-1] == ',') && strchr (",", at[sizeof wanted - 1]))
			return true;
	return false;
}

/* "NUMBER:CONTROLLERS:PATH": version 2 has number 0 and no controllers. `line` is cut. */
static uint64_t
limit_of_line (const char *root, char *line)
{
	char *controllers = strchr (line, ':'), *path = controllers ? strchr (controllers + 1, ':') : NULL;
	if (!path)
		return UINT64_MAX;
	*controllers++ = *path++ = '\0';
	if (!*controllers)
		return limit_of_group (root, "/sys/fs/cgroup", "memory.max", path);
	return has_memory (controllers) ? limit_of_group (root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", path)
	                                : UINT64_MAX;
}

static uint64_t
limit_of_groups (const char *root)
{
	char name[PATH_MAX], text[GROUPS_SIZE], *rest = NULL;
	uint64_t lowest = UINT64_MAX;
	if (snprintf (name, sizeof name, "%s/proc/self/cgroup", root) >= (int) sizeof name ||
	    !monocle__read_file_text (AT_FDCWD, name, text, sizeof text))
		return UINT64_MAX;
	for (char *line = strtok_r (text, "\n", &rest); line; line = strtok_r (NULL, "\n", &rest)) {
		uint64_t limit = limit_of_line (root, line);
		lowest = limit < lowest ? limit : lowest;
	}
	return lowest;
}

static uint64_t
limit_of_process (__rlimit_resource_t resource)
{
	struct rlimit limit;
	return getrlimit (resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

uint64_t
monocle__memory_limit (const char *root, const char **ret_whose)
{
	const struct {
		uint64_t limit;
		const char *whose;
	} limits[] = {
		{ limit_of_groups (root), "the control group's memory limit" },
		{ limit_of_process (RLIMIT_AS), "the process's limit of address space" },
		{ limit_of_process (RLIMIT_DATA), "the process's limit of data" },
	};
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].limit < lowest) {
			lowest = limits[i].limit;
			*ret_whose = limits[i].whose;
		}
	return lowest;
}
