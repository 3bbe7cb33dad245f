/*
 * SPDX-License-Identifier: MIT
 *
 * log-level.c - see log-level.h.
 */
#include "log-level.h"

#include <stdatomic.h>
#include <string.h>

#include "environment.h"

bool
monocle__log_level_read (const char *text, monocle__log_level *ret_level)
{
	static const char *const names[] = {
		[MONOCLE__LEVEL_ERROR] = "error",
		[MONOCLE__LEVEL_INFO] = "info",
		[MONOCLE__LEVEL_DEBUG] = "debug",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp (text, names[i]) == 0 || (i == 0 && !text[0])) {
			*ret_level = (monocle__log_level) i;
			return true;
		}
	return false;
}

bool
monocle__log_level_is (monocle__log_level level)
{
	static atomic_uint known; /* the level and one; 0: not read yet. Two threads that read it find the same. */
	unsigned value = atomic_load_explicit (&known, memory_order_relaxed);
	if (!value) {
		const char *text = monocle__variable ("MONOCLE_LOG_LEVEL");
		monocle__log_level read = MONOCLE__LEVEL_ERROR;
		if (text)
			monocle__log_level_read (text, &read);
		value = (unsigned) read + 1;
		atomic_store_explicit (&known, value, memory_order_relaxed);
	}
	return value > (unsigned) level;
}
