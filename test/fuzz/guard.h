/*
 * SPDX-License-Identifier: MIT
 *
 * guard.h - bytes that end where the next read is fatal, so that a read past the end fails in every build.
 */
#ifndef MONOCLE_TEST_ECMA_GUARD_H
#define MONOCLE_TEST_ECMA_GUARD_H

#include <stddef.h>
#include <stdint.h>

struct guard {
	uint8_t *pages;
	size_t size; /* without the page that cannot be read */
};

/* Room for up to `size` bytes. Ends the test when there is no memory. */
struct guard guard_new (size_t size);
/* The last `size` bytes of the room, set to a copy of `data`. */
uint8_t *guard_fill (const struct guard *guard, const void *data, size_t size);
void guard_free (struct guard *guard);

#endif
