/*
 * SPDX-License-Identifier: MIT
 *
 * signature.c - what methods take and return.
 *
 * A definition's signature is told by the host; an instance's is made from it by replacing generic parameters. Both
 * are made on first use and published by one compare-and-swap. Any thread, any context.
 */
#include "signature.h"

#include <mono/metadata/attrdefs.h>
#include "arena.h"
#include "dispatch/host.h"
#include "hash.h"
#include "image.h"
#include "inflate.h"
#include "invariant.h"
#include "metadata.h"
#include "method.h"
#include "publish.h"
#include "shown.h"
#include "type.h"

enum { CONVENTION_MASK = 0xf };

_Static_assert(MONOCLE__PARAM_LIMIT <= UINT16_MAX, "a count is where Mono has it, in 16 bits");

MonoMethodSignature *
monocle__signature_new (uint32_t count)
{
	MonoMethodSignature *signature =
	    count <= MONOCLE__PARAM_LIMIT ? monocle__arena_alloc (monocle__signature_size (count)) : NULL;
	if (!signature)
		return NULL;
	signature->count = (uint16_t) count;
	signature->vararg_start = -1;
	return signature;
}

/* Where the arguments of this one call begin; all are those of the definition where it says nothing. */
static int16_t
vararg_start (const monocle_signature_info *info)
{
	if ((info->call_convention & CONVENTION_MASK) != MONO_CALL_VARARG)
		return -1;
	return (int16_t) (info->sentinel ? info->sentinel - 1 : info->param_count);
}

void
monocle__signature_head (const monocle_signature_info *info, MonoMethodSignature *ret_head)
{
	*ret_head = (MonoMethodSignature) {
		.ret = info->ret ? info->ret : monocle_type (monocle_class_primitive (MONO_TYPE_VOID)),
		.count = (uint16_t) info->param_count,
		.vararg_start = vararg_start (info),
		.generic_params = info->generic_params & UINT16_MAX,
		.call_convention = info->call_convention & CONVENTION_MASK,
		.has_this = info->has_this != 0,
		.explicit_this = info->explicit_this != 0,
	};
}

void
monocle__signature_fill (MonoMethodSignature *signature, const monocle_signature_info *info)
{
	MonoType *object = monocle_type (monocle_class_primitive (MONO_TYPE_OBJECT));
	MONOCLE__INVARIANT (signature->count == info->param_count);
	monocle__signature_head (info, signature);
	for (uint32_t i = 0; i < info->param_count; i++)
		signature->params[i] = info->params[i] ? info->params[i] : object;
}

bool
monocle__signature_heads_equal (const MonoMethodSignature *a, const MonoMethodSignature *b)
{
	return a->ret == b->ret && a->count == b->count && a->vararg_start == b->vararg_start &&
	       a->generic_params == b->generic_params && a->call_convention == b->call_convention &&
	       a->has_this == b->has_this && a->explicit_this == b->explicit_this;
}

static MonoMethodSignature *
signature_from_info (const monocle_signature_info *info)
{
	MonoMethodSignature *signature = monocle__signature_new (info->param_count);
	if (signature)
		monocle__signature_fill (signature, info);
	return signature;
}

static MonoMethodSignature *
ask (MonoMethod *definition)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_signature_info info = { .size = sizeof info };
	MonoMethodSignature *signature = NULL;
	if (!ops->describe_signature || !monocle__image_ask_begin (definition->image))
		return NULL;
	if (ops->describe_signature (ops->host, definition, &info) == 0)
		signature = signature_from_info (&info);
	if (signature)
		*monocle__signature_tail (signature) = (uintptr_t) definition;
	monocle__image_ask_end (definition->image);
	return signature;
}

MonoMethodSignature *
monocle__signature_inflate (MonoMethodSignature *open, uint32_t class_count, MonoType *const *class_arguments,
                            uint32_t method_count, MonoType *const *method_arguments)
{
	MonoMethodSignature *signature = monocle__signature_new (open->count);
	if (!signature)
		return NULL;
	MONOCLE__INVARIANT (signature->count == open->count);
	*signature = *open;
	signature->is_inflated = true;
	*monocle__signature_tail (signature) = (uintptr_t) monocle__signature_method (open);
	signature->ret = monocle__inflate_type (open->ret, class_count, class_arguments, method_count, method_arguments);
	if (!signature->ret)
		return NULL;
	for (uint32_t i = 0; i < open->count; i++)
		if (!(signature->params[i] = monocle__inflate_type (open->params[i], class_count, class_arguments, method_count,
		                                                    method_arguments)))
			return NULL;
	return signature;
}

