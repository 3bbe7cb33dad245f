/* SPDX-License-Identifier: MIT
 *
 * message.c - how the command speaks: one line on stderr, written at once, so that lines of several processes do not
 * mix. What it quotes of others (names, options, variables, texts of libraries) is made fit to be printed here.
 */
#include "command.h"

#include "output.h"
#include "utf8.h"

#include <getopt.h>

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
	va_list arguments;

	va_start (arguments, format);
	say_arguments (format, arguments);
	va_end (arguments);
	monocle__say ("see monocle %s --help", command->name);
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

/* `word` is the one that is wrong; NULL: one letter among others is. */
static void
option_error (const monocle__command *command, int problem, const char *word)
{
	if (!word || strncmp (word, "--", 2) != 0)
		monocle__usage_error (command, problem == ':' ? "option '-%c' needs a value" : "unknown option '-%c'", optopt);
	else if (problem == ':')
		monocle__usage_error (command, "option '%s' needs a value", word);
	else if (optopt != 0)
		monocle__usage_error (command, "option '%.*s' takes no value", (int) strcspn (word, "="), word);
	else
		monocle__usage_error (command, "unknown or ambiguous option '%s'", word);
}

int
monocle__option_next (const monocle__command *command, int argc, char **argv, const char *letters,
                      const struct option *options)
{
	int before = optind, option;

	opterr = 0;
	option = getopt_long (argc, argv, letters, options, NULL);
	/* It moves on with the last letter of a word. */
	if (option == '?' || option == ':')
		option_error (command, option, optind > before ? argv[optind - 1] : NULL);
	return option == ':' ? '?' : option;
}

int
monocle__command_help (const monocle__command *command)
{
	printf ("usage: monocle %s\n\n%s", command->usage, command->help);
	return monocle__output_finish (stdout, NULL);
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
