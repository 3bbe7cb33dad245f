/*
 * SPDX-License-Identifier: MIT
 *
 * run-messages.c - see run-messages.h. The thread sleeps until a file of the folder was closed, as a file with messages
 * is after each. It alone has `messages` until it is joined.
 */
#include "run-messages.h"

#include "file/messages.h"

#include "command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { PIPE_READ, PIPE_WRITE };

struct monocle__run_messages {
	monocle__messages *messages;
	int watch, end[2];
	bool is_watched;
	pthread_t thread;
};

/* What an overflow has left out comes with the next line of that process, or at the end. */
static void
read_events (monocle__run_messages *run)
{
	char buffer[16384] __attribute__ ((aligned (__alignof__(struct inotify_event))));
	ssize_t length;
	while ((length = read (run->watch, buffer, sizeof buffer)) > 0) {
		for (char *at = buffer; at < buffer + length;) {
			const struct inotify_event *event = (const struct inotify_event *) (const void *) at;
			if (event->len > 0)
				monocle__messages_say_new (run->messages, event->name);
			at += sizeof *event + event->len;
		}
	}
}

static void *
watch (void *data)
{
	monocle__run_messages *run = data;
	struct pollfd ready[] = { { .fd = run->watch, .events = POLLIN },
		                      { .fd = run->end[PIPE_READ], .events = POLLIN | POLLHUP } };
	while (!ready[1].revents) {
		if (poll (ready, 2, -1) < 0 && errno != EINTR)
			break;
		read_events (run);
	}
	return NULL;
}

/* The thread gets no signals: those are the program's, and a reader of our stderr who is gone is no reason to die. */
static bool
start_thread (monocle__run_messages *run)
{
	sigset_t all, before;
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	int error = pthread_create (&run->thread, NULL, watch, run);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	return error == 0;
}

monocle__run_messages *
monocle__run_messages_begin (const monocle__run_folder *folder)
{
	monocle__run_messages *run = calloc (1, sizeof *run);
	if (!run) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_RUN_FAILED);
	}
	*run = (monocle__run_messages) { .watch = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK), .end = { -1, -1 } };
	run->messages = monocle__messages_new (folder->fd);
	run->is_watched = run->watch >= 0 && pipe2 (run->end, O_CLOEXEC) == 0 &&
	                  inotify_add_watch (run->watch, folder->path, IN_CLOSE_WRITE | IN_ONLYDIR) >= 0 &&
	                  start_thread (run);
	return run;
}

static void
close_one (int fd)
{
	if (fd >= 0)
		close (fd);
}

void
monocle__run_messages_end (monocle__run_messages *run)
{
	close_one (run->end[PIPE_WRITE]);
	if (run->is_watched)
		pthread_join (run->thread, NULL);
	monocle__messages_say_rest (run->messages);
	close_one (run->end[PIPE_READ]);
	close_one (run->watch);
	monocle__messages_free (run->messages);
	free (run);
}
