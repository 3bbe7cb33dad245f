/*
 * SPDX-License-Identifier: MIT
 *
 * name.c - how code is called in the profile. On the drain thread.
 *
 * A key is a method, or a native function's address with bit 62 set, or with `lines` a place in a method with bit 61
 * set. What a compiler made of an async or an iterator method, the MoveNext of a nested class, is shown as the method
 * in the source, and an async method that the runtime itself suspends in the same way.
 */
#include "sample.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

#include "drain-thread.h"
#include "name-text.h"
#include "written-name.h"

#define NATIVE_KEY ((uintptr_t) 1 << 62)
#define PLACE_KEY  ((uintptr_t) 1 << 61)

enum {
	FIRST_SLOTS = 256,
	INLINED_MAX = 64,
	FEWEST_KEY = 32, /* of those that are not the kit's */
	NO_OFFSET = UINT32_MAX,
};

/* An IL offset in a method; there until name_leave (). */
struct place {
	MonoMethod *method;
	uint32_t il_offset;
};

static bool is_raw, has_lines;

/* --- places: a profile and its snapshots have a drain thread each ------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place **slots; /* open addressing, at most half full */
static size_t slot_count, place_count;

static struct place **
slot_of (MonoMethod *method, uint32_t il_offset)
{
	uint64_t hash = ((uintptr_t) method >> 3 ^ il_offset) * UINT64_C (0x9e3779b97f4a7c15);
	for (size_t i = (size_t) (hash >> 32);; i++) {
		struct place **slot = &slots[i & (slot_count - 1)];
		if (!*slot || ((*slot)->method == method && (*slot)->il_offset == il_offset))
			return slot;
	}
}

static bool
grow (void)
{
	struct place **old = slots;
	size_t old_count = slot_count, count = old ? old_count * 2 : FIRST_SLOTS;
	if (place_count * 2 < old_count)
		return true;
	struct place **larger = calloc (count, sizeof *larger);
	if (!larger)
		return false;
	slots = larger;
	slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			*slot_of (old[i]->method, old[i]->il_offset) = old[i];
	free (old);
	return true;
}

