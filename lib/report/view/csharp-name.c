/*
 * SPDX-License-Identifier: MIT
 *
 * csharp-name.c - see csharp-name.h.
 *
 * Mono's full name is "Namespace.Outer/Nested`1<args>:Method<args> (parameters)", perhaps with "(wrapper KIND) " before
 * it. Compilers put what they make of lambdas, local functions, iterators and async methods into nested classes and
 * methods whose names have the source's between brackets: "<Search>b__5_1" is the second function inside Search,
 * "<Main>g__F|0_1" the local function F of Main, and "<Fetch>d__3" the class of Fetch's state machine.
 *
 * Names come from files and may be anything: what does not fit is left as it was, and nesting has a limit.
 */
#include "csharp-name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MOST = 24, ARGUMENTS_MOST = 32, SEGMENTS_MOST = 32 };

typedef struct {
	const char *at, *end;
} span;

typedef struct {
	char *at;
	size_t left; /* with the NUL */
	unsigned nesting;
	bool failed;
} writer;

/* --- text --------------------------------------------------------------------------------------------------------- */

static size_t
length_of (span text)
{
	return (size_t) (text.end - text.at);
}

static bool
is_text (span text, const char *what)
{
	return length_of (text) == strlen (what) && memcmp (text.at, what, length_of (text)) == 0;
}

static bool
begins_with (span text, const char *what)
{
	return length_of (text) >= strlen (what) && memcmp (text.at, what, strlen (what)) == 0;
}

static bool
ends_with (span text, const char *what)
{
	size_t length = strlen (what);
	return length_of (text) > length && memcmp (text.end - length, what, length) == 0;
}

static span
trim (span text)
{
	while (text.at < text.end && *text.at == ' ')
		text.at++;
	while (text.at < text.end && text.end[-1] == ' ')
		text.end--;
	return text;
}

static void
put (writer *w, const char *text, size_t length)
{
	if (length >= w->left)
		w->failed = true;
	if (w->failed)
		return;
	memcpy (w->at, text, length);
	w->at += length;
	w->left -= length;
	*w->at = '\0';
}

static void
put_text (writer *w, const char *text)
{
	put (w, text, strlen (text));
}

static void
put_span (writer *w, span text)
{
	put (w, text.at, length_of (text));
}

static int
depth_change (char letter)
{
	return (letter == '<' || letter == '[' || letter == '(') - (letter == '>' || letter == ']' || letter == ')');
}

/* The first `wanted` outside of all brackets, or the end. */
static const char *
find_outside (span text, char wanted)
{
	int depth = 0;
	for (const char *at = text.at; at < text.end; at++) {
		if (*at == wanted && depth == 0)
			return at;
		depth += depth_change (*at);
	}
	return text.end;
}

