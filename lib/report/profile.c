/*
 * SPDX-License-Identifier: MIT
 *
 * profile.c - the profile in memory: owns its strings, functions, samples and labels.
 *
 * Strings lie in blocks that never move, so that a pointer stays good while the profile grows. Functions are interned
 * by name and file name: a method that was unloaded and loaded again, or compiled by two threads, is one row of a
 * report.
 */
#include "profile.h"

#include "array.h"
#include "hash.h"
#include "invariant.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

struct monocle__text_block {
	monocle__text_block *next;
	size_t used, size;
	char bytes[];
};

enum { TEXT_BLOCK_SIZE = 64 * 1024 };

monocle__profile *
monocle__profile_new (size_t allowance)
{
	monocle__profile *profile = calloc (1, sizeof *profile);
	if (profile)
		profile->allowance = allowance;
	return profile;
}

bool
monocle__profile_take (monocle__profile *profile, size_t bytes)
{
	profile->refused = profile->refused || bytes > profile->allowance;
	if (!profile->refused && profile->allowance != SIZE_MAX)
		profile->allowance -= bytes;
	return !profile->refused;
}

const char *
monocle__profile_no_memory (const monocle__profile *profile)
{
	return profile && profile->refused ? "reading it takes more than two hundred times its size, which no profile does"
	                                   : "out of memory";
}

