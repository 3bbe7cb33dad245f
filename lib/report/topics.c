/*
 * SPDX-License-Identifier: MIT
 *
 * topics.c - see topics.h.
 */
#include "topics.h"

#include <string.h>

#define TOPIC(id, name, first_type, first_unit, second_type, second_unit) [MONOCLE__TOPIC_##id] = name,
const char *const monocle__topic_names[MONOCLE__TOPIC_COUNT] = {
#include "topics.def"
};
#undef TOPIC

#define TOPIC(id, name, first_type, first_unit, second_type, second_unit) \
	[MONOCLE__TOPIC_##id] = { { first_type, first_unit }, { second_type, second_unit } },
const monocle__value_type monocle__topic_values[MONOCLE__TOPIC_COUNT][2] = {
#include "topics.def"
};
#undef TOPIC

monocle__topic
monocle__topic_of (const monocle__profile *profile, size_t value)
{
	for (size_t i = 0; i < 2 * MONOCLE__TOPIC_COUNT; i++) {
		const char *type = monocle__topic_values[i / 2][i % 2].type;
		if (type && strcmp (type, profile->value_types[value].type) == 0)
			return (monocle__topic) (i / 2);
	}
	return MONOCLE__TOPIC_COUNT;
}

/* The topics of what a sample has, as bits. */
static unsigned
find_bits (const monocle__profile *profile, size_t sample, const unsigned *bits)
{
	const int64_t *values = monocle__profile_values (profile, sample);
	unsigned found = 0;
	for (size_t i = 0; i < profile->value_count; i++)
		found |= values[i] ? bits[i] : 0;
	return found;
}

monocle__topics
monocle__topics_find (const monocle__profile *profile)
{
	enum { MOST = 64 };
	monocle__topics topics = { 0 };
	unsigned bits[MOST];
	if (profile->value_count > MOST)
		return topics;
	for (size_t i = 0; i < profile->value_count; i++)
		bits[i] = 1U << monocle__topic_of (profile, i);
	for (size_t i = 0; i < profile->sample_count; i++) {
		unsigned found = find_bits (profile, i, bits);
		if (found >= 1U << MONOCLE__TOPIC_COUNT || (found & (found - 1)))
			return (monocle__topics) { 0 };
		if (found)
			topics.samples[__builtin_ctz (found)]++;
	}
	for (size_t i = 0; i < MONOCLE__TOPIC_COUNT; i++)
		topics.count += topics.samples[i] > 0;
	return topics.count > 1 ? topics : (monocle__topics) { 0 };
}

/* --- keeping one -------------------------------------------------------------------------------------------------- */

/* The number of the heap shot that a sample is of; 0: of none. */
static size_t
shot_of (const monocle__profile *profile, size_t sample)
{
	const monocle__sample *s = &profile->samples[sample];
	for (size_t i = 0; i < s->label_count; i++) {
		const monocle__label *label = &profile->labels[s->labels + i];
		if (!label->text && strcmp (label->key, "heapshot") == 0)
			return label->number > 0 ? (size_t) label->number : 0;
	}
	return 0;
}

size_t
monocle__topics_last_shot (const monocle__profile *profile)
{
	size_t last = 0;
	for (size_t i = 0; i < profile->sample_count; i++) {
		if (shot_of (profile, i) > last)
			last = shot_of (profile, i);
	}
	return last;
}

/* Values of other topics go, and so do samples without any left or with those of another heap shot. */
static void
keep_samples (monocle__profile *profile, const size_t *values, size_t value_count, size_t shot)
{
	size_t kept = 0;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const int64_t *old = monocle__profile_values (profile, i);
		int64_t *row = profile->values + kept * value_count; /* not behind `old` */
		bool any = false;
		if (shot && shot_of (profile, i) != shot)
			continue;
		for (size_t v = 0; v < value_count; v++) {
			row[v] = old[values[v]];
			any = any || row[v];
		}
		if (any)
			profile->samples[kept++] = profile->samples[i];
	}
	profile->sample_count = kept;
}

static bool
is_comment_of_other (const char *comment, monocle__topic topic)
{
	for (size_t i = 0; i < MONOCLE__TOPIC_COUNT; i++) {
		size_t length = strlen (monocle__topic_names[i]);
		if (i != (size_t) topic && strncmp (comment, monocle__topic_names[i], length) == 0 && comment[length] == ':')
			return true;
	}
	return false;
}

static void
keep_comments (monocle__profile *profile, monocle__topic topic)
{
	size_t kept = 0;
	for (size_t i = 0; i < profile->comment_count; i++) {
		if (!is_comment_of_other (profile->comments[i], topic))
			profile->comments[kept++] = profile->comments[i];
	}
	profile->comment_count = kept;
}

bool
monocle__topics_keep (monocle__profile *profile, monocle__topic topic, size_t shot)
{
	size_t values[2], count = 0;
	for (size_t i = 0; i < profile->value_count && count < 2; i++) {
		if (monocle__topic_of (profile, i) == topic)
			values[count++] = i;
	}
	if (topic == MONOCLE__TOPIC_HEAPSHOT && !shot)
		shot = monocle__topics_last_shot (profile);
	keep_samples (profile, values, count, shot);
	for (size_t i = 0; i < count; i++)
		profile->value_types[i] = profile->value_types[values[i]];
	profile->value_count = count;
	profile->default_type = monocle__topic_values[topic][1].type;
	keep_comments (profile, topic);
	return profile->sample_count > 0;
}
