/*
 * SPDX-License-Identifier: MIT
 *
 * frames.c - where a hit gathers the frames of its stack.
 *
 * The handler runs on the stack of the thread that it interrupts, which may be a small one, nearly used up. So frames
 * are gathered elsewhere: in one of a few buffers, as many as threads may be inside the handler at one time on most
 * machines. A hit takes the first that is free, so that those at the end are never touched where few are needed.
 */
#include "sample.h"

#include <stdlib.h>

enum { BUFFERS = 64 };

static monocle_kit_frame *buffers;
static size_t frames_each;
static atomic_bool is_taken[BUFFERS];

bool
frames_init (size_t count)
{
	buffers = calloc (BUFFERS, count * sizeof *buffers);
	frames_each = count;
	return buffers != NULL;
}

void
frames_leave (void)
{
	free (buffers);
	buffers = NULL;
}

monocle_kit_frame *
frames_take (void)
{
	for (size_t i = 0; i < BUFFERS; i++)
		if (!atomic_load_explicit (&is_taken[i], memory_order_relaxed) && !atomic_exchange (&is_taken[i], true))
			return buffers + i * frames_each;
	return NULL;
}

void
frames_give_back (const monocle_kit_frame *frames)
{
	atomic_store_explicit (&is_taken[(size_t) (frames - buffers) / frames_each], false, memory_order_release);
}
