/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-names.c - see mlpd-names.h. The last name that the file gives to an address is the one that counts.
 */
#include "mlpd-names.h"

#include "array.h"
#include "image-origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SYMBOL_REACH = 4096, /* of symbols, whose sizes are not told, as mprof-report has it */
};
#define SYMBOL_NONE      UINT64_MAX
#define SYMBOL_IS_BINARY (UINT64_C (1) << 63)

void
monocle__mlpd_names_done (monocle__mlpd_names *names)
{
	monocle__mlpd_map_done (&names->methods);
	monocle__mlpd_map_done (&names->classes);
	monocle__mlpd_map_done (&names->vtables);
	free (names->codes);
	free (names->symbols);
	free (names->binaries);
	free (names->by_code);
}

/* --- adding ------------------------------------------------------------------------------------------------------- */

static bool
put (monocle__mlpd_names *names, monocle__mlpd_map *map, uint64_t key, uint64_t value)
{
	uint64_t *place;
	if (value == 0)
		return true;
	place = monocle__mlpd_map_at (map, names->profile, key);
	if (place)
		*place = value;
	return place != NULL;
}

static bool
add_code (monocle__mlpd_names *names, monocle__mlpd_code **codes, size_t *count, size_t *capacity,
          const monocle__mlpd_code *code)
{
	if (!monocle__profile_take (names->profile, sizeof **codes) || !MONOCLE__RESERVE (*codes, *capacity, *count + 1))
		return false;
	(*codes)[*count] = *code;
	(*codes)[*count].number = *count;
	++*count;
	return true;
}

static bool
add_method (monocle__mlpd_names *names, const monocle__mlpd_event *event)
{
	monocle__mlpd_code code = {
		.method = event->numbers[0], .code = event->numbers[1], .size = event->numbers[2], .name = event->text
	};
	uint64_t index = monocle__mlpd_map_find (&names->methods, code.method);
	if (index) {
		code.number = names->codes[index - 1].number;
		names->codes[index - 1] = code;
		return true;
	}
	return add_code (names, &names->codes, &names->code_count, &names->code_capacity, &code) &&
	       put (names, &names->methods, code.method, names->code_count);
}

/* "shop, Version=1.0.0.0, ...": a runtime loads its base library, then the program. */
static void
see_assembly (monocle__mlpd_names *names, const char *full_name)
{
	char name[sizeof names->program];
	int length = snprintf (name, sizeof name, "%.*s", (int) strcspn (full_name, ","), full_name);
	if (!*names->program && length > 0 && (size_t) length < sizeof name &&
	    !monocle__image_origin_is_foreign_name (name))
		strcpy (names->program, name);
}

