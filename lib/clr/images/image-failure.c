/*
 * SPDX-License-Identifier: MIT
 *
 * image-failure.c - files that are not images. The runtime looks at them before it has a module, and says nothing to
 * profilers but that a BadImageFormatException is thrown. Where that names a file, the file was opened and could not be
 * parsed: modules see an image come and fail and go, as on Mono. What was read from memory has no name.
 *
 * Runs in ExceptionThrown: the thread is in cooperative mode, the object stays where it is as long as nothing is asked
 * that lets the collector run.
 */
#include "image-failure.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/class.h>
#include <monocle/host.h>
#include "corlib-name.h"
#include "layout.h"
#include "resolve.h"
#include "state.h"

/* The last one told, by address and file: it is thrown again when it passes a handler or a frame of reflection. */
static _Atomic (ObjectID) last_object;
static const char *_Atomic last_file;

/* A text field; the caller frees it with mono_free (). NULL: it is not set. */
static char *
text_of (MonoObject *exception, monocle__private_id id)
{
	const char *name = monocle__private_members[id].member;
	MonoClass *klass = mono_object_get_class (exception);
	MonoClassField *field = klass ? mono_class_get_field_from_name (klass, name) : NULL;
	MonoObject *string = NULL;
	if (field)
		mono_field_get_value (exception, field, &string);
	return string ? mono_string_to_utf8 ((MonoString *) string) : NULL;
}

/* "The format of the file '/x/y.dll' is invalid": cuts the path out. False: there is none. */
static bool
cut_path (char *message)
{
	char *start = strstr (message, "'/"), *end = start ? strrchr (start + 1, '\'') : NULL;
	if (!end)
		return false;
	memmove (message, start + 1, (size_t) (end - start - 1));
	message[end - start - 1] = 0;
	return true;
}

/* .NET's loader puts the name into the message only. The caller frees it with mono_free (). NULL: there is none. */
static char *
file_of (MonoObject *exception)
{
	char *text = text_of (exception, MONOCLE__NAME_BAD_IMAGE_FILE);
	if (text)
		return text;
	text = text_of (exception, MONOCLE__NAME_EXCEPTION_MESSAGE);
	if (text && cut_path (text))
		return text;
	mono_free (text);
	return NULL;
}

static bool
is_bad_image (MonoObject *exception)
{
	MonoClass *klass = monocle__resolve_class (monocle__clr_layout_class_id (exception));
	return klass && strcmp (mono_class_get_name (klass), "BadImageFormatException") == 0 &&
	       strcmp (mono_class_get_namespace (klass), "System") == 0;
}

/* The record stays: modules may keep it. Equal names are kept once. */
static void
tell (const char *file)
{
	MonoImage *image = monocle_image_new (file, 0, 0, 0, NULL);
	if (!image)
		return;
	monocle_raise_image_loading (image);
	monocle_raise_image_failed (image);
	monocle_raise_image_unloading (image);
	monocle_image_unload (image);
	monocle_raise_image_unloaded (image);
}

void
monocle__image_failure_thrown (ObjectID object)
{
	if (!monocle__clr_listened (MONOCLE_EVENT_image_failed) || !is_bad_image ((MonoObject *) object) ||
	    !monocle__corlib_name_serves (MONOCLE__PRIVATE_FAILURES))
		return;
	char *file = file_of ((MonoObject *) object);
	const char *kept = file && *file ? monocle_intern (file) : NULL;
	bool is_again = atomic_exchange (&last_object, object) == object && atomic_load (&last_file) == kept;
	atomic_store (&last_file, kept);
	if (kept && !is_again)
		tell (kept);
	mono_free (file);
}
