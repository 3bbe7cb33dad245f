/*
 * SPDX-License-Identifier: MIT
 *
 * completion.c - see completion.h. Commands, options and their values are the rows that --help prints; a module's
 * options are what the module says of itself.
 */
#include "completion.h"

#include "commands.h"
#include "format.h"
#include "module/layout.h"
#include "module/module-ask.h"
#include "module/module-file.h"
#include "module/module-list.h"
#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The word that is being typed: what of it stays as it is, and what was typed behind that. */
typedef struct {
	FILE *out;
	const char *prefix; /* not ended: `prefix_length` bytes */
	size_t prefix_length;
	const char *typed;
} current;

static current
current_at (FILE *out, const char *word, size_t prefix_length)
{
	return (current) { out, word, prefix_length, word + prefix_length };
}

static bool
begins_with (const char *text, const char *begin)
{
	return strncmp (text, begin, strlen (begin)) == 0;
}

/* `end` goes behind the word: "", "=" or ":". Of the help only the first line is shown. */
static void
offer (const current *at, const char *word, const char *end, const char *help)
{
	help = help ? help : "";
	if (begins_with (word, at->typed))
		fprintf (at->out, "%.*s%s%s\t%.*s\n", (int) at->prefix_length, at->prefix, word, end,
		         (int) strcspn (help, "\n"), help);
}

static void
offer_files (const current *at, const char *ends)
{
	fprintf (at->out, ":files\t%.*s\t%s\n", (int) at->prefix_length, at->prefix, ends);
}

