/*
 * SPDX-License-Identifier: MIT
 *
 * log.c - the one way in which the core speaks.
 *
 * Any thread may log at any time, in a program that has closed its descriptors, changed its folder, or stopped reading
 * its own stderr. So a message is composed on the stack and leaves in one write; the file is opened for each message,
 * by an absolute path; and neither errno nor SIGPIPE reaches the program.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "environment.h"
#include "invariant.h"
#include "run-note.h"
#include "utf8.h"

enum { MESSAGE_MAX = 4096 };

/* Written by the thread that moves `path_state` from UNREAD to READING, then only read. "" means stderr. */
static char path[PATH_MAX];
enum { UNREAD, READING, READ };
static atomic_uint path_state;

/* A thread (or a signal handler) that comes while another one reads the variable speaks on stderr. */
void
monocle__log_init (void)
{
	unsigned unread = UNREAD;
	char folder[PATH_MAX];
	int length = 0;
	if (!atomic_compare_exchange_strong_explicit (&path_state, &unread, READING, memory_order_acq_rel,
	                                              memory_order_acquire))
		return;
	const char *file = monocle__variable ("MONOCLE_LOG");
	if (file && file[0] == '/')
		length = snprintf (path, sizeof path, "%s", file);
	else if (file && file[0] && getcwd (folder, sizeof folder))
		length = snprintf (path, sizeof path, "%s/%s", folder, file);
	if (length <= 0 || (size_t) length >= sizeof path)
		path[0] = '\0';
	atomic_store_explicit (&path_state, READ, memory_order_release);
}

static size_t
compose (char *message, const char *format, va_list arguments)
{
	static const char prefix[] = "monocle: ";
	const size_t start = sizeof prefix - 1, room = MESSAGE_MAX - start - 1;
	memcpy (message, prefix, start);
	int wanted = vsnprintf (message + start, room, format, arguments);
	size_t length = wanted < 0 ? 0 : (size_t) wanted;
	if (length >= room) {
		length = room - 1;
		memcpy (message + start + length - 3, "...", 3);
	}
	/* One line that a terminal shows as it is, whatever text of others it quotes. */
	length = monocle__utf8_clean (message + start, length);
	MONOCLE__INVARIANT (start + length < MESSAGE_MAX);
	message[start + length] = '\n';
	return start + length + 1;
}

/* Writes without letting a reader's absence become the program's death: SIGPIPE is held back and taken away. */
static void
write_quietly (int fd, const char *message, size_t length)
{
	sigset_t pipe_signal, before, pending;
	struct timespec no_wait = { 0, 0 };
	sigemptyset (&pipe_signal);
	sigaddset (&pipe_signal, SIGPIPE);
	sigemptyset (&pending);
	sigpending (&pending);
	bool was_pending = sigismember (&pending, SIGPIPE) == 1;
	pthread_sigmask (SIG_BLOCK, &pipe_signal, &before);
	ssize_t written;
	do
		written = write (fd, message, length);
	while (written < 0 && errno == EINTR);
	if (written < 0 && errno == EPIPE && !was_pending)
		while (sigtimedwait (&pipe_signal, NULL, &no_wait) < 0 && errno == EINTR)
			;
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void
monocle_log (const char *format, ...)
{
	int saved_errno = errno, fd = -1;
	char message[MESSAGE_MAX];
	va_list arguments;
	monocle__log_init ();
	va_start (arguments, format);
	size_t length = compose (message, format, arguments);
	va_end (arguments);
	if (atomic_load_explicit (&path_state, memory_order_acquire) == READ && path[0])
		fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	write_quietly (fd >= 0 ? fd : STDERR_FILENO, message, length);
	if (fd >= 0)
		close (fd);
	errno = saved_errno;
}

void
monocle__log_failure (const char *format, ...)
{
	char message[MESSAGE_MAX];
	const char *strict = monocle__variable ("MONOCLE_STRICT");
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (message, sizeof message, format, arguments);
	va_end (arguments);
	monocle_log ("%s", message);
	monocle__run_note ("told", message);
	if (strict && !strcmp (strict, "1"))
		exit (1);
}
