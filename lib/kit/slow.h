/*
 * SPDX-License-Identifier: MIT
 *
 * slow.h - calls that took longer than a threshold: choosing them, and keeping the longest in the spool.
 */
#ifndef MONOCLE_KIT_SLOW_H
#define MONOCLE_KIT_SLOW_H

#include "calltree.h"

/* What has to be known to watch a spool's calls. NULL: no memory. Before the first event. */
struct monocle__watch *monocle__slow_new (monocle_kit_spool *spool, const monocle_kit_spool_config *config);
/*
 * A clean end: calls that have not ended are listed, while their threads may go on. Nothing is added after that. On a
 * thread that may ask for names. Nothing is done where no call is watched.
 */
void monocle__slow_finish (monocle_kit_spool *spool);
/* Tests. */
void monocle__slow_free (struct monocle__watch *watch);

/* Gives a new thread its starts, and room for what is kept of its calls. False: no room. */
bool monocle__slow_thread_new (struct monocle__call_thread *thread);
void monocle__slow_thread_free (struct monocle__call_thread *thread);
/* The memory of a thread is another thread's from now on. */
void monocle__slow_thread_begin (struct monocle__call_thread *thread);
/* The thread ends at `now`, and with it all calls that it is in. */
void monocle__slow_thread_end (struct monocle__call_thread *thread, uint64_t now);

/*
 * The open call at `level` ends at `now` and may have been slow: lists it if it was. `context` is for the module.
 * Inside an event of the thread. Keeps errno.
 */
void monocle__slow_note (struct monocle__call_thread *thread, const uint32_t *level, uint64_t now, monocle_kit_end end,
                         void *context);

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* A slow call as a spool has it; texts are in the view, without NUL. */
struct monocle__slow_call {
	uint64_t start, length; /* ticks */
	uint32_t node;
	uint32_t tid; /* 0: not known */
	monocle_kit_end end;
	const char *name, *arguments, *result;
	uint32_t name_length, arguments_length, result_length;
};

struct monocle__slow_calls {
	struct monocle__slow_call *calls; /* the longest first */
	uint32_t count;
	uint64_t unfinished; /* calls that are open in the spool, in `calls` or not */
};

/* Those that are in the spool, and the unfinished ones. 0 or -ENOMEM. */
int monocle__slow_calls_init (struct monocle__slow_calls *slow, const struct monocle__spool_view *view);
void monocle__slow_calls_done (struct monocle__slow_calls *slow);

#endif
