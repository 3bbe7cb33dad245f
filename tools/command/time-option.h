/*
 * SPDX-License-Identifier: MIT
 *
 * time-option.h - times in options: "500ms", "10s", "2m".
 */
#ifndef MONOCLE_TOOLS_TIME_OPTION_H
#define MONOCLE_TOOLS_TIME_OPTION_H

#include <stdbool.h>

/* What an option's row says of a wrong value. */
#define MONOCLE__TIME_OPTION_WANTED "takes a time of at least 10ms, as 500ms, 10s or 2m"

/* The `try_read` of an option row; `target` is a size_t, which becomes milliseconds. */
bool monocle__time_option_try_read (const char *value, void *target);

#endif
