/*
 * SPDX-License-Identifier: MIT
 *
 * options.c - see options.h. getopt_long () takes words apart and is not let speak for itself.
 */
#include "options.h"

#include "command.h"
#include "nearest.h"
#include "output.h"

#include <getopt.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS_MAX = 48,
	FIRST_ROW = 256, /* what getopt_long () returns for row 0; letters are below */
	WIDTH = 120,
	LEFT_MOST = 24, /* letters of an option whose help begins beside it */
};

static const monocle__option *
rows_of (const monocle__command *command)
{
	static const monocle__option none[] = { { 0 } };
	return command->options ? command->options : none;
}

/* Appends to a text that was allocated; returns its new place. */
static char *
append (char *text, const char *more)
{
	char *longer = monocle__format ("%s%s", text, more);
	free (text);
	return longer;
}

/* The row behind what getopt_long () returned. */
static const monocle__option *
row_of (const monocle__command *command, int option)
{
	const monocle__option *row = rows_of (command);
	if (option >= FIRST_ROW)
		return row + (option - FIRST_ROW);
	while (row->letter != option)
		row++;
	return row;
}

/* --- what is wrong ------------------------------------------------------------------------------------------------ */

char *
monocle__options_list_choices (const monocle__option *option)
{
	char *list = monocle__format ("%s", "");
	for (size_t i = 0; option->choice (i).name; i++) {
		if (i > 0)
			list = append (list, option->choice (i + 1).name ? ", " : " or ");
		list = append (list, option->choice (i).name);
	}
	return list;
}

/* "-n" or "--sort". The caller frees. */
static char *
option_word (const monocle__option *option)
{
	return option->letter ? monocle__format ("-%c", option->letter) : monocle__format ("--%s", option->name);
}

static int
value_error (const monocle__command *command, const monocle__option *option, const char *value)
{
	char *word = option_word (option);
	char *wanted;
	int code;
	if (option->kind == MONOCLE__OPTION_CHOICE) {
		char *list = monocle__options_list_choices (option);
		wanted = monocle__format ("is %s", list);
		free (list);
	} else
		wanted = monocle__format ("%s", option->wanted);
	code = monocle__usage_error (command, "%s %s, not '%s'", word, wanted, value);
	free (word);
	free (wanted);
	return code;
}

/* The name that was probably meant by a word without its dashes and its value; NULL: none is near, or several are. */
static const char *
meant_name (const monocle__command *command, const char *word)
{
	const char *names[ROWS_MAX + 1] = { "help" };
	size_t count = 1;
	for (const monocle__option *row = rows_of (command); !monocle__option_is_end (row); row++) {
		if (row->name && strncmp (row->name, word, strlen (word)) == 0)
			return NULL; /* it would have been taken, were it the only one */
		if (row->name)
			names[count++] = row->name;
	}
	return monocle__nearest (word, names, count);
}

static void
unknown_name (const monocle__command *command, const char *word)
{
	char *name = monocle__format ("%.*s", (int) strcspn (word + 2, "="), word + 2);
	const char *meant = meant_name (command, name);
	if (meant)
		monocle__say ("unknown or ambiguous option '%s'; did you mean '--%s'?", word, meant);
	else
		monocle__usage_error (command, "unknown or ambiguous option '%s'", word);
	free (name);
}

