/*
 * SPDX-License-Identifier: MIT
 *
 * thread-pointer.h - a CPU that nobody has ported to: nothing is known of what lies at its thread pointer.
 */
#ifndef MONOCLE_BASE_THREAD_POINTER_H
#define MONOCLE_BASE_THREAD_POINTER_H

#include <stdint.h>

enum { MONOCLE__THREAD_POINTER_ROOM = 0 };

static inline uintptr_t
monocle__thread_pointer_read (uintptr_t at)
{
	return 0;
}

#endif
