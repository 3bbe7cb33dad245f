/*
 * SPDX-License-Identifier: MIT
 *
 * callspec.c - which methods the user wants to see: the grammar of Mono's log profiler, and globs.
 *
 * A spec is a list of items, asked in order; the last one that says anything about a method decides. After
 * monocle_kit_callspec_new () nothing of it is written, so that every thread may ask.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <monocle/kit.h>

enum item_kind {
	ITEM_ALL,
	ITEM_NONE,
	ITEM_PROGRAM,
	ITEM_WRAPPER,
	ITEM_ASSEMBLY,
	ITEM_METHOD,
	ITEM_NAMESPACE,
	ITEM_TYPE
};

struct item {
	enum item_kind kind;
	bool exclude;
	bool is_full;     /* `text` is a glob for "Namespace.Type" */
	char *name_space; /* of ITEM_TYPE and ITEM_METHOD, NULL when the spec gave none: any */
	char *text;       /* assembly, namespace or type */
	char *method;     /* ITEM_METHOD */
};

struct monocle_kit_callspec {
	size_t count;
	struct item *items;
};

static const struct {
	const char *word;
	enum item_kind kind;
} words[] = {
	{ "all", ITEM_ALL },
	{ "none", ITEM_NONE },
	{ "program", ITEM_PROGRAM },
	{ "wrapper", ITEM_WRAPPER },
};

enum { WORD, METHOD, TYPE, NAMESPACE, EMPTY, TWICE };
static const char *const wants[] = {
	[WORD] = "is none of all, none, program, wrapper, ASSEMBLY, M:Type:Method, N:Namespace, T:Type",
	[METHOD] = "names no type and method: M:Type:Method is wanted",
	[TYPE] = "names no type: T:Type is wanted",
	[NAMESPACE] = "names no namespace: N:Namespace is wanted",
	[EMPTY] = "is an empty item",
	[TWICE] = "is excluded twice: one - is wanted",
};

/* What callers were told last, one after the other. */
static char error_texts[8][300];
static _Atomic (unsigned) error_count;

/* Cuts "Name.Space.Outer/Inner" at the last dot before the first slash; a glob with such a dot stays whole. */
static bool
try_type (struct item *item, const char *text)
{
	size_t outer = strcspn (text, "/+");
	size_t cut = outer;
	while (cut && text[cut - 1] != '.')
		cut--;
	if (text[strcspn (text, "*?")]) {
		item->is_full = cut > 1;
		cut = 0;
	}
	if (cut > 1)
		item->name_space = strndup (text, cut - 1);
	item->text = strdup (text + cut);
	if (!item->text || (cut > 1 && !item->name_space))
		return false;
	for (char *c = item->text; *c; c++)
		if (*c == '+')
			*c = '/';
	return *item->text != '\0';
}

/* "Type:Method", a "(signature)" after it is ignored. */
static bool
try_method (struct item *item, const char *text)
{
	const char *colon = strchr (text, ':');
	if (!colon || colon == text || colon[1] == '\0')
		return false;
	const char *method = colon + 1 + (colon[1] == ':');
	char *type = strndup (text, (size_t) (colon - text));
	item->method = strndup (method, strcspn (method, " ("));
	bool good = type && item->method && *item->method && try_type (item, type);
	free (type);
	return good;
}

/* NULL, or what is wrong. */
static const char *
try_item (struct item *item, const char *text)
{
	if (*text == '-' && text[1] == '-')
		return wants[TWICE];
	if (*text == '-') {
		item->exclude = true;
		text++;
	}
	if (!*text)
		return wants[EMPTY];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp (text, words[i].word)) {
			item->kind = words[i].kind;
			return NULL;
		}
	if (text[1] == ':') {
		const char *rest = text + 2;
		switch (text[0]) {
		case 'M': item->kind = ITEM_METHOD; return try_method (item, rest) ? NULL : wants[METHOD];
		case 'T': item->kind = ITEM_TYPE; return try_type (item, rest) ? NULL : wants[TYPE];
		case 'N':
			item->kind = ITEM_NAMESPACE;
			item->text = strdup (rest);
			return item->text && *rest ? NULL : wants[NAMESPACE];
		default: return wants[WORD];
		}
	}
	item->kind = ITEM_ASSEMBLY;
	item->text = strdup (text);
	return item->text && !strchr (text, ':') ? NULL : wants[WORD];
}

static struct item *
add_item (monocle_kit_callspec *spec)
{
	struct item *items = realloc (spec->items, (spec->count + 1) * sizeof *items);
	if (!items)
		return NULL;
	spec->items = items;
	memset (&items[spec->count], 0, sizeof *items);
	return &items[spec->count++];
}

