/*
 * SPDX-License-Identifier: MIT
 *
 * speedscope.c - the JSON of speedscope (https://www.speedscope.app/file-format-schema.json), both ways.
 *
 * A file has one list of frames and any number of profiles: *sampled* ones are stacks, root first, with a weight each;
 * *evented* ones tell when each frame was opened and closed, and become one sample for every stretch between two
 * events. We write a sampled profile per thread.
 */
#include "array.h"
#include "column.h"
#include "format.h"
#include "json.h"
#include "threads.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum {
	FRAME_LIMIT = 1 << 27, /* frames over all stacks */
	VALUE_LIMIT = 64,      /* units in one file */
};

/* --- units -------------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *name; /* in the file */
	monocle__value_type type;
	double scale;
} unit_row;

/* clang-format off */
static const unit_row units[] = {
	{ "none",         { "samples", "count" },       1 },
	{ "nanoseconds",  { "time",    "nanoseconds" }, 1 },
	{ "microseconds", { "time",    "nanoseconds" }, 1e3 },
	{ "milliseconds", { "time",    "nanoseconds" }, 1e6 },
	{ "seconds",      { "time",    "nanoseconds" }, 1e9 },
	{ "bytes",        { "bytes",   "bytes" },       1 },
};
/* clang-format on */

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
	monocle__profile *profile;
	uint32_t *functions; /* by frame of the file */
	size_t frame_count, frame_capacity;
	uint32_t *stack; /* root first, indices of functions */
	size_t depth, stack_capacity;
	uint32_t *leaf_first;
	size_t leaf_capacity;
	int64_t values[VALUE_LIMIT];
	size_t number; /* of the profile in the file, from 1 */
	char *error;
	size_t error_size;
} reader;

/* One profile of the file. */
typedef struct {
	const unit_row *unit;
	size_t value;       /* of the profile that is made */
	const char *thread; /* NULL: no label */
} part;

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

/* The string as the profile's own; "" when it is no string. NULL: out of memory. */
static const char *
text_of (monocle__json value, monocle__profile *profile)
{
	size_t length = (size_t) (value.end - value.at);
	const char *result;
	char *plain;
	if (monocle__json_kind (value) != '"' || length == 2)
		return "";
	if (!memchr (value.at, '\\', length))
		return monocle__profile_text (profile, value.at + 1, length - 2);
	plain = malloc (length);
	if (!plain)
		return NULL;
	result = monocle__profile_text (profile, plain, monocle__json_unescape (value, plain));
	free (plain);
	return result;
}

static int
read_frame (reader *r, monocle__json frame)
{
	monocle__function function = { .system_name = "" };
	double line = 0;
	size_t index;
	function.name = text_of (monocle__json_member (frame, "name"), r->profile);
	function.filename = text_of (monocle__json_member (frame, "file"), r->profile);
	if (!function.name || !function.filename)
		return fail_memory (r);
	if (!*function.name)
		function.name = "(unnamed)";
	monocle__json_number (monocle__json_member (frame, "line"), &line);
	function.line = monocle__round (line);
	index = monocle__profile_add_function (r->profile, &function);
	if (index == SIZE_MAX || !monocle__profile_take (r->profile, sizeof *r->functions) ||
	    !MONOCLE__RESERVE (r->functions, r->frame_capacity, r->frame_count + 1))
		return fail_memory (r);
	r->functions[r->frame_count++] = (uint32_t) index;
	return 0;
}

static int
read_frames (reader *r, monocle__json file)
{
	monocle__json frames = monocle__json_member (monocle__json_member (file, "shared"), "frames"), frame;
	monocle__json rest = monocle__json_items (frames);
	int result = 0;
	if (monocle__json_kind (frames) != '[')
		return fail (r, "JSON, but not of speedscope: there is no shared.frames");
	while (result == 0 && monocle__json_next (&rest, &frame))
		result = read_frame (r, frame);
	return result;
}

static const unit_row *
unit_of (monocle__json profile)
{
	monocle__json unit = monocle__json_member (profile, "unit");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (monocle__json_equals (unit, units[i].name))
			return &units[i];
	}
	return &units[0];
}

/* A value type for each unit that some profile has. */
static int
read_units (reader *r, monocle__json profiles)
{
	monocle__json rest = monocle__json_items (profiles), profile;
	while (monocle__json_next (&rest, &profile)) {
		const unit_row *unit = unit_of (profile);
		if (monocle__profile_find_value (r->profile, unit->type.type) != SIZE_MAX)
			continue;
		if (!monocle__profile_add_value_type (r->profile, unit->type.type, unit->type.unit))
			return fail_memory (r);
	}
	return r->profile->value_count ? 0 : fail (r, "a speedscope file without profiles");
}

