/*
 * SPDX-License-Identifier: MIT
 *
 * duration.c - see duration.h. A number without a unit is seconds.
 */
#include "duration.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 10 };

static const double MOST = 1000.0 * 60 * 60 * 24 * 366;

static const struct {
	const char *name;
	double milliseconds;
} units[] = { { "ms", 1 }, { "s", 1000 }, { "", 1000 }, { "m", 60 * 1000 }, { "h", 60 * 60 * 1000 } };

bool
monocle__duration_try_read (const char *value, void *target)
{
	char *unit;
	double number = isdigit ((unsigned char) value[0]) && !strpbrk (value, "xXeEpP") ? strtod (value, &unit) : -1;
	if (number < 0)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp (unit, units[i].name) != 0)
			continue;
		number *= units[i].milliseconds;
		if (number < LEAST || number > MOST)
			return false;
		*(size_t *) target = (size_t) number;
		return true;
	}
	return false;
}
