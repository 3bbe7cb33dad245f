/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-objects.h - which type the object at an address has.
 *
 * What a thread allocates may be in the file after what another thread does with it, but not after the next stop of all
 * threads: the runtime writes what all of them have told before it. So who asks about an object of another thread asks
 * for later, and is answered then. Objects move only while threads are stopped.
 */
#ifndef MONOCLE_REPORT_MLPD_OBJECTS_H
#define MONOCLE_REPORT_MLPD_OBJECTS_H

#include "mlpd-map.h"

typedef struct {
	uint64_t object, type; /* 0: not known */
} monocle__mlpd_question;

/* Begins as zeros with a profile, whose allowance is taken. */
typedef struct {
	monocle__profile *profile;
	monocle__mlpd_map types;
	monocle__mlpd_map open; /* objects that were asked about since the last stop: index from 1 */
	monocle__mlpd_question *questions;
	size_t count, capacity, answered;
} monocle__mlpd_objects;

void monocle__mlpd_objects_done (monocle__mlpd_objects *objects);

/* The object has the type from now on; 0 changes nothing. false: out of memory. */
bool monocle__mlpd_objects_set (monocle__mlpd_objects *objects, uint64_t object, uint64_t type);
/* 0: not known. */
uint64_t monocle__mlpd_objects_get (const monocle__mlpd_objects *objects, uint64_t object);
/* The number of a question that is answered at the next stop. SIZE_MAX: out of memory. */
size_t monocle__mlpd_objects_ask (monocle__mlpd_objects *objects, uint64_t object);
/* All threads are stopped, or the file ends. */
void monocle__mlpd_objects_answer (monocle__mlpd_objects *objects);

#endif
