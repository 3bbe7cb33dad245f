/*
 * SPDX-License-Identifier: MIT
 *
 * pprof-write.c - a profile as pprof: profile.proto in gzip.
 *
 * The file is written piece by piece. Functions and locations have the profile's indices plus one as ids: 0 means
 * "none". Strings are numbered as they come and written last, which protocol buffers allow.
 */
#include "array.h"
#include "format.h"
#include "hash.h"
#include "path.h"
#include "slow-fields.h"
#include "spool-name.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_SIZE = 64 * 1024,
	/* Stacks are so alike that the fastest level's file is only a sixth larger; of this many frames it takes a second
	   less, for which a user waits at the end of a run. */
	MANY_FRAMES = 1 << 20,
};

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__convert_options *options;
	monocle__wire wire;
	const char **strings; /* by index */
	size_t string_count, string_capacity;
	uint8_t *mapped; /* by string: it is the path of a mapping that is written */
	size_t mapped_count, mapped_capacity;
	char **packages; /* comments of our own, which strings have */
	size_t package_count, package_capacity;
	uint32_t *slots; /* hash over strings: index + 1 */
	size_t slot_count;
	bool has_lines;         /* of places */
	uint32_t *owners;       /* by place: the function that is there, plus one; 0: none was met */
	const char **build_ids; /* by string: it is the path of an image that has this one; NULL: none that is known */
	size_t build_id_count, build_id_capacity;
} writer;

/* --- strings ------------------------------------------------------------------------------------------------------ */

static uint32_t *
string_slot (const writer *w, const char *text)
{
	size_t mask = w->slot_count - 1;
	for (size_t at = (size_t) monocle__hash_text (0, text) & mask;; at = (at + 1) & mask) {
		if (!w->slots[at] || strcmp (w->strings[w->slots[at] - 1], text) == 0)
			return &w->slots[at];
	}
}

static bool
slots_grow (writer *w)
{
	size_t count = w->slot_count ? w->slot_count * 2 : 256;
	uint32_t *slots = calloc (count, sizeof *slots);
	if (!slots)
		return false;
	free (w->slots);
	w->slots = slots;
	w->slot_count = count;
	for (size_t i = 0; i < w->string_count; i++)
		*string_slot (w, w->strings[i]) = (uint32_t) i + 1;
	return true;
}