static void
offer_profiles (const current *at)
{
	char *ends = monocle__format (".mcov .pb .spool");
	for (size_t i = 0; i < monocle__file_format_count; i++) {
		char *longer;
		if (!monocle__file_formats[i].parse)
			continue;
		longer = monocle__format ("%s %s", ends, monocle__file_formats[i].extension);
		free (ends);
		ends = longer;
	}
	offer_files (at, ends);
	free (ends);
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

/* What the module's `help` prints, a line for each option; NULL: it could not be asked. The caller frees. */
static char *
ask_help (const monocle__layout *layout, const char *name)
{
	char *path = monocle__module_file_find (layout, name), *text = NULL;
	FILE *file = tmpfile ();
	size_t size = 0;
	if (path && file && monocle__module_ask_is_ours (layout, path) &&
	    monocle__module_ask (layout, path, name, fileno (file)) == MONOCLE__ASK_RIGHT) {
		long end = fseek (file, 0, SEEK_END) == 0 ? ftell (file) : 0;
		rewind (file);
		text = end > 0 ? malloc ((size_t) end + 1) : NULL;
		if (text)
			size = fread (text, 1, (size_t) end, file);
	}
	if (text)
		text[size] = '\0';
	if (file)
		fclose (file);
	free (path);
	return text;
}

/* "cpu|wall": words that are values. Capitals say what a value is, and are none. */
static bool
is_list (const char *pattern)
{
	return strchr (pattern, '|') && strspn (pattern, "abcdefghijklmnopqrstuvwxyz-|") == strlen (pattern);
}

static void
offer_list (const current *at, const char *pattern)
{
	while (*pattern) {
		size_t length = strcspn (pattern, "|");
		char *word = monocle__format ("%.*s", (int) length, pattern);
		offer (at, word, "", NULL);
		free (word);
		pattern += length + (pattern[length] == '|');
	}
}

/* The value of an option of a module, whose row says "KEY=pattern". */
static void
offer_module_value (const current *at, const char *pattern)
{
	size_t key = strcspn (at->typed, "=") + 1;
	current value = current_at (at->out, at->prefix, at->prefix_length + key);
	if (is_list (pattern))
		offer_list (&value, pattern);
	else if (begins_with (pattern, "FILE"))
		offer_files (&value, "");
}

/* A row of the help: "[no]threads   keep threads apart", "mode=cpu|wall   what is measured". Cuts it up. */
static void
offer_module_option (const current *at, char *row)
{
	bool is_switch = begins_with (row, "[no]");
	char *word = is_switch ? row + strlen ("[no]") : row, *help = word + strcspn (word, " "), *equals;
	if (*help)
		*help++ = '\0';
	help += strspn (help, " ");
	equals = strchr (word, '=');
	if (equals)
		*equals++ = '\0';
	if (equals && begins_with (at->typed, word) && at->typed[strlen (word)] == '=')
		offer_module_value (at, equals);
	else
		offer (at, word, equals ? "=" : "", help);
	if (is_switch && begins_with (at->typed, "no")) {
		char *off = monocle__format ("no%s", word);
		offer (at, off, "", help);
		free (off);
	}
}

static void
offer_module_options (const current *at, const monocle__layout *layout, const char *desc)
{
	char *help = ask_help (layout, desc), *row, *rest = help;
	const char *comma = strrchr (at->typed, ',');
	size_t done = comma ? (size_t) (comma + 1 - at->typed) : 0;
	current option = current_at (at->out, at->prefix, at->prefix_length + done);
	while (help && (row = strsep (&rest, "\n"))) {
		if (begins_with (row, "  ") && row[2] != ' ')
			offer_module_option (&option, row + 2);
	}
	if (help)
		fputs (":open\t\t\n", at->out);
	free (help);
}

/* Our own modules take options: the name alone is a whole word, and so is the beginning of a longer one. */
static void
offer_modules (const current *at, const monocle__layout *layout, bool with_options)
{
	monocle__module_list list;
	monocle__module_list_init (&list, layout);
	for (size_t i = 0; i < list.count; i++) {
		const monocle__module *module = &list.modules[i];
		char *summary;
		if (module->is_hidden)
			continue;
		summary = monocle__module_file_summary (module->name, module->path);
		offer (at, module->name, "", summary);
		if (with_options && monocle__module_ask_is_ours (layout, module->path))
			offer (at, module->name, ":", "with options");
		free (summary);
	}
	monocle__module_list_done (&list);
}

/* NAME[:OPTION,OPTION...] */
static void
offer_desc (const current *at)
{
	size_t name = strcspn (at->typed, ":");
	monocle__layout layout;
	monocle__layout_find (&layout);
	if (at->typed[name] == ':') {
		current options = current_at (at->out, at->prefix, at->prefix_length + name + 1);
		char *desc = monocle__format ("%.*s", (int) name, at->typed);
		offer_module_options (&options, &layout, desc);
		free (desc);
	} else
		offer_modules (at, &layout, true);
	monocle__layout_done (&layout);
}

static void
offer_module_names (const current *at)
{
	monocle__layout layout;
	monocle__layout_find (&layout);
	offer_modules (at, &layout, false);
	monocle__layout_done (&layout);
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static bool
takes_value (const monocle__option *option)
{
	return option->kind != MONOCLE__OPTION_ON && option->kind != MONOCLE__OPTION_OFF;
}

static const monocle__option *
rows_of (const monocle__command *command)
{
	static const monocle__option none[] = { { 0 } };
	return command->options ? command->options : none;
}

/* The option whose value follows `word`, which is "--sort" or "-n"; NULL: none takes one. */
static const monocle__option *
option_before_value (const monocle__command *command, const char *word)
{
	for (const monocle__option *row = rows_of (command); !monocle__option_is_end (row); row++) {
		bool is_letter = word[0] == '-' && row->letter && word[1] == row->letter && !word[2];
		bool is_name = begins_with (word, "--") && row->name && strcmp (word + 2, row->name) == 0;
		if (takes_value (row) && (is_letter || is_name))
			return row;
	}
	return NULL;
}

static bool
is_file (const char *argument)
{
	return begins_with (argument, "FILE") || begins_with (argument, "FOLDER") || begins_with (argument, "OUT");
}

static void
offer_value (const current *at, const monocle__option *option)
{
	if (option->kind == MONOCLE__OPTION_CHOICE) {
		for (size_t i = 0; option->choice (i).name; i++)
			offer (at, option->choice (i).name, "", option->choice (i).help);
	} else if (option->argument && begins_with (option->argument, "NAME[:"))
		offer_desc (at);
	else if (option->argument && is_file (option->argument))
		offer_files (at, "");
}

/* A letter stands for its name until two dashes were typed, as in the help. */
static void
offer_options (const current *at, const monocle__command *command)
{
	bool is_long = begins_with (at->typed, "--");
	for (const monocle__option *row = rows_of (command); !monocle__option_is_end (row); row++) {
		bool by_letter = row->letter && (!is_long || !row->name);
		char *word = by_letter ? monocle__format ("-%c", row->letter) : monocle__format ("--%s", row->name);
		offer (at, word, takes_value (row) && !by_letter ? "=" : "", row->help);
		free (word);
	}
	offer (at, "--help", "", "print the command's help");
	if (command->has_command)
		offer (at, "--", "", "the command follows");
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

/* A process names itself, and what is offered comes into a command line as it is: no shell may find a meaning in it. */
static bool
is_plain (const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
	return *name && *name != '-' && !name[strspn (name, plain)];
}

/* By their names, and by their numbers where one is typed. */
static void
offer_processes (const current *at)
{
	bool is_number = *at->typed >= '0' && *at->typed <= '9';
	size_t count = 0;
	monocle__live_process *processes = monocle__live_processes_new (&count);
	for (size_t i = 0; processes && i < count; i++) {
		const monocle__live_process *process = &processes[i];
		char *number = monocle__format ("%d", (int) process->pid);
		char *help = monocle__format ("%s %s", monocle__live_process_kind_name (process->kind),
		                              is_number ? process->program : number);
		if (is_plain (process->program))
			offer (at, is_number ? number : process->program, "", help);
		free (help);
		free (number);
	}
	if (processes)
		monocle__live_processes_free (processes, count);
}

/* How many operands are among the words before the one that is typed. */
static size_t
count_operands (const monocle__command *command, char *const *words, size_t count)
{
	size_t operands = 0;
	for (size_t i = 0; i + 1 < count; i++) {
		if (option_before_value (command, words[i]))
			i++;
		else
			operands += words[i][0] != '-';
	}
	return operands;
}

static void
offer_operand (const current *at, const monocle__command *command, size_t before)
{
	const char *operands = command->operands ? command->operands : "";
	if (is_list (operands))
		offer_list (at, operands);
	else if (begins_with (operands, "PID") && before == 1 && command->verbs)
		offer_list (at, command->verbs);
	else if (begins_with (operands, "PID|NAME") && before == 0)
		offer_processes (at);
	else if (command->has_command || strstr (operands, "PROGRAM"))
		fputs (":programs\n", at->out);
	else if (strstr (operands, "FILE") || strstr (operands, "BEFORE"))
		offer_profiles (at);
}

/* Where the command line begins that `run` starts: behind "--", or at the first operand; `count`: not yet. */
static size_t
find_command (const monocle__command *command, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp (words[i], "--") == 0)
			return i + 1;
		if (option_before_value (command, words[i]))
			i++;
		else if (words[i][0] != '-')
			return i;
	}
	return count;
}

/* `words` are those behind the command's name. */
static void
offer_argument (FILE *out, const monocle__command *command, char *const *words, size_t count)
{
	const char *typed = words[count - 1], *equals = strchr (typed, '=');
	size_t value = equals && begins_with (typed, "--") ? (size_t) (equals + 1 - typed) : 0;
	char *word = monocle__format ("%.*s", value ? (int) value - 1 : 0, typed);
	const monocle__option *option = option_before_value (command, value ? word : count > 1 ? words[count - 2] : "");
	current at = current_at (out, typed, value);
	if (option)
		offer_value (&at, option);
	else if (*typed == '-' && !value)
		offer_options (&at, command);
	else if (!value)
		offer_operand (&at, command, count_operands (command, words, count));
	free (word);
}

static const monocle__command *
find (const char *name)
{
	for (size_t i = 0; i < monocle__command_count; i++) {
		if (strcmp (monocle__commands[i]->name, name) == 0)
			return monocle__commands[i];
	}
	return NULL;
}

static void
offer_commands (const current *at)
{
	for (size_t i = 0; i < monocle__command_count; i++)
		offer (at, monocle__commands[i]->name, "", monocle__commands[i]->summary);
}

static void
offer_first (const current *at)
{
	offer_commands (at);
	offer (at, "help", "", "print the help of a command or of a module");
	if (*at->typed == '-') {
		offer (at, "--help", "", "list the commands");
		offer (at, "--version", "", "print the version");
	}
}

void
monocle__completion_write (FILE *out, char *const *words, size_t count)
{
	const monocle__command *command = count > 1 ? find (words[0]) : NULL;
	current last;
	size_t start;
	if (count == 0)
		return;
	last = current_at (out, words[count - 1], 0);
	if (count == 1)
		offer_first (&last);
	else if (count == 2 && strcmp (words[0], "help") == 0) {
		offer_commands (&last);
		offer_module_names (&last);
	}
	if (!command)
		return;
	start = command->has_command ? 1 + find_command (command, words + 1, count - 2) : count;
	if (command->has_command && start < count - 1)
		fprintf (out, ":command\t%zu\n", start);
	else if (command->has_command && count > 2 && strcmp (words[count - 2], "--") == 0)
		fputs (":programs\n", out);
	else
		offer_argument (out, command, words + 1, count - 1);
}
