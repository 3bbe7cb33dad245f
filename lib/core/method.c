/*
 * SPDX-License-Identifier: MIT
 *
 * method.c - methods: definitions by (image, token), instances by definition, class and arguments.
 *
 * Any thread, any context, except for the look-ups at the end, which may make many records.
 */
#include "records.h"

#include <stdio.h>
#include <string.h>

enum {
	ROW_MASK = 0xffffff,
	DEPTH_LIMIT = 64, /* of parent chains, against hosts that make circles */
};

static monocle__intern methods;

/* --- describing --------------------------------------------------------------------------------------------------- */

static monocle__method_desc *
desc_from_info (const monocle_method_info *info)
{
	monocle__method_desc *desc = monocle__arena_alloc (sizeof *desc);
	if (!desc)
		return NULL;
	*desc = (monocle__method_desc) {
		.name = monocle__arena_string (info->name ? info->name : ""),
		.flags = info->flags,
		.iflags = info->iflags,
		.generic_params = info->generic_params,
		.klass = info->klass,
	};
	return desc->name ? desc : NULL;
}

static monocle__method_desc *
describe (MonoMethod *definition)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_method_info info = { .size = sizeof info };
	monocle__method_desc *desc = NULL;
	if (!ops->describe_method || !monocle__image_ask_begin (definition->image))
		return NULL;
	if (ops->describe_method (ops->host, definition, &info) == 0)
		desc = desc_from_info (&info);
	monocle__image_ask_end (definition->image);
	return desc;
}

const monocle__method_desc *
monocle__method_describe (MonoMethod *method)
{
	method = monocle_method_definition (method);
	monocle__method_desc *desc = atomic_load_explicit (&method->desc, memory_order_acquire), *known = NULL;
	if (desc || !(desc = describe (method)))
		return desc;
	if (atomic_compare_exchange_strong_explicit (&method->desc, &known, desc, memory_order_acq_rel,
	                                             memory_order_acquire))
		return desc;
	return known;
}

void
monocle__method_complete (MonoMethod *method)
{
	const monocle__method_desc *desc = method ? monocle__method_describe (method) : NULL;
	if (!desc)
		return;
	monocle__method_signature (method);
	for (uint32_t i = 0; i < desc->generic_params; i++)
		for (int shared = 0; shared <= 1; shared++) {
			MonoClass *param = monocle_class_param (NULL, method, i, shared);
			if (param)
				monocle__class_describe (param);
		}
}

/* --- making ------------------------------------------------------------------------------------------------------- */

MonoMethod *
monocle_method_def_if_known (MonoImage *image, uint32_t methoddef_token)
{
	_Atomic(void *) *slot = image ? monocle__table_slot (&image->methods, methoddef_token & ROW_MASK, false) : NULL;
	return slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
}

MonoMethod *
monocle_method_def (MonoImage *image, uint32_t methoddef_token)
{
	uint32_t row = methoddef_token & ROW_MASK;
	_Atomic(void *) *slot = image ? monocle__table_slot (&image->methods, row, true) : NULL;
	void *known = slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
	if (known || !slot)
		return known;
	MonoMethod *method = monocle__arena_alloc (sizeof *method);
	if (!method)
		return NULL;
	method->image = image;
	method->token = MONO_TOKEN_METHOD_DEF | row;
	if (atomic_compare_exchange_strong_explicit (slot, &known, method, memory_order_acq_rel, memory_order_acquire))
		return method;
	return known;
}

MonoMethod *
monocle_method_def_in (MonoClass *klass, uint32_t methoddef_token)
{
	MonoMethod *method = klass ? monocle_method_def (mono_class_get_image (klass), methoddef_token) : NULL;
	if (method)
		__atomic_store_n (&method->klass, klass, __ATOMIC_RELEASE);
	return method;
}

struct key {
	MonoMethod *definition;
	MonoClass *klass;
	uint32_t count;
	MonoType *const *arguments;
};

