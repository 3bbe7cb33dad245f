/*
 * SPDX-License-Identifier: MIT
 *
 * reinstrument.h - other probes for code that runs already.
 */
#ifndef MONOCLE_CLR_REINSTRUMENT_H
#define MONOCLE_CLR_REINSTRUMENT_H

/* The host's operation of this name. */
int monocle__reinstrument (void *host);

#endif