void
monocle__profile_free (monocle__profile *profile)
{
	if (!profile)
		return;
	while (profile->text) {
		monocle__text_block *next = profile->text->next;
		free (profile->text);
		profile->text = next;
	}
	free (profile->value_types);
	free (profile->functions);
	free (profile->samples);
	free (profile->values);
	free (profile->frames);
	free (profile->places);
	free (profile->frame_places);
	free (profile->labels);
	free (profile->comments);
	free (profile->slow_calls);
	free (profile->function_slots);
	free (profile);
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

static char *
text_allocate (monocle__profile *profile, size_t size)
{
	monocle__text_block *block = profile->text;
	if (!monocle__profile_take (profile, size))
		return NULL;
	if (!block || block->size - block->used < size) {
		size_t block_size = size > TEXT_BLOCK_SIZE ? size : TEXT_BLOCK_SIZE;
		block = malloc (sizeof *block + block_size);
		if (!block)
			return NULL;
		*block = (monocle__text_block) { .next = profile->text, .size = block_size };
		profile->text = block;
	}
	block->used += size;
	return block->bytes + block->used - size;
}

/* Bytes that `length` bytes of `bytes` take once they are valid UTF-8; writes them when `out` is given. */
static size_t
sanitize (const char *bytes, size_t length, char *out)
{
	size_t written = 0;
	uint32_t code;
	for (size_t at = 0, step; at < length; at += step) {
		step = monocle__utf8_decode (bytes + at, length - at, &code);
		bool valid = code != 0 && (step > 1 || code < 0x80);
		size_t count = valid ? step : 3;
		if (out)
			memcpy (out + written, valid ? bytes + at : "\xef\xbf\xbd", count);
		written += count;
	}
	return written;
}

const char *
monocle__profile_text (monocle__profile *profile, const char *bytes, size_t length)
{
	size_t size = sanitize (bytes, length, NULL);
	char *text = text_allocate (profile, size + 1);
	if (!text)
		return NULL;
	sanitize (bytes, length, text);
	text[size] = '\0';
	return text;
}

void
monocle__profile_text_drop (monocle__profile *profile, const char *text)
{
	size_t size = strlen (text) + 1;
	MONOCLE__INVARIANT (profile->text->used >= size); /* it was the last */
	profile->text->used -= size;
	if (profile->allowance != SIZE_MAX)
		profile->allowance += size;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static size_t
function_hash (const monocle__function *function)
{
	return (size_t) monocle__hash_text (monocle__hash_text (0, function->name), function->filename);
}

/* The slot that holds the function, or the free one where it belongs. */
static uint32_t *
function_slot (const monocle__profile *profile, const monocle__function *wanted)
{
	size_t mask = profile->function_slot_count - 1;
	for (size_t at = function_hash (wanted) & mask;; at = (at + 1) & mask) {
		uint32_t *slot = &profile->function_slots[at];
		const monocle__function *function;
		if (*slot == 0)
			return slot;
		function = &profile->functions[*slot - 1];
		if (strcmp (function->name, wanted->name) == 0 && strcmp (function->filename, wanted->filename) == 0)
			return slot;
	}
}

/* Keeps the hash table at most half full. */
static bool
function_slots_grow (monocle__profile *profile)
{
	size_t count = profile->function_slot_count ? profile->function_slot_count * 2 : 64;
	uint32_t *slots = calloc (count, sizeof *slots);
	if (!slots)
		return false;
	free (profile->function_slots);
	profile->function_slots = slots;
	profile->function_slot_count = count;
	for (size_t i = 0; i < profile->function_count; i++)
		*function_slot (profile, &profile->functions[i]) = (uint32_t) i + 1;
	return true;
}

size_t
monocle__profile_add_function (monocle__profile *profile, const monocle__function *function)
{
	uint32_t *slot;
	if (profile->function_count >= UINT32_MAX - 1)
		return SIZE_MAX;
	if (profile->function_count * 2 >= profile->function_slot_count && !function_slots_grow (profile))
		return SIZE_MAX;
	MONOCLE__INVARIANT (profile->function_count < profile->function_slot_count);
	slot = function_slot (profile, function);
	if (*slot)
		return *slot - 1;
	if (!monocle__profile_take (profile, sizeof *profile->functions + 2 * sizeof *slot) ||
	    !MONOCLE__RESERVE (profile->functions, profile->function_capacity, profile->function_count + 1))
		return SIZE_MAX;
	profile->functions[profile->function_count++] = *function;
	*slot = (uint32_t) profile->function_count;
	return profile->function_count - 1;
}

size_t
monocle__profile_find_function (const monocle__profile *profile, const monocle__function *function)
{
	uint32_t slot = profile->function_slot_count ? *function_slot (profile, function) : 0;
	return slot ? slot - 1 : SIZE_MAX;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

bool
monocle__profile_add_value_type (monocle__profile *profile, const char *type, const char *unit)
{
	if (!MONOCLE__RESERVE (profile->value_types, profile->value_type_capacity, profile->value_count + 1))
		return false;
	profile->value_types[profile->value_count++] = (monocle__value_type) { type, unit };
	return true;
}

bool
monocle__profile_add_comment (monocle__profile *profile, const char *comment)
{
	if (!monocle__profile_take (profile, sizeof *profile->comments) ||
	    !MONOCLE__RESERVE (profile->comments, profile->comment_capacity, profile->comment_count + 1))
		return false;
	profile->comments[profile->comment_count++] = comment;
	return true;
}

bool
monocle__profile_set_incomplete (monocle__profile *profile, const char *why)
{
	char line[256];
	const char *comment;
	snprintf (line, sizeof line, "lost: %s", why);
	comment = monocle__profile_text (profile, line, strlen (line));
	if (!comment || !monocle__profile_add_comment (profile, comment))
		return false;
	profile->incomplete = comment + strlen ("lost: ");
	return true;
}

bool
monocle__profile_add_sample (monocle__profile *profile, const uint32_t *frames, size_t depth, const int64_t *values)
{
	size_t count = profile->sample_count, size = profile->value_count * sizeof *values + depth * sizeof *frames;
	if (!monocle__profile_take (profile, size + sizeof *profile->samples) ||
	    !MONOCLE__RESERVE (profile->samples, profile->sample_capacity, count + 1) ||
	    !MONOCLE__RESERVE (profile->values, profile->value_capacity, (count + 1) * profile->value_count) ||
	    !MONOCLE__RESERVE (profile->frames, profile->frame_capacity, profile->frame_count + depth))
		return false;
	if (profile->value_count)
		memcpy (profile->values + count * profile->value_count, values, profile->value_count * sizeof *values);
	if (depth)
		memcpy (profile->frames + profile->frame_count, frames, depth * sizeof *frames);
	profile->samples[count] =
	    (monocle__sample) { .frames = profile->frame_count, .depth = depth, .labels = profile->label_count };
	profile->frame_count += depth;
	profile->sample_count++;
	return true;
}

bool
monocle__profile_hide_frames (monocle__profile *profile, const uint32_t *frames, size_t count)
{
	monocle__sample *sample = &profile->samples[profile->sample_count - 1];
	MONOCLE__INVARIANT (sample->frames + sample->depth + sample->hidden == profile->frame_count);
	if (!monocle__profile_take (profile, count * sizeof *frames) ||
	    !MONOCLE__RESERVE (profile->frames, profile->frame_capacity, profile->frame_count + count))
		return false;
	if (count)
		memcpy (profile->frames + profile->frame_count, frames, count * sizeof *frames);
	profile->frame_count += count;
	sample->hidden += count;
	return true;
}

bool
monocle__profile_add_slow_call (monocle__profile *profile, const monocle__slow_call *call, const uint32_t *frames)
{
	size_t size = call->depth * sizeof *frames;
	MONOCLE__INVARIANT (call->depth != 0);
	if (!monocle__profile_take (profile, size + sizeof *call) ||
	    !MONOCLE__RESERVE (profile->slow_calls, profile->slow_call_capacity, profile->slow_call_count + 1) ||
	    !MONOCLE__RESERVE (profile->frames, profile->frame_capacity, profile->frame_count + call->depth))
		return false;
	memcpy (profile->frames + profile->frame_count, frames, size);
	profile->slow_calls[profile->slow_call_count] = *call;
	profile->slow_calls[profile->slow_call_count++].frames = profile->frame_count;
	profile->frame_count += call->depth;
	return true;
}

uint32_t
monocle__profile_add_place (monocle__profile *profile, const monocle__place *place)
{
	size_t count = profile->place_count ? profile->place_count : 1;
	if (count >= UINT32_MAX - 1 || !monocle__profile_take (profile, sizeof *place) ||
	    !MONOCLE__RESERVE (profile->places, profile->place_capacity, count + 1))
		return UINT32_MAX;
	profile->places[0] = (monocle__place) { .build_id = NULL };
	profile->places[count] = *place;
	profile->place_count = count + 1;
	return (uint32_t) count;
}

/* Samples before it that have no places are nowhere. */
bool
monocle__profile_set_places (monocle__profile *profile, const uint32_t *places, size_t count)
{
	const monocle__sample *sample = &profile->samples[profile->sample_count - 1];
	size_t first = sample->frames, known = profile->frame_place_count, i = 0;
	MONOCLE__INVARIANT (count <= sample->depth + sample->hidden && known <= first);
	while (i < count && !places[i])
		i++;
	if (i == count)
		return true;
	if (!monocle__profile_take (profile, (first + count - known) * sizeof *places) ||
	    !MONOCLE__RESERVE (profile->frame_places, profile->frame_place_capacity, first + count))
		return false;
	memset (profile->frame_places + known, 0, (first - known) * sizeof *places);
	memcpy (profile->frame_places + first, places, count * sizeof *places);
	profile->frame_place_count = first + count;
	return true;
}

bool
monocle__profile_add_label (monocle__profile *profile, const monocle__label *label)
{
	if (!monocle__profile_take (profile, sizeof *profile->labels) ||
	    !MONOCLE__RESERVE (profile->labels, profile->label_capacity, profile->label_count + 1))
		return false;
	profile->labels[profile->label_count++] = *label;
	MONOCLE__INVARIANT (profile->sample_count != 0);
	profile->samples[profile->sample_count - 1].label_count++;
	return true;
}

size_t
monocle__profile_find_value (const monocle__profile *profile, const char *type)
{
	for (size_t i = 0; i < profile->value_count; i++) {
		if (strcmp (profile->value_types[i].type, type) == 0)
			return i;
	}
	return SIZE_MAX;
}

int64_t
monocle__profile_sum (const monocle__profile *profile, size_t value)
{
	int64_t sum = 0;
	for (size_t i = 0; i < profile->sample_count; i++)
		sum = monocle__add (sum, monocle__profile_values (profile, i)[value]);
	return sum;
}

static bool
is_zero (const monocle__profile *profile, size_t value)
{
	for (size_t i = 0; i < profile->sample_count; i++) {
		if (monocle__profile_values (profile, i)[value] != 0)
			return false;
	}
	return true;
}

size_t
monocle__profile_main_value (const monocle__profile *profile)
{
	size_t named = profile->default_type ? monocle__profile_find_value (profile, profile->default_type) : SIZE_MAX;
	if (named != SIZE_MAX && strcmp (profile->value_types[named].type, "calls") != 0 && !is_zero (profile, named))
		return named;
	for (size_t i = profile->value_count; i > 0; i--) {
		if (!is_zero (profile, i - 1))
			return i - 1;
	}
	return 0;
}
