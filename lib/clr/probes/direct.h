/*
 * SPDX-License-Identifier: MIT
 *
 * direct.h - enters and leaves that go straight to the one module that listens.
 */
#ifndef MONOCLE_CLR_DIRECT_H
#define MONOCLE_CLR_DIRECT_H

#include <stdbool.h>
#include <monocle/host.h>

/*
 * May method_enter or method_leave be called through a cell? The IL then reads the function out of *ret_cell and passes
 * it `*ret_prof`, the method, and a context. False: no module listens yet, or several did from the beginning.
 */
bool monocle__direct_cell (monocle_event event, MonoProfiler **ret_prof, void *const **ret_cell);
/* The host's operation callback_changed. */
void monocle__direct_changed (void *host, monocle_event event);

#endif
