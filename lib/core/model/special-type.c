/*
 * SPDX-License-Identifier: MIT
 *
 * special-type.c - types that say more than a class and whether it is by reference: custom modifiers, the sizes and
 * bounds of arrays, what pointers to such types point to, the signatures of function pointers.
 *
 * They are interned like classes, so that equal types are one pointer. Any thread, any context.
 */
#include "special-type.h"

#include <string.h>
#include "arena.h"
#include "class.h"
#include "hash.h"
#include "intern.h"
#include "signature.h"
#include "type.h"

static monocle__intern types;

const monocle__special_type *
monocle__special_type_of (const MonoType *type)
{
	return type && type->is_special
	         ? (const monocle__special_type *) ((const char *) type - offsetof (monocle__special_type, type))
	         : NULL;
}

/* --- equality ----------------------------------------------------------------------------------------------------- */

static uint64_t
hash_types (uint64_t hash, uint32_t count, MonoType *const *list)
{
	for (uint32_t i = 0; i < count; i++)
		hash = monocle__hash (hash, (uintptr_t) list[i]);
	return hash;
}

static uint64_t
hash_ints (uint64_t hash, uint32_t count, const int *list)
{
	for (uint32_t i = 0; i < count; i++)
		hash = monocle__hash (hash, (uint32_t) list[i]);
	return hash;
}

static uint64_t
hash_of (const monocle__special_type *key)
{
	uint64_t hash = monocle__hash (key->type.is_byref, (uintptr_t) key->type.klass);
	hash = hash_types (monocle__hash (hash, key->required), key->modifier_count, key->modifiers);
	hash = monocle__hash (hash, (uintptr_t) key->pointee);
	hash = hash_ints (monocle__hash (hash, key->shape.rank), key->shape.numsizes, key->shape.sizes);
	hash = hash_ints (hash, key->shape.numlobounds, key->shape.lobounds);
	if (key->signature)
		hash = hash_types (monocle__hash (hash, (uintptr_t) key->signature->ret), key->signature->count,
		                   key->signature->params);
	return hash;
}

static bool
same_list (const void *a, const void *b, size_t size)
{
	return !size || memcmp (a, b, size) == 0;
}

static bool
same_shape (const MonoArrayType *a, const MonoArrayType *b)
{
	return a->rank == b->rank && a->numsizes == b->numsizes && a->numlobounds == b->numlobounds &&
	       same_list (a->sizes, b->sizes, a->numsizes * sizeof *a->sizes) &&
	       same_list (a->lobounds, b->lobounds, a->numlobounds * sizeof *a->lobounds);
}

static bool
same_signature (const MonoMethodSignature *a, const MonoMethodSignature *b)
{
	if (!a || !b)
		return a == b;
	return a == b ||
	       (monocle__signature_heads_equal (a, b) && same_list (a->params, b->params, a->count * sizeof *a->params));
}

static bool
same (const monocle__node *node, const void *data)
{
	const monocle__special_type *a = (const monocle__special_type *) node, *b = data;
	return a->type.klass == b->type.klass && a->type.is_byref == b->type.is_byref && a->required == b->required &&
	       a->modifier_count == b->modifier_count && a->pointee == b->pointee && same_shape (&a->shape, &b->shape) &&
	       same_list (a->modifiers, b->modifiers, a->modifier_count * sizeof *a->modifiers) &&
	       same_signature (a->signature, b->signature);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static bool
is_plain (const monocle__special_type *key)
{
	return !key->modifier_count && !key->pointee && !key->signature && !key->shape.rank;
}

static bool
signature_is_open (const MonoMethodSignature *signature)
{
	bool open = signature && monocle__type_is_open (signature->ret);
	for (uint32_t i = 0; signature && !open && i < signature->count; i++)
		open = monocle__type_is_open (signature->params[i]);
	return open;
}

static int *
copy_ints (const int *list, uint32_t count)
{
	int *copy = monocle__arena_alloc (count * sizeof *copy);
	return copy ? memcpy (copy, list, count * sizeof *copy) : NULL;
}

static monocle__special_type *
copy_of (const monocle__special_type *key)
{
	monocle__special_type *special = monocle__arena_alloc (sizeof *special);
	if (!special)
		return NULL;
	*special = *key;
	special->type.is_special = true;
	atomic_init (&special->type.shown_code,
	             atomic_load_explicit (&key->type.klass->by_value.shown_code, memory_order_relaxed));
	special->is_open = signature_is_open (key->signature) || (key->pointee && monocle__type_is_open (key->pointee));
	if (key->modifier_count && !(special->modifiers = monocle__type_list (key->modifier_count, key->modifiers)))
		return NULL;
	if (key->shape.numsizes && !(special->shape.sizes = copy_ints (key->shape.sizes, key->shape.numsizes)))
		return NULL;
	if (key->shape.numlobounds && !(special->shape.lobounds = copy_ints (key->shape.lobounds, key->shape.numlobounds)))
		return NULL;
	return special;
}

static MonoType *
intern (const monocle__special_type *key)
{
	MonoClass *klass = key->type.klass;
	if (!klass || is_plain (key))
		return key->type.is_byref ? monocle_type_byref (klass) : monocle_type (klass);
	uint64_t hash = hash_of (key);
	monocle__node *node = monocle__intern_find (&types, hash, same, key);
	monocle__special_type *special = node ? NULL : copy_of (key);
	if (special)
		node = monocle__intern_add (&types, hash, &special->node, same, key);
	return node ? &((monocle__special_type *) node)->type : NULL;
}

static monocle__special_type
key_from (const MonoType *type)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	monocle__special_type key = { .type = { .klass = type->klass, .is_byref = type->is_byref } };
	if (!special)
		return key;
	/* One by one: the type's code may just be written. */
	key.modifier_count = special->modifier_count;
	key.modifiers = special->modifiers;
	key.required = special->required;
	key.pointee = special->pointee;
	key.signature = special->signature;
	key.shape = special->shape;
	return key;
}

