/*
 * SPDX-License-Identifier: MIT
 *
 * log.c - the one way in which a module speaks.
 *
 * A line is formatted on the stack and written by one write(2), so that lines of several threads and processes do not
 * mix. Where it goes is asked each time: a message is rare, and nothing of ours keeps a descriptor open in a foreign
 * process.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <monocle/kit.h>

#include "log-file.h"
#include "log-place.h"
#include "run-note.h"
#include "utf8.h"

enum { LINE_MAX_BYTES = 2048 };

static void
log_line (const char *module, const char *format, va_list arguments)
{
	char line[LINE_MAX_BYTES];
	int length = snprintf (line, sizeof line - 1, "monocle: %s: ", module);
	if (length < 0 || length > 128)
		length = 0;
	int more = vsnprintf (line + length, sizeof line - 1 - (size_t) length, format, arguments);
	if (more > 0)
		length += more;
	if (length > LINE_MAX_BYTES - 2)
		length = LINE_MAX_BYTES - 2;
	size_t clean = monocle__utf8_clean (line, (size_t) length);
	line[clean++] = '\n';
	monocle__log_place place;
	monocle__log_place_find (&place);
	monocle__log_file_write (&place, line, clean);
}

void
monocle_kit_log (const char *module, const char *format, ...)
{
	int saved_errno = errno;
	va_list arguments;
	va_start (arguments, format);
	log_line (module, format, arguments);
	va_end (arguments);
	errno = saved_errno;
}

void
monocle_kit_log_failure (const char *module, const char *format, ...)
{
	int saved_errno = errno;
	va_list arguments;
	va_start (arguments, format);
	log_line (module, format, arguments);
	va_end (arguments);
	monocle__run_note ("told", module);
	errno = saved_errno;
}
