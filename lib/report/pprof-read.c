/*
 * SPDX-License-Identifier: MIT
 *
 * pprof-read.c - reads the protocol buffer of profile.proto: names instead of ids.
 *
 * Protocol buffers say nothing about order: the string table may come last, a sample may name a location that is
 * described after it. So the message is walked three times: strings, then functions and locations, then samples. The
 * file is not trusted: each length is checked against what is left, ids are looked up, what is kept comes out of an
 * allowance, and the way to make much out of little (long inlined locations on many stacks) has a limit.
 */
#include "array.h"
#include "field-stream.h"
#include "format.h"
#include "hash.h"
#include "origin-fields.h"
#include "path.h"
#include "sample-fold.h"
#include "slow-fields.h"
#include "spool-name.h"
#include "wire.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FRAME_LIMIT = 1 << 27, /* frames over all stacks, besides what the file's size makes likely */
	INLINED_LIKELY = 4,    /* frames of a location, which takes a byte at least */
	VALUE_LIMIT = 64,      /* value types; reports have a column or two for each */
};

typedef struct {
	uint64_t id;
	size_t index; /* into what the map is about */
} id_entry;

/* Ids of one kind, sorted once all of them are known. */
typedef struct {
	id_entry *entries;
	size_t count, capacity;
} id_map;

typedef struct {
	uint32_t first, count; /* in lines: innermost inlined first */
	uint64_t mapping, address;
} location;

typedef struct {
	uint64_t function; /* id, then resolved to an index when samples are read */
	uint32_t number;   /* 0: unknown */
	uint32_t place;    /* 0: nothing is known of it */
} line;

typedef struct {
	uint64_t path, build_id; /* in the string table */
} mapping;

typedef struct {
	monocle__wire_span message; /* of a packed file, all but its samples */
	monocle__wire_span packed;  /* the file, if it is read in pieces */
	monocle__profile *profile;
	monocle__sample_fold fold;
	size_t frames_read, bytes_read; /* of stacks: long inlined locations make much out of little */
	monocle__wire_span *strings;
	const char **texts; /* what monocle__profile_text () made of strings[i], NULL until it is asked for */
	size_t string_count, string_capacity;
	id_map function_ids, location_ids, mapping_ids;
	mapping *mappings;
	size_t mapping_count, mapping_capacity;
	location *locations;
	size_t location_count, location_capacity;
	line *lines;
	size_t line_count, line_capacity;
	const char **packages; /* file names of images, then sorted */
	size_t package_count, package_capacity;
	uint32_t *stack, *stack_places; /* scratch of one sample */
	size_t stack_capacity, stack_places_capacity;
	int64_t *values;
	size_t values_capacity;
	char *error;
	size_t error_size;
} reader;

static int __attribute__ ((format (printf, 2, 3))) fail (reader *r, const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (r->error, r->error_size, format, arguments);
	va_end (arguments);
	return -1;
}

static int
fail_memory (reader *r)
{
	return fail (r, "%s", monocle__profile_no_memory (r->profile));
}

/* clang-format off */
#define READ_FORMAT(name, extension, help) " " #name
#define EVENT_FORMAT READ_FORMAT
#define WRITTEN_FORMAT(name, extension, help)
static const char read_formats[] =
#include "file-formats.def"
	;
#undef EVENT_FORMAT
#undef READ_FORMAT
#undef WRITTEN_FORMAT
/* clang-format on */

