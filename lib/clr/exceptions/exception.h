/*
 * SPDX-License-Identifier: MIT
 *
 * exception.h - exceptions as they unwind.
 */
#ifndef MONOCLE_CLR_EXCEPTION_H
#define MONOCLE_CLR_EXCEPTION_H

/* The calling thread ends: whatever is still pinned is let go. */
void monocle__exception_end (void);

#endif
