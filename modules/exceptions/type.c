/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - what is thrown: one record per class, found without a lock, made under one.
 *
 * A class is looked up by its address in a table of slots that are never emptied: when its image goes the record stays,
 * with its counts, and its class becomes NULL, which no look-up matches.
 */
#include "exceptions.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/appdomain.h>
#include <mono/utils/mono-publib.h>

#include "private-field.h"

enum { SLOTS = 1 << 13, PROBES = 64, TYPES_MOST = SLOTS / 2, NAME_SIZE = 512, MESSAGE_SIZE = 200, NOTES = 7 };

static _Atomic (struct type *) slots[SLOTS];
static size_t type_total; /* under the lock, as making records is */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct type others = { .name = "[other types]", .image = "", .is_wanted = true };
static char *filters; /* one glob after the other, each with its NUL; an empty one ends them. NULL: all */

void
type_init (const char *filter)
{
	size_t size = filter ? strlen (filter) + 2 : 0;
	filters = filter ? calloc (1, size) : NULL;
	for (size_t i = 0; filters && filter[i]; i++)
		filters[i] = filter[i] == '+' ? 0 : filter[i];
}

static bool
is_wanted (const char *name)
{
	for (const char *glob = filters; glob && *glob; glob += strlen (glob) + 1)
		if (fnmatch (glob, name, 0) == 0)
			return true;
	return !filters;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static size_t
put_name (MonoClass *klass, char *text, size_t size)
{
	MonoClass *outer = mono_class_get_nesting_type (klass);
	const char *name_space = outer ? NULL : mono_class_get_namespace (klass), *name = mono_class_get_name (klass);
	size_t length = outer ? put_name (outer, text, size) : 0;
	const char *before = outer ? "/" : name_space && *name_space ? "." : "";
	if (length < size)
		length += (size_t) snprintf (text + length, size - length, "%s%s%s", name_space ? name_space : "", before,
		                             name ? name : "?");
	return length < size ? length : size - 1;
}

static struct type *
make (MonoClass *klass)
{
	char name[NAME_SIZE];
	const char *image = mono_image_get_filename (mono_class_get_image (klass));
	struct type *type = calloc (1, sizeof *type);
	put_name (klass, name, sizeof name);
	if (!type || !(type->name = strdup (name)) || !(type->image = strdup (image ? image : ""))) {
		free (type ? type->name : NULL);
		free (type);
		return NULL;
	}
	type->klass = klass;
	type->is_wanted = is_wanted (name);
	return type;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static size_t
slot_of (MonoClass *klass, unsigned probe)
{
	return (size_t) (((uintptr_t) klass * (uintptr_t) 0x9e3779b97f4a7c15u >> 44) + probe) % SLOTS;
}

/* *ret_free: where a new one may be put, SLOTS: nowhere. */
static struct type *
find (MonoClass *klass, size_t *ret_free)
{
	*ret_free = SLOTS;
	for (unsigned i = 0; i < PROBES; i++) {
		size_t slot = slot_of (klass, i);
		struct type *type = atomic_load_explicit (&slots[slot], memory_order_acquire);
		if (!type) {
			*ret_free = slot;
			return NULL;
		}
		if (atomic_load_explicit (&type->klass, memory_order_relaxed) == klass)
			return type;
	}
	return NULL;
}

static struct type *
find_or_make (MonoClass *klass)
{
	size_t slot;
	pthread_mutex_lock (&lock);
	struct type *type = find (klass, &slot);
	if (!type && slot < SLOTS && type_total < TYPES_MOST && (type = make (klass))) {
		atomic_store_explicit (&slots[slot], type, memory_order_release);
		type_total++;
	}
	pthread_mutex_unlock (&lock);
	return type ? type : &others;
}

struct type *
type_of (MonoObject *exception)
{
	size_t slot;
	MonoClass *klass = mono_object_get_class (exception);
	struct type *type = klass ? find (klass, &slot) : &others;
	return type ? type : find_or_make (klass);
}

void
type_image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct type *type = atomic_load_explicit (&slots[i], memory_order_acquire);
		MonoClass *klass = type ? atomic_load (&type->klass) : NULL;
		if (klass && mono_class_get_image (klass) == image)
			atomic_store (&type->klass, NULL);
	}
}

/* --- fields of exceptions ----------------------------------------------------------------------------------------- */

