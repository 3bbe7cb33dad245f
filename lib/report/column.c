/*
 * SPDX-License-Identifier: MIT
 *
 * column.c - from value types to columns.
 *
 * The names are an interface: scripts read them from tsv and json. A profile of calls has exactly calls, self_ns and
 * total_ns; other values carry their own name between: self_cpu_ns, total_alloc_space_bytes, self_samples.
 */
#include "column.h"

#include "invariant.h"
#include "width.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *unit;   /* pprof's word */
	const char *suffix; /* in a column's name */
	double scale;       /* to the base unit of its family */
	char family;        /* 't' time in nanoseconds, 'b' bytes, 'n' plain number */
} unit_row;

/* clang-format off */
static const unit_row units[] = {
	{ "count",        "",      1,   'n' },
	{ "nanoseconds",  "ns",    1,   't' },
	{ "microseconds", "us",    1e3, 't' },
	{ "milliseconds", "ms",    1e6, 't' },
	{ "seconds",      "s",     1e9, 't' },
	{ "bytes",        "bytes", 1,   'b' },
};
/* Names of values that need no name of their own beside "self" and "total". */
static const char *const plain_names[] = { "self", "time", "wall" };
/* clang-format on */

static const unit_row *
unit_find (const char *unit)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp (units[i].unit, unit) == 0)
			return &units[i];
	}
	return NULL;
}

/* Is it a bare count of calls, for which "with everything below" says nothing? */
static bool
is_calls (const monocle__value_type *value_type)
{
	return strcmp (value_type->type, "calls") == 0;
}

static bool
is_plain (const char *type)
{
	for (size_t i = 0; i < sizeof plain_names / sizeof *plain_names; i++) {
		if (strcmp (plain_names[i], type) == 0)
			return true;
	}
	return false;
}

/* A column's name is an identifier, whatever the file calls its values. */
static void
make_identifier (char *name)
{
	for (; *name; name++) {
		bool letter =
		    (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
		if (!letter)
			*name = '_';
	}
}

static void
column_init (monocle__column *column, const monocle__profile *profile, size_t value, bool is_total)
{
	const monocle__value_type *type = &profile->value_types[value];
	const unit_row *unit = unit_find (type->unit);
	const char *suffix = unit ? unit->suffix : type->unit, *kind = is_total ? "total" : "self";
	const char *type_name = is_plain (type->type) ? "" : type->type;
	char heading[64];
	if (strcmp (suffix, type_name) == 0)
		suffix = "";
	*column = (monocle__column) { .value = value, .is_total = is_total };
	if (is_calls (type)) {
		strcpy (column->name, "calls");
		strcpy (column->heading, "calls");
		return;
	}
	snprintf (column->name, sizeof column->name, "%s%s%.32s%s%.16s", kind, *type_name ? "_" : "", type_name,
	          *suffix ? "_" : "", suffix);
	make_identifier (column->name);
	snprintf (heading, sizeof heading, "%s%s%.32s", kind, *type_name ? " " : "", type_name);
	monocle__utf8_elide (heading, 0, "", column->heading, sizeof column->heading);
}

monocle__column *
monocle__columns_new (const monocle__profile *profile, size_t *ret_count)
{
	monocle__column *columns = calloc (profile->value_count * 2, sizeof *columns);
	size_t count = 0;
	if (!columns)
		return NULL;
	for (size_t i = 0; i < profile->value_count; i++) {
		column_init (&columns[count++], profile, i, false);
		if (!is_calls (&profile->value_types[i]))
			column_init (&columns[count++], profile, i, true);
	}
	MONOCLE__INVARIANT (count >= profile->value_count && count <= 2 * profile->value_count);
	*ret_count = count;
	return columns;
}

static size_t
first_count (const monocle__profile *profile)
{
	for (size_t i = 0; i < profile->value_count; i++) {
		if (strcmp (profile->value_types[i].unit, "count") == 0)
			return i;
	}
	return monocle__profile_main_value (profile);
}

size_t
monocle__sort_value (const monocle__profile *profile, monocle__sort sort)
{
	size_t calls = monocle__profile_find_value (profile, "calls");
	if (sort != MONOCLE__SORT_CALLS)
		return monocle__profile_main_value (profile);
	return calls != SIZE_MAX ? calls : first_count (profile);
}

/* --- amounts ------------------------------------------------------------------------------------------------------ */

static void
format_grouped (int64_t amount, char *buffer, size_t size)
{
	char digits[24], *out = buffer;
	uint64_t magnitude = amount < 0 ? 0 - (uint64_t) amount : (uint64_t) amount;
	int length = snprintf (digits, sizeof digits, "%llu", (unsigned long long) magnitude);
	if (size < sizeof "-9,223,372,036,854,775,808")
		return;
	if (amount < 0)
		*out++ = '-';
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
}

/* Four digits that count, and the unit. */
static void
format_scaled (double amount, const char *const *names, double step, char *buffer, size_t size)
{
	double magnitude = amount < 0 ? -amount : amount;
	size_t i = 0;
	while (names[i + 1] && magnitude >= step * 0.99995) {
		magnitude /= step;
		amount /= step;
		i++;
	}
	if (i == 0)
		snprintf (buffer, size, "%.0f %s", amount, names[0]);
	else
		snprintf (buffer, size, "%.*f %s",
		          magnitude < 9.9995   ? 3
		          : magnitude < 99.995 ? 2
		          : magnitude < 999.95 ? 1
		                               : 0,
		          amount, names[i]);
}

void
monocle__amount_format (int64_t amount, const char *unit, char *buffer, size_t size)
{
	static const char *const times[] = { "ns", "us", "ms", "s", NULL };
	static const char *const sizes[] = { "B", "KiB", "MiB", "GiB", "TiB", NULL };
	const unit_row *row = unit_find (unit);
	if (row && row->family == 't')
		format_scaled ((double) amount * row->scale, times, 1000, buffer, size);
	else if (row && row->family == 'b')
		format_scaled ((double) amount * row->scale, sizes, 1024, buffer, size);
	else
		format_grouped (amount, buffer, size);
}
