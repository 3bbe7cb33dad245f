/*
 * SPDX-License-Identifier: MIT
 *
 * collapsed.c - folded stacks as flame graph scripts exchange them: a line per stack, "root;caller;leaf 12".
 *
 * The amount is the last word of the line, so that names may hold spaces. There is no escape: where a name holds what
 * separates (a semicolon, the end of a line), it is written with another character in its place.
 */
#include "array.h"
#include "format.h"
#include "tree.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_AHEAD = 64 * 1024,
	FRAME_LIMIT = 1 << 27, /* frames over all stacks */
	NUMBER_SIZE = 48,
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
	const char *at, *end;
} span;

typedef struct {
	monocle__profile *profile;
	uint32_t *stack; /* root first */
	size_t stack_capacity;
	size_t line; /* number of the one that is read */
	char *error;
	size_t error_size;
} reader;

static bool
is_space (char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static span
trim (span text)
{
	while (text.at < text.end && is_space (*text.at))
		text.at++;
	while (text.at < text.end && is_space (text.end[-1]))
		text.end--;
	return text;
}

/* The next line that is neither empty nor a comment. */
static bool
next_line (span *rest, span *ret_line, size_t *number)
{
	while (rest->at < rest->end) {
		const char *end = memchr (rest->at, '\n', (size_t) (rest->end - rest->at));
		span line = trim ((span) { rest->at, end ? end : rest->end });
		rest->at = end ? end + 1 : rest->end;
		++*number;
		if (line.at < line.end && *line.at != '#') {
			*ret_line = line;
			return true;
		}
	}
	return false;
}

/* Digits, with a fraction perhaps; other tools write weights. */
static bool
try_amount (span text, int64_t *ret_amount)
{
	char digits[NUMBER_SIZE], *end;
	size_t length = (size_t) (text.end - text.at);
	double number;
	if (length == 0 || length >= sizeof digits)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!((text.at[i] >= '0' && text.at[i] <= '9') || text.at[i] == '.' || (i == 0 && text.at[i] == '-')))
			return false;
	}
	memcpy (digits, text.at, length);
	digits[length] = '\0';
	if (!memchr (digits, '.', length)) {
		*ret_amount = strtoll (digits, &end, 10); /* what is too large saturates */
		return end > digits && !*end;
	}
	number = strtod (digits, &end);
	if (*end || end == digits)
		return false;
	*ret_amount = monocle__round (number);
	return true;
}

/* Splits the line where its last word begins. */
static bool
try_line (span line, span *ret_stack, int64_t *ret_amount)
{
	const char *word = line.end;
	while (word > line.at && !is_space (word[-1]))
		word--;
	*ret_stack = trim ((span) { line.at, word });
	return ret_stack->at < ret_stack->end && try_amount ((span) { word, line.end }, ret_amount);
}

static bool
add_frame (reader *r, span name, size_t depth)
{
	monocle__function function = { .system_name = "", .filename = "" };
	size_t index, known = r->profile->function_count;
	function.name = monocle__profile_text (r->profile, name.at, (size_t) (name.end - name.at));
	index = function.name ? monocle__profile_add_function (r->profile, &function) : SIZE_MAX;
	if (index < known) /* as nearly all are */
		monocle__profile_text_drop (r->profile, function.name);
	if (index == SIZE_MAX || !MONOCLE__RESERVE (r->stack, r->stack_capacity, depth + 1))
		return false;
	r->stack[depth] = (uint32_t) index;
	return true;
}

static void
reverse (uint32_t *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t other = items[count - 1 - i];
		items[count - 1 - i] = items[i];
		items[i] = other;
	}
}

/* Empty frames, as "a;;b" has one, are left out. */
static bool
add_stack (reader *r, span stack, int64_t amount)
{
	size_t depth = 0;
	while (stack.at < stack.end) {
		const char *end = memchr (stack.at, ';', (size_t) (stack.end - stack.at));
		span name = trim ((span) { stack.at, end ? end : stack.end });
		stack.at = end ? end + 1 : stack.end;
		if (name.at < name.end && !add_frame (r, name, depth++))
			return false;
	}
	reverse (r->stack, depth);
	return monocle__profile_add_sample (r->profile, r->stack, depth, &amount);
}

