/*
 * SPDX-License-Identifier: MIT
 *
 * short-name.c - see short-name.h.
 *
 * "(wrapper) Namespace.Type<args>.Method<args> (parameters)": parts are found by what separates them outside of
 * brackets. What is left of the method's own dot is its type up to the dot before, and the rest the namespace. A lambda
 * is nothing without the method that it is in, so the two count as one name.
 */
#include "short-name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "width.h"

enum { NAME_SIZE = 8192 };

typedef struct {
	const char *type, *method, *parameters; /* where they begin; parameters: their blank, or the end */
} parts;

static int
depth_change (char letter)
{
	return (letter == '<' || letter == '[' || letter == '(') - (letter == '>' || letter == ']' || letter == ')');
}

/* Where the " (...)" at the end begins; the end: there is none. */
static const char *
find_parameters (const char *name)
{
	const char *end = name + strlen (name);
	int depth = 0;
	if (end == name || end[-1] != ')')
		return end;
	for (const char *at = end; at > name; at--) {
		depth += (at[-1] == ')') - (at[-1] == '(');
		if (depth == 0)
			return at - 1 > name && at[-2] == ' ' ? at - 2 : at - 1;
	}
	return end;
}

/* What follows the last separator before `end`; `from` if there is none. A constructor's name begins with a dot. */
static const char *
last_part (const char *from, const char *end)
{
	int depth = 0;
	for (const char *at = end; at > from; at--) {
		depth -= depth_change (at[-1]);
		if (depth == 0 && strchr (".:/!", at[-1]))
			return at - 1 > from && at[-1] == '.' && strchr (".:", at[-2]) ? at - 1 : at;
	}
	return from;
}

static const char *
before_separator (const char *from, const char *part)
{
	return part > from ? part - 1 : part;
}

static bool
is_lambda (const char *part, const char *end)
{
	static const char word[] = "lambda";
	if ((size_t) (end - part) < strlen (word) || memcmp (part, word, strlen (word)) != 0)
		return false;
	for (part += strlen (word); part < end && *part >= '0' && *part <= '9';)
		part++;
	return part == end;
}

static parts
find_parts (const char *name)
{
	parts p = { .parameters = find_parameters (name) };
	const char *start = name, *close = strncmp (name, "(wrapper ", 9) == 0 ? strchr (name, ')') : NULL;
	if (close && close < p.parameters && close[1] == ' ')
		start = close + 2;
	p.method = last_part (start, p.parameters);
	if (is_lambda (p.method, p.parameters))
		p.method = last_part (start, before_separator (start, p.method));
	p.type = last_part (start, before_separator (start, p.method));
	return p;
}

/* Without what is between pointed brackets, but those that a name begins with: "<>c", "<Main>". */
static size_t
copy_without_arguments (const char *from, const char *end, const char *mark, char *to)
{
	size_t length = 0;
	int depth = 0;
	for (const char *at = from; at < end; at++) {
		bool opens = *at == '<' && at > from && !strchr (".:/<", at[-1]);
		if (depth == 0 && opens)
			length += (size_t) sprintf (to + length, "<%s>", mark);
		if (depth == 0 && !opens)
			to[length++] = *at;
		else
			depth += (*at == '<') - (*at == '>');
	}
	to[length] = '\0';
	return length;
}

/* Is a name that begins at `from` and ends with `tail` narrow enough? Leaves it in `out`. */
static bool
try_name (const char *from, const char *end, const char *tail, size_t columns, char *out)
{
	snprintf (out, NAME_SIZE, "%.*s%s", (int) (end - from), from, tail);
	return monocle__utf8_width (out) <= columns;
}

/* Leaves in `out` the first of ever shorter names that fits, or the shortest. */
static void
shorten (const char *name, size_t columns, const char *mark, char *out)
{
	char plain[NAME_SIZE], tail[32] = "";
	parts p = find_parts (name);
	bool is_marked = strcmp (p.parameters, " (async)") == 0 || strcmp (p.parameters, " (iterator)") == 0;
	if (is_marked)
		snprintf (tail, sizeof tail, "%s", p.parameters);
	else if (*p.parameters && strcmp (p.parameters, " ()") != 0 && strcmp (p.parameters, "()") != 0)
		snprintf (tail, sizeof tail, " (%.8s)", mark);
	else if (*p.parameters)
		snprintf (tail, sizeof tail, "%s", p.parameters);
	if (try_name (name, p.parameters, tail, columns, out) ||
	    try_name (name, p.parameters, is_marked ? tail : "", columns, out))
		return;
	if (try_name (p.type, p.parameters, tail, columns, out) ||
	    try_name (p.type, p.parameters, is_marked ? tail : "", columns, out))
		return;
	if (!is_marked)
		*tail = '\0';
	copy_without_arguments (p.type, p.parameters, mark, plain);
	if (try_name (plain, plain + strlen (plain), tail, columns, out))
		return;
	copy_without_arguments (p.method, p.parameters, mark, plain);
	if (try_name (plain, plain + strlen (plain), tail, columns, out))
		return;
	try_name (plain, plain + strcspn (plain, "<"), "", columns, out);
	if (!*out)
		snprintf (out, NAME_SIZE, "%s", plain);
}

void
monocle__short_name (const char *name, size_t columns, const char *mark, char *buffer, size_t size)
{
	char shorter[NAME_SIZE];
	bool fits = columns == 0 || monocle__utf8_width (name) <= columns;
	/* Marks for left-out arguments may make a short text longer; what is that long is cut anyway. */
	if (fits || strlen (name) >= NAME_SIZE / 4) {
		monocle__utf8_elide (name, columns, mark, buffer, size);
		return;
	}
	shorten (name, columns, mark, shorter);
	monocle__utf8_elide (shorter, columns, mark, buffer, size);
}
