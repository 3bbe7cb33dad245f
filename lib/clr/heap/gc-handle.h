/*
 * SPDX-License-Identifier: MIT
 *
 * gc-handle.h - the program's handles to objects, as the runtime's events report them.
 */
#ifndef MONOCLE_CLR_GC_HANDLE_H
#define MONOCLE_CLR_GC_HANDLE_H

#include <stdint.h>
#include <monocle/host.h>

void monocle__gc_handle_created (uintptr_t handle, MonoObject *object, uint32_t kind);
void monocle__gc_handle_destroyed (uintptr_t handle);
/*
 * Of a handle that was told: its object, NULL when it has none, or when it is not (any more) one. Where objects hold
 * still.
 */
MonoObject *monocle__gc_handle_target (void *host, uint32_t number);
/* No event comes any more, until a next attach: handles come and go unseen. */
void monocle__gc_handle_leave (void);

#endif
