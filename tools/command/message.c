/*
 * SPDX-License-Identifier: MIT
 *
 * message.c - how the command speaks: one line on stderr, written at once, so that lines of several processes do not
 * mix. What it quotes of others (names, options, variables, texts of libraries) is made fit to be printed here.
 */
#include "command.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 8192 };

static void
say_arguments (const char *format, va_list arguments)
{
	char line[LINE_SIZE];
	size_t length = (size_t) snprintf (line, sizeof line, "monocle: ");
	int more = vsnprintf (line + length, sizeof line - length - 1, format, arguments);
	if (more < 0)
		return;
	length += (size_t) more;
	if (length > sizeof line - 2)
		length = sizeof line - 2;
	length = monocle__utf8_clean (line, length);
	line[length++] = '\n';
	if (write (STDERR_FILENO, line, length) < 0)
		return; /* there is nowhere left to say it */
}

void
monocle__say (const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	say_arguments (format, arguments);
	va_end (arguments);
}

int
monocle__usage_error (const monocle__command *command, const char *format, ...)
{
	char *problem;
	va_list arguments;
	int length;
	va_start (arguments, format);
	length = vasprintf (&problem, format, arguments);
	va_end (arguments);
	monocle__say ("%s; see monocle %s --help", length < 0 ? "out of memory" : problem, command->name);
	if (length >= 0)
		free (problem);
	return MONOCLE__EXIT_USAGE;
}

void
monocle__print_line (const char *format, ...)
{
	char *line;
	va_list arguments;
	int length;
	va_start (arguments, format);
	length = vasprintf (&line, format, arguments);
	va_end (arguments);
	if (length < 0) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_FAILED);
	}
	fwrite (line, 1, monocle__utf8_clean (line, (size_t) length), stdout);
	putchar ('\n');
	free (line);
}

char *
monocle__format (const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;
	va_start (arguments, format);
	length = vasprintf (&text, format, arguments);
	va_end (arguments);
	if (length < 0) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_FAILED);
	}
	return text;
}

bool
monocle__try_number (const char *text, size_t *ret_number)
{
	size_t number = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || number > SIZE_MAX / 2 / 10 - 1)
			return false;
		number = number * 10 + (size_t) (*text - '0');
	}
	*ret_number = number;
	return true;
}
