/*
 * SPDX-License-Identifier: MIT
 *
 * live-watch.c - see live-watch.h. A command runs as under `run`, in this process's group and with this process's
 * signals, which the main thread sees to; the loop is on a thread of its own then. A runtime of the command is known by
 * its socket, which the folder tells when it is made, long before the first line of the program runs.
 */
#include "live-watch.h"

#include "ancestry.h"
#include "command/command.h"
#include "nanoseconds.h"
#include "run/child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOOK_EVERY = 100, RETRY_EVERY = 2, ATTEMPTS_MOST = 1000 };

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
close_handle (uv_handle_t *handle, void *context)
{
	if (!uv_is_closing (handle))
		uv_close (handle, NULL);
}

/* When nothing is followed any more, and nothing can come, the loop has nothing left to wait for. */
static void
end_if_over (monocle__live_watch *self)
{
	if (self->live == 0 && (self->is_stopping || !self->has_command))
		uv_walk (&self->loop, close_handle, self);
}

static void
watched_over (monocle__live_watched *at, const char *error)
{
	if (at->is_over)
		return;
	at->is_over = true;
	at->until = monocle__nanoseconds (CLOCK_MONOTONIC);
	at->watch->live--;
	if (error && error != at->error)
		snprintf (at->error, sizeof at->error, "%s", error);
	end_if_over (at->watch);
}

static void
session_ended (monocle__live_session *session, const char *error, void *context)
{
	monocle__live_session_look (session);
	watched_over (context, error);
}

void
monocle__live_watch_stop (monocle__live_watch *watch)
{
	watch->is_stopping = true;
	for (size_t i = 0; i < watch->count; i++) {
		monocle__live_watched *at = watch->watched[i];
		if (!at->is_over && at->session)
			monocle__live_session_stop (at->session);
		else
			watched_over (at, "has not begun");
	}
	end_if_over (watch);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

/* While the runtime begins, its socket is there before anybody listens. */
static void
connect_to (monocle__live_watched *at, bool is_last)
{
	monocle__live_session_options options = { .interval = at->watch->counter_interval,
		                                      .ended = session_ended,
		                                      .context = at };
	at->session = monocle__live_session_new (&at->watch->loop, &at->process, &options, at->error, sizeof at->error);
	if (at->session) {
		at->error[0] = '\0';
		at->since = monocle__nanoseconds (CLOCK_MONOTONIC);
	} else if (is_last) {
		watched_over (at, at->error);
	}
}

static void
retry (uv_timer_t *timer)
{
	monocle__live_watch *self = timer->data;
	bool is_waiting = false;
	for (size_t i = 0; i < self->count; i++) {
		monocle__live_watched *at = self->watched[i];
		if (at->session || at->is_over)
			continue;
		at->attempts++;
		connect_to (at, at->attempts >= ATTEMPTS_MOST || !monocle__live_process_is_there (&at->process));
		is_waiting = is_waiting || (!at->session && !at->is_over);
	}
	if (!is_waiting)
		uv_timer_stop (timer);
}

/* Takes the process. */
static monocle__live_watched *
watched_add (monocle__live_watch *self, monocle__live_process *process)
{
	monocle__live_watched *at = self->count < MONOCLE__LIVE_WATCHED_MOST ? calloc (1, sizeof *at) : NULL;
	if (!at) {
		monocle__live_process_done (process);
		return NULL;
	}
	at->process = *process;
	at->watch = self;
	at->since = monocle__nanoseconds (CLOCK_MONOTONIC);
	self->watched[self->count++] = at;
	self->live++;
	return at;
}

static bool
is_watched (const monocle__live_watch *self, pid_t pid, uint64_t start)
{
	for (size_t i = 0; i < self->count; i++) {
		if (self->watched[i]->process.pid == pid && self->watched[i]->process.start == start)
			return true;
	}
	return false;
}

/* A socket was made, or removed. */
static void
folder_changed (uv_fs_event_t *handle, const char *name, int events, int status)
{
	monocle__live_watch *self = handle->data;
	unsigned long long start;
	monocle__live_process process;
	int pid, end = 0;
	if (!name || self->is_stopping || sscanf (name, "dotnet-diagnostic-%d-%llu-socket%n", &pid, &start, &end) != 2 ||
	    !end || name[end] || is_watched (self, pid, start) || !monocle__live_ancestry_is_below (pid, getpid ()) ||
	    monocle__live_process_read (pid, &process) != 0)
		return;
	if (process.start != start)
		monocle__live_process_done (&process);
	else if (watched_add (self, &process) && !uv_is_active ((uv_handle_t *) &self->retry_timer))
		uv_timer_start (&self->retry_timer, retry, 0, RETRY_EVERY);
}

/* --- times -------------------------------------------------------------------------------------------------------- */

static void
look (uv_timer_t *timer)
{
	monocle__live_watch *self = timer->data;
	for (size_t i = 0; i < self->count; i++) {
		if (self->watched[i]->session && !self->watched[i]->is_over)
			monocle__live_session_look (self->watched[i]->session);
	}
}

static void
tick (uv_timer_t *timer)
{
	monocle__live_watch *self = timer->data;
	look (timer);
	self->tick (self, self->context);
}

static void
time_over (uv_timer_t *timer)
{
	monocle__live_watch_stop (timer->data);
}

static void
have_signal (uv_signal_t *handle, int number)
{
	monocle__live_watch *self = handle->data;
	if (self->is_stopping)
		uv_walk (&self->loop, close_handle, self); /* Asked again: it does not wait for what is left. */
	self->signal = number;
	monocle__live_watch_stop (self);
}

static void
have_command_ended (uv_async_t *handle)
{
	monocle__live_watch_stop (handle->data);
}

static void
start_timers (monocle__live_watch *self)
{
	uv_timer_start (&self->look_timer, look, LOOK_EVERY, LOOK_EVERY);
	if (self->tick)
		uv_timer_start (&self->tick_timer, tick, self->tick_interval, self->tick_interval);
	if (self->duration)
		uv_timer_start (&self->end_timer, time_over, self->duration, 0);
}

/* --- the watch ---------------------------------------------------------------------------------------------------- */

int
monocle__live_watch_init (monocle__live_watch *watch)
{
	uv_timer_t *timers[] = { &watch->tick_timer, &watch->look_timer, &watch->retry_timer, &watch->end_timer };
	*watch = (monocle__live_watch) { .counter_interval = 1 };
	if (uv_loop_init (&watch->loop) != 0) {
		monocle__say ("out of memory");
		return -1;
	}
	for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
		uv_timer_init (&watch->loop, timers[i]);
		timers[i]->data = watch;
	}
	return 0;
}

