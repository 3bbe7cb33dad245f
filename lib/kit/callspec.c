/*
 * SPDX-License-Identifier: MIT
 *
 * callspec.c - which methods the user wants to see: the grammar of Mono's log profiler.
 *
 * A spec is a list of items, asked in order; the last one that says anything about a method decides. After
 * monocle_kit_callspec_new () nothing is written, so that every thread may ask.
 */
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
	char *name_space; /* of ITEM_TYPE and ITEM_METHOD, NULL when the spec gave none: any */
	char *text;       /* assembly, namespace or type */
	char *method;     /* ITEM_METHOD; "*" is any */
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

static __thread char error_text[160];

/* Cuts "Name.Space.Outer/Inner" at the last dot before the first slash. */
static bool
try_type (struct item *item, const char *text)
{
	size_t outer = strcspn (text, "/+");
	size_t cut = outer;
	while (cut && text[cut - 1] != '.')
		cut--;
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

static bool
try_item (struct item *item, const char *text)
{
	if (*text == '-') {
		item->exclude = true;
		text++;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp (text, words[i].word)) {
			item->kind = words[i].kind;
			return true;
		}
	if (text[0] && text[1] == ':') {
		const char *rest = text + 2;
		switch (text[0]) {
		case 'M': item->kind = ITEM_METHOD; return try_method (item, rest);
		case 'T': item->kind = ITEM_TYPE; return try_type (item, rest);
		case 'N':
			item->kind = ITEM_NAMESPACE;
			item->text = strdup (rest);
			return item->text && *rest;
		default: return false;
		}
	}
	item->kind = ITEM_ASSEMBLY;
	item->text = strdup (text);
	return item->text && *text && !strchr (text, ':');
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

static bool
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
		bool good = item && try_item (item, word);
		free (word);
		if (!good)
			return false;
		text += length + (text[length] == ',');
	}
	*ret_item = "";
	return spec->count > 0;
}

monocle_kit_callspec *
monocle_kit_callspec_new (const char *text, const char **ret_error)
{
	monocle_kit_callspec *spec = calloc (1, sizeof *spec);
	const char *wrong = "";
	if (spec && try_spec (spec, text, &wrong))
		return spec;
	monocle_kit_callspec_free (spec);
	snprintf (error_text, sizeof error_text,
	          "\"%.*s\" is none of all, none, program, wrapper, ASSEMBLY, M:Type:Method, N:Namespace, T:Type",
	          (int) strcspn (wrong, ","), wrong);
	*ret_error = error_text;
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

static bool
is_type (const struct item *item, const monocle_kit_callspec_names *names)
{
	return !strcmp (item->text, names->type) && (!item->name_space || !strcmp (item->name_space, names->name_space));
}

static bool
speaks_of (const struct item *item, const monocle_kit_callspec_names *names)
{
	switch (item->kind) {
	case ITEM_ALL:
	case ITEM_NONE: return true;
	case ITEM_PROGRAM: return names->is_own;
	case ITEM_WRAPPER: return false;
	case ITEM_ASSEMBLY: return !strcmp (item->text, names->assembly);
	case ITEM_METHOD:
		return is_type (item, names) && (!strcmp (item->method, "*") || !strcmp (item->method, names->method));
	case ITEM_NAMESPACE: return !strcmp (item->text, names->name_space);
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