/* Both runtimes' class libraries have the field under this name. UINT32_MAX: this one has not. */
static uint32_t
offset_of (monocle__private_id id)
{
	MonoClassField *field = private_field_serves ("exceptions", monocle__private_members[id].feature)
	                          ? private_field_of (mono_get_exception_class (), id)
	                          : NULL;
	return field ? mono_field_get_offset (field) : UINT32_MAX;
}

static MonoObject *
read_reference (MonoObject *object, _Atomic uint32_t *offset, monocle__private_id id)
{
	if (!*offset)
		*offset = offset_of (id);
	MonoObject *value = NULL;
	if (*offset != UINT32_MAX)
		memcpy (&value, (char *) object + *offset, sizeof value);
	return value;
}

bool
type_is_again (MonoObject *exception)
{
	static _Atomic uint32_t offset;
	return read_reference (exception, &offset, MONOCLE__NAME_EXCEPTION_STACK) != NULL;
}

/* One line, of whole characters. */
static void
put_line (const char *from, char *text, size_t size)
{
	size_t length = 0;
	for (; from[length] && length < size - 1; length++)
		text[length] = (unsigned char) from[length] < ' ' || from[length] == 0x7f ? ' ' : from[length];
	while (from[length] && length && ((unsigned char) from[length] & 0xC0) == 0x80)
		length--;
	text[length] = 0;
}

void
type_message (MonoObject *exception, char *text, size_t size)
{
	static _Atomic uint32_t offset;
	MonoObject *string = read_reference (exception, &offset, MONOCLE__NAME_EXCEPTION_MESSAGE);
	char *message = string ? mono_string_to_utf8 ((MonoString *) string) : NULL;
	put_line (message ? message : "", text, size);
	mono_free (message);
}

void
type_count (struct type *type, MonoObject *exception, bool again)
{
	char text[MESSAGE_SIZE];
	if (again) {
		atomic_fetch_add_explicit (&type->again, 1, memory_order_relaxed);
		return;
	}
	if (atomic_fetch_add_explicit (&type->thrown, 1, memory_order_relaxed))
		return;
	type_message (exception, text, sizeof text);
	if (*text)
		atomic_store (&type->message, strdup (text));
}

/* --- the sum ------------------------------------------------------------------------------------------------------ */

static int
by_frequency (const void *a, const void *b)
{
	const struct type *x = *(struct type *const *) a, *y = *(struct type *const *) b;
	uint64_t of_x = x->thrown + x->again, of_y = y->thrown + y->again;
	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : strcmp (x->name, y->name);
}

static size_t
collect (struct type **types, size_t room)
{
	size_t count = 0;
	for (size_t i = 0; i <= SLOTS; i++) {
		struct type *type = i < SLOTS ? atomic_load_explicit (&slots[i], memory_order_acquire) : &others;
		if (!type || !type->is_wanted || !(type->thrown + type->again))
			continue;
		if (count < room)
			types[count] = type;
		count++;
	}
	return count;
}

size_t
type_list (struct type **types, size_t room)
{
	struct type **all = calloc (TYPES_MOST + 1, sizeof *all);
	size_t count = all ? collect (all, TYPES_MOST + 1) : 0;
	if (count)
		qsort (all, count, sizeof *all, by_frequency);
	for (size_t i = 0; i < count && i < room; i++)
		types[i] = all[i];
	free (all);
	return count;
}

void
type_note (monocle_kit_stacks *stacks)
{
	struct type *types[NOTES];
	char key[32], text[NAME_SIZE];
	size_t count = type_list (types, NOTES);
	for (size_t i = 0; i < count && i < NOTES; i++) {
		const char *message = atomic_load (&types[i]->message);
		snprintf (key, sizeof key, "type %zu", i + 1);
		snprintf (text, sizeof text, "%s: %" PRIu64 " thrown, %" PRIu64 " rethrown; first message: %s", types[i]->name,
		          types[i]->thrown, types[i]->again, message ? message : "none");
		monocle_kit_stacks_note (stacks, key, text);
	}
	snprintf (text, sizeof text, "%zu", count);
	if (count > NOTES)
		monocle_kit_stacks_note (stacks, "types", text);
}

void
type_free (void)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct type *type = atomic_load (&slots[i]);
		if (!type)
			continue;
		free (type->name);
		free (type->image);
		free (atomic_load (&type->message));
		free (type);
	}
	free (atomic_load (&others.message));
	free (filters);
}
