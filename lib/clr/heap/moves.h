/*
 * SPDX-License-Identifier: MIT
 *
 * moves.h - the objects that a collection moves.
 */
#ifndef MONOCLE_CLR_MOVES_H
#define MONOCLE_CLR_MOVES_H

#include <stdint.h>

/*
 * Ranges that the collection which is going on kept, `to`: where they go, NULL: nowhere else. When it is over the
 * objects in those that moved are told.
 */
void monocle__moves_add (uint32_t count, const uintptr_t *from, const uintptr_t *to, const uint64_t *sizes);
void monocle__moves_tell (void);

#endif
