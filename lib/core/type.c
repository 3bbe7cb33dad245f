/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - types: a class, by value or by reference.
 *
 * Both types of a class live in its record, so equal types are the same pointer. Any thread, any context.
 */
#include "records.h"

#include <string.h>

/* More generic arguments than any compiler emits; a host that has more keeps its open types. */
enum { ARGUMENT_LIMIT = 64 };

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

uint32_t
monocle__type_code (const MonoType *type)
{
	MonoClass *klass = type->klass;
	const monocle__class_desc *desc;
	switch (klass->kind) {
	case MONOCLE__CLASS_PRIMITIVE:
		return klass->primitive;
	case MONOCLE__CLASS_INST:
		return MONO_TYPE_GENERICINST;
	case MONOCLE__CLASS_ARRAY:
		return klass->rank == 1 ? MONO_TYPE_SZARRAY : MONO_TYPE_ARRAY;
	case MONOCLE__CLASS_POINTER:
		return MONO_TYPE_PTR;
	case MONOCLE__CLASS_FNPTR:
		return MONO_TYPE_FNPTR;
	case MONOCLE__CLASS_PARAM:
		return klass->owner ? MONO_TYPE_MVAR : MONO_TYPE_VAR;
	default:
		desc = monocle__class_describe (klass);
		return desc ? desc->element_type : MONO_TYPE_CLASS;
	}
}

/* --- inflation: replacing generic parameters by arguments --------------------------------------------------------- */

struct context {
	uint32_t class_count, method_count;
	MonoType *const *class_arguments, *const *method_arguments;
};

static MonoClass *inflate (MonoClass *klass, const struct context *context);

/* T_REF stands for an argument already and stays. */
static MonoClass *
inflate_param (MonoClass *klass, const struct context *context)
{
	uint32_t count = klass->owner ? context->method_count : context->class_count;
	MonoType *const *arguments = klass->owner ? context->method_arguments : context->class_arguments;
	return klass->shared_ref || klass->index >= count ? klass : arguments[klass->index]->klass;
}

static MonoClass *
inflate_inst (MonoClass *klass, const struct context *context)
{
	MonoType *arguments[ARGUMENT_LIMIT];
	bool changed = false;
	if (klass->count > ARGUMENT_LIMIT)
		return klass;
	for (uint32_t i = 0; i < klass->count; i++) {
		arguments[i] = monocle_type (inflate (klass->arguments[i]->klass, context));
		changed |= arguments[i] != klass->arguments[i];
		if (!arguments[i])
			return NULL;
	}
	return changed ? monocle_class_inst (klass->element, klass->count, arguments) : klass;
}

/* Recursion ends because a class is made after its parts. */
static MonoClass *
inflate (MonoClass *klass, const struct context *context)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_PARAM:
		return inflate_param (klass, context);
	case MONOCLE__CLASS_INST:
		return inflate_inst (klass, context);
	case MONOCLE__CLASS_ARRAY:
		return monocle_class_array (inflate (klass->element, context), klass->rank);
	case MONOCLE__CLASS_POINTER:
		return monocle_class_pointer (inflate (klass->element, context));
	default:
		return klass;
	}
}

MonoClass *
monocle__class_inflate (MonoClass *klass, uint32_t class_count, MonoType *const *class_arguments, uint32_t method_count,
                        MonoType *const *method_arguments)
{
	return inflate (klass, &(struct context) { class_count, method_count, class_arguments, method_arguments });
}

MonoType *
monocle__type_inflate (MonoType *type, uint32_t class_count, MonoType *const *class_arguments, uint32_t method_count,
                       MonoType *const *method_arguments)
{
	MonoClass *klass =
	    monocle__class_inflate (type->klass, class_count, class_arguments, method_count, method_arguments);
	return type->is_byref ? monocle_type_byref (klass) : monocle_type (klass);
}

/* --- mono_type_* -------------------------------------------------------------------------------------------------- */

MonoClass *
mono_class_from_mono_type (MonoType *type)
{
	return type ? type->klass : NULL;
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
	case MONO_TYPE_VALUETYPE:
		return type->klass;
	case MONO_TYPE_SZARRAY:
		return type->klass->element;
	default:
		return NULL;
	}
}

MonoArrayType *
mono_type_get_array_type (MonoType *type)
{
	return type && type->klass->kind == MONOCLE__CLASS_ARRAY ? &((monocle__array_class *) type->klass)->shape : NULL;
}

MonoType *
mono_type_get_ptr_type (MonoType *type)
{
	return type && type->klass->kind == MONOCLE__CLASS_POINTER ? monocle_type (type->klass->element) : NULL;
}

MonoType *
mono_type_get_underlying_type (MonoType *type)
{
	MonoType *base = type && !type->is_byref ? mono_class_enum_basetype (type->klass) : NULL;
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
	case MONO_TYPE_TYPEDBYREF:
		return 1;
	case MONO_TYPE_VALUETYPE:
	case MONO_TYPE_GENERICINST:
		return mono_class_is_valuetype (type->klass) && !mono_class_is_enum (type->klass);
	default:
		return 0;
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
	case MONO_TYPE_ARRAY:
		return 1;
	case MONO_TYPE_GENERICINST:
		return !mono_class_is_valuetype (type->klass);
	default:
		return 0;
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
	case MONO_TYPE_FNPTR:
		return 1;
	default:
		return mono_type_is_byref (type);
	}
}

mono_bool
mono_type_is_generic_parameter (MonoType *type)
{
	return type && !type->is_byref && type->klass->kind == MONOCLE__CLASS_PARAM;
}

mono_bool
mono_metadata_type_equal (MonoType *left, MonoType *right)
{
	return left == right;
}

unsigned int
mono_metadata_type_hash (MonoType *type)
{
	return (unsigned int) monocle__hash (0, (uintptr_t) type);
}
