/*
 * SPDX-License-Identifier: MIT
 *
 * counter.h - one value of an EventCounter, as the event that carries it describes itself.
 */
#ifndef MONOCLE_LIVE_COUNTER_H
#define MONOCLE_LIVE_COUNTER_H

#include "nettrace.h"

typedef struct {
	char name[64];
	double value; /* the mean of what was measured, or how much it has grown */
	bool is_increment;
} monocle__live_counter;

/* False: the event is no counter, or cannot be read. */
bool monocle__live_counter_read (const monocle__live_event *event, monocle__live_counter *ret_counter);

#endif
