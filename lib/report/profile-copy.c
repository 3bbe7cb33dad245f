/*
 * SPDX-License-Identifier: MIT
 *
 * profile-copy.c - see profile-copy.h. Functions come over when the first stack has them.
 */
#include "profile-copy.h"

#include "array.h"

#include <string.h>

enum { NOT_YET = UINT32_MAX };

/* NULL stays NULL. */
bool
monocle__profile_copy_text (monocle__profile *to, const char *text, const char **ret_text)
{
	*ret_text = text ? monocle__profile_text (to, text, strlen (text)) : NULL;
	return !text || *ret_text;
}

static bool
copy_comments (monocle__profile *to, const monocle__profile *from)
{
	for (size_t i = 0; i < from->comment_count; i++) {
		const char *comment;
		if (!monocle__profile_copy_text (to, from->comments[i], &comment) ||
		    !monocle__profile_add_comment (to, comment))
			return false;
	}
	return true;
}

/* As they are numbered. */
static bool
copy_places (monocle__profile *to, const monocle__profile *from)
{
	const char *known = NULL, *copied = NULL;
	for (size_t i = 1; i < from->place_count; i++) {
		monocle__place place = from->places[i];
		if (place.build_id != known && !monocle__profile_copy_text (to, place.build_id, &copied))
			return false;
		known = place.build_id;
		place.build_id = known ? copied : NULL;
		if (monocle__profile_add_place (to, &place) == UINT32_MAX)
			return false;
	}
	return true;
}

static bool
copy_head (monocle__profile *to, const monocle__profile *from)
{
	for (size_t i = 0; i < from->value_count; i++) {
		monocle__value_type type;
		if (!monocle__profile_copy_text (to, from->value_types[i].type, &type.type) ||
		    !monocle__profile_copy_text (to, from->value_types[i].unit, &type.unit) ||
		    !monocle__profile_add_value_type (to, type.type, type.unit))
			return false;
	}
	to->time_nanos = from->time_nanos;
	to->duration_nanos = from->duration_nanos;
	to->period = from->period;
	return copy_places (to, from) && monocle__profile_copy_text (to, from->period_type.type, &to->period_type.type) &&
	       monocle__profile_copy_text (to, from->period_type.unit, &to->period_type.unit) &&
	       monocle__profile_copy_text (to, from->default_type, &to->default_type) &&
	       monocle__profile_copy_text (to, from->incomplete, &to->incomplete);
}

bool
monocle__profile_copy_init (monocle__profile_copy *copy, const monocle__profile *from, bool with_comments)
{
	*copy = (monocle__profile_copy) { .from = from, .to = monocle__profile_new (SIZE_MAX) };
	copy->functions = calloc (from->function_count + 1, sizeof *copy->functions);
	if (!copy->to || !copy->functions || !copy_head (copy->to, from))
		return false;
	for (size_t i = 0; i < from->function_count; i++)
		copy->functions[i] = NOT_YET;
	return !with_comments || copy_comments (copy->to, from);
}

void
monocle__profile_copy_done (monocle__profile_copy *copy)
{
	monocle__profile_free (copy->to);
	free (copy->functions);
	free (copy->stack);
	*copy = (monocle__profile_copy) { 0 };
}

size_t
monocle__profile_copy_function (monocle__profile_copy *copy, uint32_t index)
{
	monocle__function function = copy->from->functions[index];
	size_t added;
	if (copy->functions[index] != NOT_YET)
		return copy->functions[index];
	if (copy->names && copy->names[index])
		function.name = copy->names[index];
	else if (!monocle__profile_copy_text (copy->to, function.name, &function.name))
		return SIZE_MAX;
	if (!monocle__profile_copy_text (copy->to, function.system_name, &function.system_name) ||
	    !monocle__profile_copy_text (copy->to, function.filename, &function.filename) ||
	    !monocle__profile_copy_text (copy->to, function.source, &function.source) ||
	    !monocle__profile_copy_text (copy->to, function.image, &function.image))
		return SIZE_MAX;
	added = monocle__profile_add_function (copy->to, &function);
	if (added != SIZE_MAX)
		copy->functions[index] = (uint32_t) added;
	return added;
}

static bool
copy_labels (monocle__profile_copy *copy, const monocle__sample *sample)
{
	for (size_t i = 0; i < sample->label_count; i++) {
		monocle__label label = copy->from->labels[sample->labels + i];
		if (!monocle__profile_copy_text (copy->to, label.key, &label.key) ||
		    !monocle__profile_copy_text (copy->to, label.text, &label.text) ||
		    !monocle__profile_copy_text (copy->to, label.unit, &label.unit) ||
		    !monocle__profile_add_label (copy->to, &label))
			return false;
	}
	return true;
}

/* Into copy->stack. */
static bool
translate (monocle__profile_copy *copy, const uint32_t *frames, size_t depth)
{
	if (!MONOCLE__RESERVE (copy->stack, copy->stack_capacity, depth + 1))
		return false;
	for (size_t i = 0; i < depth; i++) {
		size_t function = monocle__profile_copy_function (copy, frames[i]);
		if (function == SIZE_MAX)
			return false;
		copy->stack[i] = (uint32_t) function;
	}
	return true;
}

bool
monocle__profile_copy_values (monocle__profile_copy *copy, size_t sample, const uint32_t *frames, size_t depth)
{
	return monocle__profile_add_sample (copy->to, frames, depth, monocle__profile_values (copy->from, sample)) &&
	       copy_labels (copy, &copy->from->samples[sample]);
}

bool
monocle__profile_copy_sample (monocle__profile_copy *copy, size_t sample, const uint32_t *frames, size_t depth)
{
	const monocle__profile *from = copy->from;
	size_t first = (size_t) (frames - from->frames);
	size_t known = from->frame_place_count > first ? from->frame_place_count - first : 0;
	return translate (copy, frames, depth) && monocle__profile_copy_values (copy, sample, copy->stack, depth) &&
	       (!known ||
	        monocle__profile_set_places (copy->to, from->frame_places + first, known < depth ? known : depth));
}

bool
monocle__profile_copy_slow_call (monocle__profile_copy *copy, const monocle__slow_call *call)
{
	monocle__slow_call own = *call;
	return translate (copy, copy->from->frames + call->frames, call->depth) &&
	       monocle__profile_copy_text (copy->to, call->thread_name, &own.thread_name) &&
	       monocle__profile_copy_text (copy->to, call->arguments, &own.arguments) &&
	       monocle__profile_copy_text (copy->to, call->result, &own.result) &&
	       monocle__profile_add_slow_call (copy->to, &own, copy->stack);
}