static int
fail (reader *r, const char *problem)
{
	snprintf (r->error, r->error_size, "%s", problem);
	return -1;
}

static int
fail_line (reader *r, span line)
{
	snprintf (r->error, r->error_size, "line %zu of the collapsed stacks does not end with a number: '%.*s'", r->line,
	          (int) (line.end - line.at < 40 ? line.end - line.at : 40), line.at);
	return -1;
}

static int
read_lines (reader *r, span text)
{
	span line, stack;
	int64_t amount;
	if (!monocle__profile_add_value_type (r->profile, "samples", "count"))
		return fail (r, "out of memory");
	while (next_line (&text, &line, &r->line)) {
		if (!try_line (line, &stack, &amount))
			return fail_line (r, line);
		if (!add_stack (r, stack, amount))
			return fail (r, monocle__profile_no_memory (r->profile));
		if (r->profile->frame_count > FRAME_LIMIT)
			return fail (r, "its stacks have too many frames");
	}
	return 0;
}

int
monocle__collapsed_parse (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile, char *error,
                          size_t error_size)
{
	reader r = { .profile = monocle__profile_new (allowance), .error = error, .error_size = error_size };
	int result =
	    r.profile ? read_lines (&r, (span) { bytes, (const char *) bytes + size }) : fail (&r, "out of memory");
	if (result == 0)
		*ret_profile = r.profile;
	else
		monocle__profile_free (r.profile);
	free (r.stack);
	return result;
}

/* A protocol buffer has control characters among its first bytes, text has none. */
bool
monocle__collapsed_recognise (const char *bytes, size_t size)
{
	size_t ahead = size < LOOK_AHEAD ? size : LOOK_AHEAD, number = 0;
	span rest = { bytes, bytes + size }, line, stack;
	int64_t amount;
	for (size_t i = 0; i < ahead; i++) {
		if ((unsigned char) bytes[i] < 0x20 && !strchr ("\t\n\r", bytes[i] ? bytes[i] : 'x'))
			return false;
		if (bytes[i] == '\0')
			return false;
	}
	return next_line (&rest, &line, &number) && try_line (line, &stack, &amount);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
	FILE *out;
	size_t value;
	uint32_t *path; /* by depth: functions from the root */
} writer;

static void
write_name (FILE *out, const char *name)
{
	size_t left = strlen (name);
	uint32_t code;
	while (left > 0) {
		size_t length = monocle__utf8_decode (name, left, &code);
		if (code == ';' || monocle__utf8_is_unsafe (code))
			putc (code == ';' ? ':' : ' ', out);
		else
			fwrite (name, 1, length, out);
		name += length;
		left -= length;
	}
}

static void
write_node (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	uint32_t depth = tree->nodes[node].depth;
	int64_t amount = monocle__tree_self (tree, node, w->value);
	w->path[depth] = tree->nodes[node].function;
	if (node == 0 || amount <= 0)
		return;
	for (uint32_t i = 1; i <= depth; i++) {
		if (i > 1)
			putc (';', w->out);
		write_name (w->out, tree->profile->functions[w->path[i]].name);
	}
	fprintf (w->out, " %" PRId64 "\n", amount);
}

/* One line per path, in the order of names, whatever thread it was on. */
int
monocle__collapsed_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	monocle__tree *tree = monocle__tree_new (profile);
	writer w = { .out = out, .value = options->value };
	monocle__tree_visitor visitor = { .enter = write_node, .context = &w };
	uint32_t deepest = 0;
	for (size_t i = 0; tree && i < tree->count; i++)
		deepest = tree->nodes[i].depth > deepest ? tree->nodes[i].depth : deepest;
	w.path = calloc ((size_t) deepest + 1, sizeof *w.path);
	if (tree && w.path && monocle__tree_sort (tree, SIZE_MAX))
		monocle__tree_walk (tree, &visitor);
	else
		visitor.enter = NULL;
	free (w.path);
	monocle__tree_free (tree);
	return visitor.enter ? 0 : -1;
}
