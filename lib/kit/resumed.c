/*
 * SPDX-License-Identifier: MIT
 *
 * resumed.c - see resumed.h.
 *
 * All is told by names, as Mono writes them. What an async method is when it is suspended, its box, has a MoveNext that
 * only who resumes it calls. An async method ends in a method of its builder that sets the result, and an async
 * iterator does when it yields; below that lies, up to the next box, nothing but the framework's machinery. So a
 * TaskCompletionSource that the program sets is a call: there the program has resumed the method itself.
 *
 * The code of a method is in the MoveNext of a nested class with the method's name. An iterator has one as well, which
 * its own method never calls.
 */
#include "resumed.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum kind {
	OTHER,
	MACHINERY, /* may lie between the end of one method and the box of the next */
	ENDS,      /* of a builder: sets the result */
	YIELDS,    /* the same, where an async method calls it */
	BOX,       /* resumes a method */
	CODE,      /* the code of an async method or of an iterator */
	ASYNC,     /* of an async method: its own method has called it, or the name says so */
};

struct monocle__resumed_path {
	uint32_t base; /* with has_base: the path below which the innermost resumed method is; NONE: at the top */
	bool has_base;
	bool is_ending;   /* an async method has ended, and nothing but machinery has been called since */
	bool is_resuming; /* a box, and nothing but machinery has been called since */
	bool is_resumed;  /* the code of an async method, which its own method has not called */
};

/* --- names -------------------------------------------------------------------------------------------------------- */

struct text {
	const char *at;
	size_t length;
};

static bool
begins_with (struct text text, const char *what)
{
	size_t length = strlen (what);
	return text.length >= length && memcmp (text.at, what, length) == 0;
}

static bool
ends_with (struct text text, const char *what)
{
	size_t length = strlen (what);
	return text.length >= length && memcmp (text.at + text.length - length, what, length) == 0;
}

static bool
has (struct text text, const char *what)
{
	return memmem (text.at, text.length, what, strlen (what)) != NULL;
}

static struct text
from (struct text text, size_t skipped)
{
	return (struct text) { text.at + skipped, text.length - skipped };
}

/* "Type<A, B>:Method (int)": the part from the method's name on, behind the only colon; all where there is none. */
static struct text
member_of (struct text name)
{
	const char *colon = memchr (name.at, ':', name.length);
	return colon ? from (name, (size_t) (colon + 1 - name.at)) : name;
}

/* "Outer/<Name>d__0:MoveNext ()": what lies behind the last '/' of the class, and before it. */
static bool
split_code (struct text name, struct text *ret_outer, struct text *ret_class)
{
	const char *colon = memchr (name.at, ':', name.length);
	int depth = 0;
	if (!colon || !begins_with (from (name, (size_t) (colon - name.at)), ":MoveNext ("))
		return false;
	for (const char *at = colon; at > name.at; at--) {
		depth += (at[-1] == '>') - (at[-1] == '<');
		if (at[-1] != '/' || depth)
			continue;
		*ret_outer = (struct text) { name.at, (size_t) (at - 1 - name.at) };
		*ret_class = (struct text) { at, (size_t) (colon - at) };
		return true;
	}
	return false;
}

/* The NAME of a class "<NAME>d__0" or "VB$StateMachine_0_NAME"; NAME may have brackets of its own. */
static bool
written_name (struct text class, struct text *ret_name)
{
	static const char basic[] = "VB$StateMachine_";
	int depth = 0;
	size_t digits = sizeof basic - 1;
	if (begins_with (class, basic)) {
		while (digits < class.length && class.at[digits] >= '0' && class.at[digits] <= '9')
			digits++;
		*ret_name = from (class, digits < class.length ? digits + 1 : digits);
		return ret_name->length > 0;
	}
	for (size_t i = 0; i < class.length && *class.at == '<'; i++) {
		depth += (class.at[i] == '<') - (class.at[i] == '>');
		*ret_name = (struct text) { class.at + 1, i ? i - 1 : 0 };
		if (!depth)
			return i > 1;
	}
	return false;
}

/* Is `caller` the method that was written, whose code is in `name`? */
static bool
is_own_method (struct text name, struct text caller)
{
	struct text outer, class, written, member = member_of (caller);
	if (!split_code (name, &outer, &class) || !written_name (class, &written) || caller.length <= outer.length ||
	    memcmp (caller.at, outer.at, outer.length) ||
	    (caller.at[outer.length] != ':' && caller.at[outer.length] != '<'))
		return false;
	return member.length > written.length && memcmp (member.at, written.at, written.length) == 0 &&
	       (member.at[written.length] == ' ' || member.at[written.length] == '<');
}

