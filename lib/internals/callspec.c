/*
 * SPDX-License-Identifier: MIT
 *
 * callspec.c - the log profiler's `callspec`: which methods it wants.
 *
 * Items, separated by commas, are asked in order; the last one that says anything about a method decides, and none
 * means no. The grammar is Mono's own, which is less than what the kit's callspec takes: a module that was written for
 * Mono gets what it would get there, errors included. After it was parsed nothing is written, so every thread may ask.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include "internals.h"

typedef enum {
	ITEM_ALL,
	ITEM_PROGRAM,
	ITEM_WRAPPER,
	ITEM_METHOD,
	ITEM_TYPE,
	ITEM_NAMESPACE,
	ITEM_IMAGE,
	ITEM_NOTHING, /* an exception's type, which is for another caller */
} item_kind;

typedef struct {
	item_kind kind;
	bool is_excluded;
	char *name_space, *name; /* of a type both, of the others one of the two */
	MonoMethodDesc *desc;
} item;

/* --- the grammar -------------------------------------------------------------------------------------------------- */

static const char no_expression[] = "Expecting an expression";
static const char no_memory[] = "Out of memory at: %s";

static size_t
word_length (const char *text)
{
	size_t length = 0;
	while (isalnum ((unsigned char) text[length]) || (text[length] && strchr (".:_-`", text[length])))
		length++;
	return length;
}

static char *
describe (const char *format, const char *word)
{
	size_t size = strlen (format) + strlen (word) + 1;
	char *text = malloc (size);
	if (text)
		snprintf (text, size, format, word);
	return text;
}

static bool
take_type (item *it, const char *text)
{
	const char *dot = strrchr (text, '.');
	it->name_space = dot ? strndup (text, (size_t) (dot - text)) : strdup ("");
	it->name = strdup (dot ? dot + 1 : text);
	return it->name_space && it->name;
}

/* NULL, or what is wrong, which the caller frees. */
static char *
take_word (item *it, const char *word)
{
	if (!strcmp (word, "all")) {
		it->kind = ITEM_ALL;
	} else if (!strcmp (word, "program")) {
		it->kind = ITEM_PROGRAM;
	} else if (!strcmp (word, "wrapper")) {
		it->kind = ITEM_WRAPPER;
	} else if (!strncmp (word, "M:", 2)) {
		it->kind = ITEM_METHOD;
		it->desc = mono_method_desc_new (word + 2, 1);
		return it->desc ? NULL : describe ("Invalid method name: %s", word + 2);
	} else if (!strncmp (word, "T:", 2)) {
		it->kind = ITEM_TYPE;
		return take_type (it, word + 2) ? NULL : describe (no_memory, word);
	} else if (!strncmp (word, "N:", 2)) {
		it->kind = ITEM_NAMESPACE;
		it->name_space = strdup (word + 2);
		return it->name_space ? NULL : describe (no_memory, word);
	} else if (!strncmp (word, "E:", 2)) {
		it->kind = ITEM_NOTHING;
	} else {
		it->kind = ITEM_IMAGE;
		it->name = strdup (word);
		return it->name ? NULL : describe (no_memory, word);
	}
	return NULL;
}

/* The next item, NULL without memory. */
static item *
add_item (MonoCallSpec *spec)
{
	item *items = realloc (spec->items, ((size_t) spec->length + 1) * sizeof *items);
	if (!items)
		return NULL;
	spec->items = items;
	memset (&items[spec->length], 0, sizeof *items);
	return &items[spec->length++];
}

static char *
take_item (MonoCallSpec *spec, bool is_excluded, const char *word)
{
	if (!strcmp (word, "disabled")) {
		spec->enabled = 0;
		return is_excluded ? strdup (no_expression) : NULL;
	}
	item *it = add_item (spec);
	if (!it)
		return describe (no_memory, word);
	it->is_excluded = is_excluded;
	return take_word (it, word);
}

static char *
take_first (MonoCallSpec *spec, bool is_excluded, const char *text, size_t length)
{
	char *word = strndup (text, length);
	char *wrong = word ? take_item (spec, is_excluded, word) : describe (no_memory, text);
	free (word);
	return wrong;
}

/* A dash stands in front of a word, a plus says nothing anywhere, and a word ends before what is not of it. */
static char *
take_items (MonoCallSpec *spec, const char *text)
{
	char *wrong = NULL;
	bool is_excluded = false;
	while (*text && !wrong) {
		size_t length = *text == '-' ? 0 : word_length (text);
		if (length) {
			wrong = take_first (spec, is_excluded, text, length);
			is_excluded = false;
		} else if (*text == '-') {
			wrong = is_excluded ? strdup (no_expression) : NULL;
			is_excluded = true;
		} else if (*text == ',') {
			is_excluded = false;
		} else if (*text != '+') {
			wrong = describe ("Syntax error at or around '%s'", text);
		}
		text += length ? length : 1;
	}
	return wrong;
}

mono_bool
mono_callspec_parse (const char *options, MonoCallSpec *ret_spec, char **ret_error)
{
	*ret_error = NULL;
	*ret_spec = (MonoCallSpec) { .enabled = 1 };
	char *wrong = options && *options ? take_items (ret_spec, options) : take_item (ret_spec, false, "all");
	if (!wrong)
		return 1;
	mono_callspec_cleanup (ret_spec);
	*ret_error = wrong;
	return 0;
}

/* Never of what another library allocated. */
void
mono_callspec_cleanup (MonoCallSpec *spec)
{
	item *items = spec->items;
	for (int i = 0; i < spec->length; i++) {
		free (items[i].name_space);
		free (items[i].name);
		if (items[i].desc)
			mono_method_desc_free (items[i].desc);
	}
	free (items);
	*spec = (MonoCallSpec) { .length = 0 };
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

/* Methods that no image lists have no row in one. */
static bool
is_wrapper (MonoMethod *method)
{
	return !mono_method_get_token (method);
}

static MonoImage *
program_image (void)
{
	MonoAssembly *main = mono_assembly_get_main ();
	return main ? mono_assembly_get_image (main) : NULL;
}

static bool
is_named (const item *it, MonoClass *klass)
{
	return klass && !strcmp (mono_class_get_name (klass), it->name) &&
	       !strcmp (mono_class_get_namespace (klass), it->name_space);
}

static bool
speaks_of (const item *it, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	switch (it->kind) {
	case ITEM_ALL: return true;
	case ITEM_PROGRAM: return image && image == program_image ();
	case ITEM_WRAPPER: return is_wrapper (method);
	case ITEM_METHOD: return mono_method_desc_full_match (it->desc, method);
	case ITEM_TYPE: return is_named (it, klass);
	case ITEM_NAMESPACE: return klass && !strcmp (mono_class_get_namespace (klass), it->name_space);
	case ITEM_IMAGE: return image && !strcmp (mono_image_get_name (image), it->name);
	case ITEM_NOTHING: return false;
	}
	return false;
}

mono_bool
mono_callspec_eval (MonoMethod *method, const MonoCallSpec *spec)
{
	const item *items = spec->items;
	bool wanted = false;
	for (int i = 0; i < spec->length; i++)
		if (speaks_of (&items[i], method))
			wanted = !items[i].is_excluded;
	return wanted;
}
