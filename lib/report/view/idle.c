/*
 * SPDX-License-Identifier: MIT
 *
 * idle.c - see idle.h.
 */
#include "idle.h"

#include <string.h>

#include "origin.h"

/* Of what lib/kit/thread-state.c writes. Who waits for a lock, a task, a thread or a process has something to do. */
static const char *const states[] = {
	"reading",
	"sleeping",
	"waiting",
	"waiting for a connection",
	"waiting for a pulse",
	"waiting for I/O",
	"waiting for a semaphore",
	"waiting for a timer",
	"waiting for an event",
	"waiting for an item",
	"waiting for work",
};

static const char *
state_of (const monocle__profile *profile, size_t sample)
{
	const monocle__sample *s = &profile->samples[sample];
	for (size_t i = 0; i < s->label_count; i++) {
		const monocle__label *label = &profile->labels[s->labels + i];
		if (strcmp (label->key, "state") == 0 && label->text)
			return label->text;
	}
	return NULL;
}

bool
monocle__idle_is_told (const monocle__profile *profile)
{
	return monocle__profile_find_value (profile, "wall") != SIZE_MAX;
}

bool
monocle__idle_is (const monocle__profile *profile, size_t sample, const uint8_t *origins)
{
	const monocle__sample *s = &profile->samples[sample];
	const char *state = state_of (profile, sample);
	bool is_idle = false;
	for (size_t i = 0; state && !is_idle && i < sizeof states / sizeof *states; i++)
		is_idle = strcmp (state, states[i]) == 0;
	for (size_t i = 0; is_idle && i < s->depth; i++)
		is_idle = origins[profile->frames[s->frames + i]] != MONOCLE__ORIGIN_OWN;
	return is_idle;
}
