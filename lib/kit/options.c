/*
 * SPDX-License-Identifier: MIT
 *
 * options.c - the arguments of a module's desc, by Mono's grammar.
 *
 * The text is cut into key and value first, everything is checked against the rows, and only when all of it is right
 * are the values stored: a module whose options are wrong keeps its defaults and can say so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <monocle/kit.h>

#include "duration.h"
#include "nearest.h"

/* What one argument means; waits until all are known to be right. */
struct setting {
	const monocle_kit_option *row;
	uint64_t number;
	char *text; /* owned until it is stored */
	struct setting *next;
};

static bool
is_list (const monocle_kit_option *row)
{
	return row->kind == MONOCLE_KIT_OPTION_LIST || row->kind == MONOCLE_KIT_OPTION_WITHOUT;
}

static bool
is_text (const monocle_kit_option *row)
{
	return row->kind == MONOCLE_KIT_OPTION_STRING || is_list (row);
}

/*
 * Cuts the next argument out of `*text`: up to a comma that is neither quoted nor preceded by a backslash. The result
 * has the quotes and backslashes taken away. NULL at the end of the text; `*ret_wrong` is set when a quote stays open.
 */
static char *
next_argument (const char **text, bool *ret_wrong)
{
	const char *in = *text;
	char *argument = malloc (strlen (in) + 1);
	if (!argument)
		return NULL;
	char *out = argument;
	char quote = '\0';
	for (; *in && (quote || *in != ','); in++) {
		if (*in == '\\' && in[1])
			*out++ = *++in;
		else if (quote ? *in == quote : *in == '\'' || *in == '"')
			quote = quote ? '\0' : *in;
		else
			*out++ = *in;
	}
	*out = '\0';
	*ret_wrong = quote != '\0';
	*text = *in == ',' ? in + 1 : in;
	return argument;
}

static const char *
nearest_key (const monocle_kit_option *rows, const char *key)
{
	const char *best = "help";
	size_t least = monocle__nearest_distance (key, best);
	for (; rows->key; rows++) {
		size_t distance = monocle__nearest_distance (key, rows->key);
		if (distance < least) {
			least = distance;
			best = rows->key;
		}
	}
	return best;
}

static bool
try_flag (const char *value, uint64_t *ret_number)
{
	if (!value || !strcmp (value, "1") || !strcmp (value, "true")) {
		*ret_number = 1;
		return true;
	}
	*ret_number = 0;
	return !strcmp (value, "0") || !strcmp (value, "false");
}

