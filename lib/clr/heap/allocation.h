/*
 * SPDX-License-Identifier: MIT
 *
 * allocation.h - allocations that the runtime tells of as samples. On the allocating thread; nothing may make it wait.
 */
#ifndef MONOCLE_CLR_ALLOCATION_H
#define MONOCLE_CLR_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>
#include "corprof.h"

/* Does this runtime draw samples? Others tick. */
bool monocle__allocation_is_drawn (void);
/* An object with which `amount` bytes were allocated since the last one that was told. */
void monocle__allocation_ticked (ClassID id, uint64_t size, uint64_t amount);
/* An object that was drawn. */
void monocle__allocation_drawn (ClassID id, uint64_t size);

#endif