static bool
is_machinery (struct text name)
{
	return begins_with (name, "System.Threading.") || begins_with (name, "System.Runtime.CompilerServices.") ||
	       begins_with (name, "(wrapper ") || begins_with (name, "[stub]");
}

/* clang-format off */
static const struct { const char *type, *method; enum kind kind; } builders[] = {
#define MONOCLE__RESUMES(kind, seen, type, method) { type, method, kind },
#include "private-names.def"
};
/* clang-format on */

static enum kind
kind_of_builder (struct text name)
{
	struct text member = member_of (name);
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
		if (has (name, builders[i].type) && begins_with (member, builders[i].method))
			return builders[i].kind;
	return MACHINERY;
}

static enum kind
kind_of (struct text name)
{
	struct text outer, class, written;
	if (begins_with (name, "System.Runtime.CompilerServices.Async") ||
	    begins_with (name, "System.Runtime.CompilerServices.PoolingAsync"))
		return kind_of_builder (name);
	if (ends_with (name, " (async)"))
		return ASYNC;
	if (split_code (name, &outer, &class) && written_name (class, &written))
		return has (class, "c__async") ? ASYNC : CODE;
	if (begins_with (name, "System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore"))
		return begins_with (member_of (name), "SetResult") ? YIELDS : MACHINERY;
	return is_machinery (name) ? MACHINERY : OTHER;
}

static struct text
name_of (const struct monocle__resumed *resumed, uint32_t function)
{
	const struct monocle__function *it = &resumed->paths->functions[function];
	return (struct text) { it->name, it->name_length };
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

bool
monocle__resumed_init (struct monocle__resumed *resumed, const struct monocle__call_paths *paths)
{
	*resumed = (struct monocle__resumed) { .paths = paths, .kinds = calloc (paths->function_count + 1, 1) };
	for (uint32_t i = 0; resumed->kinds && i < paths->function_count; i++)
		resumed->kinds[i] = (uint8_t) kind_of (name_of (resumed, i));
	return resumed->kinds != NULL;
}

void
monocle__resumed_done (struct monocle__resumed *resumed)
{
	free (resumed->kinds);
	free (resumed->known);
}

void
monocle__resumed_see_call (struct monocle__resumed *resumed, uint32_t caller, uint32_t function)
{
	if (resumed->kinds[function] == CODE && is_own_method (name_of (resumed, function), name_of (resumed, caller)))
		resumed->kinds[function] = ASYNC;
}

/* Names of stacks say which code is async, and stacks have the framework's frames: this is for call trees. */
static bool
is_resumed_by (const struct monocle__resumed *resumed, uint32_t caller, uint32_t function)
{
	struct text name = name_of (resumed, function);
	return resumed->kinds[function] == ASYNC && !ends_with (name, " (async)") &&
	       (caller == NONE || !is_own_method (name, name_of (resumed, caller)));
}

uint32_t
monocle__resumed_parent (const struct monocle__resumed *resumed, uint32_t parent, uint32_t function)
{
	if (parent == NONE)
		return NONE;
	const struct monocle__resumed_path *known = &resumed->known[parent];
	if (resumed->kinds[function] == BOX && known->is_ending)
		return known->has_base ? known->base : NONE;
	return known->is_resumed && is_resumed_by (resumed, resumed->paths->paths[parent].function, function) ? known->base
	                                                                                                      : parent;
}

bool
monocle__resumed_add (struct monocle__resumed *resumed, uint32_t path)
{
	const struct monocle__path *it = &resumed->paths->paths[path];
	struct monocle__resumed_path own = { .base = NONE }, above = own;
	uint32_t caller = it->parent == NONE ? NONE : resumed->paths->paths[it->parent].function;
	enum kind kind = resumed->kinds[it->function];
	if (path >= resumed->room) {
		uint32_t more = path * 2 + 64;
		void *larger = realloc (resumed->known, more * sizeof *resumed->known);
		if (!larger)
			return false;
		resumed->known = larger;
		resumed->room = more;
	}
	if (it->parent != NONE)
		own = above = resumed->known[it->parent];
	own.is_ending = kind == ENDS || (kind == MACHINERY && above.is_ending) ||
	                (kind == YIELDS && (above.is_ending || (caller != NONE && resumed->kinds[caller] >= CODE)));
	own.is_resuming = kind == BOX || (kind == MACHINERY && above.is_resuming);
	own.is_resumed = is_resumed_by (resumed, caller, it->function);
	if ((kind == BOX || own.is_resumed) && !above.is_resuming) {
		own.base = it->parent;
		own.has_base = true;
	}
	resumed->known[path] = own;
	return true;
}
