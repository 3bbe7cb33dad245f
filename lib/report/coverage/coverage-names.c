/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-names.c - names of classes for people, and what the names that compilers give to what they make tell.
 *
 * Roslyn and mcs put the name of the method that a person wrote between angle brackets, which nest: <Main>b__0_1,
 * <Main>g__Local|0_0, <Fetch>d__3, <<Main>b__0_0>d, <It>c__Iterator0, <Main>c__AnonStorey0, <>c, <>m__0. F# names
 * closures NAME@LINE, and Visual Basic VB$StateMachine_3_NAME, VB$StateMachine___Lambda$__2, _Closure$__1-0 and
 * _Lambda$__1-0.
 */
#include "coverage-raw.h"

#include <stdlib.h>
#include <string.h>

enum { ARITY_LIMIT = 64, CLASS_LIMIT = 512 };

static const char machine[] = "VB$StateMachine_";

static bool
begins (const char *text, size_t length, const char *with)
{
	size_t size = strlen (with);
	return length >= size && memcmp (text, with, size) == 0;
}

/* Index after the bracket that closes the first one; 0: none does. */
static size_t
closing (const char *text, size_t length)
{
	size_t depth = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '<')
			depth++;
		else if (text[i] == '>' && --depth == 0)
			return i + 1;
	}
	return 0;
}

static bool
is_lambda_machine (const char *text, size_t length)
{
	return begins (text, length, "VB$StateMachine___Lambda$__");
}

/* NAME@12: where the name ends; 0: it is none. */
static size_t
closure_end (const char *text, size_t length)
{
	for (size_t i = 1; i + 1 < length; i++) {
		if (text[i] == '@' && text[i + 1] >= '0' && text[i + 1] <= '9')
			return i;
	}
	return 0;
}

/* square$W: F# makes it of an inline function, for calls that are not put in. Where the name ends; 0: it is none. */
static size_t
witness_end (const char *text, size_t length)
{
	return length > 2 && memcmp (text + length - 2, "$W", 2) == 0 ? length - 2 : 0;
}

/* <Main>$ is what a person wrote without a method around it. */
static bool
is_made (const char *text, size_t length)
{
	size_t after;
	if (length == 0)
		return false;
	if (text[0] != '<')
		return closure_end (text, length) || witness_end (text, length) || begins (text, length, machine) ||
		       begins (text, length, "_Closure$__") || begins (text, length, "_Lambda$__");
	after = closing (text, length);
	return after != 0 && !(after < length && text[after] == '$');
}

/* VB$StateMachine_12_Work and VB$StateMachine_12_Work`1 are of Work; of a lambda it is not said where it is. */
static size_t
name_of_machine (const char *text, size_t length, const char **ret_name)
{
	const char *under, *tick;
	*ret_name = text;
	if (is_lambda_machine (text, length) || !(under = memchr (text + 16, '_', length - 16)))
		return 0;
	*ret_name = under + 1;
	tick = memchr (*ret_name, '`', (size_t) (text + length - *ret_name));
	return (size_t) ((tick ? tick : text + length) - *ret_name);
}

/* The name in a name; of length 0 when there is none. */
static size_t
name_inside (const char *text, size_t length, const char **ret_name)
{
	size_t after;
	*ret_name = text;
	if (begins (text, length, machine))
		return name_of_machine (text, length, ret_name);
	if (text[0] != '<')
		return witness_end (text, length) ? witness_end (text, length) : closure_end (text, length);
	/* Of <<Main>b__0_0>d it is Main. */
	while (is_made (text, length) && text[0] == '<') {
		after = closing (text, length);
		text++;
		length = after - 2;
	}
	*ret_name = text;
	return length;
}

bool
monocle__coverage_name_is_of_lambda (const char *full, const char *name)
{
	const char *slash = strrchr (full, '/'), *last = slash ? slash + 1 : full;
	return begins (name, strlen (name), "_Lambda$__") || is_lambda_machine (last, strlen (last));
}

size_t
monocle__coverage_name_length (const char *name)
{
	const char *parenthesis = strchr (name, '(');
	size_t length = parenthesis ? (size_t) (parenthesis - name) : strlen (name);
	while (length > 0 && name[length - 1] == ' ')
		length--;
	return length;
}

bool
monocle__coverage_name_is_made (const char *name)
{
	return is_made (name, monocle__coverage_name_length (name));
}

