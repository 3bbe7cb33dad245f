/*
 * SPDX-License-Identifier: MIT
 *
 * reinstrument.h - other probes for code that runs already.
 */
#ifndef MONOCLE_CLR_REINSTRUMENT_H
#define MONOCLE_CLR_REINSTRUMENT_H

#include <stdbool.h>
#include "images/image.h"

/* The host's operation of this name. */
int monocle__reinstrument (void *host);

/*
 * After an attach. _begin (): what is there gets the probes that the filters ask for, and what comes from then on when
 * it comes. False: the runtime refuses, one line said so. _end (): all first bodies are back, for calls from then on.
 * On threads of ours. _forget (): no thread is in the adapter any more.
 */
bool monocle__reinstrument_begin (void);
void monocle__reinstrument_end (void);
void monocle__reinstrument_forget (void);
/* The module is about to be unloaded: nobody will ask for its methods who does not do so by now, and hold unloads.h. */
void monocle__reinstrument_unloading (ModuleID module);
/* May the further body that the runtime is about to compile be another than the first? Callbacks. */
bool monocle__reinstrument_takes (monocle__clr_image *image, mdToken method);

#endif
