/*
 * SPDX-License-Identifier: MIT
 *
 * folder-watch.c - see folder-watch.h.
 */
#include "folder-watch.h"

#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { PIPE_READ, PIPE_WRITE };

struct monocle__folder_watch {
	int events, end[2];
	monocle__folder_watch_seen *seen;
	void *data;
	pthread_t thread;
};

static void
read_events (const monocle__folder_watch *watch)
{
	char buffer[16384] __attribute__ ((aligned (__alignof__(struct inotify_event))));
	ssize_t length;
	while ((length = read (watch->events, buffer, sizeof buffer)) > 0) {
		for (char *at = buffer; at < buffer + length;) {
			const struct inotify_event *event = (const struct inotify_event *) (const void *) at;
			if (event->mask & IN_Q_OVERFLOW)
				watch->seen (watch->data, NULL);
			else if (event->len > 0)
				watch->seen (watch->data, event->name);
			at += sizeof *event + event->len;
		}
	}
}

static void *
run (void *data)
{
	const monocle__folder_watch *watch = data;
	struct pollfd ready[] = { { .fd = watch->events, .events = POLLIN },
		                      { .fd = watch->end[PIPE_READ], .events = POLLIN | POLLHUP } };
	while (!ready[1].revents) {
		if (poll (ready, 2, -1) < 0 && errno != EINTR)
			break;
		read_events (watch);
	}
	return NULL;
}

static void
close_one (int *fd)
{
	if (*fd >= 0)
		close (*fd);
	*fd = -1;
}

static void
watch_free (monocle__folder_watch *watch)
{
	close_one (&watch->events);
	close_one (&watch->end[PIPE_READ]);
	close_one (&watch->end[PIPE_WRITE]);
	free (watch);
}

/* 0 or an errno. */
static int
begin (monocle__folder_watch *watch, const char *folder, uint32_t events)
{
	watch->events = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
	if (watch->events < 0 || pipe2 (watch->end, O_CLOEXEC) != 0 ||
	    inotify_add_watch (watch->events, folder, events | IN_ONLYDIR) < 0)
		return errno;
	return monocle__background_start (&watch->thread, run, watch, 0) ? 0 : EAGAIN;
}

monocle__folder_watch *
monocle__folder_watch_begin (const char *folder, uint32_t events, monocle__folder_watch_seen *seen, void *data)
{
	monocle__folder_watch *watch = malloc (sizeof *watch);
	if (!watch)
		return NULL;
	*watch = (monocle__folder_watch) { .events = -1, .end = { -1, -1 }, .seen = seen, .data = data };
	int error = begin (watch, folder, events);
	if (error == 0)
		return watch;
	watch_free (watch);
	errno = error;
	return NULL;
}

void
monocle__folder_watch_end (monocle__folder_watch *watch)
{
	if (!watch)
		return;
	close_one (&watch->end[PIPE_WRITE]);
	pthread_join (watch->thread, NULL);
	watch_free (watch);
}
