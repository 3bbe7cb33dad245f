/*
 * SPDX-License-Identifier: MIT
 *
 * fail-under.c - see fail-under.h. Shares are compared in whole hundredths, rounded down: 79.999 % is below 80.
 */
#include "fail-under.h"

#include "command/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "80", "80.5", "80.55" up to 100. */
static bool
try_percent (const char *text, size_t length, uint32_t *ret_hundredths)
{
	uint32_t value = 0;
	size_t digits = 0, decimals = 0;
	bool has_point = false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !has_point && digits > 0) {
			has_point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || digits - decimals > 3 || decimals == 2)
			return false;
		value = value * 10 + (uint32_t) (text[i] - '0');
		digits++;
		decimals += has_point;
	}
	if (digits == 0 || (has_point && decimals == 0))
		return false;
	for (; decimals < 2; decimals++)
		value *= 10;
	*ret_hundredths = value;
	return value <= 10000;
}

/* "line=80", or "80", which is of lines. */
static bool
try_word (const char *word, size_t length, monocle__fail_under *wanted)
{
	const char *equals = memchr (word, '=', length);
	size_t name = equals ? (size_t) (equals - word) : 0, at = equals ? name + 1 : 0;
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		const char *own = monocle__coverage_measure_names[i];
		bool is_named = equals ? strlen (own) == name && memcmp (own, word, name) == 0 : i == MONOCLE__COVERAGE_LINES;
		if (!is_named)
			continue;
		if (wanted->is_wanted[i])
			return false;
		wanted->is_wanted[i] = true;
		return try_percent (word + at, length - at, &wanted->hundredths[i]);
	}
	return false;
}

bool
monocle__fail_under_try_read (const char *value, void *target)
{
	monocle__fail_under wanted = { .is_given = true };
	for (;; value++) {
		size_t length = strcspn (value, ",");
		if (!try_word (value, length, &wanted))
			return false;
		value += length;
		if (!*value)
			break;
	}
	*(monocle__fail_under *) target = wanted;
	return true;
}

/* "lines 79.99% < 80.00%"; NULL: it is enough. The caller frees. */
static char *
describe (const monocle__fail_under *wanted, const monocle__coverage_sums *sums, monocle__coverage_measure measure)
{
	monocle__coverage_share share = monocle__coverage_measure_share (sums, measure);
	uint32_t is = monocle__coverage_measure_hundredths (share), least = wanted->hundredths[measure];
	const char *name = monocle__coverage_measure_plurals[measure];
	if (!wanted->is_wanted[measure])
		return NULL;
	if (measure == MONOCLE__COVERAGE_LINES && share.total == 0)
		return monocle__format ("there are no %s", name);
	if (is >= least)
		return NULL;
	return monocle__format ("%s %" PRIu32 ".%02" PRIu32 "%% of %" PRIu32 ".%02" PRIu32 "%%", name, is / 100, is % 100,
	                        least / 100, least % 100);
}

int
monocle__fail_under_check (const monocle__fail_under *wanted, const monocle__coverage_sums *sums)
{
	char *list = NULL;
	for (unsigned i = 0; i < MONOCLE__COVERAGE_MEASURES; i++) {
		char *one = describe (wanted, sums, (monocle__coverage_measure) i), *longer;
		if (!one)
			continue;
		longer = monocle__format ("%s%s%s", list ? list : "", list ? ", " : "", one);
		free (list);
		free (one);
		list = longer;
	}
	if (!list)
		return MONOCLE__EXIT_OK;
	monocle__say ("coverage is below what --fail-under wants: %s", list);
	free (list);
	return MONOCLE__EXIT_BELOW;
}