static uint64_t
key_hash (const struct key *key)
{
	uint64_t hash = monocle__hash (monocle__hash (key->count, (uintptr_t) key->definition), (uintptr_t) key->klass);
	for (uint32_t i = 0; i < key->count; i++)
		hash = monocle__hash (hash, (uintptr_t) key->arguments[i]);
	return hash;
}

static bool
key_same (const monocle__node *node, const void *data)
{
	const MonoMethod *method = (const MonoMethod *) node;
	const struct key *key = data;
	return method->definition == key->definition && method->klass == key->klass && method->count == key->count &&
	       (!key->count || !memcmp (method->arguments, key->arguments, key->count * sizeof *key->arguments));
}

static MonoMethod *
inst_new (const struct key *key)
{
	MonoMethod *method = monocle__arena_alloc (sizeof *method);
	if (!method)
		return NULL;
	method->definition = key->definition;
	method->image = key->definition->image;
	method->token = key->definition->token;
	method->klass = key->klass;
	method->count = key->count;
	method->arguments = key->count ? monocle__type_list (key->count, key->arguments) : NULL;
	return key->count && !method->arguments ? NULL : method;
}

MonoMethod *
monocle_method_inst (MonoMethod *definition, MonoClass *klass, uint32_t count, MonoType *const *arguments)
{
	if (!definition)
		return NULL;
	definition = monocle_method_definition (definition);
	if (!klass)
		klass = mono_method_get_class (definition);
	for (uint32_t i = 0; i < count; i++)
		if (!arguments[i])
			return NULL;
	if (!count && klass == mono_method_get_class (definition))
		return definition;
	struct key key = { definition, klass, count, arguments };
	uint64_t hash = key_hash (&key);
	monocle__node *node = monocle__intern_find (&methods, hash, key_same, &key);
	if (node)
		return (MonoMethod *) node;
	MonoMethod *method = inst_new (&key);
	return method ? (MonoMethod *) monocle__intern_add (&methods, hash, &method->node, key_same, &key) : NULL;
}

/* --- what hosts ask ----------------------------------------------------------------------------------------------- */

MonoMethod *
monocle_method_definition (MonoMethod *method)
{
	return method && method->definition ? method->definition : method;
}

MonoImage *
monocle_method_image (MonoMethod *method)
{
	return method ? method->image : NULL;
}

uint32_t
monocle_method_token (MonoMethod *method)
{
	return method ? method->token : 0;
}

void **
monocle_method_slot (MonoMethod *method)
{
	return method ? &method->slot : NULL;
}

/* --- mono_method_* ------------------------------------------------------------------------------------------------ */

/* A method that the host cannot describe (yet) is called by its token. */
static const char *
fallback_name (MonoMethod *method)
{
	const char *known = atomic_load_explicit (&method->fallback, memory_order_acquire), *copy;
	char text[24];
	if (known)
		return known;
	snprintf (text, sizeof text, "<0x%08x>", method->token);
	if (!(copy = monocle__arena_string (text)))
		return "";
	if (atomic_compare_exchange_strong_explicit (&method->fallback, &known, copy, memory_order_acq_rel,
	                                             memory_order_acquire))
		return copy;
	return known;
}

const char *
mono_method_get_name (MonoMethod *method)
{
	if (!method)
		return NULL;
	const monocle__method_desc *desc = monocle__method_describe (method);
	return desc ? desc->name : fallback_name (monocle_method_definition (method));
}

MonoClass *
mono_method_get_class (MonoMethod *method)
{
	if (!method)
		return NULL;
	MonoClass *klass = __atomic_load_n (&method->klass, __ATOMIC_ACQUIRE);
	if (klass)
		return klass;
	const monocle__method_desc *desc = monocle__method_describe (method);
	return desc ? desc->klass : NULL;
}

uint32_t
mono_method_get_token (MonoMethod *method)
{
	return method ? method->token : 0;
}

uint32_t
mono_method_get_flags (MonoMethod *method, uint32_t *iflags)
{
	const monocle__method_desc *desc = method ? monocle__method_describe (method) : NULL;
	if (iflags)
		*iflags = desc ? desc->iflags : 0;
	return desc ? desc->flags : 0;
}

