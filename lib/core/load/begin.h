/*
 * SPDX-License-Identifier: MIT
 *
 * begin.h - what is done once, before the first module is sought.
 */
#ifndef MONOCLE_LOAD_BEGIN_H
#define MONOCLE_LOAD_BEGIN_H

/* Says what the environment holds, if that is wanted, and waits for a debugger. Idempotent; normal context. */
void monocle__begin_loading (void);

#endif