bool
monocle__mlpd_names_add (monocle__mlpd_names *names, const monocle__mlpd_event *event)
{
	const uint64_t *numbers = event->numbers;
	monocle__mlpd_code code = { .code = numbers[0], .size = numbers[1], .name = event->text };
	switch (event->kind) {
	case MONOCLE__MLPD_METHOD: return add_method (names, event);
	case MONOCLE__MLPD_CLASS: return put (names, &names->classes, numbers[0], (uint64_t) (uintptr_t) event->text);
	case MONOCLE__MLPD_ASSEMBLY: see_assembly (names, event->text); return true;
	case MONOCLE__MLPD_VTABLE: return put (names, &names->vtables, numbers[0], numbers[2]);
	case MONOCLE__MLPD_SYMBOL:
		return add_code (names, &names->symbols, &names->symbol_count, &names->symbol_capacity, &code);
	case MONOCLE__MLPD_BINARY:
		code.size = numbers[2];
		return add_code (names, &names->binaries, &names->binary_count, &names->binary_capacity, &code);
	default: return true;
	}
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

/*
 * Code may belong to several methods: Mono tells of the wrapper of an internal call, and then of the method itself with
 * the code of that wrapper. mprof-report has methods in a table of this size, by some bits of their numbers, and takes
 * the first that it finds there: so do we, for one answer to one question.
 */
static unsigned
place_in_table (uint64_t method)
{
	enum { SHIFT = 2, MASK = 0xffff, SIZE = 9371 };
	return (unsigned) ((method >> SHIFT & MASK) % SIZE);
}

/* Those of one address: the one that mprof-report takes is the last. In one place of its table that is the youngest. */
static int
compare_codes (const void *a, const void *b)
{
	const monocle__mlpd_code *x = a, *y = b;
	unsigned x_place = place_in_table (x->method), y_place = place_in_table (y->method);
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x_place != y_place)
		return x_place > y_place ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void
sort_codes (monocle__mlpd_code *codes, size_t count)
{
	if (count)
		qsort (codes, count, sizeof *codes, compare_codes);
}

bool
monocle__mlpd_names_sort (monocle__mlpd_names *names)
{
	sort_codes (names->symbols, names->symbol_count);
	sort_codes (names->binaries, names->binary_count);
	if (!monocle__profile_take (names->profile, names->code_count * sizeof *names->by_code) ||
	    !(names->by_code = malloc ((names->code_count + 1) * sizeof *names->by_code)))
		return false;
	for (size_t i = 0; i < names->code_count; i++) {
		if (names->codes[i].code)
			names->by_code[names->by_code_count++] = names->codes[i];
	}
	sort_codes (names->by_code, names->by_code_count);
	return true;
}

/* The last one that begins at the address or before it; `count`: none does. */
static size_t
find_below (const monocle__mlpd_code *codes, size_t count, uint64_t address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (codes[middle].code <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : count;
}

uint64_t
monocle__mlpd_names_find_method (const monocle__mlpd_names *names, uint64_t address)
{
	const monocle__mlpd_code *codes = names->by_code;
	size_t at = find_below (codes, names->by_code_count, address);
	if (at == names->by_code_count)
		return 0;
	while (address - codes[at].code >= codes[at].size && at > 0 && codes[at - 1].code == codes[at].code)
		at--; /* of several with this code, some may be shorter */
	return address - codes[at].code < codes[at].size ? codes[at].method : 0;
}

uint64_t
monocle__mlpd_names_find_symbol (const monocle__mlpd_names *names, uint64_t address)
{
	size_t at = find_below (names->symbols, names->symbol_count, address);
	if (at < names->symbol_count && address - names->symbols[at].code < SYMBOL_REACH)
		return at;
	at = find_below (names->binaries, names->binary_count, address);
	if (at < names->binary_count && address - names->binaries[at].code < names->binaries[at].size)
		return SYMBOL_IS_BINARY | at;
	return SYMBOL_NONE;
}

/* --- naming ------------------------------------------------------------------------------------------------------- */

static const char *
name_method (const monocle__mlpd_names *names, uint64_t method, char *buffer, size_t size)
{
	uint64_t index = monocle__mlpd_map_find (&names->methods, method);
	if (index)
		return names->codes[index - 1].name;
	snprintf (buffer, size, "unknown method 0x%" PRIx64, method);
	return buffer;
}

static const char *
name_class (const monocle__mlpd_names *names, uint64_t class, char *buffer, size_t size)
{
	uint64_t name = monocle__mlpd_map_find (&names->classes, class);
	if (name)
		return (const char *) (uintptr_t) name;
	snprintf (buffer, size, "unresolved class 0x%" PRIx64, class);
	return buffer;
}

static const char *
name_vtable (const monocle__mlpd_names *names, uint64_t vtable, char *buffer, size_t size)
{
	uint64_t class = monocle__mlpd_map_find (&names->vtables, vtable);
	if (class)
		return name_class (names, class, buffer, size);
	snprintf (buffer, size, "unresolved class of vtable 0x%" PRIx64, vtable);
	return buffer;
}

static const char *
name_symbol (const monocle__mlpd_names *names, uint64_t index)
{
	if (index == SYMBOL_NONE)
		return "[unknown]";
	return index & SYMBOL_IS_BINARY ? names->binaries[index & ~SYMBOL_IS_BINARY].name : names->symbols[index].name;
}

static const char *
name_row (const char *const *texts, size_t count, uint64_t index, const char *what, char *buffer, size_t size)
{
	if (index < count && texts[index])
		return texts[index];
	snprintf (buffer, size, "%s %" PRIu64, what, index);
	return buffer;
}

const char *
monocle__mlpd_names_of (const monocle__mlpd_names *names, monocle__mlpd_frame_kind kind, uint64_t address, char *buffer,
                        size_t size)
{
	static const char *const handles[] = { "weak handle", "weak tracking handle", "normal handle", "pinned handle" };
	static const char *const clauses[] = { "catch clause", "filter clause", "finally clause", NULL, "fault clause" };
	uint64_t number = address >> MONOCLE__MLPD_NUMBER_SHIFT,
	         moment = address & ((UINT64_C (1) << MONOCLE__MLPD_NUMBER_SHIFT) - 1);
	const char *what = kind == MONOCLE__MLPD_FRAME_SHOT ? "heap shot" : "collection";
	switch (kind) {
	case MONOCLE__MLPD_FRAME_METHOD: return name_method (names, address, buffer, size);
	case MONOCLE__MLPD_FRAME_VTABLE: return name_vtable (names, address, buffer, size);
	case MONOCLE__MLPD_FRAME_CLASS: return name_class (names, address, buffer, size);
	case MONOCLE__MLPD_FRAME_SYMBOL: return name_symbol (names, address);
	case MONOCLE__MLPD_FRAME_HANDLE: return name_row (handles, 4, address, "handle of kind", buffer, size);
	case MONOCLE__MLPD_FRAME_CLAUSE: return name_row (clauses, 5, address, "clause of kind", buffer, size);
	case MONOCLE__MLPD_FRAME_UNKNOWN: return "[type not recorded]";
	case MONOCLE__MLPD_FRAME_LOCK: snprintf (buffer, size, "lock 0x%" PRIx64, address); break;
	case MONOCLE__MLPD_FRAME_GENERATION: snprintf (buffer, size, "generation %" PRIu64, address); break;
	default: snprintf (buffer, size, "%s %" PRIu64 " (at %.3f s)", what, number, (double) moment / 1e6); break;
	}
	return buffer;
}