/* `word` is the one that is wrong; NULL: one letter among others is. */
static void
option_error (const monocle__command *command, int problem, const char *word)
{
	bool is_output =
	    problem == '?' && (optopt == 'o' || (word && strncmp (word, "--output", strlen ("--output")) == 0));
	if (is_output && command->without_output)
		monocle__say ("%s has no -o: %s", command->name, command->without_output);
	else if (!word || strncmp (word, "--", 2) != 0)
		monocle__usage_error (command, problem == ':' ? "option '-%c' needs a value" : "unknown option '-%c'", optopt);
	else if (problem == ':' && strcmp (word + 2, row_of (command, optopt)->name) != 0)
		monocle__usage_error (command, "'%s' stands for '--%s', which needs a value", word,
		                      row_of (command, optopt)->name);
	else if (problem == ':')
		monocle__usage_error (command, "option '%s' needs a value", word);
	else if (optopt != 0)
		monocle__usage_error (command, "option '%.*s' takes no value", (int) strcspn (word, "="), word);
	else
		unknown_name (command, word);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool
has_value (const monocle__option *option)
{
	return option->kind != MONOCLE__OPTION_ON && option->kind != MONOCLE__OPTION_OFF;
}

static bool
try_choice (const monocle__option *option, const char *value, size_t *ret_index)
{
	for (size_t i = 0; option->choice (i).name; i++) {
		if (strcmp (option->choice (i).name, value) == 0) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

static bool
try_value (const monocle__option *option, const char *value, void *target)
{
	switch (option->kind) {
	case MONOCLE__OPTION_ON: *(bool *) target = true; return true;
	case MONOCLE__OPTION_OFF: *(bool *) target = false; return true;
	case MONOCLE__OPTION_TEXT: *(const char **) target = value; return true;
	case MONOCLE__OPTION_NUMBER: return monocle__try_number (value, target);
	case MONOCLE__OPTION_CHOICE: return try_choice (option, value, target);
	case MONOCLE__OPTION_READ: return option->try_read (value, target);
	}
	return false;
}

typedef struct {
	struct option names[ROWS_MAX + 2];
	char letters[2 * ROWS_MAX + 4];
} getopt_tables;

/* `letters` begins with ":" (after a "+" if there is one), so that a missing value is told from an unknown option. */
static void
make_tables (const monocle__command *command, getopt_tables *ret_tables)
{
	const monocle__option *rows = rows_of (command);
	struct option *name = ret_tables->names;
	char *letter = stpcpy (ret_tables->letters, command->has_command ? "+:h" : ":h");
	for (int i = 0; i < ROWS_MAX && !monocle__option_is_end (&rows[i]); i++) {
		int takes = has_value (&rows[i]) ? required_argument : no_argument;
		if (rows[i].name)
			*name++ = (struct option) { rows[i].name, takes, NULL, FIRST_ROW + i };
		if (rows[i].letter)
			*letter++ = rows[i].letter;
		if (rows[i].letter && takes == required_argument)
			*letter++ = ':';
	}
	*letter = '\0';
	name[0] = (struct option) { "help", no_argument, NULL, 'h' };
	name[1] = (struct option) { 0 };
}

int
monocle__options_find_dashes (int argc, char *const *argv)
{
	int at = 1;
	while (at < argc && strcmp (argv[at], "--") != 0)
		at++;
	return at;
}

bool
monocle__options_read (const monocle__command *command, int argc, char **argv, void *arguments, int *ret_code)
{
	getopt_tables tables;
	int before = optind, option;
	opterr = 0;
	make_tables (command, &tables);
	for (; (option = getopt_long (argc, argv, tables.letters, tables.names, NULL)) != -1; before = optind) {
		const monocle__option *row;
		if (option == '?' || option == ':') {
			/* It moves on with the last letter of a word. */
			option_error (command, option, optind > before ? argv[optind - 1] : NULL);
			*ret_code = MONOCLE__EXIT_USAGE;
			return false;
		}
		if (option == 'h') {
			*ret_code = monocle__options_help (command);
			return false;
		}
		row = row_of (command, option);
		if (has_value (row) && optarg == argv[optind - 1] && strcmp (optarg, "--") == 0) {
			*ret_code = monocle__usage_error (command, "option '%s' needs a value before --", argv[optind - 2]);
			return false;
		}
		if (!try_value (row, optarg, (char *) arguments + row->target)) {
			*ret_code = value_error (command, row, optarg);
			return false;
		}
	}
	return true;
}

/* --- help --------------------------------------------------------------------------------------------------------- */

/* "self|total|calls". The caller frees. */
static char *
choice_pattern (const monocle__option *option)
{
	char *pattern = monocle__format ("%s", option->choice (0).name);
	for (size_t i = 1; option->choice (i).name; i++) {
		pattern = append (pattern, "|");
		pattern = append (pattern, option->choice (i).name);
	}
	return pattern;
}

/* "--sort=self|total|calls", "-o FILE". The caller frees. */
static char *
option_spelling (const monocle__option *option)
{
	char *spelling = option_word (option), *value;
	if (!has_value (option))
		return spelling;
	value = option->argument ? monocle__format ("%s", option->argument) : choice_pattern (option);
	spelling = append (append (spelling, option->letter ? " " : "="), value);
	free (value);
	return spelling;
}

/* Appends a part of the usage, on a new line when it does not fit any more. */
static char *
append_part (char *usage, char *part, size_t indent, size_t *column)
{
	if (*column + 1 + strlen (part) > WIDTH) {
		char *gap = monocle__format ("\n%*s", (int) indent, "");
		usage = append (usage, gap);
		free (gap);
		*column = indent;
	} else {
		usage = append (usage, " ");
		*column += 1;
	}
	*column += strlen (part);
	usage = append (usage, part);
	free (part);
	return usage;
}

/* One option and those that exclude it: "[--icicle|--no-icicle]". Leaves *row on the last of them. */
static char *
usage_part (const monocle__option **row)
{
	const monocle__option *first = *row;
	char *inner = option_spelling (first), *part;
	while (!monocle__option_is_end (*row + 1) && (*row)[1].target == first->target) {
		char *other = option_spelling (++*row);
		inner = append (append (inner, "|"), other);
		free (other);
	}
	part = monocle__format (first->is_needed ? "%s%s" : "[%s]%s", inner, first->is_repeated ? "..." : "");
	free (inner);
	return part;
}

/* The command line as a pattern, "report [FILE] [--tree]", broken where it would be longer than a line. */
static char *
usage_pattern (const monocle__command *command, size_t indent)
{
	char *usage = monocle__format ("%s", command->name);
	size_t column;
	indent += strlen (command->name) + 1;
	column = indent - 1;
	if (command->operands && !command->has_command)
		usage = append_part (usage, monocle__format ("%s", command->operands), indent, &column);
	for (const monocle__option *row = rows_of (command); !monocle__option_is_end (row); row++)
		usage = append_part (usage, usage_part (&row), indent, &column);
	if (command->operands && command->has_command)
		usage = append_part (usage, monocle__format ("-- %s", command->operands), indent, &column);
	return usage;
}

static size_t
longest_choice (const monocle__option *option)
{
	size_t longest = 0;
	for (size_t i = 0; option->choice (i).name; i++) {
		size_t length = strlen (option->choice (i).name);
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* What is to the right of an option, lines without its indentation. The caller frees. */
static char *
right_side (const monocle__option *option)
{
	char *text = monocle__format ("%s", option->help ? option->help : "");
	for (size_t i = 0; option->kind == MONOCLE__OPTION_CHOICE && option->choice (i).name; i++) {
		char *line;
		if (!option->choice (i).help)
			break;
		line = monocle__format ("%s%-*s  %s", *text ? "\n" : "", (int) longest_choice (option), option->choice (i).name,
		                        option->choice (i).help);
		text = append (text, line);
		free (line);
	}
	return text;
}

/* "-o, --output=FILE". The caller frees. */
static char *
both_spellings (const monocle__option *option)
{
	monocle__option named = *option;
	char *name, *both;
	named.letter = 0;
	if (!option->letter || !option->name)
		return option_spelling (option);
	name = option_spelling (&named);
	both = monocle__format ("-%c, %s", option->letter, name);
	free (name);
	return both;
}

/* An option that is longer than its column has a line of its own. */
static void
print_option (const monocle__option *option, int column)
{
	char *left = both_spellings (option), *right = right_side (option), *line = right;
	if ((int) strlen (left) > column - 4)
		printf ("  %s\n%*s", left, column, "");
	else
		printf ("  %-*s", column - 2, left);
	for (;; printf ("%*s", column, "")) {
		size_t length = strcspn (line, "\n");
		printf ("%.*s\n", (int) length, line);
		line += length;
		if (!*line++)
			break;
	}
	free (left);
	free (right);
}

/* Where the right side begins: two blanks after the longest option that is not very long, on an even column. */
static int
right_column (const monocle__option *rows)
{
	size_t longest = 0;
	for (; !monocle__option_is_end (rows); rows++) {
		char *left = both_spellings (rows);
		if (strlen (left) <= LEFT_MOST)
			longest = strlen (left) > longest ? strlen (left) : longest;
		free (left);
	}
	return (int) ((longest + 5) / 2 * 2);
}

int
monocle__options_help (const monocle__command *command)
{
	const monocle__option *rows = rows_of (command);
	char *usage = usage_pattern (command, strlen ("usage: monocle "));
	int column = right_column (rows);
	printf ("usage: monocle %s\n\n%s", usage, command->about);
	if (!monocle__option_is_end (rows))
		putchar ('\n');
	for (; !monocle__option_is_end (rows); rows++)
		print_option (rows, column);
	if (command->more)
		printf ("\n%s", command->more);
	printf ("\nExamples:\n%s", command->examples);
	free (usage);
	return monocle__output_finish (stdout, NULL);
}