static int
push_frame (reader *r, monocle__json frame)
{
	size_t index;
	if (!monocle__json_index (frame, &index) || index >= r->frame_count)
		return fail (r, "damaged: profile %zu names a frame that is not described", r->number);
	if (!MONOCLE__RESERVE (r->stack, r->stack_capacity, r->depth + 1))
		return fail_memory (r);
	r->stack[r->depth++] = r->functions[index];
	return 0;
}

static int
add_sample (reader *r, const part *p, double weight)
{
	monocle__label label = { .key = "thread", .text = p->thread, .unit = "" };
	if (r->profile->frame_count + r->depth > FRAME_LIMIT)
		return fail (r, "its stacks have more than %d frames", FRAME_LIMIT);
	if (!MONOCLE__RESERVE (r->leaf_first, r->leaf_capacity, r->depth + 1))
		return fail_memory (r);
	for (size_t i = 0; i < r->depth; i++)
		r->leaf_first[i] = r->stack[r->depth - 1 - i];
	memset (r->values, 0, sizeof r->values);
	r->values[p->value] = monocle__round (weight * p->unit->scale);
	if (!monocle__profile_add_sample (r->profile, r->leaf_first, r->depth, r->values) ||
	    (p->thread && !monocle__profile_add_label (r->profile, &label)))
		return fail_memory (r);
	return 0;
}

static int
read_sampled (reader *r, const part *p, monocle__json profile)
{
	monocle__json samples = monocle__json_items (monocle__json_member (profile, "samples"));
	monocle__json weights = monocle__json_items (monocle__json_member (profile, "weights")), sample, weight, frame;
	double amount;
	int result = 0;
	while (result == 0 && monocle__json_next (&samples, &sample)) {
		monocle__json rest = monocle__json_items (sample);
		r->depth = 0;
		while (monocle__json_next (&rest, &frame)) {
			if (push_frame (r, frame) != 0)
				return -1;
		}
		if (!monocle__json_next (&weights, &weight) || !monocle__json_number (weight, &amount))
			return fail (r, "damaged: profile %zu has fewer weights than samples", r->number);
		result = add_sample (r, p, amount);
	}
	return result;
}

static int
read_event (reader *r, monocle__json event)
{
	monocle__json type = monocle__json_member (event, "type"), frame = monocle__json_member (event, "frame");
	size_t index;
	if (monocle__json_equals (type, "O"))
		return push_frame (r, frame);
	if (!monocle__json_equals (type, "C"))
		return fail (r, "damaged: profile %zu has an event that neither opens nor closes", r->number);
	if (r->depth == 0 || !monocle__json_index (frame, &index) || index >= r->frame_count ||
	    r->stack[r->depth - 1] != r->functions[index])
		return fail (r, "damaged: profile %zu closes a frame that is not the innermost", r->number);
	r->depth--;
	return 0;
}

static int
read_evented (reader *r, const part *p, monocle__json profile)
{
	monocle__json events = monocle__json_items (monocle__json_member (profile, "events")), event;
	double now, last = 0;
	int result = 0;
	r->depth = 0;
	while (result == 0 && monocle__json_next (&events, &event)) {
		if (!monocle__json_number (monocle__json_member (event, "at"), &now) || (r->depth > 0 && now < last))
			return fail (r, "damaged: profile %zu has an event without a time, or one that goes back", r->number);
		if (r->depth > 0 && now > last)
			result = add_sample (r, p, now - last);
		last = now;
		if (result == 0)
			result = read_event (r, event);
	}
	if (result == 0 && r->depth > 0)
		return fail (r, "damaged: profile %zu leaves %zu frames open at its end", r->number, r->depth);
	return result;
}

static int
read_part (reader *r, monocle__json profile, bool alone)
{
	monocle__json type = monocle__json_member (profile, "type");
	part p = { .unit = unit_of (profile) };
	p.value = monocle__profile_find_value (r->profile, p.unit->type.type);
	if (!alone && !(p.thread = text_of (monocle__json_member (profile, "name"), r->profile)))
		return fail_memory (r);
	if (monocle__json_equals (type, "sampled"))
		return read_sampled (r, &p, profile);
	if (monocle__json_equals (type, "evented"))
		return read_evented (r, &p, profile);
	return fail (r, "profile %zu of the speedscope file is neither sampled nor evented", r->number);
}

static int
read_file (reader *r, const char *bytes, size_t size)
{
	monocle__json file, profiles, rest, profile;
	size_t offset, count = 0;
	int result;
	if (!monocle__json_check (bytes, size, &file, &offset))
		return fail (r, "damaged: not JSON from byte %zu on", offset);
	profiles = monocle__json_member (file, "profiles");
	result = read_frames (r, file);
	if (result == 0)
		result = read_units (r, profiles);
	for (rest = monocle__json_items (profiles); count < 2 && monocle__json_next (&rest, &profile);)
		count++;
	rest = monocle__json_items (profiles);
	while (result == 0 && monocle__json_next (&rest, &profile)) {
		r->number++;
		result = read_part (r, profile, count == 1);
	}
	return result;
}

