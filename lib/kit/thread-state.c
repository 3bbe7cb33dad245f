/*
 * SPDX-License-Identifier: MIT
 *
 * thread-state.c - see thread-state.h.
 *
 * The system says that a thread waits; for what, the framework's methods above the program's own code tell. They call
 * each other: a task is waited for by an event, an event by a pulse. So the rows have a rank, and what has the highest
 * one says most.
 */
#include "thread-state.h"

#include <string.h>

enum { NOTHING, MEANS, PULSE, TOOL, PURPOSE };

/* clang-format off */
static const struct {
	const char *prefix; /* of the name, as Mono has names */
	int rank;
	const char *words;
} rows[] = {
#define MONOCLE__WAIT(rank, seen, prefix, words) { prefix, rank, words },
#include "private-names.def"
};

static const char *const framework[] = { "System.", "Interop/", "Internal.", "Microsoft.", "object:__icall_", "[" };
/* clang-format on */

bool
monocle__thread_state_is_key (uint64_t key)
{
	return key >= MONOCLE_KIT_FRAME_RUNNING && key <= MONOCLE_KIT_FRAME_STOPPED;
}

static const struct monocle__function *
function_of (const struct monocle__call_paths *paths, const struct monocle__path *path)
{
	return &paths->functions[path->function];
}

static bool
begins_with (const char *name, size_t length, const char *prefix)
{
	size_t wanted = strlen (prefix);
	return length >= wanted && memcmp (name, prefix, wanted) == 0;
}

static bool
is_called (const struct monocle__function *function, const char *name)
{
	return function->name_length == strlen (name) && memcmp (function->name, name, function->name_length) == 0;
}

/* Without Mono's "(wrapper KIND) ". */
static const char *
bare_name (const struct monocle__function *function, size_t *ret_length)
{
	static const char mark[] = "(wrapper ";
	const char *name = function->name, *end = name + function->name_length, *space = NULL;
	if (begins_with (name, function->name_length, mark))
		space = memchr (name + sizeof mark, ' ', function->name_length - sizeof mark);
	name = space ? space + 1 : name;
	*ret_length = (size_t) (end - name);
	return name;
}

static bool
is_framework (const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof framework / sizeof *framework; i++)
		if (begins_with (name, length, framework[i]))
			return true;
	return false;
}

static const char *
what_is_waited_for (const struct monocle__call_paths *paths, const struct monocle__path *path)
{
	const char *words = "waiting";
	int rank = NOTHING;
	for (; rank < PURPOSE; path = &paths->paths[path->parent]) {
		size_t length;
		const char *name = bare_name (function_of (paths, path), &length);
		if (!is_framework (name, length))
			break;
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			if (rows[i].rank > rank && begins_with (name, length, rows[i].prefix)) {
				rank = rows[i].rank;
				words = rows[i].words;
			}
		if (path->parent == UINT32_MAX)
			break;
	}
	return words;
}

/* Work of the runtime; on its own threads it is under way only while they run. NULL: none. */
static const char *
runtime_work (const struct monocle__call_paths *paths, const struct monocle__path *path, bool runs)
{
	const struct monocle__function *innermost = function_of (paths, path);
	if (!runs && path->parent == UINT32_MAX)
		return NULL;
	if (is_called (innermost, "[GC]"))
		return "collecting";
	return is_called (innermost, "[JIT]") || is_called (innermost, "[tiered compilation]") ? "compiling" : NULL;
}

const char *
monocle__thread_state_words (const struct monocle__call_paths *paths, const struct monocle__path *path)
{
	uint64_t state = paths->labels[path->label].state;
	bool runs = state == MONOCLE_KIT_FRAME_RUNNING;
	const char *work = runtime_work (paths, path, runs);
	if (state == MONOCLE_KIT_FRAME_STOPPED)
		return "stopped";
	if (state == MONOCLE_KIT_FRAME_DISK)
		return "waiting for the disk";
	return work ? work : runs ? "running" : what_is_waited_for (paths, path);
}
