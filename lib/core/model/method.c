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
#include "generic-inst.h"
#include "hash.h"
#include "image.h"
#include "intern.h"
#include "invariant.h"
#include "publish.h"
#include "shown.h"
#include "signature.h"
#include "table.h"
#include "type.h"

enum { ROW_MASK = 0xffffff };

typedef struct {
	MonoMethod method;
	monocle__node node;
} inst_record;

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
		.flags = (uint16_t) info->flags,
		.iflags = (uint16_t) info->iflags,
		.generic_params = (uint16_t) info->generic_params,
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

const monocle__method_desc *
monocle__method_describe (MonoMethod *method)
{
	const monocle__method_desc *desc = describe_definition (monocle_method_definition (method));
	if (desc && atomic_load_explicit (&method->name, memory_order_relaxed) != desc->name)
		monocle__shown_method_is (method, desc);
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
	MonoMethod *method = klass ? monocle_method_def (monocle__class_image (klass), methoddef_token) : NULL;
	if (method)
		atomic_store_explicit (&method->klass, klass, memory_order_release);
	return method;
}

static MonoMethod *
of_node (const monocle__node *node)
{
	return &((inst_record *) (void *) ((char *) (uintptr_t) node - offsetof (inst_record, node)))->method;
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
	const MonoMethod *method = of_node (node);
	const struct key *key = data;
	return method->definition == key->definition &&
	       atomic_load_explicit (&method->klass, memory_order_relaxed) == key->klass && method->count == key->count &&
	       (!key->count ||
	        !memcmp (monocle__method_arguments (method), key->arguments, key->count * sizeof *key->arguments));
}

static inst_record *
inst_new (const struct key *key)
{
	inst_record *made = monocle__arena_alloc (sizeof *made);
	MonoMethod *method = &made->method;
	bool is_inst = key->klass && key->klass->kind == MONOCLE__CLASS_INST;
	if (!made)
		return NULL;
	method->definition = key->definition;
	method->image = key->definition->image;
	method->token = key->definition->token;
	atomic_store_explicit (&method->klass, key->klass, memory_order_relaxed);
	method->count = key->count;
	method->context.class_inst = is_inst ? key->klass->generic_class->context.class_inst : NULL;
	method->context.method_inst = key->count ? monocle__generic_inst_of (key->count, key->arguments) : NULL;
	return key->count && !method->context.method_inst ? NULL : made;
}

MonoMethod *
monocle_method_inst (MonoMethod *definition, MonoClass *klass, uint32_t count, MonoType *const *arguments)
{
	if (!definition)
		return NULL;
	definition = monocle_method_definition (definition);
	if (!klass || klass == atomic_load_explicit (&definition->image->unknown_class, memory_order_acquire))
		klass = monocle__method_class (definition);
	for (uint32_t i = 0; i < count; i++)
		if (!arguments[i])
			return NULL;
	if (!count && klass == monocle__method_class (definition))
		return definition;
	struct key key = { definition, klass, count, arguments };
	uint64_t hash = key_hash (&key);
	monocle__node *node = monocle__intern_find (&methods, hash, key_same, &key);
	if (node)
		return of_node (node);
	inst_record *made = inst_new (&key);
	MONOCLE__INVARIANT (!made || (key_same (&made->node, &key) && !definition->definition));
	return made ? of_node (monocle__intern_add (&methods, hash, &made->node, key_same, &key)) : NULL;
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

MonoGenericContext *
monocle_method_context (MonoMethod *method)
{
	return method && method->definition ? &method->context : NULL;
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
	const char *known = atomic_load_explicit (&method->name, memory_order_acquire), *name;
	char text[24];
	if (known)
		return known;
	snprintf (text, sizeof text, "<0x%08x>", method->token);
	name = monocle__arena_string (text);
	return name ? MONOCLE__PUBLISH (&method->name, name) : "";
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
monocle__method_class (MonoMethod *method)
{
	if (!method)
		return NULL;
	MonoClass *klass = atomic_load_explicit (&method->klass, memory_order_acquire);
	if (klass)
		return klass;
	const monocle__method_desc *desc = monocle__method_describe (method);
	return desc ? desc->klass : NULL;
}

/* As in Mono, no method is without a class, which modules read without asking. */
MonoClass *
mono_method_get_class (MonoMethod *method)
{
	MonoClass *klass = monocle__method_class (method);
	return klass || !method || !method->image ? klass : monocle__class_unknown_of (method->image);
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
