/*
 * SPDX-License-Identifier: MIT
 *
 * join.c - see join.h.
 */
#include "join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	monocle__profile *to;
	const monocle__profile *from;
	uint32_t *functions;  /* by function of `from`: its index in `to` */
	uint32_t first_place; /* what is added to the index of a place of `from` */
	size_t *values;       /* by value type of `from`: its index in `to` */
	int64_t *row;         /* one value per value type of `to` */
	uint32_t *stack;
	size_t stack_room;
	const char *process; /* NULL: unknown */
	int64_t pid;
} joining;

static const char *
text (joining *j, const char *from)
{
	return from ? monocle__profile_text (j->to, from, strlen (from)) : NULL;
}

const char *
monocle__join_comment (const monocle__profile *profile, const char *key)
{
	size_t length = strlen (key);
	for (size_t i = 0; i < profile->comment_count; i++) {
		if (strncmp (profile->comments[i], key, length) == 0 && strncmp (profile->comments[i] + length, ": ", 2) == 0)
			return profile->comments[i] + length + 2;
	}
	return NULL;
}

/* SIZE_MAX: it is not there. */
static size_t
find_value (const monocle__profile *profile, const monocle__value_type *type)
{
	for (size_t i = 0; i < profile->value_count; i++) {
		if (strcmp (profile->value_types[i].type, type->type) == 0 &&
		    strcmp (profile->value_types[i].unit, type->unit) == 0)
			return i;
	}
	return SIZE_MAX;
}

static bool
add_value_types (joining *j, const monocle__profile *from)
{
	for (size_t i = 0; i < from->value_count; i++) {
		const monocle__value_type *type = &from->value_types[i];
		const char *name = text (j, type->type), *unit = text (j, type->unit);
		if (find_value (j->to, type) == SIZE_MAX &&
		    !(name && unit && monocle__profile_add_value_type (j->to, name, unit)))
			return false;
	}
	return true;
}

/* --- one profile -------------------------------------------------------------------------------------------------- */

/* false: out of memory. */
static bool
find_process (joining *j)
{
	const char *program = monocle__join_comment (j->from, "program");
	const char *pid = program ? strstr (program, ", pid ") : NULL;
	j->process = NULL;
	if (!pid)
		return true;
	j->pid = strtol (pid + strlen (", pid "), NULL, 10);
	j->process = monocle__profile_text (j->to, program, (size_t) (pid - program));
	return j->process != NULL;
}

static bool
map_functions (joining *j)
{
	j->functions = malloc ((j->from->function_count + 1) * sizeof *j->functions);
	for (size_t i = 0; j->functions && i < j->from->function_count; i++) {
		monocle__function function = j->from->functions[i];
		function.name = text (j, function.name);
		function.system_name = text (j, function.system_name);
		function.filename = text (j, function.filename);
		function.source = text (j, function.source);
		function.image = text (j, function.image);
		if (!function.name || !function.system_name || !function.filename ||
		    (j->from->functions[i].source && !function.source) || (j->from->functions[i].image && !function.image))
			return false;
		size_t index = monocle__profile_add_function (j->to, &function);
		if (index == SIZE_MAX)
			return false;
		j->functions[i] = (uint32_t) index;
	}
	return j->functions != NULL;
}

static bool
map_places (joining *j)
{
	const char *known = NULL, *copied = NULL;
	j->first_place = j->to->place_count ? (uint32_t) j->to->place_count - 1 : 0;
	for (size_t i = 1; i < j->from->place_count; i++) {
		monocle__place place = j->from->places[i];
		if (place.build_id != known && place.build_id && !(copied = text (j, place.build_id)))
			return false;
		known = place.build_id;
		place.build_id = known ? copied : NULL;
		if (monocle__profile_add_place (j->to, &place) == UINT32_MAX)
			return false;
	}
	return true;
}

static bool
map_values (joining *j)
{
	j->values = malloc ((j->from->value_count + 1) * sizeof *j->values);
	for (size_t i = 0; j->values && i < j->from->value_count; i++)
		j->values[i] = find_value (j->to, &j->from->value_types[i]);
	return j->values != NULL;
}

/* The frames at `frames`, as functions of the whole; NULL: out of memory. */
static const uint32_t *
map_stack (joining *j, size_t frames, size_t depth)
{
	if (depth > j->stack_room) {
		uint32_t *longer = realloc (j->stack, depth * sizeof *longer);
		if (!longer)
			return NULL;
		j->stack = longer;
		j->stack_room = depth;
	}
	for (size_t i = 0; i < depth; i++)
		j->stack[i] = j->functions[j->from->frames[frames + i]];
	return j->stack ? j->stack : j->functions;
}

static bool
add_labels (joining *j, const monocle__sample *sample)
{
	const monocle__label process = { .key = "process", .text = j->process, .unit = "" };
	const monocle__label pid = { .key = "pid", .number = j->pid, .unit = "" };
	for (size_t i = 0; i < sample->label_count; i++) {
		monocle__label label = j->from->labels[sample->labels + i];
		bool has_text = label.text != NULL;
		label.key = text (j, label.key);
		label.text = text (j, label.text);
		label.unit = text (j, label.unit ? label.unit : "");
		if (!label.key || !label.unit || (has_text && !label.text) || !monocle__profile_add_label (j->to, &label))
			return false;
	}
	return !j->process || (monocle__profile_add_label (j->to, &process) && monocle__profile_add_label (j->to, &pid));
}

