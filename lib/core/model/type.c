/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - types: a class, by value or by reference.
 *
 * Both types of a class live in its record, so equal types are the same pointer. Any thread, any context.
 */
#include "type.h"

#include <string.h>
#include "arena.h"
#include "class.h"
#include "hash.h"
#include "special-type.h"

MonoType *
monocle_type (MonoClass *klass)
{
	return klass ? &klass->by_value : NULL;
}

MonoType *
monocle_type_byref (MonoClass *klass)
{
	return klass ? &klass->by_reference : NULL;
}

MonoType **
monocle__type_list (uint32_t count, MonoType *const *types)
{
	MonoType **list = monocle__arena_alloc (count * sizeof *list);
	if (list)
		memcpy (list, types, count * sizeof *list);
	return list;
}

bool
monocle__type_is_open (const MonoType *type)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	return type->klass->is_open || (special && special->is_open);
}

uint32_t
monocle__type_code (const MonoType *type)
{
	MonoClass *klass = type->klass;
	const monocle__class_desc *desc;
	switch (klass->kind) {
	case MONOCLE__CLASS_PRIMITIVE: return klass->primitive;
	case MONOCLE__CLASS_INST: return MONO_TYPE_GENERICINST;
	case MONOCLE__CLASS_ARRAY: return klass->rank == 1 && !klass->index ? MONO_TYPE_SZARRAY : MONO_TYPE_ARRAY;
	case MONOCLE__CLASS_POINTER: return MONO_TYPE_PTR;
	case MONOCLE__CLASS_FNPTR: return MONO_TYPE_FNPTR;
	case MONOCLE__CLASS_PARAM: return klass->owner ? MONO_TYPE_MVAR : MONO_TYPE_VAR;
	default: desc = monocle__class_describe (klass); return desc ? desc->element_type : MONO_TYPE_CLASS;
	}
}

/* --- mono_type_* -------------------------------------------------------------------------------------------------- */

MonoClass *
mono_class_from_mono_type (MonoType *type)
{
	return type ? monocle__class_shown (type->klass) : NULL;
}

mono_bool
mono_type_is_byref (MonoType *type)
{
	return type && type->is_byref;
}

int
mono_type_get_type (MonoType *type)
{
	return type ? (int) monocle__type_code (type) : MONO_TYPE_END;
}

/* The class of a class or value type, what a vector holds; for other codes Mono returns no class at all. */
MonoClass *
mono_type_get_class (MonoType *type)
{
	switch (mono_type_get_type (type)) {
	case MONO_TYPE_CLASS:
	case MONO_TYPE_VALUETYPE: return type->klass;
	case MONO_TYPE_SZARRAY: return monocle__class_shown (type->klass->element);
	default: return NULL;
	}
}

MonoType *
mono_type_get_underlying_type (MonoType *type)
{
	MonoType *base = type && !type->is_byref ? monocle__class_enum_base (type->klass) : NULL;
	return base ? base : type;
}

mono_bool
mono_type_is_void (MonoType *type)
{
	return type && !type->is_byref && monocle__type_code (type) == MONO_TYPE_VOID;
}

mono_bool
mono_type_is_struct (MonoType *type)
{
	if (!type || type->is_byref)
		return 0;
	switch (monocle__type_code (type)) {
	case MONO_TYPE_TYPEDBYREF: return 1;
	case MONO_TYPE_VALUETYPE:
	case MONO_TYPE_GENERICINST: return mono_class_is_valuetype (type->klass) && !mono_class_is_enum (type->klass);
	default: return 0;
	}
}

/* As in Mono, what a reference refers to decides, not the reference itself. */
mono_bool
mono_type_is_reference (MonoType *type)
{
	switch (mono_type_get_type (type)) {
	case MONO_TYPE_STRING:
	case MONO_TYPE_CLASS:
	case MONO_TYPE_OBJECT:
	case MONO_TYPE_SZARRAY:
	case MONO_TYPE_ARRAY: return 1;
	case MONO_TYPE_GENERICINST: return !mono_class_is_valuetype (type->klass);
	default: return 0;
	}
}

/* Mono leaves out generic instances, references though they are. */
mono_bool
mono_type_is_pointer (MonoType *type)
{
	switch (mono_type_get_type (type)) {
	case MONO_TYPE_I:
	case MONO_TYPE_U:
	case MONO_TYPE_STRING:
	case MONO_TYPE_SZARRAY:
	case MONO_TYPE_CLASS:
	case MONO_TYPE_OBJECT:
	case MONO_TYPE_ARRAY:
	case MONO_TYPE_PTR:
	case MONO_TYPE_FNPTR: return 1;
	default: return mono_type_is_byref (type);
	}
}

mono_bool
mono_type_is_generic_parameter (MonoType *type)
{
	return type && !type->is_byref && type->klass->kind == MONOCLE__CLASS_PARAM;
}

/* As in Mono, what is asked is only said of instances. */
mono_bool
mono_type_generic_inst_is_valuetype (MonoType *type)
{
	return type && type->klass->kind == MONOCLE__CLASS_INST && mono_class_is_valuetype (type->klass);
}

/* Arguments are passed in words of 8 bytes; Mono says otherwise of a float. */
int
mono_type_stack_size (MonoType *type, int *alignment)
{
	if (type && !type->is_byref && monocle__type_code (type) == MONO_TYPE_R4)
		return mono_type_size (type, alignment);
	int size = mono_type_size (type, alignment), word = (int) sizeof (void *);
	if (alignment)
		*alignment = word;
	return (size + word - 1) / word * word;
}

/* The sizes and bounds of arrays do not count. */
mono_bool
mono_metadata_type_equal (MonoType *left, MonoType *right)
{
	const monocle__special_type *a = monocle__special_type_of (left), *b = monocle__special_type_of (right);
	if (left == right || !left || !right || left->klass != right->klass || left->is_byref != right->is_byref)
		return left == right;
	uint32_t modifiers = a ? a->modifier_count : 0;
	return (a ? a->pointee : NULL) == (b ? b->pointee : NULL) && (!a || !b || a->signature == b->signature) &&
	       modifiers == (b ? b->modifier_count : 0) && (a ? a->required : 0) == (b ? b->required : 0) &&
	       (!modifiers || !memcmp (a->modifiers, b->modifiers, modifiers * sizeof *a->modifiers));
}

unsigned int
mono_metadata_type_hash (MonoType *type)
{
	return type ? (unsigned int) monocle__hash (type->is_byref, (uintptr_t) type->klass) : 0;
}
