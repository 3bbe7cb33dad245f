/*
 * SPDX-License-Identifier: MIT
 *
 * name.c - how code is called in the profile. On the drain thread.
 *
 * A key is a method, or a native function's address with bit 62 set. What a compiler made of an async or an iterator
 * method, the MoveNext of a nested class, is shown as the method in the source.
 */
#include "sample.h"

#include <stdio.h>
#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/utils/mono-publib.h>
#include <monocle/kit.h>

#include "drain-thread.h"

#define NATIVE_KEY ((uintptr_t) 1 << 62)

static bool is_raw;

void
name_init (bool raw)
{
	is_raw = raw;
}

void *
name_resolve (void *data, uintptr_t address)
{
	MonoMethod *method = drain_thread_method_at (address);
	if (method)
		monocle_kit_aot_prepared (address);
	uintptr_t function = method ? 0 : monocle_kit_native_function (address);
	return function ? (void *) (function | NATIVE_KEY) : method;
}

/* --- state machines ----------------------------------------------------------------------------------------------- */

static bool
implements (MonoClass *klass, const char *name)
{
	void *iterator = NULL;
	MonoClass *interface;
	while ((interface = mono_class_get_interfaces (klass, &iterator)))
		if (!strcmp (mono_class_get_name (interface), name))
			return true;
	return false;
}

/* The end of the "<NAME>" that `text` begins with, NAME with brackets of its own; NULL: it does not. */
static const char *
end_of_written_name (const char *text)
{
	int depth = 0;
	if (*text != '<' || text[1] == '>')
		return NULL;
	for (; *text; text++) {
		depth += (*text == '<') - (*text == '>');
		if (!depth)
			return text;
	}
	return NULL;
}

/* "Outer:Name (async)" for the MoveNext of Outer/<Name>d__0; false: the method is none such. */
static bool
name_state_machine (MonoMethod *method, const char *full_name, char *text, size_t size)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *class_name = mono_class_get_name (klass), *end = end_of_written_name (class_name);
	if (!end || strcmp (mono_method_get_name (method), "MoveNext"))
		return false;
	const char *kind = implements (klass, "IAsyncStateMachine") ? "async"
	                 : implements (klass, "IEnumerator")        ? "iterator"
	                                                            : NULL;
	const char *colon = strstr (full_name, ":MoveNext "), *nested = NULL;
	size_t length = strlen (class_name);
	for (const char *at = full_name; colon && (at = strchr (at, '/')) && at < colon; at++)
		if (!strncmp (at + 1, class_name, length))
			nested = at;
	if (!kind || !nested)
		return false;
	int written = snprintf (text, size, "%.*s:%.*s (%s)", (int) (nested - full_name), full_name,
	                        (int) (end - class_name - 1), class_name + 1, kind);
	return written > 0 && (size_t) written < size;
}

size_t
name_of (void *key, char *buffer, size_t size)
{
	char text[1024];
	MonoMethod *method = key;
	if ((uintptr_t) key & NATIVE_KEY)
		return monocle_kit_native_name ((uintptr_t) key & ~NATIVE_KEY, buffer, size);
	char *full_name = is_raw ? NULL : mono_method_full_name (method, 1);
	size_t length;
	if (full_name && name_state_machine (method, full_name, text, sizeof text)) {
		MonoImage *image = mono_class_get_image (mono_method_get_class (method));
		length = drain_thread_put_name (text, mono_image_get_filename (image), buffer, size);
	} else {
		length = drain_thread_name (method, buffer, size);
	}
	mono_free (full_name);
	return length;
}
