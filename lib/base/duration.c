/*
 * SPDX-License-Identifier: MIT
 *
 * duration.c - see duration.h. The point is a point in every locale, which is the profiled program's to choose.
 */
#include "duration.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *name;
	uint64_t nanoseconds;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s",  1000000000 },
	{ "m",  UINT64_C (60000000000) },
	{ "h",  UINT64_C (3600000000000) },
};
/* clang-format on */

static bool
is_digit (char letter)
{
	return letter >= '0' && letter <= '9';
}

/* Of a unit, 0 if there is none such. `is_zero`: nothing has to be said of what. */
static uint64_t
unit_of (const char *name, uint64_t plain, bool is_zero)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp (name, units[i].name) == 0)
			return units[i].nanoseconds;
	return *name ? 0 : plain ? plain : is_zero;
}

bool
monocle__duration_read (const char *text, uint64_t plain, uint64_t *ret_nanoseconds)
{
	uint64_t whole = 0, part = 0, unit;
	const char *at = text, *fraction;
	if (!is_digit (*at))
		return false;
	for (; is_digit (*at); at++)
		if (__builtin_mul_overflow (whole, 10, &whole) || __builtin_add_overflow (whole, *at - '0', &whole))
			return false;
	fraction = at += *at == '.';
	while (is_digit (*at))
		at++;
	if (fraction[-1] == '.' && at == fraction)
		return false;
	unit = unit_of (at, plain, whole == 0 && fraction[-1] != '.');
	if (!unit || __builtin_mul_overflow (whole, unit, &whole))
		return false;
	for (uint64_t place = unit / 10; place && is_digit (*fraction); place /= 10)
		part += place * (uint64_t) (*fraction++ - '0');
	if (__builtin_add_overflow (whole, part, &whole))
		return false;
	*ret_nanoseconds = whole;
	return true;
}