static MonoMethodSignature *
inflate_signature (MonoMethod *method)
{
	MonoMethodSignature *open = monocle__signature_of (method->definition);
	MonoClass *klass = atomic_load_explicit (&method->klass, memory_order_relaxed);
	bool is_inst = klass && klass->kind == MONOCLE__CLASS_INST;
	return !open ? NULL
	             : monocle__signature_inflate (open, is_inst ? klass->count : 0, is_inst ? klass->arguments : NULL,
	                                           method->count, monocle__method_arguments (method));
}

MonoMethodSignature *
monocle__signature_of (MonoMethod *method)
{
	MonoMethodSignature *known = atomic_load_explicit (&method->signature, memory_order_acquire);
	if (known)
		return known;
	MonoMethodSignature *signature = method->definition ? inflate_signature (method) : ask (method);
	return MONOCLE__PUBLISH (&method->signature, signature);
}

/* --- mono_signature_* --------------------------------------------------------------------------------------------- */

MonoMethodSignature *
mono_method_signature (MonoMethod *method)
{
	MonoMethodSignature *signature = method ? monocle__signature_of (method) : NULL;
	if (!signature)
		return NULL;
	monocle__shown_type (signature->ret);
	for (uint32_t i = 0; i < signature->count; i++)
		monocle__shown_type (signature->params[i]);
	return signature;
}

MonoType *
mono_signature_get_return_type (MonoMethodSignature *signature)
{
	return signature ? signature->ret : NULL;
}

/* The iterator points into the list: *iter is the slot of the parameter returned last. */
MonoType *
mono_signature_get_params (MonoMethodSignature *signature, void **iter)
{
	if (!signature || !iter || !signature->count)
		return NULL;
	MonoType **next = *iter ? (MonoType **) *iter + 1 : signature->params;
	if (next >= signature->params + signature->count)
		return NULL;
	*iter = next;
	return *next;
}

uint32_t
mono_signature_get_param_count (MonoMethodSignature *signature)
{
	return signature ? signature->count : 0;
}

/* Of a method of a native library its row in ImplMap tells, as in Mono; 1 is what the platform does. */
static uint32_t
native_convention (MonoMethod *method)
{
	uint32_t row = mono_metadata_implmap_from_method (method->image, (method->token & 0xffffff) - 1);
	uint32_t flags = row ? monocle__metadata_cell (method->image, MONO_TABLE_IMPLMAP, row, MONO_IMPLMAP_FLAGS) : 0;
	uint32_t convention = (flags & MONO_PINVOKE_CALL_CONV_MASK) >> 8;
	return convention ? convention - 1 : 0;
}

uint32_t
mono_signature_get_call_conv (MonoMethodSignature *signature)
{
	if (!signature)
		return 0;
	MonoMethod *method = signature->call_convention ? NULL : monocle__signature_method (signature);
	return method && mono_method_get_flags (method, NULL) & MONO_METHOD_ATTR_PINVOKE_IMPL ? native_convention (method)
	                                                                                      : signature->call_convention;
}

mono_bool
mono_signature_is_instance (MonoMethodSignature *signature)
{
	return signature && signature->has_this;
}

mono_bool
mono_signature_explicit_this (MonoMethodSignature *signature)
{
	return signature && signature->explicit_this;
}

int
mono_signature_vararg_start (MonoMethodSignature *signature)
{
	return signature ? signature->vararg_start : -1;
}

/* Equal signatures hash alike; the values mean nothing else. */
unsigned int
mono_signature_hash (MonoMethodSignature *signature)
{
	if (!signature)
		return 0;
	uint64_t hash = monocle__hash (signature->count, monocle__type_code (signature->ret));
	for (uint32_t i = 0; i < signature->count; i++)
		hash = monocle__hash (hash, (uintptr_t) signature->params[i]);
	return (unsigned int) hash;
}
