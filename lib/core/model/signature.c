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
#include "publish.h"
#include "type.h"

enum { PARAM_LIMIT = 65535 }; /* II.15.4.1.1 allows no more */

MonoMethodSignature *
monocle__signature_new (uint32_t count)
{
	MonoMethodSignature *signature = count <= PARAM_LIMIT ? monocle__arena_alloc (sizeof *signature) : NULL;
	if (!signature || !count)
		return signature;
	signature->count = count;
	signature->params = monocle__arena_alloc (count * sizeof *signature->params);
	return signature->params ? signature : NULL;
}

void
monocle__signature_fill (MonoMethodSignature *signature, const monocle_signature_info *info)
{
	MonoType *object = monocle_type (monocle_class_primitive (MONO_TYPE_OBJECT));
	signature->ret = info->ret ? info->ret : monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	signature->call_convention = info->call_convention & 0xf;
	signature->generic_params = info->generic_params;
	signature->has_this = info->has_this != 0;
	signature->explicit_this = info->explicit_this != 0;
	signature->sentinel = info->sentinel;
	for (uint32_t i = 0; i < info->param_count; i++)
		signature->params[i] = info->params[i] ? info->params[i] : object;
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
		signature->definition = definition;
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
	MonoType **params = signature->params;
	*signature = *open;
	signature->params = params;
	signature->is_owned = false;
	signature->ret = monocle__inflate_type (open->ret, class_count, class_arguments, method_count, method_arguments);
	if (!signature->ret)
		return NULL;
	for (uint32_t i = 0; i < open->count; i++)
		if (!(params[i] = monocle__inflate_type (open->params[i], class_count, class_arguments, method_count,
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
	                                           method->count, method->arguments);
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
	return method ? monocle__signature_of (method) : NULL;
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
	MonoMethod *method = signature->call_convention ? NULL : signature->definition;
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

/* Where the arguments of this one call begin; all are those of the definition where it says nothing. */
int
mono_signature_vararg_start (MonoMethodSignature *signature)
{
	if (!signature || signature->call_convention != MONO_CALL_VARARG)
		return -1;
	return (int) (signature->sentinel ? signature->sentinel - 1 : signature->count);
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
