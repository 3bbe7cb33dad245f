/*
 * SPDX-License-Identifier: MIT
 *
 * object.h - managed objects.
 */
#ifndef MONOCLE_CLR_OBJECT_H
#define MONOCLE_CLR_OBJECT_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

void monocle__clr_object_ops (monocle_host_ops *ops);
/* Is this thread inside the making of a handle for a module, or for ourselves? */
bool monocle__clr_object_makes_handle (void);
/* Keeps an object where it is until it is released, whatever the thread asks of the runtime. NULL: it cannot. */
void *monocle__clr_object_hold (ObjectID object);
void monocle__clr_object_release (void *held);

#endif
