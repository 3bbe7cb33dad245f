/*
 * SPDX-License-Identifier: MIT
 *
 * rows.c - prints the rows of commands, options and file formats for doc/gen_command.py: a line each, columns between
 * tabs, the kind of the row first.
 */
#include "commands.h"
#include "coverage-format.h"
#include "format.h"

#include <stdio.h>

static const char *
text (const char *text_or_null)
{
	return text_or_null ? text_or_null : "";
}

static void
print_option (const monocle__option *option)
{
	bool takes_value = option->kind != MONOCLE__OPTION_ON && option->kind != MONOCLE__OPTION_OFF;
	bool is_choice = option->kind == MONOCLE__OPTION_CHOICE;

	printf ("option\t%s\t", text (option->name));
	if (option->letter)
		putchar (option->letter);
	printf ("\t%s\t%zu\t%d\t%d\t%d\n", text (option->argument), option->target, takes_value, option->is_needed,
	        option->is_repeated);
	for (size_t i = 0; is_choice && option->choice (i).name; i++)
		printf ("choice\t%s\t%s\n", option->choice (i).name, text (option->choice (i).help));
}

int
main (void)
{
	for (size_t i = 0; i < monocle__command_count; i++) {
		const monocle__command *command = monocle__commands[i];
		printf ("command\t%s\t%s\t%s\t%d\n", command->name, command->summary, text (command->operands),
		        command->has_command);
		for (const monocle__option *row = command->options; row && !monocle__option_is_end (row); row++)
			print_option (row);
	}
	for (size_t i = 0; i < monocle__file_format_count; i++)
		printf ("format\t%s\t%s\t%d\n", monocle__file_formats[i].name, monocle__file_formats[i].extension,
		        monocle__file_formats[i].parse != NULL);
	for (size_t i = 0; i < monocle__coverage_format_count; i++)
		printf ("format\t%s\t%s\t0\n", monocle__coverage_formats[i].name, monocle__coverage_formats[i].extension);
	return 0;
}