static int
fail_damaged (reader *r)
{
	return fail (r, "damaged, or not a profile in a format that is read:%s", read_formats);
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

typedef int (*field_reader) (reader *r, const monocle__wire_field *f, void *context);

/* Calls `each` for every field of the message until one answers other than 0. */
static int
each_field (reader *r, monocle__wire_span message, field_reader each, void *context)
{
	monocle__wire_field f;
	int more, result = 0;
	while ((more = monocle__wire_next (&message, &f)) > 0 && result == 0)
		result = each (r, &f, context);
	return result != 0 ? result : more < 0 ? fail_damaged (r) : 0;
}

typedef int (*number_reader) (reader *r, uint64_t number, void *context);

/* A repeated number is either packed into one field or a field each; both are allowed at any time. */
static int
each_number (reader *r, const monocle__wire_field *f, number_reader each, void *context)
{
	monocle__wire_span packed = f->bytes;
	uint64_t number;
	int result = 0;
	if (f->type == 0)
		return each (r, f->value, context);
	while (packed.at < packed.end && result == 0) {
		if (!monocle__wire_try_varint (&packed, &number))
			return fail_damaged (r);
		result = each (r, number, context);
	}
	return result;
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

static bool
id_map_add (reader *r, id_map *map, uint64_t id, size_t index)
{
	if (!monocle__profile_take (r->profile, sizeof *map->entries) ||
	    !MONOCLE__RESERVE (map->entries, map->capacity, map->count + 1))
		return false;
	map->entries[map->count++] = (id_entry) { id, index };
	return true;
}

static int
compare_ids (const void *a, const void *b)
{
	const id_entry *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void
id_map_sort (id_map *map)
{
	if (map->count)
		qsort (map->entries, map->count, sizeof *map->entries, compare_ids);
}

/* SIZE_MAX: no such id. Writers number from 1 upwards, so the entry is nearly always where the id says. */
static size_t
id_map_find (const id_map *map, uint64_t id)
{
	id_entry key = { .id = id }, *found;
	if (map->count == 0)
		return SIZE_MAX;
	if (id - 1 < map->count && map->entries[id - 1].id == id)
		return map->entries[id - 1].index;
	found = bsearch (&key, map->entries, map->count, sizeof key, compare_ids);
	return found ? found->index : SIZE_MAX;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

/* The string with this index in the string table, NULL (and the error set) when there is none. */
static const char *
text (reader *r, uint64_t index)
{
	monocle__wire_span bytes;
	if (index >= r->string_count) {
		if (index == 0)
			return "";
		fail (r, "damaged: string %llu is not in the string table", (unsigned long long) index);
		return NULL;
	}
	bytes = r->strings[index];
	if (bytes.at == bytes.end)
		return "";
	if (!r->texts[index])
		r->texts[index] = monocle__profile_text (r->profile, (const char *) bytes.at, (size_t) (bytes.end - bytes.at));
	if (!r->texts[index])
		fail_memory (r);
	return r->texts[index];
}

static int
read_string (reader *r, const monocle__wire_field *f, void *unused)
{
	if (f->number != 6 || f->type != 2)
		return 0;
	if (!monocle__profile_take (r->profile, sizeof *r->strings + sizeof *r->texts) ||
	    !MONOCLE__RESERVE (r->strings, r->string_capacity, r->string_count + 1))
		return fail_memory (r);
	r->strings[r->string_count++] = f->bytes;
	return 0;
}

/* --- what is in the profile: numbers of fields by message, kept in a small array ---------------------------------- */

enum { NUMBERS = 16 };

/* Collects plain numbers by field number; of a repeated one the last wins, as the specification asks. */
static int
collect (reader *r, const monocle__wire_field *f, void *context)
{
	uint64_t *numbers = context;
	if (f->type == 0 && f->number < NUMBERS)
		numbers[f->number] = f->value;
	return 0;
}

static int
read_value_type (reader *r, monocle__wire_span message)
{
	uint64_t numbers[NUMBERS] = { 0 };
	const char *type, *unit;
	if (each_field (r, message, collect, numbers) != 0)
		return -1;
	type = text (r, numbers[1]);
	unit = type ? text (r, numbers[2]) : NULL;
	if (!unit)
		return -1;
	if (r->profile->value_count == VALUE_LIMIT)
		return fail (r, "it has more than %d value types", VALUE_LIMIT);
	return monocle__profile_add_value_type (r->profile, type, unit) ? 0 : fail_memory (r);
}

static int
read_period_type (reader *r, monocle__wire_span message)
{
	uint64_t numbers[NUMBERS] = { 0 };
	monocle__value_type *type = &r->profile->period_type;
	if (each_field (r, message, collect, numbers) != 0)
		return -1;
	return (type->type = text (r, numbers[1])) && (type->unit = text (r, numbers[2])) ? 0 : -1;
}

/*
 * Monocle's own profiles have IMAGE!NAME as system name: the image tells functions of one name apart, whether their
 * sources are known or not. Elsewhere the file is the source, unless it is a bare name that no line goes with.
 */
static int
tell_source (reader *r, monocle__function *function)
{
	size_t length = strlen (function->name), whole = strlen (function->system_name);
	const char *end = function->system_name + whole - length;
	const char *file = function->filename;
	bool is_own = whole > length && end[-1] == '!' && strcmp (end, function->name) == 0;
	if (is_own) {
		size_t image = (size_t) (end - 1 - function->system_name);
		bool is_image = strlen (file) == image && memcmp (file, function->system_name, image) == 0;
		if (is_image)
			return 0;
		function->filename = image ? monocle__profile_text (r->profile, function->system_name, image) : "";
	}
	function->source = strpbrk (file, "/\\") || (*file && (is_own || function->line > 0)) ? file : NULL;
	return function->filename ? 0 : fail_memory (r);
}

static int
read_function (reader *r, monocle__wire_span message)
{
	uint64_t numbers[NUMBERS] = { 0 };
	monocle__function function = { 0 };
	size_t index;
	if (each_field (r, message, collect, numbers) != 0)
		return -1;
	if (!(function.name = text (r, numbers[2])) || !(function.system_name = text (r, numbers[3])) ||
	    !(function.filename = text (r, numbers[4])))
		return -1;
	if (!*function.name)
		function.name = *function.system_name ? function.system_name : "(unnamed)";
	function.line = numbers[5] <= INT32_MAX ? (int64_t) numbers[5] : 0;
	if (tell_source (r, &function) != 0)
		return -1;
	index = monocle__profile_add_function (r->profile, &function);
	return index != SIZE_MAX && id_map_add (r, &r->function_ids, numbers[1], index) ? 0 : fail_memory (r);
}

static int
read_location_field (reader *r, const monocle__wire_field *f, void *context)
{
	uint64_t *numbers = context, own[NUMBERS] = { 0 };
	if (f->number != 4 || f->type != 2)
		return collect (r, f, numbers);
	if (each_field (r, f->bytes, collect, own) != 0)
		return -1;
	if (!monocle__profile_take (r->profile, sizeof *r->lines) ||
	    !MONOCLE__RESERVE (r->lines, r->line_capacity, r->line_count + 1))
		return fail_memory (r);
	r->lines[r->line_count++] = (line) { own[1], own[2] <= INT32_MAX ? (uint32_t) own[2] : 0, 0 };
	return 0;
}

/* A location without a line is an address that could not be named. */
static int
name_address (reader *r, uint64_t address)
{
	char name[32];
	monocle__function function = { .system_name = "", .filename = "" };
	size_t index, id_space = (size_t) 1 << 62;
	snprintf (name, sizeof name, "0x%llx", (unsigned long long) address);
	function.name = monocle__profile_text (r->profile, name, strlen (name));
	if (!function.name || (index = monocle__profile_add_function (r->profile, &function)) == SIZE_MAX ||
	    !id_map_add (r, &r->function_ids, id_space + index, index) ||
	    !monocle__profile_take (r->profile, sizeof *r->lines) ||
	    !MONOCLE__RESERVE (r->lines, r->line_capacity, r->line_count + 1))
		return fail_memory (r);
	r->lines[r->line_count++] = (line) { id_space + index, 0, 0 };
	return 0;
}

static int
read_location (reader *r, monocle__wire_span message)
{
	uint64_t numbers[NUMBERS] = { 0 };
	size_t first = r->line_count;
	if (first > UINT32_MAX / 2)
		return fail (r, "it has more than %u locations", UINT32_MAX / 2);
	if (each_field (r, message, read_location_field, numbers) != 0)
		return -1;
	if (r->line_count == first && name_address (r, numbers[3]) != 0)
		return -1;
	if (!monocle__profile_take (r->profile, sizeof *r->locations) ||
	    !MONOCLE__RESERVE (r->locations, r->location_capacity, r->location_count + 1) ||
	    !id_map_add (r, &r->location_ids, numbers[1], r->location_count))
		return fail_memory (r);
	r->locations[r->location_count++] =
	    (location) { (uint32_t) first, (uint32_t) (r->line_count - first), numbers[2], numbers[3] };
	return 0;
}

static int
read_mapping (reader *r, monocle__wire_span message)
{
	uint64_t numbers[NUMBERS] = { 0 };
	if (each_field (r, message, collect, numbers) != 0)
		return -1;
	if (!id_map_add (r, &r->mapping_ids, numbers[1], r->mapping_count) ||
	    !monocle__profile_take (r->profile, sizeof *r->mappings) ||
	    !MONOCLE__RESERVE (r->mappings, r->mapping_capacity, r->mapping_count + 1))
		return fail_memory (r);
	r->mappings[r->mapping_count++] = (mapping) { numbers[5], numbers[6] };
	return 0;
}

static int
read_comment (reader *r, uint64_t index, void *unused)
{
	const char *comment = text (r, index);
	if (!comment)
		return -1;
	if (strncmp (comment, MONOCLE__SPOOL_PACKAGE, strlen (MONOCLE__SPOOL_PACKAGE)) == 0) {
		if (!MONOCLE__RESERVE (r->packages, r->package_capacity, r->package_count + 1))
			return fail_memory (r);
		r->packages[r->package_count++] = comment + strlen (MONOCLE__SPOOL_PACKAGE);
		return 0;
	}
	return monocle__profile_add_comment (r->profile, comment) ? 0 : fail_memory (r);
}

/* The second walk: everything that samples refer to. */
static int
read_table (reader *r, const monocle__wire_field *f, void *unused)
{
	bool is_message = f->type == 2;
	switch (f->number) {
	case 1: return is_message ? read_value_type (r, f->bytes) : 0;
	case 3: return is_message ? read_mapping (r, f->bytes) : 0;
	case 4: return is_message ? read_location (r, f->bytes) : 0;
	case 5: return is_message ? read_function (r, f->bytes) : 0;
	case 9: r->profile->time_nanos = f->type == 0 ? (int64_t) f->value : 0; return 0;
	case 10: r->profile->duration_nanos = f->type == 0 ? (int64_t) f->value : 0; return 0;
	case 11: return is_message ? read_period_type (r, f->bytes) : 0;
	case 12: r->profile->period = f->type == 0 ? (int64_t) f->value : 0; return 0;
	case 13: return each_number (r, f, read_comment, NULL);
	case 14:
		r->profile->default_type = f->type == 0 ? text (r, f->value) : NULL;
		return f->type == 0 && !r->profile->default_type ? -1 : 0;
	default: return 0;
	}
}

/* Function ids in the lines become indices of functions, once for all samples. */
static int
resolve_lines (reader *r)
{
	id_map_sort (&r->function_ids);
	id_map_sort (&r->location_ids);
	for (size_t i = 0; i < r->line_count; i++) {
		size_t index = id_map_find (&r->function_ids, r->lines[i].function);
		if (index == SIZE_MAX)
			return fail (r, "damaged: function %llu is not described", (unsigned long long) r->lines[i].function);
		r->lines[i].function = index;
	}
	return 0;
}

static bool
is_build_id (const char *text)
{
	size_t length = strspn (text, "0123456789abcdef");
	return length == MONOCLE__BUILD_ID_SIZE - 1 && !text[length];
}

/*
 * Monocle's own locations say in their address which IL was running. Where that is not known, their line is the
 * function's first, and not that of the frame.
 */
static int
resolve_place (reader *r, const location *at, line *found, const char *build_id)
{
	const monocle__function *function = &r->profile->functions[found->function];
	monocle__place place = { .address = at->address, .line = found->number };
	if (build_id && is_build_id (build_id) && monocle__origin_is_address (at->address))
		place.build_id = build_id;
	if ((place.build_id && !monocle__origin_has_offset (at->address)) || (!at->address && place.line == function->line))
		place.line = 0;
	if (!place.build_id && !place.line)
		return 0;
	found->place = monocle__profile_add_place (r->profile, &place);
	return found->place == UINT32_MAX ? fail_memory (r) : 0;
}

static int
resolve_location (reader *r, const location *at)
{
	size_t index = id_map_find (&r->mapping_ids, at->mapping);
	const char *image = index == SIZE_MAX ? NULL : text (r, r->mappings[index].path);
	const char *build_id = index == SIZE_MAX ? NULL : text (r, r->mappings[index].build_id);
	if (index != SIZE_MAX && (!image || !build_id))
		return -1;
	for (size_t k = 0; k < at->count; k++) {
		line *found = &r->lines[at->first + k];
		monocle__function *function = &r->profile->functions[found->function];
		if (image && *image && !function->image)
			function->image = image;
		if (resolve_place (r, at, found, build_id) != 0)
			return -1;
	}
	return 0;
}

/* A function is in the image of the first location that has it. */
static int
resolve_images (reader *r)
{
	id_map_sort (&r->mapping_ids);
	for (size_t i = 0; i < r->location_count; i++) {
		if (resolve_location (r, &r->locations[i]) != 0)
			return -1;
	}
	return 0;
}

static int
compare_texts (const void *a, const void *b)
{
	return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
mark_packages (reader *r)
{
	if (r->package_count == 0)
		return;
	qsort (r->packages, r->package_count, sizeof *r->packages, compare_texts);
	for (size_t i = 0; i < r->profile->function_count; i++) {
		monocle__function *function = &r->profile->functions[i];
		const char *file = function->image ? monocle__path_base_name (function->image) : "";
		function->is_package =
		    bsearch (&file, r->packages, r->package_count, sizeof *r->packages, compare_texts) != NULL;
	}
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

typedef struct {
	size_t depth, values;
} sample_state;

static int
read_frame (reader *r, uint64_t id, void *context)
{
	sample_state *sample = context;
	size_t index = id_map_find (&r->location_ids, id), depth;
	const location *found;
	if (index == SIZE_MAX)
		return fail (r, "damaged: location %llu is not described", (unsigned long long) id);
	found = &r->locations[index];
	r->frames_read += found->count;
	if (r->frames_read > FRAME_LIMIT + INLINED_LIKELY * r->bytes_read)
		return fail (r, "its stacks have more than %zu frames, which no file of its size has", r->frames_read - 1);
	depth = sample->depth + found->count;
	if (depth > r->stack_capacity && !monocle__profile_take (r->profile, 2 * depth * sizeof *r->stack))
		return fail_memory (r);
	if (!MONOCLE__RESERVE (r->stack, r->stack_capacity, depth) ||
	    !MONOCLE__RESERVE (r->stack_places, r->stack_places_capacity, depth))
		return fail_memory (r);
	for (size_t i = 0; i < found->count; i++) {
		r->stack_places[sample->depth] = r->lines[found->first + i].place;
		r->stack[sample->depth++] = (uint32_t) r->lines[found->first + i].function;
	}
	return 0;
}

static int
read_value (reader *r, uint64_t value, void *context)
{
	sample_state *sample = context;
	if (sample->values == r->profile->value_count)
		return fail (r, "damaged: a sample has more values than the profile has value types");
	r->values[sample->values++] = (int64_t) value;
	return 0;
}

static int
read_sample_field (reader *r, const monocle__wire_field *f, void *context)
{
	if (f->number == 1)
		return each_number (r, f, read_frame, context);
	if (f->number == 2)
		return each_number (r, f, read_value, context);
	return 0;
}

static int
read_label (reader *r, const monocle__wire_field *f, void *unused)
{
	uint64_t numbers[NUMBERS] = { 0 };
	monocle__label label;
	if (f->number != 3 || f->type != 2)
		return 0;
	if (each_field (r, f->bytes, collect, numbers) != 0)
		return -1;
	label.key = text (r, numbers[1]);
	label.text = label.key && numbers[2] ? text (r, numbers[2]) : NULL;
	label.unit = label.key ? text (r, numbers[4]) : NULL;
	label.number = (int64_t) numbers[3];
	if (!label.key || !label.unit || (numbers[2] && !label.text))
		return -1;
	return monocle__profile_add_label (r->profile, &label) ? 0 : fail_memory (r);
}

/* Adds up what labels say: they stand in whatever order. */
static int
hash_label (reader *r, const monocle__wire_field *f, void *context)
{
	uint64_t *sum = context, hash = 0;
	if (f->number != 3 || f->type != 2)
		return 0;
	for (const uint8_t *at = f->bytes.at; at < f->bytes.end; at++)
		hash = monocle__hash (hash, *at + 1u);
	*sum += hash;
	return 0;
}

/* The third walk. */
static int
read_sample (reader *r, const monocle__wire_field *f, void *unused)
{
	sample_state sample = { 0 };
	if (f->number != 2 || f->type != 2)
		return 0;
	r->bytes_read += (size_t) (f->bytes.end - f->bytes.at);
	if (each_field (r, f->bytes, read_sample_field, &sample) != 0)
		return -1;
	if (sample.values != r->profile->value_count)
		return fail (r, "damaged: a sample has %zu values, the profile %zu value types", sample.values,
		             r->profile->value_count);
	uint64_t labels = 0;
	bool is_new;
	if (each_field (r, f->bytes, hash_label, &labels) != 0)
		return -1;
	if (!monocle__sample_fold_add (&r->fold, r->profile, r->stack, r->stack_places, sample.depth, r->values, labels,
	                               &is_new))
		return fail_memory (r);
	return is_new ? each_field (r, f->bytes, read_label, NULL) : 0;
}

/* Each message of the file that is a sample. */
static int
read_samples (reader *r)
{
	monocle__field_stream stream;
	monocle__wire_span whole;
	monocle__wire_field f;
	const char *problem;
	int more, result = 0;
	if (!r->packed.at)
		return each_field (r, r->message, read_sample, NULL);
	problem = monocle__field_stream_init (&stream, r->packed.at, (size_t) (r->packed.end - r->packed.at));
	if (problem)
		return fail (r, "%s", problem);
	while ((more = monocle__field_stream_next (&stream, &f, &whole, &problem)) > 0 && result == 0)
		result = read_sample (r, &f, NULL);
	monocle__field_stream_done (&stream);
	return result != 0 ? result : more < 0 ? problem ? fail (r, "%s", problem) : fail_damaged (r) : 0;
}

/* --- slow calls --------------------------------------------------------------------------------------------------- */

static int
read_slow_frame (reader *r, const monocle__wire_field *f, void *context)
{
	return f->number == MONOCLE__SLOW_LOCATION ? each_number (r, f, read_frame, context) : 0;
}

static int64_t
not_negative (uint64_t number)
{
	return number < INT64_MAX ? (int64_t) number : INT64_MAX;
}

/* In the third walk, too. A call without a method is nothing to show. */
static int
read_slow_call (reader *r, const monocle__wire_field *f, void *unused)
{
	uint64_t numbers[NUMBERS] = { 0 };
	sample_state stack = { 0 };
	if (f->number != MONOCLE__PROFILE_SLOW_CALL || f->type != 2)
		return 0;
	if (each_field (r, f->bytes, collect, numbers) != 0 || each_field (r, f->bytes, read_slow_frame, &stack) != 0)
		return -1;
	monocle__slow_call call = {
		.start = not_negative (numbers[MONOCLE__SLOW_START]),
		.duration = not_negative (numbers[MONOCLE__SLOW_DURATION]),
		.thread = not_negative (numbers[MONOCLE__SLOW_THREAD]),
		.thread_name = text (r, numbers[MONOCLE__SLOW_THREAD_NAME]),
		.end = numbers[MONOCLE__SLOW_END] < UINT_MAX ? (unsigned) numbers[MONOCLE__SLOW_END] : UINT_MAX,
		.depth = stack.depth,
	};
	call.arguments = call.thread_name ? text (r, numbers[MONOCLE__SLOW_ARGUMENTS]) : NULL;
	call.result = call.arguments ? text (r, numbers[MONOCLE__SLOW_RESULT]) : NULL;
	if (!call.result)
		return -1;
	if (call.depth == 0)
		return 0;
	return monocle__profile_add_slow_call (r->profile, &call, r->stack) ? 0 : fail_memory (r);
}

/* The longest first, whoever wrote the file; equal ones stay as they were. */
static int
compare_slow_calls (const void *a, const void *b)
{
	const monocle__slow_call *x = a, *y = b;
	if (x->duration != y->duration)
		return x->duration > y->duration ? -1 : 1;
	return x->frames < y->frames ? -1 : x->frames > y->frames;
}

static int
read_slow_calls (reader *r)
{
	if (each_field (r, r->message, read_slow_call, NULL) != 0)
		return -1;
	if (r->profile->slow_call_count)
		qsort (r->profile->slow_calls, r->profile->slow_call_count, sizeof *r->profile->slow_calls, compare_slow_calls);
	return 0;
}

static int
read_profile (reader *r)
{
	if (each_field (r, r->message, read_string, NULL) != 0)
		return -1;
	r->texts = calloc (r->string_count + 1, sizeof *r->texts);
	if (!r->texts)
		return fail_memory (r);
	if (each_field (r, r->message, read_table, NULL) != 0 || resolve_lines (r) != 0 || resolve_images (r) != 0)
		return -1;
	mark_packages (r);
	if (r->profile->value_count == 0)
		return fail (r, "not a profile in a format that is read:%s", read_formats);
	if (!MONOCLE__RESERVE (r->values, r->values_capacity, r->profile->value_count))
		return fail_memory (r);
	if (read_samples (r) != 0 || read_slow_calls (r) != 0)
		return -1;
	return monocle__sample_fold_tell (&r->fold, r->profile) ? 0 : fail_memory (r);
}

static void
reader_done (reader *r)
{
	free (r->strings);
	free (r->texts);
	free (r->function_ids.entries);
	free (r->location_ids.entries);
	free (r->mapping_ids.entries);
	free (r->locations);
	free (r->lines);
	free (r->mappings);
	free (r->packages);
	free (r->stack);
	free (r->stack_places);
	free (r->values);
	monocle__sample_fold_done (&r->fold);
	monocle__profile_free (r->profile);
}

/* It has no sign of its own. */
bool
monocle__pprof_recognise (const char *bytes, size_t size)
{
	return true;
}

static int
parse (reader *r, size_t allowance, monocle__profile **ret_profile)
{
	int result;
	r->fold.limit = MONOCLE__SAMPLE_FOLD_LIMIT;
	r->profile = monocle__profile_new (allowance);
	result = r->profile ? read_profile (r) : fail_memory (r);
	if (result == 0) {
		*ret_profile = r->profile;
		r->profile = NULL;
	}
	reader_done (r);
	return result;
}

int
monocle__pprof_parse (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile, char *error,
                      size_t error_size)
{
	reader r = { .message = { bytes, (const unsigned char *) bytes + size }, .error = error, .error_size = error_size };
	return parse (&r, allowance, ret_profile);
}

/* --- in pieces ---------------------------------------------------------------------------------------------------- */

typedef struct {
	uint8_t *bytes;
	size_t size, capacity;
} content;

/* All fields but the samples, which are most of a large file. */
static int
collect_rest (reader *r, content *rest)
{
	monocle__field_stream stream;
	monocle__wire_span whole;
	monocle__wire_field f;
	const char *problem = monocle__field_stream_init (&stream, r->packed.at, (size_t) (r->packed.end - r->packed.at));
	int more;
	if (problem)
		return fail (r, "%s", problem);
	while ((more = monocle__field_stream_next (&stream, &f, &whole, &problem)) > 0) {
		size_t size = (size_t) (whole.end - whole.at);
		if (f.number == 2 && f.type == 2)
			continue;
		if (!MONOCLE__RESERVE (rest->bytes, rest->capacity, rest->size + size)) {
			problem = "out of memory";
			more = -1;
			break;
		}
		memcpy (rest->bytes + rest->size, whole.at, size);
		rest->size += size;
	}
	monocle__field_stream_done (&stream);
	return more >= 0 ? 0 : problem ? fail (r, "%s", problem) : fail_damaged (r);
}

int
monocle__pprof_parse_packed (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile,
                             char *error, size_t error_size)
{
	reader r = { .packed = { bytes, (const unsigned char *) bytes + size }, .error = error, .error_size = error_size };
	content rest = { 0 };
	int result = collect_rest (&r, &rest);
	r.message = (monocle__wire_span) { rest.bytes, rest.bytes + rest.size };
	if (result == 0)
		result = parse (&r, allowance - (rest.size < allowance ? rest.size : allowance), ret_profile);
	free (rest.bytes);
	return result;
}
