/*
 * SPDX-License-Identifier: MIT
 *
 * plumbing.c - which frames say nothing to the reader. On the drain thread.
 *
 * Where a runtime waits in managed code, from .NET 11 on, the innermost frames are the means of its waits, which are
 * the same whatever is waited for. And there Main has a managed caller. Both are left out, so that stacks look as on
 * runtimes that do this in native code: innermost is the method that says what is waited for, outermost is Main.
 */
#include "sample.h"

#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include <monocle/ext.h>

#include "private-name.h"

enum { INNERMOST, OUTERMOST };

/* clang-format off */
static const struct {
	int place;
	const char *method, *caller; /* prefixes of their names; "": any */
} rows[] = {
#define MONOCLE__PLUMBING(place, seen, method, caller) { place, method, caller },
#include "private-names.def"
};
/* clang-format on */

static bool
begins_with (const char *name, const char *prefix)
{
	return !*prefix || (name && strncmp (name, prefix, strlen (prefix)) == 0);
}

static char *
full_name (uint64_t key)
{
	MonoMethod *method = name_method ((void *) (uintptr_t) key);
	return method ? mono_method_full_name (method, 0) : NULL;
}

static bool
is_plumbing (int place, uint64_t key, uint64_t caller)
{
	char *name = full_name (key), *caller_name = name ? full_name (caller) : NULL;
	bool is_found = false;
	for (size_t i = 0; name && i < sizeof rows / sizeof *rows && !is_found; i++)
		is_found =
		    rows[i].place == place && begins_with (name, rows[i].method) && begins_with (caller_name, rows[i].caller);
	mono_free (name);
	mono_free (caller_name);
	return is_found;
}

/* Where the outermost frame is; what the thread did is further out. */
static uint32_t
outermost (const uint64_t *keys, uint32_t count)
{
	uint32_t last = count - 1;
	if (last && keys[last] >= MONOCLE_KIT_FRAME_RUNNING && keys[last] <= MONOCLE_KIT_FRAME_STOPPED)
		last--;
	return last;
}

/* Main's caller, with the stub that called it. */
static uint32_t
leave_out_outermost (uint64_t *keys, uint32_t count)
{
	uint32_t last = outermost (keys, count), first = last;
	if (first && keys[first] == MONOCLE_KIT_FRAME_STUB)
		first--;
	if (!first || !is_plumbing (OUTERMOST, keys[first], 0))
		return count;
	memmove (keys + first, keys + last + 1, (count - last - 1) * sizeof *keys);
	return count - (last - first + 1);
}

uint32_t
plumbing_leave_out (void *data, uint64_t *keys, uint32_t count)
{
	uint32_t first = 0, last;
	count = leave_out_outermost (keys, count);
	last = outermost (keys, count);
	while (first < last && is_plumbing (INNERMOST, keys[first], keys[first + 1]))
		first++;
	memmove (keys, keys + first, (count - first) * sizeof *keys);
	return count - first;
}
