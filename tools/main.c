/* SPDX-License-Identifier: MIT
 *
 * main.c - the `monocle` command: finds the sub-command and hands over.
 */
#include "command.h"

#include "output.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const monocle__command *const commands[] = {
	&monocle__command_run,     &monocle__command_report, &monocle__command_flame,  &monocle__command_diff,
	&monocle__command_convert, &monocle__command_list,   &monocle__command_doctor,
};

enum { COMMANDS = sizeof commands / sizeof *commands, NAME_MAX_LENGTH = 32 };

static const monocle__command *
command_find (const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp (commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static size_t
min3 (size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* How many letters must be put in, taken out or replaced to make one of the other (Levenshtein). */
static size_t
distance (const char *a, const char *b)
{
	size_t row[NAME_MAX_LENGTH + 1], length = strlen (b);

	for (size_t k = 0; k <= length; k++)
		row[k] = k;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t k = 1; k <= length; k++) {
			size_t above = row[k];
			row[k] = min3 (above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

/* The command that was probably meant, or NULL: what begins like it, or what is little more than half wrong. */
static const monocle__command *
nearest (const char *name)
{
	const monocle__command *best = NULL;
	size_t least = strlen (name) / 2 + 2;

	for (size_t i = 0; i < COMMANDS; i++) {
		size_t d =
		    *name && strncmp (commands[i]->name, name, strlen (name)) == 0 ? 0 : distance (name, commands[i]->name);
		if (d < least) {
			least = d;
			best = commands[i];
		}
	}
	return best;
}

static int
unknown_command (const char *name)
{
	const monocle__command *meant = strlen (name) <= NAME_MAX_LENGTH ? nearest (name) : NULL;

	if (meant)
		monocle__say ("there is no command '%s'; did you mean '%s'?", name, meant->name);
	else
		monocle__say ("there is no command '%.40s'; monocle --help lists them", name);
	return MONOCLE__EXIT_USAGE;
}

static void
print_help (FILE *out)
{
	fputs ("usage: monocle COMMAND [ARGUMENTS]\n\n"
	       "Profiles .NET and Mono programs with modules written against Mono's profiler API.\n\n",
	       out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf (out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs ("\n  monocle COMMAND --help says more; so does monocle(1).\n\n"
	       "Begin with:  monocle run -- dotnet app.dll\n",
	       out);
}

static int
help_command (int argc, char **argv)
{
	const monocle__command *command = argc > 1 ? command_find (argv[1]) : NULL;

	if (argc > 1)
		return command ? monocle__command_help (command) : unknown_command (argv[1]);
	print_help (stdout);
	return monocle__output_finish (stdout, NULL);
}

int
main (int argc, char **argv)
{
	const monocle__command *command;

	setlocale (LC_CTYPE, "");
	if (argc < 2) {
		print_help (stderr);
		return MONOCLE__EXIT_USAGE;
	}
	if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0)
		return help_command (argc - 1, argv + 1);
	if (strcmp (argv[1], "--version") == 0 || strcmp (argv[1], "-V") == 0) {
		printf ("monocle %s\n", MONOCLE_VERSION);
		return monocle__output_finish (stdout, NULL);
	}
	command = command_find (argv[1]);
	return command ? command->run (argc - 1, argv + 1) : unknown_command (argv[1]);
}