/* Into j->stack, whose frames were copied. */
static bool
add_places (joining *j, const monocle__sample *sample)
{
	for (size_t i = 0; i < sample->depth; i++) {
		uint32_t place = monocle__profile_place_index (j->from, sample->frames + i);
		j->stack[i] = place ? place + j->first_place : 0;
	}
	return !sample->depth || monocle__profile_set_places (j->to, j->stack, sample->depth);
}

static bool
add_sample (joining *j, size_t index)
{
	const monocle__sample *sample = &j->from->samples[index];
	const int64_t *values = monocle__profile_values (j->from, index);
	const uint32_t *stack = map_stack (j, sample->frames, sample->depth);
	memset (j->row, 0, j->to->value_count * sizeof *j->row);
	for (size_t i = 0; i < j->from->value_count; i++)
		j->row[j->values[i]] = values[i];
	return stack && monocle__profile_add_sample (j->to, stack, sample->depth, j->row) && add_places (j, sample) &&
	       add_labels (j, sample);
}

static bool
add_slow_call (joining *j, const monocle__slow_call *slow)
{
	const uint32_t *stack = map_stack (j, slow->frames, slow->depth);
	monocle__slow_call call = *slow;
	call.start = monocle__add (call.start, j->from->time_nanos - j->to->time_nanos);
	call.thread_name = text (j, call.thread_name);
	call.arguments = text (j, call.arguments);
	call.result = text (j, call.result);
	return stack && call.thread_name && call.arguments && call.result &&
	       monocle__profile_add_slow_call (j->to, &call, stack);
}

/* What was lost in a part is missing in the whole. */
static bool
add_comments (joining *j)
{
	char part[400];
	if (j->process) {
		snprintf (part, sizeof part, "part: %s, pid %lld", j->process, (long long) j->pid);
		const char *comment = text (j, part);
		if (!comment || !monocle__profile_add_comment (j->to, comment))
			return false;
	}
	for (size_t i = 0; i < j->from->comment_count; i++) {
		const char *comment = j->from->comments[i], *copy;
		if (strncmp (comment, "lost: ", strlen ("lost: ")) != 0)
			continue;
		copy = text (j, comment);
		if (!copy || !monocle__profile_add_comment (j->to, copy))
			return false;
	}
	return true;
}

static bool
add_profile (joining *j)
{
	bool good = map_functions (j) && map_places (j) && map_values (j) && find_process (j) && add_comments (j);
	for (size_t i = 0; good && i < j->from->sample_count; i++)
		good = add_sample (j, i);
	for (size_t i = 0; good && i < j->from->slow_call_count; i++)
		good = add_slow_call (j, &j->from->slow_calls[i]);
	free (j->functions);
	free (j->values);
	j->functions = NULL;
	j->values = NULL;
	return good;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

/* Those without a time do not count. */
static void
add_times (monocle__profile *to, const monocle__profile *const *profiles, size_t count)
{
	int64_t end = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t begin = profiles[i]->time_nanos, last = monocle__add (begin, profiles[i]->duration_nanos);
		if (begin == 0)
			continue;
		if (to->time_nanos == 0 || begin < to->time_nanos)
			to->time_nanos = begin;
		end = last > end ? last : end;
	}
	to->duration_nanos = end > to->time_nanos ? end - to->time_nanos : 0;
}

/* The longest first, as in each. */
static int
compare_slow (const void *a, const void *b)
{
	const monocle__slow_call *x = a, *y = b;
	return (x->duration < y->duration) - (x->duration > y->duration);
}

monocle__profile *
monocle__join (const monocle__profile *const *profiles, size_t count)
{
	joining j = { .to = monocle__profile_new (SIZE_MAX) };
	bool good = j.to != NULL;
	for (size_t i = 0; good && i < count; i++)
		good = add_value_types (&j, profiles[i]);
	if (good) {
		add_times (j.to, profiles, count);
		j.row = calloc (j.to->value_count + 1, sizeof *j.row);
		good = j.row != NULL;
	}
	for (size_t i = 0; good && i < count; i++) {
		j.from = profiles[i];
		good = add_profile (&j);
	}
	if (good && profiles[0]->period_type.type) {
		j.to->period = profiles[0]->period;
		j.to->period_type.type = text (&j, profiles[0]->period_type.type);
		j.to->period_type.unit = text (&j, profiles[0]->period_type.unit);
		good = j.to->period_type.type && j.to->period_type.unit;
	}
	if (good && profiles[0]->default_type)
		good = (j.to->default_type = text (&j, profiles[0]->default_type)) != NULL;
	if (good && j.to->slow_call_count)
		qsort (j.to->slow_calls, j.to->slow_call_count, sizeof *j.to->slow_calls, compare_slow);
	free (j.row);
	free (j.stack);
	if (good)
		return j.to;
	monocle__profile_free (j.to);
	return NULL;
}
