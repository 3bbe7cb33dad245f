/*
 * SPDX-License-Identifier: MIT
 *
 * peek.h - reading memory of this process that may not be there.
 */
#ifndef MONOCLE_CLR_PEEK_H
#define MONOCLE_CLR_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies the bytes, of two pages at most; false: not all of them are there. Changes errno. Any context. */
bool monocle__peek (uintptr_t address, void *to, size_t size);

/*
 * The same of memory that another thread may take away at this very moment: only the system touches it. No more
 * bytes than a pipe holds.
 */
bool monocle__peek_fleeting (uintptr_t address, void *to, size_t size);

#endif