static bool
try_number (const monocle_kit_option *row, const char *value, uint64_t *ret_number)
{
	char *end;
	if (!value || *value < '0' || *value > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull (value, &end, 10);
	unsigned shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
	if (errno || end[shift != 0] != '\0' || number > UINT64_MAX >> shift)
		return false;
	number <<= shift;
	*ret_number = number;
	return number >= row->min && (row->max == 0 || number <= row->max);
}

/* The position of `value` among "a|b|c". */
static bool
try_choice (const char *choices, const char *value, uint64_t *ret_number)
{
	size_t length = value ? strlen (value) : 0;
	*ret_number = 0;
	for (const char *choice = choices; length; (*ret_number)++) {
		size_t n = strcspn (choice, "|");
		if (n == length && !strncmp (choice, value, n))
			return true;
		if (choice[n] == '\0')
			break;
		choice += n + 1;
	}
	return false;
}

/* "a,b" as "-a,-b". NULL: no memory. */
static char *
exclude_items (const char *value)
{
	size_t items = 1;
	for (const char *c = value; *c; c++)
		items += *c == ',';
	char *text = malloc (strlen (value) + items + 1);
	char *out = text;
	for (bool begins = true; out && *value; value++) {
		if (begins)
			*out++ = '-';
		begins = *value == ',';
		*out++ = *value;
	}
	if (out)
		*out = '\0';
	return text;
}

static const monocle_kit_option *
find_row (const monocle_kit_option *rows, const char *key)
{
	for (; rows->key; rows++)
		if (!strcmp (rows->key, key))
			return rows;
	return NULL;
}

static void
complain_of_value (const char *module, const monocle_kit_option *row, const char *value)
{
	if (!value)
		value = "";
	const char *hint = strchr (value, ':') ? "; options are separated by commas" : "";
	if (row->kind == MONOCLE_KIT_OPTION_U64 && row->max)
		monocle_kit_log_failure (module, "option %s=%s: a number from %llu to %llu is wanted%s", row->key, value,
		                         (unsigned long long) row->min, (unsigned long long) row->max, hint);
	else if (row->kind == MONOCLE_KIT_OPTION_U64)
		monocle_kit_log_failure (module, "option %s=%s: a number from %llu on is wanted%s", row->key, value,
		                         (unsigned long long) row->min, hint);
	else if (row->kind == MONOCLE_KIT_OPTION_CHOICE)
		monocle_kit_log_failure (module, "option %s=%s: one of %s is wanted%s", row->key, value, row->choices, hint);
	else if (row->kind == MONOCLE_KIT_OPTION_TIME)
		monocle_kit_log_failure (module, "option %s=%s: a time is wanted, a number with ns, us, ms, s, m or h%s",
		                         row->key, value, hint);
	else if (row->kind == MONOCLE_KIT_OPTION_FLAG)
		monocle_kit_log_failure (module, "option %s=%s: 0, 1, true or false is wanted%s", row->key, value, hint);
	else
		monocle_kit_log_failure (module, "option %s needs a value: %s=%s", row->key, row->key,
		                         row->choices ? row->choices : "TEXT");
}

/* Reads `value` (NULL: the key was alone) as the row wants it. */
static bool
try_value (const monocle_kit_option *row, const char *value, struct setting *setting)
{
	switch (row->kind) {
	case MONOCLE_KIT_OPTION_FLAG: return try_flag (value, &setting->number);
	case MONOCLE_KIT_OPTION_U64: return try_number (row, value, &setting->number);
	case MONOCLE_KIT_OPTION_CHOICE: return try_choice (row->choices, value, &setting->number);
	case MONOCLE_KIT_OPTION_TIME: return value && monocle__duration_read (value, 0, &setting->number);
	case MONOCLE_KIT_OPTION_STRING:
	case MONOCLE_KIT_OPTION_LIST: setting->text = value ? strdup (value) : NULL; return setting->text != NULL;
	case MONOCLE_KIT_OPTION_WITHOUT: setting->text = value ? exclude_items (value) : NULL; return setting->text != NULL;
	}
	return false;
}

/*
 * `before`: the option before it. Where that is a text, the key may be the rest of its value after a comma that was not
 * quoted, or whose quotes the shell took away.
 */
static void
complain_of_key (const char *module, const monocle_kit_option *rows, const char *key, const monocle_kit_option *before)
{
	const char *nearest = nearest_key (rows, key);
	if (monocle__nearest_distance (key, nearest) <= strlen (key) / 2 || !strncmp (key, nearest, strlen (key)))
		monocle_kit_log_failure (module, "unknown option \"%s\"; did you mean \"%s\"?", key, nearest);
	else if (before && is_text (before))
		monocle_kit_log_failure (module,
		                         "unknown option \"%s\"; a comma that belongs to %s= wants a backslash or "
		                         "quotes, and the shell must leave them: --profile=\"%s:%s='...,...'\"",
		                         key, before->key, module, before->key);
	else
		monocle_kit_log_failure (module, "unknown option \"%s\"; monocle help %s prints all", key, module);
}

/* Understands one argument. 0, or -1 when it is wrong (logged). */
static int
read_argument (const char *module, const monocle_kit_option *rows, const monocle_kit_option *before, char *argument,
               struct setting *setting)
{
	char *value = strchr (argument, '=');
	if (value)
		*value++ = '\0';
	const monocle_kit_option *row = find_row (rows, argument);
	if (!row && !value && !strncmp (argument, "no", 2)) {
		row = find_row (rows, argument + 2);
		if (row && row->kind == MONOCLE_KIT_OPTION_FLAG) {
			setting->row = row;
			setting->number = 0;
			return 0;
		}
		row = NULL;
	}
	if (!row) {
		complain_of_key (module, rows, argument, before);
		return -1;
	}
	setting->row = row;
	if (try_value (row, value, setting))
		return 0;
	complain_of_value (module, row, value);
	return -1;
}

/* Texts of one list are put into the last of them, in their order. False: no memory. */
static bool
join_lists (struct setting *setting)
{
	for (; setting; setting = setting->next) {
		struct setting *later = setting->row && is_list (setting->row) ? setting->next : NULL;
		while (later && !(later->row && later->row->value == setting->row->value))
			later = later->next;
		if (!later)
			continue;
		char *joined = malloc (strlen (setting->text) + strlen (later->text) + 2);
		if (!joined)
			return false;
		stpcpy (stpcpy (stpcpy (joined, setting->text), ","), later->text);
		free (later->text);
		later->text = joined;
		free (setting->text);
		setting->text = NULL;
		setting->row = NULL;
	}
	return true;
}

/* Of an option that is given twice the last counts. */
static bool
is_given_again (const struct setting *setting)
{
	for (const struct setting *later = setting->next; later; later = later->next)
		if (later->row == setting->row)
			return true;
	return false;
}

/* Stores the settings (or, when something was wrong, drops them) and frees the list. */
static void
settle (struct setting *setting, bool store)
{
	while (setting) {
		struct setting *next = setting->next;
		if (!store || !setting->row || is_given_again (setting))
			free (setting->text);
		else if (setting->row->kind == MONOCLE_KIT_OPTION_FLAG)
			*(bool *) setting->row->value = setting->number != 0;
		else if (setting->row->kind == MONOCLE_KIT_OPTION_U64 || setting->row->kind == MONOCLE_KIT_OPTION_TIME)
			*(uint64_t *) setting->row->value = setting->number;
		else if (setting->row->kind == MONOCLE_KIT_OPTION_CHOICE)
			*(uint32_t *) setting->row->value = (uint32_t) setting->number;
		else
			*(const char **) setting->row->value = setting->text; /* For the life of the process, as its module. */
		free (setting);
		setting = next;
	}
}

/* In the largest unit that leaves a whole number. */
static void
print_time (uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;
	for (; ns && ns % 1000 == 0 && unit < 3; unit++)
		ns /= 1000;
	printf ("%llu%s", (unsigned long long) ns, ns ? units[unit] : "");
}

/* A text that is NULL has no value to show: the row's help says what holds then. A list shows it in its first row. */
static void
print_default (const monocle_kit_option *row, const monocle_kit_option *rows)
{
	if (is_text (row) && !*(const char **) row->value)
		return;
	for (; is_list (row) && rows < row; rows++)
		if (rows->value == row->value)
			return;
	printf (" (default: ");
	if (row->kind == MONOCLE_KIT_OPTION_FLAG)
		printf ("%s", *(bool *) row->value ? "on" : "off");
	else if (row->kind == MONOCLE_KIT_OPTION_U64)
		printf ("%llu", (unsigned long long) *(uint64_t *) row->value);
	else if (is_text (row))
		printf ("%s", *(const char **) row->value);
	else if (row->kind == MONOCLE_KIT_OPTION_TIME)
		print_time (*(uint64_t *) row->value);
	else {
		const char *choice = row->choices;
		for (uint32_t i = *(uint32_t *) row->value; i; i--)
			choice += strcspn (choice, "|") + 1;
		printf ("%.*s", (int) strcspn (choice, "|"), choice);
	}
	printf (")");
}

static void
print_help (const char *module, const monocle_kit_option *rows)
{
	printf ("Options of %s, comma separated behind a colon (--profile=%s:KEY=VALUE,KEY):\n", module, module);
	const monocle_kit_option *first = rows;
	for (; rows->key; rows++) {
		const char *value = rows->kind == MONOCLE_KIT_OPTION_U64 && !rows->choices ? "N"
		                  : rows->kind == MONOCLE_KIT_OPTION_TIME                  ? "TIME"
		                                                                           : rows->choices;
		char left[80];
		if (rows->kind == MONOCLE_KIT_OPTION_FLAG)
			snprintf (left, sizeof left, "[no]%s", rows->key);
		else
			snprintf (left, sizeof left, "%s=%s", rows->key, value ? value : "TEXT");
		printf ("  %-24s %s", left, rows->help);
		print_default (rows, first);
		printf ("\n");
	}
	printf ("  %-24s %s\n", "help", "print this and end");
	fflush (stdout);
}

/* One argument of the text into `*ret_setting`. 0; 1 `help`; -1 wrong (logged). */
static int
read_next (const char *module, const monocle_kit_option *rows, const monocle_kit_option *before, const char **text,
           struct setting *setting)
{
	bool open_quote = false;
	char *argument = next_argument (text, &open_quote);
	int result = 0;
	if (!argument) {
		monocle_kit_log_failure (module, "no memory for the options");
		return -1;
	}
	if (open_quote) {
		monocle_kit_log_failure (module, "option %s: a quote is not closed", argument);
		result = -1;
	} else if (!strcmp (argument, "help"))
		result = 1;
	else if (*argument)
		result = read_argument (module, rows, before, argument, setting);
	free (argument);
	return result;
}

int
monocle_kit_options_parse (const char *module, const char *desc, const monocle_kit_option *rows)
{
	const char *text = desc ? strchr (desc, ':') : NULL;
	struct setting *first = NULL, **last = &first;
	const monocle_kit_option *before = NULL;
	int result = 0;
	text = text ? text + 1 : "";
	while (result == 0 && *text) {
		struct setting *setting = *last = calloc (1, sizeof *setting);
		if (!setting)
			monocle_kit_log_failure (module, "no memory for the options");
		result = setting ? read_next (module, rows, before, &text, setting) : -1;
		if (setting) {
			last = &setting->next;
			before = setting->row;
		}
	}
	if (result == 0 && !join_lists (first)) {
		monocle_kit_log_failure (module, "no memory for the options");
		result = -1;
	}
	settle (first, result == 0);
	if (result == 1)
		print_help (module, rows);
	return result;
}
