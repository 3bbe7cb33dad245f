/*
 * SPDX-License-Identifier: MIT
 *
 * topics.h - profiles that are about several things: calls, allocations, collections, ... in one file.
 *
 * Which values belong together is known by their names (topics.def). A profile has topics when each of its samples has
 * values of one topic only, and there are two of them at least: so the four values of a heap profile stay together.
 */
#ifndef MONOCLE_REPORT_TOPICS_H
#define MONOCLE_REPORT_TOPICS_H

#include "profile.h"

/* clang-format off */
typedef enum {
#define TOPIC(id, name, first_type, first_unit, second_type, second_unit) MONOCLE__TOPIC_##id,
#include "topics.def"
#undef TOPIC
	MONOCLE__TOPIC_COUNT
} monocle__topic;
/* clang-format on */

extern const char *const monocle__topic_names[MONOCLE__TOPIC_COUNT];
/* By topic; the type of the first may be NULL. */
extern const monocle__value_type monocle__topic_values[MONOCLE__TOPIC_COUNT][2];

/* The topic of the value; MONOCLE__TOPIC_COUNT: none. */
monocle__topic monocle__topic_of (const monocle__profile *profile, size_t value);

/* Which topics a profile has: how many samples each. All 0: it has no topics, or is about one thing. */
typedef struct {
	size_t samples[MONOCLE__TOPIC_COUNT];
	size_t count;
} monocle__topics;

monocle__topics monocle__topics_find (const monocle__profile *profile);

/* The number of the last heap shot, counted from 1; 0: there is none. */
size_t monocle__topics_last_shot (const monocle__profile *profile);

/*
 * Leaves what belongs to the topic: its values, the samples that have some, comments that are not of another topic
 * ("gc: ..."). Of several heap shots one is left: the one with the number `shot`, 0: the last. false: there is no such
 * heap shot, and what is left is nothing to show.
 */
bool monocle__topics_keep (monocle__profile *profile, monocle__topic topic, size_t shot);

#endif