/* Without memory the method as a whole. */
static void *
key_of_place (MonoMethod *method, uint32_t il_offset)
{
	struct place *place = NULL;
	pthread_mutex_lock (&lock);
	struct place **slot = grow () ? slot_of (method, il_offset) : NULL;
	if (slot && !*slot && (place = malloc (sizeof *place))) {
		*place = (struct place) { method, il_offset };
		*slot = place;
		place_count++;
	}
	place = slot ? *slot : NULL;
	pthread_mutex_unlock (&lock);
	return place ? (void *) ((uintptr_t) place | PLACE_KEY) : method;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

void
name_init (bool raw, bool lines, bool late)
{
	is_raw = raw;
	has_lines = lines;
	/* Mono keeps no maps of its code unless it is told to before it compiles any, and may be told once. */
	if (lines && !late && !monocle_event_support && !mono_debug_enabled ())
		mono_debug_init (MONO_DEBUG_FORMAT_MONO);
}

void
name_leave (void)
{
	for (size_t i = 0; i < slot_count; i++)
		free (slots[i]);
	free (slots);
	slots = NULL;
	slot_count = place_count = 0;
}

struct search {
	uintptr_t address;
	MonoMethod *method;
	uint32_t il_offset;
};

/* Mono knows code by domain. */
static void
search_domain (MonoDomain *domain, void *data)
{
	struct search *search = data;
	MonoJitInfo *code = search->method ? NULL : mono_jit_info_table_find (domain, (void *) search->address);
	if (!code)
		return;
	uintptr_t start = (uintptr_t) mono_jit_info_get_code_start (code);
	int32_t il_offset = -1;
	search->method = mono_jit_info_get_method (code);
	if (mono_debug_enabled ()) /* else Mono ends the process */
		il_offset = mono_debug_il_offset_from_address (search->method, domain, (uint32_t) (search->address - start));
	search->il_offset = il_offset < 0 ? NO_OFFSET : (uint32_t) il_offset | MONOCLE_KIT_ORIGIN_EXACT;
}

static MonoMethod *
method_at (uintptr_t address, bool with_lines, uint32_t *ret_il_offset)
{
	struct search search = { address, NULL, NO_OFFSET };
	*ret_il_offset = NO_OFFSET;
	if (!with_lines)
		return drain_thread_method_at (address);
	if (monocle_il_offset_at)
		return monocle_il_offset_at ((void *) address, &search.method, ret_il_offset) ? search.method : NULL;
	search_domain (mono_get_root_domain (), &search);
	if (!search.method)
		mono_domain_foreach (search_domain, &search);
	*ret_il_offset = search.il_offset;
	return search.method;
}

static void *
key_of (MonoMethod *method, bool with_lines, uint32_t il_offset)
{
	return with_lines && il_offset != NO_OFFSET ? key_of_place (method, il_offset) : method;
}

/*
 * Of the method that was compiled, which is the last, the runtime's own map tells the line, as where nothing was
 * inlined: it knows what our probes are. The offsets of the others are in the code that was compiled.
 */
static uint32_t
resolve_inlined (uintptr_t address, bool with_lines, void **ret_keys, uint32_t capacity)
{
	monocle_inlined inlined[INLINED_MAX];
	uint32_t most = capacity < INLINED_MAX ? capacity : INLINED_MAX, il_offset;
	uint32_t count = monocle_inlined_at ? monocle_inlined_at ((void *) address, inlined, most) : 0;
	for (uint32_t i = 0; i + 1 < count; i++)
		ret_keys[i] = key_of (inlined[i].method, with_lines, inlined[i].il_offset);
	if (count) {
		MonoMethod *method = method_at (address, with_lines, &il_offset);
		MonoMethod *outermost = method ? method : inlined[count - 1].method;
		ret_keys[count - 1] = key_of (outermost, with_lines, method ? il_offset : NO_OFFSET);
	}
	return count;
}

static uint32_t
resolve_one (uintptr_t address, bool with_lines, void **ret_key)
{
	uint32_t il_offset;
	MonoMethod *method = method_at (address, with_lines, &il_offset);
	if (method)
		monocle_kit_aot_prepared (address);
	uintptr_t function = method ? 0 : monocle_kit_native_function (address);
	*ret_key = function ? (void *) (function | NATIVE_KEY) : method ? key_of (method, with_lines, il_offset) : NULL;
	return *ret_key != NULL;
}

static uint32_t
resolve (uintptr_t address, bool with_lines, void **ret_keys, uint32_t capacity)
{
	monocle_kit_runtime_ask ();
	uint32_t count = resolve_inlined (address, with_lines, ret_keys, capacity);
	if (!count)
		count = resolve_one (address, with_lines, ret_keys);
	monocle_kit_runtime_asked ();
	return count;
}

uint32_t
name_resolve (void *data, uintptr_t address, void **ret_keys, uint32_t capacity)
{
	return resolve (address, has_lines, ret_keys, capacity);
}

uint32_t
name_resolve_place (void *data, uintptr_t address, void **ret_keys, uint32_t capacity)
{
	return resolve (address, true, ret_keys, capacity);
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

/* The same for a method that the runtime itself suspends, of the name that it has in the source. */
static bool
name_suspended (MonoMethod *method, const char *source_name, char *text, size_t size)
{
	enum { IMPL_ASYNC = 0x2000 }; /* MethodImplAttributes */
	uint32_t impl = 0;
	const char *end = strstr (source_name, " (");
	mono_method_get_flags (method, &impl);
	if (!(impl & IMPL_ASYNC) || !end)
		return false;
	int written = snprintf (text, size, "%.*s (async)", (int) (end - source_name), source_name);
	return written > 0 && (size_t) written < size;
}

static size_t
put_place (MonoMethod *method, uint32_t il_offset, bool raw, char *buffer, size_t size)
{
	char text[1024], origin[MONOCLE_KIT_ORIGIN_SIZE];
	char *full_name = mono_method_full_name (method, 1);
	const char *name = full_name ? full_name : "[unknown]";
	char *written = !raw && full_name ? written_name (method, full_name) : NULL;
	if (written)
		name = written;
	else if (!raw && full_name && name_state_machine (method, full_name, text, sizeof text))
		name = text;
	if (!raw && full_name && name_suspended (method, name, text, sizeof text))
		name = text;
	name_text_origin (method, il_offset, origin);
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	size_t length = name_text_put (name, mono_image_get_filename (image), origin, buffer, size);
	mono_free (full_name);
	free (written);
	return length;
}

static size_t
name_place (MonoMethod *method, uint32_t il_offset, bool raw, char *buffer, size_t size)
{
	monocle_kit_runtime_ask ();
	size_t length = put_place (method, il_offset, raw, buffer, size);
	monocle_kit_runtime_asked ();
	return length;
}

MonoMethod *
name_method (void *key)
{
	uintptr_t number = (uintptr_t) key;
	if (number & NATIVE_KEY || number < FEWEST_KEY)
		return NULL;
	return number & PLACE_KEY ? ((const struct place *) (number & ~PLACE_KEY))->method : key;
}

static size_t
name_key (void *key, bool raw, char *buffer, size_t size)
{
	uintptr_t number = (uintptr_t) key;
	const struct place *place = (const struct place *) (number & ~PLACE_KEY);
	if (number & NATIVE_KEY)
		return monocle_kit_native_name (number & ~NATIVE_KEY, buffer, size);
	if (number & PLACE_KEY)
		return name_place (place->method, place->il_offset, raw, buffer, size);
	return name_place (key, NO_OFFSET, raw, buffer, size);
}

size_t
name_of (void *key, char *buffer, size_t size)
{
	return name_key (key, is_raw, buffer, size);
}

size_t
name_of_place (void *key, char *buffer, size_t size)
{
	return name_key (key, false, buffer, size);
}
