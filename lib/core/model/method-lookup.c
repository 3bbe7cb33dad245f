/*
 * SPDX-License-Identifier: MIT
 *
 * method-lookup.c - methods by token, and what a call through a token means.
 *
 * Normal context: look-ups may make records, read metadata and resolve other images.
 */
#include <string.h>
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "member.h"
#include "metadata.h"
#include "method.h"
#include "relation.h"
#include "signature.h"

enum {
	ROW_MASK = 0xffffff,
	ACCESS_MASK = 7,
	PUBLIC = 6,
	STATIC = 0x10,
	VIRTUAL = 0x40,
	NEW_SLOT = 0x100, /* MethodAttributes, II.23.1.10 */
	INTERFACE = 0x20, /* TypeAttributes */
};

static MonoMethod *
resolve (MonoImage *image, uint32_t token)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!ops->method_of_token || !monocle__image_ask_begin (image))
		return NULL;
	MonoMethod *method = ops->method_of_token (ops->host, image, token, NULL, NULL);
	monocle__image_ask_end (image);
	return method;
}

/* There is no way to get a context, so there is nothing to replace by it. A MethodDef token needs no class. */
MonoMethod *
mono_get_method_full (MonoImage *image, uint32_t token, MonoClass *klass, MonoGenericContext *context)
{
	uint32_t row = token & ROW_MASK;
	if (!image || !row)
		return NULL;
	switch (token - row) {
	case MONO_TOKEN_METHOD_DEF:
		return row <= image->method_rows || mono_image_is_dynamic (image) ? monocle_method_def (image, token) : NULL;
	case MONO_TOKEN_MEMBER_REF:
	case MONO_TOKEN_METHOD_SPEC: return resolve (image, token);
	default: return NULL;
	}
}

MonoMethod *
mono_get_method (MonoImage *image, uint32_t token, MonoClass *klass)
{
	return mono_get_method_full (image, token, klass, NULL);
}

/* Instances are made whole; there is nothing left to inflate. */
MonoMethod *
mono_get_inflated_method (MonoMethod *method)
{
	return method;
}

/* Row of the method's token; Mono counts from 1 as well. 0: an array's method, which has no row. */
uint32_t
mono_method_get_index (MonoMethod *method)
{
	return method ? method->token & ROW_MASK : 0;
}

/* --- constrained calls: III.2.1, II.12.2 -------------------------------------------------------------------------- */

static bool
same_signature (MonoMethod *left, MonoMethod *right)
{
	MonoMethodSignature *a = monocle__signature_of (left), *b = monocle__signature_of (right);
	if (!a || !b || a->count != b->count || a->generic_params != b->generic_params || a->ret != b->ret)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->params[i] != b->params[i])
			return false;
	return true;
}

/* The method of the class that has the name, the signature and, of `mask`, these flags. */
static MonoMethod *
find_like (MonoClass *klass, MonoMethod *method, uint32_t mask, uint32_t flags)
{
	const char *name = mono_method_get_name (method);
	MonoMethod *own;
	void *iter = NULL;
	while ((own = mono_class_get_methods (klass, &iter)))
		if ((mono_method_get_flags (own, NULL) & mask) == flags && !strcmp (mono_method_get_name (own), name) &&
		    same_signature (own, method))
			return own;
	return NULL;
}

/* A MethodDefOrRef of a MethodImpl row (II.24.2.6), as the class has it. */
static MonoMethod *
impl_method (MonoImage *image, uint32_t row, uint32_t column, MonoClass *klass)
{
	uint32_t coded = monocle__metadata_cell (image, MONO_TABLE_METHODIMPL, row, column);
	uint32_t token = (coded & 1 ? MONO_TOKEN_MEMBER_REF : MONO_TOKEN_METHOD_DEF) | coded >> 1;
	MonoMethod *method = mono_get_method (image, token, NULL);
	MonoClass *owner = method ? monocle__method_class (method) : NULL;
	if (!owner)
		return NULL;
	bool is_own = monocle__class_definition (owner) == monocle__class_definition (klass);
	owner = is_own ? klass : monocle__member_class_as_in (owner, klass);
	return owner ? monocle_method_inst (method, owner, 0, NULL) : NULL;
}

/* The body that the class's MethodImpl rows (II.22.27) give to a method. */
static MonoMethod *
find_impl (MonoClass *klass, MonoMethod *method)
{
	MonoImage *image = monocle__class_image (klass);
	uint32_t own = monocle_class_token (klass) & ROW_MASK;
	if (!own || !image)
		return NULL;
	monocle__row_run run = monocle__metadata_run (image, MONO_TABLE_METHODIMPL, MONO_METHODIMPL_CLASS, own);
	for (uint32_t row = run.first; row && row < run.end; row++)
		if (impl_method (image, row, MONO_METHODIMPL_DECLARATION, klass) == method)
			return impl_method (image, row, MONO_METHODIMPL_BODY, klass);
	return NULL;
}

/* Does the class itself name the interface, be it through another one? */
static bool
declares (MonoClass *klass, MonoClass *interface)
{
	MonoClass *own;
	for (uint32_t i = 0; (own = monocle__relation_interface (klass, i)); i++)
		if (own == interface || mono_class_is_assignable_from (interface, own))
			return true;
	return false;
}

/* What an interface's method is in the classes from the one that names the interface up to object. */
static MonoMethod *
implement (MonoClass *klass, MonoMethod *method)
{
	MonoMethod *found = NULL;
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		if (declares (klass, monocle__method_class (method)))
			break;
	if (klass && (found = find_impl (klass, method)))
		return found;
	for (int depth = 0; klass && !found && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		found = find_like (klass, method, VIRTUAL | STATIC | ACCESS_MASK, VIRTUAL | PUBLIC);
	return found;
}

/* What a class's virtual method is in a class below it: the nearest that takes its slot. */
static MonoMethod *
override (MonoClass *klass, MonoMethod *method)
{
	MonoClass *owner = monocle__method_class (method);
	MonoMethod *found = NULL;
	for (int depth = 0; klass && klass != owner && depth < MONOCLE__DEPTH_LIMIT; depth++) {
		if ((found = find_impl (klass, method)) ||
		    (found = find_like (klass, method, VIRTUAL | STATIC | NEW_SLOT, VIRTUAL)))
			return found;
		klass = mono_class_get_parent (klass);
	}
	return method;
}

/*
 * The method that a call of `token` runs on a receiver of the constrained class; *ret_method: the one that the token
 * names. Where the class does not implement it that is the answer too.
 */
MonoMethod *
mono_get_method_constrained (MonoImage *image, uint32_t token, MonoClass *constrained_class,
                             MonoGenericContext *context, MonoMethod **ret_method)
{
	MonoMethod *method = mono_get_method_full (image, token, NULL, context), *found = method;
	MonoClass *owner = method ? monocle__method_class (method) : NULL;
	if (ret_method)
		*ret_method = method;
	if (!owner || !constrained_class || !(mono_method_get_flags (method, NULL) & VIRTUAL))
		return method;
	if (mono_class_get_flags (owner) & INTERFACE)
		found = implement (constrained_class, method);
	return found ? override (constrained_class, found) : method;
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

/* A call site of a method with variable arguments has a signature of its own; CoreCLR has no such methods on Unix. */
MonoMethodSignature *
mono_method_get_signature_full (MonoMethod *method, MonoImage *image, uint32_t token, MonoGenericContext *context)
{
	return mono_method_signature (method);
}

MonoMethodSignature *
mono_method_get_signature (MonoMethod *method, MonoImage *image, uint32_t token)
{
	return mono_method_signature (method);
}
