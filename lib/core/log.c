/*
 * SPDX-License-Identifier: MIT
 *
 * log.c - the one way in which the core speaks.
 *
 * Any thread may log at any time, in a program that has closed its descriptors, changed its folder, or stopped reading
 * its own stderr. So a message is composed on the stack, and the file is named by an absolute path (log-file.h).
 */
#include "log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "environment.h"
#include "invariant.h"
#include "log-file.h"
#include "run-note.h"
#include "utf8.h"

enum { MESSAGE_MAX = 4096 };

/*
 * Written by the thread that moves `path_state` from UNREAD to READING, then only read. "" means stderr. With one byte
 * more than a path may have, what is too long stays too long when it is cut.
 */
static char path[PATH_MAX + 1];
enum { UNREAD, READING, READ };
static atomic_uint path_state;

/* A thread (or a signal handler) that comes while another one reads the variable speaks on stderr. */
void
monocle__log_init (void)
{
	unsigned unread = UNREAD;
	char folder[PATH_MAX];
	if (!atomic_compare_exchange_strong_explicit (&path_state, &unread, READING, memory_order_acq_rel,
	                                              memory_order_acquire))
		return;
	const char *file = monocle__variable ("MONOCLE_LOG");
	bool is_relative = file && file[0] && file[0] != '/' && getcwd (folder, sizeof folder);
	snprintf (path, sizeof path, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "", file ? file : "");
	atomic_store_explicit (&path_state, READ, memory_order_release);
}

void
monocle__log_reset (void)
{
	unsigned was_read = READ;
	atomic_compare_exchange_strong_explicit (&path_state, &was_read, UNREAD, memory_order_acq_rel,
	                                         memory_order_acquire);
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

void
monocle_log (const char *format, ...)
{
	int saved_errno = errno;
	char message[MESSAGE_MAX];
	va_list arguments;
	monocle__log_init ();
	va_start (arguments, format);
	size_t length = compose (message, format, arguments);
	va_end (arguments);
	bool is_read = atomic_load_explicit (&path_state, memory_order_acquire) == READ;
	monocle__log_file_write (is_read ? path : NULL, message, length);
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
