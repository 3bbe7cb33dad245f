/*
 * SPDX-License-Identifier: MIT
 *
 * method-lookup.c - methods by token, and what a call through a token means.
 *
 * Normal context: look-ups may make records, read metadata and resolve other images.
 */
#include <stdlib.h>
#include <string.h>
#include "member.h"

enum { ROW_MASK = 0xffffff, VIRTUAL = 0x40, STATIC = 0x10 };

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
	case MONO_TOKEN_METHOD_SPEC:
		return resolve (image, token);
	default:
		return NULL;
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

/* --- constrained calls: III.2.1 ----------------------------------------------------------------------------------- */

static bool
same_signature (MonoMethod *left, MonoMethod *right)
{
	MonoMethodSignature *a = monocle__method_signature (left), *b = monocle__method_signature (right);
	if (!a || !b || a->count != b->count || a->generic_params != b->generic_params || a->ret != b->ret)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->params[i] != b->params[i])
			return false;
	return true;
}

/* "N.S.IFace.Do" implements N.S.IFace's Do explicitly. */
static bool
is_explicit_name (const char *name, MonoMethod *method)
{
	char expected[1024];
	size_t length = monocle__class_write_name (mono_method_get_class (method), expected, sizeof expected);
	size_t size = strlen (mono_method_get_name (method));
	return length + 1 + size < sizeof expected && !strncmp (name, expected, length) && name[length] == '.' &&
	       !strcmp (name + length + 1, mono_method_get_name (method));
}

/* What a virtual method is in a class: explicit implementations come before those of the same name. */
static MonoMethod *
find_override (MonoClass *klass, MonoMethod *method)
{
	const char *name = mono_method_get_name (method);
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass)) {
		MonoMethod *own, *found = NULL;
		void *iter = NULL;
		while ((own = mono_class_get_methods (klass, &iter))) {
			uint32_t flags = mono_method_get_flags (own, NULL);
			if (!(flags & VIRTUAL) || flags & STATIC || !same_signature (own, method))
				continue;
			if (is_explicit_name (mono_method_get_name (own), method))
				return own;
			if (!strcmp (mono_method_get_name (own), name))
				found = own;
		}
		if (found)
			return found;
	}
	return NULL;
}

/*
 * The method that a call of `token` runs on a receiver of the constrained class; *ret_method: the one that the token
 * names. Without an implementation that can be told from metadata it is the named one.
 */
MonoMethod *
mono_get_method_constrained (MonoImage *image, uint32_t token, MonoClass *constrained_class,
                             MonoGenericContext *context, MonoMethod **ret_method)
{
	MonoMethod *method = mono_get_method_full (image, token, NULL, context);
	if (ret_method)
		*ret_method = method;
	if (!method || !constrained_class || !(mono_method_get_flags (method, NULL) & VIRTUAL))
		return method;
	MonoMethod *override = find_override (constrained_class, method);
	return override ? override : method;
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
