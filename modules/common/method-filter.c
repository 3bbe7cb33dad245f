/*
 * SPDX-License-Identifier: MIT
 *
 * method-filter.c - see method-filter.h. One filter per module; lock-free.
 */
#include "method-filter.h"
#include "method-near.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/utils/mono-publib.h>

static monocle_kit_callspec *callspec;

bool
method_filter_init (const char *module, const char *spec)
{
	const char *error;
	callspec = monocle_kit_callspec_new (spec, &error);
	if (!callspec)
		monocle_kit_log_failure (module, "option callspec=%s: %s", spec, error);
	return callspec != NULL;
}

void
method_filter_leave (void)
{
	monocle_kit_callspec_free (callspec);
	callspec = NULL;
}

/*
 * What monocle_kit_callspec_match_image () said of each image: the image's address, with its answer + 2 (1, 2 or 3) in
 * the two low bits. Lock-free; slots are taken by compare-and-swap, and an image that goes away leaves a tombstone.
 * When it is full, answers are made anew each time.
 */
enum { IMAGE_SLOTS = 1024 };
static uintptr_t image_answers[IMAGE_SLOTS];
#define TOMBSTONE ((uintptr_t) 1)

static uintptr_t
hash_image (const MonoImage *image)
{
	return (uintptr_t) image * (uintptr_t) 0x9e3779b97f4a7c15u >> 40;
}

static int
ask_spec (MonoImage *image)
{
	const char *name = mono_image_get_name (image);
	bool is_own = monocle_kit_image_is_own (mono_image_get_filename (image));
	return monocle_kit_callspec_match_image (callspec, name ? name : "", is_own);
}

static int
match_image (MonoImage *image)
{
	uintptr_t key = (uintptr_t) image;
	for (uintptr_t i = 0; i < IMAGE_SLOTS; i++) {
		uintptr_t *slot = &image_answers[(hash_image (image) + i) % IMAGE_SLOTS];
		uintptr_t seen = __atomic_load_n (slot, __ATOMIC_RELAXED);
		if ((seen & ~(uintptr_t) 3) == key)
			return (int) (seen & 3) - 2;
		if (seen == 0) {
			int answer = ask_spec (image);
			__atomic_compare_exchange_n (slot, &seen, key | (uintptr_t) (answer + 2), false, __ATOMIC_RELAXED,
			                             __ATOMIC_RELAXED);
			return answer;
		}
	}
	return ask_spec (image);
}

void
method_filter_image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	for (uintptr_t i = 0; i < IMAGE_SLOTS; i++) {
		uintptr_t *slot = &image_answers[(hash_image (image) + i) % IMAGE_SLOTS];
		uintptr_t seen = __atomic_load_n (slot, __ATOMIC_RELAXED);
		if (seen == 0)
			return;
		if ((seen & ~(uintptr_t) 3) == (uintptr_t) image)
			__atomic_store_n (slot, TOMBSTONE, __ATOMIC_RELAXED);
	}
}

/* Wrappers have no row in a method table; Mono's name of one says what it is. */
static bool
is_wrapper (MonoMethod *method)
{
	static const char mark[] = "(wrapper ";
	if (mono_method_get_token (method) & 0xffffff)
		return false;
	char *name = mono_method_full_name (method, 0);
	bool wrapper = name && !strncmp (name, mark, sizeof mark - 1);
	mono_free (name);
	return wrapper;
}

/* "Outer/Inner"; the namespace is the outermost class's. */
static void
name_type (MonoClass *klass, char *buffer, size_t size, const char **ret_namespace)
{
	MonoClass *outer = mono_class_get_nesting_type (klass);
	size_t length = 0;
	if (outer) {
		name_type (outer, buffer, size, ret_namespace);
		length = strlen (buffer);
	} else {
		*ret_namespace = mono_class_get_namespace (klass);
	}
	snprintf (buffer + length, size - length, "%s%s", outer ? "/" : "", mono_class_get_name (klass));
}

static bool
match_names (const monocle_kit_callspec *spec, MonoClass *klass, const char *method, bool wrapper)
{
	char type[1024];
	MonoImage *image = mono_class_get_image (klass);
	monocle_kit_callspec_names names = { .assembly = mono_image_get_name (image), .is_wrapper = wrapper };
	names.is_own = monocle_kit_image_is_own (mono_image_get_filename (image));
	name_type (klass, type, sizeof type, &names.name_space);
	names.type = type;
	names.method = method;
	names.assembly = names.assembly ? names.assembly : "";
	names.name_space = names.name_space ? names.name_space : "";
	return monocle_kit_callspec_match (spec, &names);
}

bool
method_filter_matches (const monocle_kit_callspec *spec, MonoMethod *method)
{
	return match_names (spec, mono_method_get_class (method), mono_method_get_name (method), is_wrapper (method));
}

bool
method_filter_matches_class (const monocle_kit_callspec *spec, MonoClass *klass)
{
	return match_names (spec, klass, "", false);
}

bool
method_filter_wants (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	int answer = match_image (mono_class_get_image (klass));
	bool wrapper = is_wrapper (method);
	if (answer < 0 || wrapper)
		return match_names (callspec, klass, mono_method_get_name (method), wrapper);
	return answer > 0;
}

MonoProfilerCallInstrumentationFlags
method_filter (MonoProfiler *profiler, MonoMethod *method)
{
	bool is_wanted = method_filter_wants (method);
	method_near_note (method, is_wanted);
	return is_wanted ? (MonoProfilerCallInstrumentationFlags) METHOD_FILTER_EVENTS
	                 : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}