/* The end of the "<...>" that the text begins with, behind its last bracket; NULL: it begins with none. */
static const char *
end_of_brackets (span text)
{
	int depth = 0;
	if (text.at == text.end || *text.at != '<')
		return NULL;
	for (const char *at = text.at; at < text.end; at++) {
		depth += (*at == '<') - (*at == '>');
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Parts between commas that are outside of brackets. SIZE_MAX: there are too many. */
static size_t
split (span list, span *parts, size_t room)
{
	size_t count = 0;
	list = trim (list);
	while (list.at < list.end) {
		const char *comma = find_outside (list, ',');
		if (count == room)
			return SIZE_MAX;
		parts[count++] = trim ((span) { list.at, comma });
		list.at = comma < list.end ? comma + 1 : list.end;
	}
	return count;
}

/* --- what compilers make ------------------------------------------------------------------------------------------ */

/* The source's name in a compiler's: "<Search>b__0" -> "Search", rest "b__0". false: a compiler did not make it. */
static bool
take_written_name (span name, span *ret_inner, span *ret_rest)
{
	const char *end = end_of_brackets (name);
	if (!end)
		return false;
	*ret_inner = (span) { name.at + 1, end - 1 };
	*ret_rest = (span) { end, name.end };
	return true;
}

/* The nested classes that compilers make; `written` is the name of the method of which. */
typedef enum { CLASS_PLAIN, CLASS_CLOSURE, CLASS_ASYNC, CLASS_ITERATOR, CLASS_MACHINE } class_kind;

/* "d__3", "d`1" and the like, or the letter alone. */
static bool
is_made_of (span rest, char letter)
{
	if (rest.at == rest.end || *rest.at != letter)
		return false;
	return rest.at + 1 == rest.end || rest.at[1] == '`' || rest.at[1] == '<' ||
	       begins_with (rest, letter == 'c' ? "c__" : "d__");
}

static class_kind
kind_of (span segment, span *ret_written)
{
	span rest;
	if (!take_written_name (segment, ret_written, &rest))
		return CLASS_PLAIN;
	if (begins_with (rest, "c__async"))
		return CLASS_ASYNC;
	if (begins_with (rest, "c__Iterator"))
		return CLASS_ITERATOR;
	if (is_made_of (rest, 'c'))
		return CLASS_CLOSURE;
	return is_made_of (rest, 'd') && ret_written->at < ret_written->end ? CLASS_MACHINE : CLASS_PLAIN;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static void put_type (writer *w, span type, bool with_namespace);
static void put_method_name (writer *w, span name, span outer);

/* clang-format off */
static const struct {
	const char *name, *keyword;
} keywords[] = {
	{ "int16", "short" }, { "uint16", "ushort" }, { "single", "float" }, { "intptr", "nint" }, { "uintptr", "nuint" },
	{ "System.Boolean", "bool" }, { "System.Byte", "byte" },     { "System.Char", "char" },
	{ "System.Double", "double" }, { "System.Int16", "short" },  { "System.Int32", "int" },
	{ "System.Int64", "long" },   { "System.Object", "object" }, { "System.SByte", "sbyte" },
	{ "System.Single", "float" }, { "System.String", "string" }, { "System.UInt16", "ushort" },
	{ "System.UInt32", "uint" },  { "System.UInt64", "ulong" },  { "System.IntPtr", "nint" },
	{ "System.UIntPtr", "nuint" },
};
/* What Mono adds to the names of type parameters in code that is shared. */
static const char *const shared_ends[] = { "_REF", "_INST", "_GSHAREDVT", "_BOOL", "_CHAR", "_I1", "_I2", "_I4", "_I8",
	                                       "_U1", "_U2", "_U4", "_U8", "_R4", "_R8" };
/* clang-format on */

static void
put_parameter_name (writer *w, span name)
{
	for (size_t i = 0; i < sizeof shared_ends / sizeof *shared_ends; i++) {
		if (ends_with (name, shared_ends[i])) {
			name.end -= strlen (shared_ends[i]);
			break;
		}
	}
	put_span (w, name);
}

/* A type without arguments, in a place where only its own name is wanted. */
static void
put_simple (writer *w, span name)
{
	const char *dot = memrchr (name.at, '.', length_of (name));
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		if (is_text (name, keywords[i].name)) {
			put_text (w, keywords[i].keyword);
			return;
		}
	}
	if (dot && dot > name.at && dot + 1 < name.end)
		put_span (w, (span) { dot + 1, name.end });
	else
		put_parameter_name (w, name);
}

static void
put_arguments (writer *w, const span *arguments, size_t count)
{
	put_text (w, "<");
	for (size_t i = 0; i < count; i++) {
		put_text (w, i ? ", " : "");
		put_type (w, arguments[i], false);
	}
	put_text (w, ">");
}

/* "Name`2" -> 2, and the name ends before the back-tick. */
static size_t
take_arity (span *segment)
{
	const char *digits = segment->end;
	size_t arity = 0;
	while (digits > segment->at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == segment->at || digits[-1] != '`' || segment->end - digits < 1 || segment->end - digits > 2)
		return 0;
	for (const char *at = digits; at < segment->end; at++)
		arity = arity * 10 + (size_t) (*at - '0');
	segment->end = digits - 1;
	return arity;
}

/* A state machine's class is called as its method; one that holds what lambdas use is a closure, of a method or not. */
static void
put_nested (writer *w, span segment)
{
	span written;
	class_kind kind = kind_of (segment, &written);
	if (kind == CLASS_PLAIN) {
		put_span (w, segment);
		return;
	}
	put_method_name (w, written, (span) { written.end, written.end });
	if (kind == CLASS_CLOSURE)
		put_text (w, written.at < written.end ? ".closure" : "closure");
}

/* "A.B/C`1" and its arguments, which belong to the segments by their arities; what is over is the last one's. */
static void
put_path (writer *w, span path, const span *arguments, size_t count, bool with_namespace)
{
	size_t used = 0;
	for (bool first = true; path.at < path.end; first = false) {
		const char *slash = find_outside (path, '/');
		span segment = { path.at, slash };
		size_t arity = take_arity (&segment), own = slash == path.end ? count - used : arity;
		path.at = slash < path.end ? slash + 1 : path.end;
		if (first && !with_namespace)
			put_simple (w, segment);
		else if (first)
			put_span (w, segment);
		else {
			put_text (w, ".");
			put_nested (w, segment);
		}
		own = own < count - used ? own : count - used;
		if (own)
			put_arguments (w, arguments + used, own);
		used += own;
	}
}

/* Arguments begin at a bracket that a segment of the path does not begin with. */
static const char *
find_arguments (span type)
{
	const char *at = type.at;
	while (at < type.end) {
		const char *brackets = end_of_brackets ((span) { at, type.end });
		if (brackets)
			at = brackets;
		while (at < type.end && *at != '<' && *at != '/')
			at++;
		if (at < type.end && *at == '<')
			return at;
		at += at < type.end;
	}
	return type.end;
}

/* `tail`: what comes behind the arguments, as "[]" and "*". */
static void
put_generic (writer *w, span path, span list, span tail, bool with_namespace)
{
	span arguments[ARGUMENTS_MOST];
	size_t count = split (list, arguments, ARGUMENTS_MOST);
	if (count == SIZE_MAX) {
		w->failed = true;
	} else if (count == 1 && is_text (path, "System.Nullable`1")) {
		put_type (w, arguments[0], false);
		put_text (w, "?");
	} else {
		put_path (w, path, arguments, count, with_namespace);
	}
	put_span (w, tail);
}

/* The parenthesis that opens those at the end; NULL: there are none. */
static const char *
opening_parenthesis (span text)
{
	int depth = 0;
	for (const char *at = text.end; at > text.at; at--) {
		depth += (at[-1] == ')') - (at[-1] == '(');
		if (depth == 0)
			return at < text.end ? at - 1 : NULL;
	}
	return NULL;
}

/* What compilers tell each other of a type, "int modreq(InAttribute)", is not in the source. */
static span
without_modifiers (span type)
{
	enum { LENGTH = 7 };
	const char *open;
	while ((open = opening_parenthesis (type)) && open - type.at > LENGTH &&
	       (memcmp (open - LENGTH, " modreq", LENGTH) == 0 || memcmp (open - LENGTH, " modopt", LENGTH) == 0))
		type.end = open - LENGTH;
	return type;
}

static void
put_type (writer *w, span type, bool with_namespace)
{
	const char *open, *close;
	if (++w->nesting > NESTING_MOST)
		w->failed = true;
	if (w->failed)
		return;
	if (type.at < type.end && type.end[-1] == '&') {
		put_text (w, "ref ");
		type.end--;
	}
	type = without_modifiers (type);
	open = find_arguments (type);
	close = end_of_brackets ((span) { open, type.end });
	if (close) {
		put_generic (w, (span) { type.at, open }, (span) { open + 1, close - 1 }, (span) { close, type.end },
		             with_namespace);
	} else {
		const char *end = type.at;
		while (end < type.end && *end != '[' && *end != '*')
			end++;
		put_path (w, (span) { type.at, end }, NULL, 0, with_namespace);
		put_span (w, (span) { end, type.end });
	}
	w->nesting--;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* The number behind the last underline, from 0; it counts the functions in a method. */
static unsigned long
ordinal_of (span rest)
{
	const char *at = rest.end;
	while (at > rest.at && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at < rest.end && rest.end - at < 7 ? strtoul (at, NULL, 10) : 0;
}

/*
 * What a compiler made of a method's parts has that method's name first. `outer`: the one that the class is made of,
 * where the method does not say it (mcs).
 */
static void
put_method_name (writer *w, span name, span outer)
{
	span inner, rest;
	if (++w->nesting > NESTING_MOST)
		w->failed = true;
	if (w->failed)
		return;
	if (!take_written_name (name, &inner, &rest)) {
		put_span (w, name);
	} else if (is_text (rest, "$") && inner.at < inner.end) {
		put_method_name (w, inner, outer);
	} else if ((begins_with (rest, "b__") || begins_with (rest, "m__")) &&
	           (inner.at < inner.end || outer.at < outer.end)) {
		unsigned long ordinal = ordinal_of (rest);
		char number[24] = "";
		if (ordinal)
			snprintf (number, sizeof number, "%lu", ordinal + 1);
		put_method_name (w, inner.at < inner.end ? inner : outer, outer);
		put_text (w, ".lambda");
		put_text (w, number);
	} else if (begins_with (rest, "g__") && inner.at < inner.end) {
		const char *bar = memchr (rest.at, '|', length_of (rest));
		put_method_name (w, inner, outer);
		put_text (w, ".");
		put_span (w, (span) { rest.at + 3, bar ? bar : rest.end });
	} else {
		put_span (w, name);
	}
	w->nesting--;
}

/* A method's own type arguments, and the interface that it implements explicitly. */
static void
put_method (writer *w, span name, span outer)
{
	const char *open = find_arguments (name), *close = end_of_brackets ((span) { open, name.end }), *dot;
	span arguments[ARGUMENTS_MOST], own = { name.at, open };
	size_t count = 0;
	if (close && close < name.end) { /* brackets of an interface: "IEnumerable<T>.GetEnumerator" */
		own.end = name.end;
		close = NULL;
	}
	dot = *own.at == '<' ? NULL : memrchr (own.at, '.', length_of (own));
	if (dot && dot > own.at && dot + 1 < own.end && dot[-1] != '.') {
		put_type (w, (span) { own.at, dot }, false);
		put_text (w, ".");
		own.at = dot + 1;
	}
	put_method_name (w, own, outer);
	if (!close)
		return;
	count = split ((span) { open + 1, close - 1 }, arguments, ARGUMENTS_MOST);
	if (count == SIZE_MAX)
		w->failed = true;
	else if (count)
		put_arguments (w, arguments, count);
}

static void
put_parameters (writer *w, span list)
{
	span parameters[ARGUMENTS_MOST * 4];
	size_t count = split (list, parameters, sizeof parameters / sizeof *parameters);
	if (count == SIZE_MAX) {
		w->failed = true;
		return;
	}
	put_text (w, " (");
	for (size_t i = 0; i < count; i++) {
		put_text (w, i ? ", " : "");
		put_type (w, parameters[i], false);
	}
	put_text (w, ")");
}

/* --- full names --------------------------------------------------------------------------------------------------- */

typedef struct {
	span wrapper, type, method, parameters; /* the parameters without their parentheses */
} full_name;

/* Where the " (" of the last parentheses is, which end the name; NULL: there are none. */
static const char *
find_parameters (span name)
{
	const char *open = opening_parenthesis (name);
	return open && open > name.at && open[-1] == ' ' ? open - 1 : NULL;
}

static bool
try_full_name (const char *text, full_name *ret_name)
{
	span name = { text, text + strlen (text) };
	const char *parameters = find_parameters (name), *colon, *close;
	full_name parts = { .wrapper = { text, text } };
	if (!parameters)
		return false;
	if (begins_with (name, "(wrapper ")) {
		close = memchr (name.at, ')', length_of (name));
		if (!close || close + 2 >= parameters || close[1] != ' ')
			return false;
		parts.wrapper.end = close + 2;
		name.at = close + 2;
	}
	colon = find_outside ((span) { name.at, parameters }, ':');
	if (colon == name.at || colon + 1 >= parameters || colon[1] == ':')
		return false;
	parts.type = (span) { name.at, colon };
	parts.method = (span) { colon + 1, parameters };
	parts.parameters = (span) { parameters + 2, name.end - 1 };
	if (memchr (name.at, ' ', length_of (parts.type)) && !memchr (name.at, '<', length_of (parts.type)))
		return false; /* no type has blanks but between arguments */
	*ret_name = parts;
	return true;
}

/* The first nested class that a compiler made, and the last of all; `outside` is the path before the first one. */
static class_kind
find_made_class (span type, span *ret_outside, span *ret_written)
{
	class_kind kind = CLASS_PLAIN;
	bool is_found = false;
	span rest = type;
	*ret_outside = type;
	*ret_written = (span) { type.end, type.end };
	for (bool first = true; rest.at < rest.end; first = false) {
		const char *slash = find_outside (rest, '/');
		span segment = { rest.at, slash }, written = { slash, slash };
		class_kind own = first ? CLASS_PLAIN : kind_of (segment, &written);
		if (own != CLASS_PLAIN && !is_found)
			ret_outside->end = segment.at - 1;
		if (own == CLASS_PLAIN && is_found)
			return CLASS_PLAIN;
		is_found = is_found || own != CLASS_PLAIN;
		kind = own;
		if (written.at < written.end)
			*ret_written = written;
		rest.at = slash < rest.end ? slash + 1 : rest.end;
	}
	return kind;
}

static bool
is_marked (span parameters)
{
	return is_text (parameters, "async") || is_text (parameters, "iterator");
}

/* A method of a state machine's class: MoveNext is the source's method itself. */
static void
put_machine (writer *w, const full_name *name, class_kind kind, monocle__machine machine, span written)
{
	const char *dot = memrchr (name->method.at, '.', length_of (name->method));
	span own = { dot && dot > name->method.at ? dot + 1 : name->method.at, name->method.end };
	put_text (w, ".");
	put_method_name (w, written, (span) { written.end, written.end });
	if (is_text (name->method, "MoveNext") && (kind != CLASS_MACHINE || machine != MONOCLE__MACHINE_NONE)) {
		bool is_async = kind == CLASS_ASYNC || (kind == CLASS_MACHINE && machine == MONOCLE__MACHINE_ASYNC);
		put_text (w, is_async ? " (async)" : " (iterator)");
		return;
	}
	put_text (w, ".");
	put_span (w, own);
	put_parameters (w, name->parameters);
}

static void
put_plain (writer *w, const full_name *name, span written)
{
	put_text (w, ".");
	put_method (w, name->method, written);
	if (is_marked (name->parameters)) {
		put_text (w, " (");
		put_span (w, name->parameters);
		put_text (w, ")");
	} else {
		put_parameters (w, name->parameters);
	}
}

bool
monocle__csharp_name (const char *text, monocle__machine machine, char *buffer, size_t size)
{
	writer w = { .at = buffer, .left = size };
	full_name name;
	span outside, written;
	class_kind kind;
	bool is_made;
	if (!try_full_name (text, &name))
		return false;
	kind = find_made_class (name.type, &outside, &written);
	is_made = kind > CLASS_CLOSURE || (kind == CLASS_CLOSURE && *name.method.at == '<');
	put_span (&w, name.wrapper);
	if (is_made) {
		put_path (&w, outside, NULL, 0, true);
	} else {
		/* Of the declaring type the sample module leaves out arguments where it names a state machine. */
		put_type (&w, name.type, true);
	}
	if (kind > CLASS_CLOSURE)
		put_machine (&w, &name, kind, machine, written);
	else
		put_plain (&w, &name, written);
	return !w.failed;
}

bool
monocle__csharp_name_of_type (const char *text, char *buffer, size_t size)
{
	writer w = { .at = buffer, .left = size };
	put_type (&w, (span) { text, text + strlen (text) }, true);
	return !w.failed && w.at > buffer;
}

bool
monocle__csharp_name_is_machine (const char *text)
{
	full_name name;
	span outside, written;
	return try_full_name (text, &name) && find_made_class (name.type, &outside, &written) == CLASS_MACHINE &&
	       is_text (name.method, "MoveNext");
}