MonoMethod *
mono_get_method (MonoImage *image, uint32_t token, MonoClass *klass)
{
	uint32_t row = token & ROW_MASK;
	if (!image || (token & ~(uint32_t) ROW_MASK) != MONO_TOKEN_METHOD_DEF || !row)
		return NULL;
	return row <= image->method_rows || mono_image_is_dynamic (image) ? monocle_method_def (image, token) : NULL;
}

/* --- the methods of a class ------------------------------------------------------------------------------------------
 * II.22.37: the rows of one type's methods are contiguous, and types' runs stand in the order of the types. So the
 * first row whose owner is not before the class is found by halving, with a description for each step and no list
 * anywhere.
 */

static uint32_t
owner_row (MonoImage *image, uint32_t row)
{
	MonoMethod *method = monocle_method_def (image, row);
	MonoClass *owner = method ? mono_method_get_class (method) : NULL;
	return owner ? monocle_class_token (owner) & ROW_MASK : 0;
}

static uint32_t
first_method_row (MonoImage *image, uint32_t class_row)
{
	uint32_t low = 1, high = image->method_rows + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (owner_row (image, middle) < class_row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The method in `row`, as the class has it: of an instance, an instance. */
static MonoMethod *
method_in (MonoClass *klass, uint32_t row)
{
	MonoImage *image = mono_class_get_image (klass);
	MonoMethod *method = monocle_method_def (image, row);
	return klass->kind == MONOCLE__CLASS_INST ? monocle_method_inst (method, klass, 0, NULL) : method;
}

/* Arrays, pointers and parameters have no rows; the methods that Mono invents for arrays do not exist here. */
static bool
has_rows (MonoClass *klass)
{
	return klass && monocle_class_token (klass) && mono_class_get_image (klass);
}

/* The iterator holds the next row. Rows of dynamic images come in any order and are all looked at. */
MonoMethod *
mono_class_get_methods (MonoClass *klass, void **iter)
{
	if (!has_rows (klass) || !iter)
		return NULL;
	MonoImage *image = mono_class_get_image (klass);
	uint32_t class_row = monocle_class_token (klass) & ROW_MASK, row = (uint32_t) (uintptr_t) *iter;
	bool is_sorted = !mono_image_is_dynamic (image);
	uint32_t end = is_sorted ? image->method_rows + 1 : monocle__table_end (&image->methods);
	if (!row)
		row = is_sorted ? first_method_row (image, class_row) : 1;
	for (; row < end; row++) {
		if (!is_sorted && !monocle_method_def_if_known (image, row))
			continue;
		if (owner_row (image, row) == class_row) {
			*iter = (void *) (uintptr_t) (row + 1);
			return method_in (klass, row);
		}
		if (is_sorted)
			break;
	}
	*iter = (void *) (uintptr_t) end;
	return NULL;
}

int
mono_class_num_methods (MonoClass *klass)
{
	void *iter = NULL;
	int count = 0;
	while (mono_class_get_methods (klass, &iter))
		count++;
	return count;
}

static bool
is_wanted (MonoMethod *method, const char *name, int param_count, uint32_t flags)
{
	if (strcmp (mono_method_get_name (method), name) || (mono_method_get_flags (method, NULL) & flags) != flags)
		return false;
	return param_count == -1 ||
	       mono_signature_get_param_count (mono_method_signature (method)) == (uint32_t) param_count;
}

MonoMethod *
mono_class_get_method_from_name_flags (MonoClass *klass, const char *name, int param_count, int flags)
{
	for (int depth = 0; klass && name && depth < DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		void *iter = NULL;
		MonoMethod *method;
		while ((method = mono_class_get_methods (klass, &iter)))
			if (is_wanted (method, name, param_count, (uint32_t) flags))
				return method;
	}
	return NULL;
}

MonoMethod *
mono_class_get_method_from_name (MonoClass *klass, const char *name, int param_count)
{
	return mono_class_get_method_from_name_flags (klass, name, param_count, 0);
}
