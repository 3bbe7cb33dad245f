/*
 * SPDX-License-Identifier: MIT
 *
 * method.c - methods: definitions by (image, token), instances by definition, class and arguments.
 *
 * Any thread, any context.
 */
#include "method.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "arena.h"
#include "class.h"
#include "dispatch/host.h"
#include "hash.h"
#include "image.h"
#include "intern.h"
#include "invariant.h"
#include "publish.h"
#include "signature.h"
#include "table.h"
#include "type.h"

enum { ROW_MASK = 0xffffff };

_Static_assert(offsetof (MonoMethod, flags) == 0 && offsetof (MonoMethod, iflags) == 2 &&
                   offsetof (MonoMethod, token) == 4 && offsetof (MonoMethod, klass) == 8 &&
                   offsetof (MonoMethod, signature) == 16 && offsetof (MonoMethod, name) == 24,
               "a method's record begins as Mono's does");

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
	MONOCLE__INVARIANT (!definition->definition); /* the host knows definitions only */
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

static const monocle__method_desc *
describe_definition (MonoMethod *method)
{
	monocle__method_desc *desc = atomic_load_explicit (&method->desc, memory_order_acquire);
	return desc ? desc : MONOCLE__PUBLISH (&method->desc, describe (method));
}

/* For modules that read the record itself. Another thread that does it at the same time writes the same. */
static void
show (MonoMethod *method, const monocle__method_desc *desc)
{
	atomic_store_explicit (&method->flags, (uint16_t) desc->flags, memory_order_relaxed);
	atomic_store_explicit (&method->iflags, (uint16_t) desc->iflags, memory_order_relaxed);
	if (!atomic_load_explicit (&method->klass, memory_order_relaxed))
		atomic_store_explicit (&method->klass, desc->klass, memory_order_release);
	atomic_store_explicit (&method->name, desc->name, memory_order_release);
}

const monocle__method_desc *
monocle__method_describe (MonoMethod *method)
{
	const monocle__method_desc *desc = describe_definition (monocle_method_definition (method));
	if (desc && !atomic_load_explicit (&method->name, memory_order_relaxed))
		show (method, desc);
	return desc;
}

void
monocle__method_complete (MonoMethod *method)
{
	const monocle__method_desc *desc = method ? monocle__method_describe (method) : NULL;
	if (!desc)
		return;
	monocle__signature_of (method);
	monocle__class_params_complete (NULL, method, desc->generic_params);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

MonoMethod *
monocle_method_def_if_known (MonoImage *image, uint32_t methoddef_token)
{
	_Atomic (void *) *slot = image ? monocle__table_slot (&image->methods, methoddef_token & ROW_MASK, false) : NULL;
	return slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
}

MonoMethod *
monocle_method_def (MonoImage *image, uint32_t methoddef_token)
{
	uint32_t row = methoddef_token & ROW_MASK;
	_Atomic (void *) *slot = image ? monocle__table_slot (&image->methods, row, true) : NULL;
	void *known = slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
	if (known || !slot)
		return known;
	MonoMethod *method = monocle__arena_alloc (sizeof *method);
	if (!method)
		return NULL;
	method->image = image;
	method->token = MONO_TOKEN_METHOD_DEF | row;
	return MONOCLE__PUBLISH (slot, method);
}

MonoMethod *
monocle_method_def_in (MonoClass *klass, uint32_t methoddef_token)
{
	MonoMethod *method = klass ? monocle_method_def (mono_class_get_image (klass), methoddef_token) : NULL;
	if (method)
		atomic_store_explicit (&method->klass, klass, memory_order_release);
	return method;
}

static MonoMethod *
of_node (monocle__node *node)
{
	return (MonoMethod *) (void *) ((char *) node - offsetof (MonoMethod, node));
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
	const MonoMethod *method = of_node ((monocle__node *) node);
	const struct key *key = data;
	return method->definition == key->definition &&
	       atomic_load_explicit (&method->klass, memory_order_relaxed) == key->klass && method->count == key->count &&
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
	atomic_store_explicit (&method->klass, key->klass, memory_order_relaxed);
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
		return of_node (node);
	MonoMethod *method = inst_new (&key);
	MONOCLE__INVARIANT (!method || (key_same (&method->node, &key) && !definition->definition));
	return method ? of_node (monocle__intern_add (&methods, hash, &method->node, key_same, &key)) : NULL;
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
	return MONOCLE__PUBLISH (&method->fallback, copy);
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
	MonoClass *klass = atomic_load_explicit (&method->klass, memory_order_acquire);
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
