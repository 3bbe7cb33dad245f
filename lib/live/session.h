/*
 * SPDX-License-Identifier: MIT
 *
 * session.h - the events of one running runtime, as a part of a libuv loop.
 *
 * A session ends when it is stopped, when the process ends, and when something is wrong with what comes; the runtime
 * forgets a session whose connection is gone, so nothing is left in the process whatever happens to us.
 */
#ifndef MONOCLE_LIVE_SESSION_H
#define MONOCLE_LIVE_SESSION_H

#include "figures.h"
#include "process.h"

#include <uv.h>

typedef struct monocle__live_session monocle__live_session;

/* It has ended and may be freed. `error`: the end of a sentence that begins with the process; NULL: all is well. */
typedef void (*monocle__live_session_ended) (monocle__live_session *session, const char *error, void *context);

typedef struct {
	double interval; /* seconds between two rounds of the runtime's counters */
	monocle__live_session_ended ended;
	void *context;
} monocle__live_session_options;

/*
 * Connects at once. NULL and the end of a sentence; then `ended` is not called. A Mono has no events to tell: of it
 * there is what the kernel knows.
 */
monocle__live_session *monocle__live_session_new (uv_loop_t *loop, const monocle__live_process *process,
                                                  const monocle__live_session_options *options, char *ret_error,
                                                  size_t size);
/* Asks the runtime for what is left of the events. `ended` follows, after two seconds at the latest. */
void monocle__live_session_stop (monocle__live_session *session);
/* After `ended`, not in it: the loop has run once more. */
void monocle__live_session_free (monocle__live_session *session);

/* What is known until now; of memory and CPU, what monocle__live_session_look () saw last. Borrowed. */
const monocle__live_figures *monocle__live_session_figures (const monocle__live_session *session);
/*
 * Nanoseconds since the runtime sent anything, or was asked, once they are more than three of its intervals and three
 * seconds; before, 0. Counters come in each interval, a little late when the program is busy.
 */
uint64_t monocle__live_session_silence (const monocle__live_session *session);
/* Looks into /proc for CPU, memory and threads. */
void monocle__live_session_look (monocle__live_session *session);
/* Puts in a figure that the caller knows better. */
void monocle__live_session_set (monocle__live_session *session, monocle__live_figure figure, uint64_t value);

#endif