const char *
monocle__coverage_name_after_startup (const char *full)
{
	const char *end = begins (full, strlen (full), "<StartupCode$") ? strstr (full, ">.$") : NULL;
	return end ? end + 3 : full;
}

size_t
monocle__coverage_name_written (const char *full)
{
	const char *at = full, *slash;
	while ((slash = strchr (at, '/'))) {
		const char *next = strchr (slash + 1, '/');
		if (is_made (slash + 1, next ? (size_t) (next - slash - 1) : strlen (slash + 1)))
			return (size_t) (slash - full);
		at = slash + 1;
	}
	return strlen (full);
}

bool
monocle__coverage_name_of_writer (const char *full, const char *name, const char **ret_name, size_t *ret_length,
                                  bool *ret_sure)
{
	size_t written = monocle__coverage_name_written (full), end = strlen (full);
	size_t length = monocle__coverage_name_length (name);
	*ret_sure = name[0] == '<' || witness_end (name, length);
	if (is_made (name, length) && (*ret_length = name_inside (name, length, ret_name)) != 0)
		return true;
	/* The innermost class whose name tells. */
	while (end > written) {
		size_t begin = end;
		while (full[begin - 1] != '/')
			begin--;
		*ret_sure = full[begin] == '<' || begins (full + begin, end - begin, machine);
		if (is_made (full + begin, end - begin) && (*ret_length = name_inside (full + begin, end - begin, ret_name)))
			return true;
		end = begin - 1;
	}
	return false;
}

/* --- for people --------------------------------------------------------------------------------------------------- */

/* N of a name that ends with `N; 0: it does not. *ret_length is what is before. */
static unsigned
arity_of (const char *text, size_t length, size_t *ret_length)
{
	size_t at = length;
	unsigned arity = 0;
	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (at == length || length - at > 2 || at < 2 || text[at - 1] != '`')
		return 0;
	for (size_t i = at; i < length; i++)
		arity = arity * 10 + (unsigned) (text[i] - '0');
	*ret_length = at - 1;
	return arity <= ARITY_LIMIT ? arity : 0;
}

static size_t
write_class (char *out, const char *text, size_t length)
{
	size_t written, kept = length;
	unsigned arity = arity_of (text, length, &kept);
	if (arity == 0)
		kept = length;
	memcpy (out, text, kept);
	written = kept;
	for (unsigned i = 1; i <= arity; i++) {
		out[written++] = i == 1 ? '<' : ',';
		out[written++] = 'T';
		if (arity > 1 && i >= 10)
			out[written++] = (char) ('0' + i / 10);
		if (arity > 1)
			out[written++] = (char) ('0' + i % 10);
	}
	if (arity)
		out[written++] = '>';
	return written;
}

/* Each class takes at most 4 bytes for each type parameter more than it has. */
const char *
monocle__coverage_name_for_people (monocle__coverage_raw *raw, const char *full)
{
	size_t length = strlen (full), classes = 1, written = 0;
	const char *at = full, *slash, *name;
	char *out;
	for (slash = full; (slash = strchr (slash, '/')); slash++)
		classes++;
	if (classes > CLASS_LIMIT)
		return full;
	out = malloc (length + classes * (ARITY_LIMIT * 4 + 2) + 1);
	if (!out)
		return NULL;
	for (; (slash = strchr (at, '/')); at = slash + 1) {
		written += write_class (out + written, at, (size_t) (slash - at));
		out[written++] = '.';
	}
	written += write_class (out + written, at, strlen (at));
	name = monocle__coverage_raw_text (raw, out, written);
	free (out);
	return name;
}

/* A number of type parameters that is followed by what they are says nothing. */
const char *
monocle__coverage_name_of_method (monocle__coverage_raw *raw, const char *name)
{
	size_t written = 0;
	const char *text;
	char *out;
	if (!strchr (name, '`'))
		return name;
	out = malloc (strlen (name) + 1);
	if (!out)
		return NULL;
	for (const char *from = name; *from; from++) {
		size_t digits = *from == '`' ? strspn (from + 1, "0123456789") : 0;
		if (digits && from[digits + 1] == '<')
			from += digits;
		else
			out[written++] = *from;
	}
	text = monocle__coverage_raw_text (raw, out, written);
	free (out);
	return text;
}
