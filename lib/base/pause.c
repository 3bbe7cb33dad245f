/*
 * SPDX-License-Identifier: MIT
 *
 * pause.c - the function that a test has set for pause points.
 */
#include "pause.h"

#ifdef MONOCLE_INVARIANTS
_Atomic (monocle__pause_function) monocle__pause_calls;
#endif