/* Its index in the string table. */
static uint64_t
intern (writer *w, const char *text)
{
	uint32_t *slot;
	if ((w->string_count * 2 >= w->slot_count && !slots_grow (w)) ||
	    !MONOCLE__RESERVE (w->strings, w->string_capacity, w->string_count + 1)) {
		w->wire.failed = true;
		return 0;
	}
	slot = string_slot (w, text);
	if (!*slot) {
		w->strings[w->string_count++] = text;
		*slot = (uint32_t) w->string_count;
	}
	return *slot - 1;
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

/* What is compressed goes to the file, a piece at a time. */
static void
write_piece (writer *w, size_t least)
{
	monocle__wire_bytes *packed = &w->wire.out;
	if (packed->length < least)
		return;
	fwrite (packed->data, 1, packed->length, w->out);
	packed->length = 0;
}

static void
end_message (writer *w, unsigned field)
{
	monocle__wire_end_message (&w->wire, field);
	write_piece (w, PIECE_SIZE);
}

/* --- the profile -------------------------------------------------------------------------------------------------- */

static bool
is_written (const writer *w, size_t value)
{
	return !w->options->one_value || value == w->options->value;
}

static void
write_value_types (writer *w)
{
	monocle__wire *wire = &w->wire;
	for (size_t v = 0; v < w->profile->value_count; v++) {
		if (!is_written (w, v))
			continue;
		monocle__wire_put_number (wire, &wire->message, 1, intern (w, w->profile->value_types[v].type));
		monocle__wire_put_number (wire, &wire->message, 2, intern (w, w->profile->value_types[v].unit));
		end_message (w, 1);
	}
}

static void
write_label (writer *w, const monocle__label *label)
{
	monocle__wire *wire = &w->wire;
	monocle__wire_put_number (wire, &wire->part, 1, intern (w, label->key));
	if (label->text)
		monocle__wire_put_number (wire, &wire->part, 2, intern (w, label->text));
	else
		monocle__wire_put_number (wire, &wire->part, 3, (uint64_t) label->number);
	if (!label->text && *label->unit)
		monocle__wire_put_number (wire, &wire->part, 4, intern (w, label->unit));
	monocle__wire_end_part (wire, 3);
}

/*
 * Functions have a location without a place each, of the same number; those of places follow. A place is in one
 * function; where a view has made it another's, too, it is left out there.
 */
static uint64_t
location_of (const writer *w, size_t frame)
{
	uint32_t function = w->profile->frames[frame], place = monocle__profile_place_index (w->profile, frame);
	return place && w->owners[place] == function + 1 ? w->profile->function_count + place : (uint64_t) function + 1;
}

/* The first one that is told of an image is its own. */
static bool
note_build_id (writer *w, const char *image, const char *build_id)
{
	uint64_t path = intern (w, image);
	if (!MONOCLE__RESERVE (w->build_ids, w->build_id_capacity, path + 1))
		return false;
	while (w->build_id_count <= path)
		w->build_ids[w->build_id_count++] = NULL;
	if (!w->build_ids[path])
		w->build_ids[path] = build_id;
	return true;
}

static bool
find_owners (writer *w)
{
	const monocle__profile *profile = w->profile;
	bool good = (w->owners = calloc (profile->place_count + 1, sizeof *w->owners)) != NULL;
	for (size_t frame = 0; good && frame < profile->frame_place_count; frame++) {
		uint32_t place = profile->frame_places[frame], function = profile->frames[frame];
		if (!place || w->owners[place])
			continue;
		w->has_lines = w->has_lines || profile->places[place].line;
		w->owners[place] = function + 1;
		const char *image = profile->functions[function].image, *build_id = profile->places[place].build_id;
		good = !image || !build_id || note_build_id (w, image, build_id);
	}
	return good;
}

static void
write_sample (writer *w, size_t index)
{
	monocle__wire *wire = &w->wire;
	const monocle__sample *sample = &w->profile->samples[index];
	for (size_t i = 0; i < sample->depth; i++)
		monocle__wire_put_varint (wire, &wire->part, location_of (w, sample->frames + i));
	monocle__wire_end_part (wire, 1);
	for (size_t v = 0; v < w->profile->value_count; v++) {
		if (is_written (w, v))
			monocle__wire_put_varint (wire, &wire->part, (uint64_t) monocle__profile_values (w->profile, index)[v]);
	}
	monocle__wire_end_part (wire, 2);
	for (size_t i = 0; i < sample->label_count; i++)
		write_label (w, &w->profile->labels[sample->labels + i]);
	end_message (w, 2);
}

static void
write_slow_call (writer *w, const monocle__slow_call *call)
{
	monocle__wire *wire = &w->wire;
	const struct {
		uint32_t field;
		uint64_t number;
	} numbers[] = {
		{ MONOCLE__SLOW_START, (uint64_t) call->start },
		{ MONOCLE__SLOW_DURATION, (uint64_t) call->duration },
		{ MONOCLE__SLOW_THREAD, (uint64_t) call->thread },
		{ MONOCLE__SLOW_THREAD_NAME, intern (w, call->thread_name) },
		{ MONOCLE__SLOW_END, call->end },
		{ MONOCLE__SLOW_ARGUMENTS, intern (w, call->arguments) },
		{ MONOCLE__SLOW_RESULT, intern (w, call->result) },
	};
	for (size_t i = 0; i < call->depth; i++)
		monocle__wire_put_varint (wire, &wire->part, (uint64_t) w->profile->frames[call->frames + i] + 1);
	monocle__wire_end_part (wire, MONOCLE__SLOW_LOCATION);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		monocle__wire_put_number (wire, &wire->message, numbers[i].field, numbers[i].number);
	end_message (w, MONOCLE__PROFILE_SLOW_CALL);
}

/* The comments are written with the others. */
static void
add_package (writer *w, const char *image)
{
	char *comment = NULL;
	if (!MONOCLE__RESERVE (w->packages, w->package_capacity, w->package_count + 1) ||
	    asprintf (&comment, "%s%s", MONOCLE__SPOOL_PACKAGE, monocle__path_base_name (image)) < 0) {
		w->wire.failed = true;
		return;
	}
	w->packages[w->package_count++] = comment;
}

/* The id of the mapping of a function's image, which is written when it is met first; 0: the image is not known. */
static uint64_t
write_mapping (writer *w, const monocle__function *function)
{
	monocle__wire *wire = &w->wire;
	uint64_t path = function->image ? intern (w, function->image) : 0;
	const char *build_id = path < w->build_id_count ? w->build_ids[path] : NULL;
	if (path == 0 || !MONOCLE__RESERVE (w->mapped, w->mapped_capacity, path + 1)) {
		w->wire.failed = w->wire.failed || path != 0;
		return 0;
	}
	while (w->mapped_count <= path)
		w->mapped[w->mapped_count++] = 0;
	if (!w->mapped[path]) {
		monocle__wire_put_number (wire, &wire->message, 1, path);
		monocle__wire_put_number (wire, &wire->message, 5, path);
		if (build_id)
			monocle__wire_put_number (wire, &wire->message, 6, intern (w, build_id));
		monocle__wire_put_number (wire, &wire->message, 7, 1); /* its functions are named */
		if (build_id) {
			monocle__wire_put_number (wire, &wire->message, 8, 1); /* and their files */
			monocle__wire_put_number (wire, &wire->message, 9, 1); /* and lines, as far as can be */
		}
		end_message (w, 3);
		if (function->is_package)
			add_package (w, function->image);
	}
	w->mapped[path] = 1;
	return path;
}

static void
write_location (writer *w, uint64_t id, size_t function, uint64_t mapping, const monocle__place *place)
{
	monocle__wire *wire = &w->wire;
	/* Of a profile with lines, what has none is not to be seen on another. */
	int64_t line = place->line || w->has_lines ? place->line : w->profile->functions[function].line;
	monocle__wire_put_number (wire, &wire->message, 1, id);
	if (mapping)
		monocle__wire_put_number (wire, &wire->message, 2, mapping);
	if (place->address)
		monocle__wire_put_number (wire, &wire->message, 3, place->address);
	monocle__wire_put_number (wire, &wire->part, 1, function + 1);
	monocle__wire_put_number (wire, &wire->part, 2, (uint64_t) line);
	monocle__wire_end_part (wire, 4);
	end_message (w, 4);
}

/* Places of functions that have no image are in none. */
static void
write_places (writer *w)
{
	for (size_t i = 1; i < w->profile->place_count && !w->wire.failed; i++) {
		size_t function = w->owners[i] ? w->owners[i] - 1 : 0;
		if (w->owners[i])
			write_location (w, w->profile->function_count + i, function,
			                write_mapping (w, &w->profile->functions[function]), &w->profile->places[i]);
	}
}

static void
write_function (writer *w, size_t index)
{
	static const monocle__place nowhere = { .build_id = NULL };
	monocle__wire *wire = &w->wire;
	const monocle__function *function = &w->profile->functions[index];
	write_location (w, index + 1, index, write_mapping (w, function), &nowhere);
	monocle__wire_put_number (wire, &wire->message, 1, index + 1);
	monocle__wire_put_number (wire, &wire->message, 2, intern (w, function->name));
	monocle__wire_put_number (wire, &wire->message, 3, intern (w, function->system_name));
	monocle__wire_put_number (wire, &wire->message, 4, intern (w, monocle__function_file (function)));
	monocle__wire_put_number (wire, &wire->message, 5, (uint64_t) function->line);
	end_message (w, 5);
}

static void
write_rest (writer *w)
{
	monocle__wire *wire = &w->wire;
	const monocle__profile *profile = w->profile;
	monocle__wire_put_number (wire, &wire->message, 9, (uint64_t) profile->time_nanos);
	monocle__wire_put_number (wire, &wire->message, 10, (uint64_t) profile->duration_nanos);
	if (profile->period_type.type) {
		monocle__wire_put_number (wire, &wire->part, 1, intern (w, profile->period_type.type));
		monocle__wire_put_number (wire, &wire->part, 2, intern (w, profile->period_type.unit));
		monocle__wire_end_part (wire, 11);
		monocle__wire_put_number (wire, &wire->message, 12, (uint64_t) profile->period);
	}
	for (size_t i = 0; i < profile->comment_count; i++)
		monocle__wire_put_number (wire, &wire->message, 13, intern (w, profile->comments[i]));
	for (size_t i = 0; i < w->package_count; i++)
		monocle__wire_put_number (wire, &wire->message, 13, intern (w, w->packages[i]));
	if (profile->default_type && !w->options->one_value)
		monocle__wire_put_number (wire, &wire->message, 14, intern (w, profile->default_type));
	for (size_t i = 0; i < w->string_count; i++) {
		monocle__wire_put_block (wire, &wire->message, 6, w->strings[i], strlen (w->strings[i]));
		monocle__wire_compress (wire, &wire->message);
		write_piece (w, PIECE_SIZE);
	}
}

static void
write_profile (writer *w)
{
	intern (w, "");
	w->wire.failed = w->wire.failed || !find_owners (w);
	write_value_types (w);
	for (size_t i = 0; i < w->profile->sample_count && !w->wire.failed; i++)
		write_sample (w, i);
	for (size_t i = 0; i < w->profile->slow_call_count && !w->wire.failed; i++)
		write_slow_call (w, &w->profile->slow_calls[i]);
	for (size_t i = 0; i < w->profile->function_count && !w->wire.failed; i++)
		write_function (w, i);
	write_places (w);
	write_rest (w);
	monocle__wire_finish (&w->wire);
	if (!w->wire.failed)
		write_piece (w, 0);
}

int
monocle__pprof_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	writer w = { .out = out, .profile = profile, .options = options };
	if (!monocle__wire_init (&w.wire, profile->frame_count < MANY_FRAMES ? Z_DEFAULT_COMPRESSION : Z_BEST_SPEED))
		return -1;
	write_profile (&w);
	monocle__wire_done (&w.wire);
	free (w.wire.out.data);
	for (size_t i = 0; i < w.package_count; i++)
		free (w.packages[i]);
	free (w.packages);
	free (w.strings);
	free (w.mapped);
	free (w.slots);
	free (w.owners);
	free ((void *) w.build_ids);
	return w.wire.failed ? -1 : 0;
}
