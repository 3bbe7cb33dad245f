/*
 * SPDX-License-Identifier: MIT
 *
 * inflate.c - replacing generic parameters by arguments.
 *
 * Only open types are entered, and arguments are put in as they are, so the work is bounded by what was written in the
 * definition. Any thread, any context.
 */
#include "inflate.h"

#include <sys/mman.h>
#include "class.h"
#include "signature.h"
#include "special-type.h"
#include "type.h"

struct context {
	uint32_t class_count, method_count;
	MonoType *const *class_arguments, *const *method_arguments;
};

static MonoType *inflate_type (MonoType *type, const struct context *context);

/* T_REF is an argument already and stays. */
static MonoType *
inflate_param (MonoClass *klass, const struct context *context)
{
	uint32_t count = klass->owner ? context->method_count : context->class_count;
	MonoType *const *arguments = klass->owner ? context->method_arguments : context->class_arguments;
	return klass->shared_ref || klass->index >= count ? monocle_type (klass) : arguments[klass->index];
}

static MonoClass *
inflate_arguments (MonoClass *klass, const struct context *context, MonoType **arguments)
{
	for (uint32_t i = 0; i < klass->count; i++)
		if (!(arguments[i] = inflate_type (klass->arguments[i], context)))
			return NULL;
	return monocle_class_inst (klass->element, klass->count, arguments);
}

/* Hardly any instance has more arguments than fit on the stack. */
static MonoClass *
inflate_inst (MonoClass *klass, const struct context *context)
{
	enum { FEW = 16 };
	MonoType *few[FEW];
	size_t size = klass->count * sizeof *few;
	if (klass->count <= FEW)
		return inflate_arguments (klass, context, few);
	void *many = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (many == MAP_FAILED)
		return NULL;
	klass = inflate_arguments (klass, context, many);
	munmap (many, size);
	return klass;
}

static MonoClass *
inflate_element (MonoClass *klass, const struct context *context)
{
	MonoType *element = inflate_type (monocle_type (klass->element), context);
	return element ? element->klass : NULL;
}

/* What an open class is here, by value. */
static MonoType *
inflate_class (MonoClass *klass, const struct context *context)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_PARAM: return inflate_param (klass, context);
	case MONOCLE__CLASS_INST: return monocle_type (inflate_inst (klass, context));
	case MONOCLE__CLASS_ARRAY:
		klass = klass->index ? monocle__class_general_vector (inflate_element (klass, context))
		                     : monocle_class_array (inflate_element (klass, context), klass->rank);
		return monocle_type (klass);
	case MONOCLE__CLASS_POINTER: return monocle_type_pointer (inflate_type (monocle_type (klass->element), context));
	default: return monocle_type (klass);
	}
}

static MonoType *
inflate_special (const monocle__special_type *special, const struct context *context)
{
	if (special->signature) {
		MonoMethodSignature *signature =
		    monocle__signature_inflate (special->signature, context->class_count, context->class_arguments,
		                                context->method_count, context->method_arguments);
		return signature ? monocle__special_type_fnptr (signature) : NULL;
	}
	if (special->pointee)
		return monocle_type_pointer (inflate_type (special->pointee, context));
	return inflate_class (special->type.klass, context);
}

static MonoType *
inflate_type (MonoType *type, const struct context *context)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	if (!monocle__type_is_open (type))
		return type;
	if (special)
		return monocle__special_type_like (special, inflate_special (special, context));
	MonoType *by_value = inflate_class (type->klass, context);
	return type->is_byref ? monocle_type_with (by_value, 1, 0, NULL, 0) : by_value;
}

MonoType *
monocle__inflate_type (MonoType *type, uint32_t class_count, MonoType *const *class_arguments, uint32_t method_count,
                       MonoType *const *method_arguments)
{
	return inflate_type (type, &(struct context) { class_count, method_count, class_arguments, method_arguments });
}

MonoClass *
monocle__inflate_class (MonoClass *klass, uint32_t class_count, MonoType *const *class_arguments, uint32_t method_count,
                        MonoType *const *method_arguments)
{
	MonoType *type = klass ? monocle__inflate_type (monocle_type (klass), class_count, class_arguments, method_count,
	                                                method_arguments)
	                       : NULL;
	return type ? type->klass : NULL;
}
