/*
 * SPDX-License-Identifier: MIT
 *
 * shape.h - the shape of a piece of managed code (arch/arch.h) in one word, as the map of code keeps it.
 */
#ifndef MONOCLE_CLR_SHAPE_H
#define MONOCLE_CLR_SHAPE_H

#include "arch/arch.h"

/* In a word that is never 0, and back. False: it does not fit. */
bool monocle__shape_pack (const monocle__shape *shape, uint64_t *ret);
monocle__shape monocle__shape_unpack (uint64_t word);

#endif
