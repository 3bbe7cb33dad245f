/*
 * SPDX-License-Identifier: MIT
 *
 * log-level.h - how much is said: MONOCLE_LOG_LEVEL.
 */
#ifndef MONOCLE_BASE_LOG_LEVEL_H
#define MONOCLE_BASE_LOG_LEVEL_H

#include <stdbool.h>

typedef enum {
	MONOCLE__LEVEL_ERROR, /* what is wrong, and what is lost */
	MONOCLE__LEVEL_INFO,  /* and what was loaded, in one line */
	MONOCLE__LEVEL_DEBUG, /* and why each step was taken */
} monocle__log_level;

/* Is so much wanted? The variable is read once, by the first call in this library. Async-safe after that. */
bool monocle__log_level_is (monocle__log_level level);

/* The level that a text names; "" is the first one. False: none. */
bool monocle__log_level_read (const char *text, monocle__log_level *ret_level);

/* For users of monocle_log (). The arguments are looked at only when the level is wanted. */
#define MONOCLE__LOG_INFO(...)  MONOCLE__LOG_AT (MONOCLE__LEVEL_INFO, __VA_ARGS__)
#define MONOCLE__LOG_DEBUG(...) MONOCLE__LOG_AT (MONOCLE__LEVEL_DEBUG, __VA_ARGS__)
#define MONOCLE__LOG_AT(level, ...) \
	do { \
		if (monocle__log_level_is (level)) \
			monocle_log (__VA_ARGS__); \
	} while (0)

#endif
