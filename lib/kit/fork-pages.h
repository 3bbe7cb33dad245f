/*
 * SPDX-License-Identifier: MIT
 *
 * fork-pages.h - memory that a forked child sees as zeros: what a process counts in shared memory is not its child's to
 * change.
 */
#ifndef MONOCLE_KIT_FORK_PAGES_H
#define MONOCLE_KIT_FORK_PAGES_H

#include <stddef.h>

/* Zeroed pages. NULL: no memory. The first call is made where a program may allocate, later ones anywhere. */
void *monocle__fork_pages_new (size_t size);
void monocle__fork_pages_free (void *pages, size_t size);

#endif