MonoType *
monocle_type_array (MonoType *element, const monocle_array_info *info)
{
	if (!element || !info || info->rank > UINT8_MAX || info->size_count > info->rank || info->bound_count > info->rank)
		return NULL;
	bool general = info->is_general && info->rank == 1;
	MonoClass *klass =
	    general ? monocle__class_general_vector (element->klass) : monocle_class_array (element->klass, info->rank);
	monocle__special_type key = { .type = { .klass = klass } };
	if (info->size_count || info->bound_count)
		key.shape = (MonoArrayType) {
			.eklass = monocle__class_shown (element->klass),
			.rank = (uint8_t) info->rank,
			.numsizes = (uint8_t) info->size_count,
			.sizes = (int *) info->sizes,
			.numlobounds = (uint8_t) info->bound_count,
			.lobounds = (int *) info->bounds,
		};
	return intern (&key);
}

MonoType *
monocle_type_pointer (MonoType *pointee)
{
	if (!pointee)
		return NULL;
	monocle__special_type key = { .type = { .klass = monocle_class_pointer (pointee->klass) } };
	key.pointee = pointee == monocle_type (pointee->klass) && !pointee->klass->is_own ? NULL : pointee;
	return intern (&key);
}

MonoType *
monocle__special_type_fnptr (MonoMethodSignature *signature)
{
	return intern (&(monocle__special_type) { .type = { .klass = monocle_class_fnptr () }, .signature = signature });
}

MonoType *
monocle_type_fnptr (const monocle_signature_info *info)
{
	MonoMethodSignature *signature = info && info->ret ? monocle__signature_shared (info) : NULL;
	return signature ? monocle__special_type_fnptr (signature) : NULL;
}

MonoType *
monocle_type_with (MonoType *type, int byref, uint32_t modifier_count, MonoType *const *modifiers, uint64_t required)
{
	MonoType *list[MONOCLE__MODIFIERS_MAX];
	if (!type)
		return NULL;
	monocle__special_type key = key_from (type);
	if (modifier_count > MONOCLE__MODIFIERS_MAX - key.modifier_count)
		return NULL;
	for (uint32_t i = 0; i < modifier_count; i++)
		if (!(list[i] = modifiers[i]))
			return NULL;
	if (key.modifier_count)
		memcpy (list + modifier_count, key.modifiers, key.modifier_count * sizeof *list);
	if (modifier_count) {
		key.required = (modifier_count < 64 ? key.required << modifier_count : 0) | required;
		key.modifiers = list;
		key.modifier_count += modifier_count;
	}
	key.type.is_byref |= byref != 0;
	return intern (&key);
}

MonoType *
monocle__special_type_like (const monocle__special_type *like, MonoType *type)
{
	if (!type)
		return NULL;
	monocle__special_type key = key_from (type);
	if (like->shape.rank) {
		key.shape = like->shape;
		key.shape.eklass = monocle__class_shown (type->klass->element);
	}
	type = intern (&key);
	return monocle_type_with (type, like->type.is_byref, like->modifier_count, like->modifiers, like->required);
}

/* --- mono_type_* -------------------------------------------------------------------------------------------------- */

MonoArrayType *
mono_type_get_array_type (MonoType *type)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	if (!type || type->klass->kind != MONOCLE__CLASS_ARRAY)
		return NULL;
	/* The answer is not to be written to; only the prototype lacks a const. */
	return special && special->shape.rank ? (MonoArrayType *) &special->shape
	                                      : &((monocle__array_class *) type->klass)->shape;
}

MonoType *
mono_type_get_ptr_type (MonoType *type)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	if (!type || type->klass->kind != MONOCLE__CLASS_POINTER)
		return NULL;
	return special && special->pointee ? special->pointee : monocle_type (type->klass->element);
}

MonoMethodSignature *
mono_type_get_signature (MonoType *type)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	return special ? special->signature : NULL;
}

/* Mono 6.8 prints modifiers in names but never lists them. */
MonoClass *
mono_type_get_modifiers (MonoType *type, mono_bool *is_required, void **iter)
{
	return NULL;
}
