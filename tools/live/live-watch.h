/*
 * SPDX-License-Identifier: MIT
 *
 * live-watch.h - following the runtimes of one process, or of a command and all that it starts, until they end.
 */
#ifndef MONOCLE_TOOLS_LIVE_WATCH_H
#define MONOCLE_TOOLS_LIVE_WATCH_H

#include "session.h"

enum { MONOCLE__LIVE_WATCHED_MOST = 64 };

typedef struct monocle__live_watch monocle__live_watch;

typedef struct {
	monocle__live_process process;
	monocle__live_session *session; /* NULL until it is connected to */
	monocle__live_watch *watch;
	uint64_t since, until; /* of the clock CLOCK_MONOTONIC; `until` 0: it goes on */
	unsigned attempts;
	bool is_over;
	char error[160]; /* why it is not followed, or not to its end; "" */
} monocle__live_watched;

struct monocle__live_watch {
	uv_loop_t loop;
	monocle__live_watched *watched[MONOCLE__LIVE_WATCHED_MOST];
	size_t count, live;
	double counter_interval; /* seconds */
	/* Called when a process was connected to and nothing can be said any more, and on the loop. Both may be NULL. */
	void (*ready) (monocle__live_watch *watch, void *context);
	void (*tick) (monocle__live_watch *watch, void *context);
	void *context;
	uint64_t tick_interval; /* milliseconds */
	size_t duration;        /* milliseconds after which all is stopped; 0: never */
	/* Its own. */
	uv_timer_t tick_timer, look_timer, retry_timer, end_timer;
	uv_fs_event_t folder;
	uv_async_t command_ended;
	uv_signal_t signals[3];
	bool has_command, is_stopping;
	int signal; /* the one that ended it; 0: none */
};

/* The callbacks and times are set between this and the next call. 0, or -1 after one line. */
int monocle__live_watch_init (monocle__live_watch *watch);
void monocle__live_watch_done (monocle__live_watch *watch);

/* Follows the process to its end, to a signal or to the end of the time. 0, or -1 after one line. Takes the process. */
int monocle__live_watch_process (monocle__live_watch *watch, monocle__live_process *process);

/*
 * Runs the command and follows it and what it starts. Answers its exit code. Ticks come from another thread than the
 * caller's, and are over when this returns.
 */
int monocle__live_watch_command (monocle__live_watch *watch, char *const *argv);

/* Asks all runtimes for what is left, and ends the loop. On the loop. */
void monocle__live_watch_stop (monocle__live_watch *watch);

#endif
