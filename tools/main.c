/*
 * SPDX-License-Identifier: MIT
 *
 * main.c - the `monocle` command: finds the sub-command and hands over.
 */
#include "commands.h"

#include "command/other-words.h"
#include "command/output.h"
#include "log-place.h"
#include "module/module-check.h"
#include "module/module-file.h"
#include "nearest.h"

#include <locale.h>
#include <string.h>

static const monocle__command *
command_find (const char *name)
{
	for (size_t i = 0; i < monocle__command_count; i++) {
		if (strcmp (monocle__commands[i]->name, name) == 0)
			return monocle__commands[i];
	}
	return NULL;
}

static bool
is_module (const char *name)
{
	monocle__layout layout;
	bool is_there;
	monocle__layout_find (&layout);
	is_there = monocle__module_file_is_there (&layout, name);
	monocle__layout_done (&layout);
	return is_there;
}

static bool
is_like_module (const char *name, char *ret_meant, size_t size)
{
	monocle__layout layout;
	bool is_like;
	monocle__layout_find (&layout);
	is_like = monocle__module_check_guess (&layout, name, ret_meant, size);
	monocle__layout_done (&layout);
	return is_like;
}

/* People name the module for the command. */
static int
unknown_command (const char *name)
{
	char module[64];
	const char *names[32], *meant;
	const monocle__other_word *other = monocle__other_words_find (name, strlen (name));
	size_t count = 0;
	for (; count < monocle__command_count && count < sizeof names / sizeof *names; count++)
		names[count] = monocle__commands[count]->name;
	meant = monocle__nearest (name, names, count);
	if (is_module (name))
		monocle__say ("'%s' is a module: monocle run --profile=%s -- COMMAND", name, name);
	else if (other && other->command)
		monocle__say ("there is no command '%s'; did you mean '%s'?", name, other->command);
	else if (other)
		monocle__say ("there is no command '%s'; that is monocle run --profile=%s -- COMMAND", name, other->profile);
	else if (meant)
		monocle__say ("there is no command '%s'; did you mean '%s'?", name, meant);
	else if (is_like_module (name, module, sizeof module))
		monocle__say ("there is no command '%s'; did you mean the module '%s'?", name, module);
	else
		monocle__say ("there is no command '%.40s'; monocle --help lists them", name);
	return MONOCLE__EXIT_USAGE;
}

static void
print_help (FILE *out)
{
	fputs ("usage: monocle COMMAND [ARGUMENTS]\n\n"
	       "Shows where .NET and Mono programs spend their time, what they call, throw and cover.\n"
	       "What looks are modules, written against Mono's profiler API; the same ones serve both runtimes.\n\n",
	       out);
	for (size_t i = 0; i < monocle__command_count; i++)
		fprintf (out, "  %-10s %s\n", monocle__commands[i]->name, monocle__commands[i]->summary);
	fprintf (out, "  %-10s %s\n", "help", "print the help of a command, or a module's arguments");
	fputs ("\nmonocle COMMAND --help says more, and so does monocle(1).\n\n"
	       "Begin with:  monocle run -- dotnet app.dll\n"
	       "waiting:     monocle run --profile=sample:mode=wall,threads -- dotnet app.dll\n"
	       "coverage:    monocle run --profile=cover -- dotnet test\n",
	       out);
}

/* Of a module: its arguments. */
static int
module_help (const char *name)
{
	monocle__layout layout;
	int code;
	monocle__layout_find (&layout);
	code = monocle__module_check_help (&layout, name);
	monocle__layout_done (&layout);
	return code;
}

static int
help_command (int argc, char **argv)
{
	bool is_about_help = argc > 1 && (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0);
	const monocle__command *command = argc > 1 ? command_find (argv[1]) : NULL;
	monocle__output_begin ();
	if (command)
		return monocle__options_help (command);
	if (argc > 1 && !is_about_help)
		return is_module (argv[1]) ? module_help (argv[1]) : unknown_command (argv[1]);
	print_help (stdout);
	return monocle__output_finish (stdout, NULL);
}

int
main (int argc, char **argv)
{
	const monocle__command *command;
	setlocale (LC_CTYPE, "");
	monocle__log_place_be_command ();
	setvbuf (stderr, NULL, _IOLBF, 0); /* a line is written at once, beside a program that writes there, too */
	if (argc < 2) {
		print_help (stderr);
		return MONOCLE__EXIT_USAGE;
	}
	if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || strcmp (argv[1], "help") == 0)
		return help_command (argc - 1, argv + 1);
	if (strcmp (argv[1], "--version") == 0 || strcmp (argv[1], "-V") == 0 || strcmp (argv[1], "version") == 0) {
		monocle__output_begin ();
		printf ("monocle %s\n", MONOCLE_VERSION);
		return monocle__output_finish (stdout, NULL);
	}
	command = command_find (argv[1]);
	return command ? command->run (argc - 1, argv + 1) : unknown_command (argv[1]);
}
