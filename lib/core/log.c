/*
 * SPDX-License-Identifier: MIT
 *
 * log.c - the one way in which the core speaks.
 *
 * Any thread may log at any time, in a program that has closed its descriptors, changed its folder, or stopped reading
 * its own stderr. So a message is composed on the stack, and the place is known by absolute paths (log-place.h).
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "environment.h"
#include "invariant.h"
#include "log-file.h"
#include "log-place.h"
#include "run-note.h"
#include "utf8.h"

enum { MESSAGE_MAX = 4096 };

/* Written by the thread that moves `place_state` from UNREAD to READING, then only read. */
static monocle__log_place place;
enum { UNREAD, READING, READ };
static atomic_uint place_state;

void
monocle__log_init (void)
{
	unsigned unread = UNREAD;
	if (!atomic_compare_exchange_strong_explicit (&place_state, &unread, READING, memory_order_acq_rel,
	                                              memory_order_acquire))
		return;
	monocle__log_place_find (&place);
	atomic_store_explicit (&place_state, READ, memory_order_release);
}

void
monocle__log_reset (void)
{
	unsigned was_read = READ;
	atomic_compare_exchange_strong_explicit (&place_state, &was_read, UNREAD, memory_order_acq_rel,
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

/* A thread (or a signal handler) that comes while another one reads the variables reads them for itself. */
static __attribute__ ((noinline)) void
write_meanwhile (const char *message, size_t length)
{
	monocle__log_place mine;
	monocle__log_place_find (&mine);
	monocle__log_file_write (&mine, message, length);
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
	if (atomic_load_explicit (&place_state, memory_order_acquire) == READ)
		monocle__log_file_write (&place, message, length);
	else
		write_meanwhile (message, length);
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
