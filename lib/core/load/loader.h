/*
 * SPDX-License-Identifier: MIT
 *
 * loader.h - what the end of a host that leaves asks of the loader.
 */
#ifndef MONOCLE_LOADER_H
#define MONOCLE_LOADER_H

#include <stdbool.h>

/*
 * Closes the modules that can be; they may be loaded again. No thread is, or will be, in one of them. False: some stay.
 */
bool monocle__loader_close (void);

#endif