void
monocle__live_watch_done (monocle__live_watch *watch)
{
	uv_walk (&watch->loop, close_handle, watch);
	uv_run (&watch->loop, UV_RUN_DEFAULT);
	uv_loop_close (&watch->loop);
	for (size_t i = 0; i < watch->count; i++) {
		monocle__live_session_free (watch->watched[i]->session);
		monocle__live_process_done (&watch->watched[i]->process);
		free (watch->watched[i]);
	}
}

int
monocle__live_watch_process (monocle__live_watch *watch, monocle__live_process *process)
{
	monocle__live_watched *at = watched_add (watch, process);
	if (!at) {
		monocle__say ("out of memory");
		return -1;
	}
	connect_to (at, true);
	if (at->is_over) {
		monocle__say ("process %d %s", (int) at->process.pid, at->error);
		return -1;
	}
	if (watch->ready)
		watch->ready (watch, watch->context);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		uv_signal_init (&watch->loop, &watch->signals[i]);
		watch->signals[i].data = watch;
		uv_signal_start (&watch->signals[i], have_signal, signals[i]);
	}
	start_timers (watch);
	uv_run (&watch->loop, UV_RUN_DEFAULT);
	return 0;
}

static void
run_loop (void *context)
{
	monocle__live_watch *self = context;
	uv_run (&self->loop, UV_RUN_DEFAULT);
}

/* Where the command's runtimes make their sockets. */
static const char *
socket_folder (void)
{
	const char *folder = getenv ("TMPDIR");
	return folder && folder[0] ? folder : "/tmp";
}

/* Signals are the main thread's. */
static int
start_thread (monocle__live_watch *self, uv_thread_t *thread)
{
	sigset_t all, before;
	int error;
	sigfillset (&all);
	pthread_sigmask (SIG_BLOCK, &all, &before);
	error = uv_thread_create (thread, run_loop, self);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	return error;
}

/* The kernel's own sum for the one process that this was about, when it has ended. */
static void
set_cpu (monocle__live_watch *self, pid_t pid)
{
	struct rusage usage;
	if (self->count != 1 || self->watched[0]->process.pid != pid || !self->watched[0]->session ||
	    getrusage (RUSAGE_CHILDREN, &usage) != 0)
		return;
	uint64_t microseconds = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	                        (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	monocle__live_session_set (self->watched[0]->session, MONOCLE__LIVE_CPU, microseconds * 1000);
}

int
monocle__live_watch_command (monocle__live_watch *watch, char *const *argv)
{
	monocle__child child;
	uv_thread_t thread;
	int code, error;
	watch->has_command = true;
	uv_fs_event_init (&watch->loop, &watch->folder);
	uv_async_init (&watch->loop, &watch->command_ended, have_command_ended);
	watch->folder.data = watch->command_ended.data = watch;
	error = uv_fs_event_start (&watch->folder, folder_changed, socket_folder (), 0);
	if (error != 0)
		monocle__say ("the command's runtimes cannot be followed: %s: %s", socket_folder (), uv_strerror (error));
	start_timers (watch);
	error = start_thread (watch, &thread);
	if (error != 0)
		monocle__say ("the command's runtimes cannot be followed: %s", uv_strerror (error));
	code = monocle__child_run (argv, &child);
	if (error == 0) {
		uv_async_send (&watch->command_ended);
		uv_thread_join (&thread);
	}
	set_cpu (watch, child.pid);
	return code;
}
