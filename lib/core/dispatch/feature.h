/*
 * SPDX-License-Identifier: MIT
 *
 * feature.h - what modules enabled before there was a host.
 */
#ifndef MONOCLE_DISPATCH_FEATURE_H
#define MONOCLE_DISPATCH_FEATURE_H

#include <stdbool.h>
#include <monocle/host.h>

/* Asks the host, which is there now, for what was promised; a line says what it refuses. Normal context. */
void monocle__feature_settle (void);
/* Nothing is granted, promised or refused any more. Normal context. */
void monocle__feature_forget (void);
/* Has the host granted it? Any context. */
bool monocle__feature_granted (monocle_feature feature);

/* Can the stacks of threads be walked, now or when this has asked the host? Normal context; the host runs. */
bool monocle__feature_walks (void);

#endif