int
monocle__speedscope_parse (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile,
                           char *error, size_t error_size)
{
	reader r = { .profile = monocle__profile_new (allowance), .error = error, .error_size = error_size };
	int result = r.profile ? read_file (&r, bytes, size) : fail_memory (&r);
	if (result == 0)
		*ret_profile = r.profile;
	else
		monocle__profile_free (r.profile);
	free (r.functions);
	free (r.stack);
	free (r.leaf_first);
	return result;
}

bool
monocle__speedscope_recognise (const char *bytes, size_t size)
{
	size_t at = 0;
	while (at < size && bytes[at] && strchr (" \t\r\n", bytes[at]))
		at++;
	/* A protocol buffer may begin with a line feed and 123 bytes of a value type, but no JSON goes on so. */
	return at < size && bytes[at] == '{' && (at + 1 == size || (bytes[at + 1] && strchr (" \t\r\n\"}", bytes[at + 1])));
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__convert_options *options;
	const monocle__threads *threads;
} writer;

static void
write_shared (const writer *w)
{
	fputs ("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"shared\":{\"frames\":[", w->out);
	for (size_t i = 0; i < w->profile->function_count; i++) {
		const monocle__function *function = &w->profile->functions[i];
		fputs (i ? ",\n{\"name\":" : "\n{\"name\":", w->out);
		monocle__json_string (w->out, function->name);
		if (*monocle__function_file (function)) {
			fputs (",\"file\":", w->out);
			monocle__json_string (w->out, monocle__function_file (function));
		}
		if (function->line > 0)
			fprintf (w->out, ",\"line\":%" PRId64, function->line);
		fputs ("}", w->out);
	}
	fputs ("]},\n\"profiles\":[", w->out);
}

/* The format has no word for negative weights; they are left out, and so is what weighs nothing. */
static bool
is_in (const writer *w, size_t sample, size_t thread)
{
	if (w->threads->count && w->threads->of_sample[sample] != thread)
		return false;
	return monocle__profile_values (w->profile, sample)[w->options->value] > 0;
}

static void
write_stack (const writer *w, size_t index)
{
	const monocle__sample *sample = &w->profile->samples[index];
	for (size_t i = sample->depth; i > 0; i--)
		fprintf (w->out, i == sample->depth ? "%" PRIu32 : ",%" PRIu32, w->profile->frames[sample->frames + i - 1]);
}

/* *ret_sum: what all weights come to. */
static void
write_lists (const writer *w, size_t thread, int64_t *ret_sum)
{
	const char *comma = "";
	fputs (",\n\"samples\":[", w->out);
	for (size_t i = 0; i < w->profile->sample_count; i++) {
		if (!is_in (w, i, thread))
			continue;
		fprintf (w->out, "%s[", comma);
		write_stack (w, i);
		fputs ("]", w->out);
		comma = ",\n";
	}
	fputs ("],\n\"weights\":[", w->out);
	comma = "";
	*ret_sum = 0;
	for (size_t i = 0; i < w->profile->sample_count; i++) {
		int64_t weight = monocle__profile_values (w->profile, i)[w->options->value];
		if (!is_in (w, i, thread))
			continue;
		fprintf (w->out, "%s%" PRId64, comma, weight);
		*ret_sum = monocle__add (*ret_sum, weight);
		comma = ",";
	}
}

static const char *
unit_name (const monocle__value_type *type)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp (units[i].name, type->unit) == 0)
			return units[i].name;
	}
	return "none";
}

static void
write_thread (const writer *w, size_t thread)
{
	const char *name = w->threads->count ? w->threads->names[thread] : w->options->title;
	int64_t sum;
	fputs (thread ? ",\n{\"type\":\"sampled\",\"name\":" : "\n{\"type\":\"sampled\",\"name\":", w->out);
	monocle__json_string (w->out, *name ? name : w->options->title);
	fprintf (w->out, ",\"unit\":\"%s\"", unit_name (&w->profile->value_types[w->options->value]));
	write_lists (w, thread, &sum);
	fprintf (w->out, "],\n\"startValue\":0,\"endValue\":%" PRId64 "}", sum);
}

int
monocle__speedscope_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	monocle__threads *threads = monocle__threads_new (profile);
	writer w = { out, profile, options, threads };
	if (!threads)
		return -1;
	write_shared (&w);
	for (size_t i = 0; i == 0 || i < threads->count; i++)
		write_thread (&w, i);
	fputs ("],\n\"name\":", out);
	monocle__json_string (out, options->title);
	fputs (",\"activeProfileIndex\":0,\"exporter\":\"monocle\"}\n", out);
	monocle__threads_free (threads);
	return 0;
}
