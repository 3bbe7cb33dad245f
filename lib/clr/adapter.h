/*
 * SPDX-License-Identifier: MIT
 *
 * adapter.h - what a start with the runtime and an attach to one have in common.
 */
#ifndef MONOCLE_CLR_ADAPTER_H
#define MONOCLE_CLR_ADAPTER_H

#include <stdbool.h>
#include "corprof.h"

/* Takes what the runtime offers (NULL: it is taken) and registers the host with the core. False, and why not. */
bool monocle__adapter_start (IUnknown *unknown, const char **ret_reason);
/* Tells who started this process, or attached to it, that it is being profiled; or why it is not. */
void monocle__adapter_note (void);
HRESULT monocle__adapter_decline (const char *reason);
/* The end for modules: delivers it, and nothing after it. Once. */
void monocle__adapter_end_modules (void);
/* The same where it is the runtime's end, too, which is asked nothing any more. A host operation. */
void monocle__adapter_end (void *host);

#endif
