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

bool
frames_init (struct frames *frames, size_t count)
{
	frames->buffers = calloc (FRAMES_BUFFERS, count * sizeof *frames->buffers);
	frames->each = count;
	return frames->buffers != NULL;
}

void
frames_leave (struct frames *frames)
{
	free (frames->buffers);
	frames->buffers = NULL;
}

monocle_kit_frame *
frames_take (struct frames *frames)
{
	for (size_t i = 0; i < FRAMES_BUFFERS; i++) {
		atomic_bool *is_taken = &frames->is_taken[i];
		if (!atomic_load_explicit (is_taken, memory_order_relaxed) && !atomic_exchange (is_taken, true))
			return frames->buffers + i * frames->each;
	}
	return NULL;
}

void
frames_give_back (struct frames *frames, const monocle_kit_frame *taken)
{
	size_t number = (size_t) (taken - frames->buffers) / frames->each;
	atomic_store_explicit (&frames->is_taken[number], false, memory_order_release);
}