/* NULL, or what is wrong with *ret_item. */
static const char *
try_spec (monocle_kit_callspec *spec, const char *text, const char **ret_item)
{
	while (*text) {
		size_t length = strcspn (text, ",");
		char *word = strndup (text, length);
		*ret_item = text;
		if (spec->count == 0 && word && *word == '-') {
			struct item *first = add_item (spec);
			if (first)
				first->kind = ITEM_PROGRAM;
		}
		struct item *item = word ? add_item (spec) : NULL;
		const char *wrong = item ? try_item (item, word) : wants[WORD];
		free (word);
		if (wrong)
			return wrong;
		text += length + (text[length] == ',');
	}
	*ret_item = "";
	return spec->count ? NULL : wants[EMPTY];
}

monocle_kit_callspec *
monocle_kit_callspec_new (const char *text, const char **ret_error)
{
	monocle_kit_callspec *spec = calloc (1, sizeof *spec);
	const char *item = "";
	const char *wrong = spec ? try_spec (spec, text, &item) : wants[WORD];
	if (!wrong)
		return spec;
	monocle_kit_callspec_free (spec);
	int length = (int) strcspn (item, ",");
	char *error = error_texts[atomic_fetch_add (&error_count, 1) % (sizeof error_texts / sizeof *error_texts)];
	snprintf (error, sizeof *error_texts, "\"%.*s%s\" %s", length < 160 ? length : 160, item, length < 160 ? "" : "...",
	          wrong);
	*ret_error = error;
	return NULL;
}

void
monocle_kit_callspec_free (monocle_kit_callspec *spec)
{
	if (!spec)
		return;
	for (size_t i = 0; i < spec->count; i++) {
		free (spec->items[i].name_space);
		free (spec->items[i].text);
		free (spec->items[i].method);
	}
	free (spec->items);
	free (spec);
}

/* The last "*" takes as little as it can, and one character more whenever what follows it does not match. */
static bool
matches (const char *glob, const char *name)
{
	const char *star = NULL, *taken = NULL;
	while (*name) {
		if (*glob == '*') {
			star = glob++;
			taken = name;
		} else if (*glob == *name || *glob == '?') {
			glob++;
			name++;
		} else if (star) {
			glob = star + 1;
			name = ++taken;
		} else {
			return false;
		}
	}
	return glob[strspn (glob, "*")] == '\0';
}

/* Longer names than this are compared as far as they fit. */
static bool
matches_full (const char *glob, const monocle_kit_callspec_names *names)
{
	char full[2048];
	snprintf (full, sizeof full, "%s%s%s", names->name_space, *names->name_space ? "." : "", names->type);
	return matches (glob, full);
}

static bool
is_type (const struct item *item, const monocle_kit_callspec_names *names)
{
	if (item->is_full)
		return matches_full (item->text, names);
	return matches (item->text, names->type) && (!item->name_space || !strcmp (item->name_space, names->name_space));
}

static bool
speaks_of (const struct item *item, const monocle_kit_callspec_names *names)
{
	switch (item->kind) {
	case ITEM_ALL:
	case ITEM_NONE: return true;
	case ITEM_PROGRAM: return names->is_own;
	case ITEM_WRAPPER: return false;
	case ITEM_ASSEMBLY: return matches (item->text, names->assembly);
	case ITEM_METHOD: return is_type (item, names) && matches (item->method, names->method);
	case ITEM_NAMESPACE: return matches (item->text, names->name_space);
	case ITEM_TYPE: return is_type (item, names);
	}
	return false;
}

/* What an item makes of a method that it speaks of: "-none" is all, "-all" is none. */
static bool
verdict (const struct item *item)
{
	return (item->kind == ITEM_NONE) == item->exclude;
}

bool
monocle_kit_callspec_match (const monocle_kit_callspec *spec, const monocle_kit_callspec_names *names)
{
	bool match = false;
	for (size_t i = 0; i < spec->count; i++) {
		const struct item *item = &spec->items[i];
		if (names->is_wrapper ? item->kind == ITEM_WRAPPER : speaks_of (item, names))
			match = verdict (item);
	}
	return match;
}

int
monocle_kit_callspec_match_image (const monocle_kit_callspec *spec, const char *assembly, bool is_own)
{
	monocle_kit_callspec_names names = { .assembly = assembly, .is_own = is_own };
	int match = 0;
	for (size_t i = 0; i < spec->count; i++) {
		const struct item *item = &spec->items[i];
		if (item->kind >= ITEM_METHOD)
			match = match == verdict (item) ? match : -1;
		else if (speaks_of (item, &names))
			match = verdict (item);
	}
	return match;
}
