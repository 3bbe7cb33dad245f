/*
 * SPDX-License-Identifier: MIT
 *
 * signature.c - what methods take and return.
 *
 * A definition's signature is told by the host; an instance's is made from it by replacing generic parameters. Both
 * are made on first use and published by one compare-and-swap. Any thread, any context.
 */
#include "metadata.h"

enum { PARAM_LIMIT = 65535 }; /* II.15.4.1.1 allows no more */

static MonoMethodSignature *
signature_new (uint32_t count)
{
	MonoMethodSignature *signature = count <= PARAM_LIMIT ? monocle__arena_alloc (sizeof *signature) : NULL;
	if (!signature || !count)
		return signature;
	signature->count = count;
	signature->params = monocle__arena_alloc (count * sizeof *signature->params);
	return signature->params ? signature : NULL;
}

static MonoMethodSignature *
signature_from_info (const monocle_signature_info *info)
{
	MonoMethodSignature *signature = signature_new (info->param_count);
	if (!signature)
		return NULL;
	MonoType *object = monocle_type (monocle_class_primitive (MONO_TYPE_OBJECT));
	signature->ret = info->ret ? info->ret : monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	signature->call_convention = info->call_convention & 0xf;
	signature->generic_params = info->generic_params;
	signature->has_this = info->has_this != 0;
	signature->explicit_this = info->explicit_this != 0;
	for (uint32_t i = 0; i < info->param_count; i++)
		signature->params[i] = info->params[i] ? info->params[i] : object;
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
	monocle__image_ask_end (definition->image);
	return signature;
}

static MonoType *
inflate (MonoType *type, const MonoMethod *method)
{
	bool is_inst = method->klass && method->klass->kind == MONOCLE__CLASS_INST;
	return monocle__type_inflate (type, is_inst ? method->klass->count : 0, is_inst ? method->klass->arguments : NULL,
	                              method->count, method->arguments);
}

static MonoMethodSignature *
inflate_signature (MonoMethod *method)
{
	MonoMethodSignature *open = monocle__method_signature (method->definition);
	MonoMethodSignature *signature = open ? signature_new (open->count) : NULL;
	if (!signature)
		return NULL;
	MonoType **params = signature->params;
	*signature = *open;
	signature->params = params;
	if (!(signature->ret = inflate (open->ret, method)))
		return NULL;
	for (uint32_t i = 0; i < open->count; i++)
		if (!(params[i] = inflate (open->params[i], method)))
			return NULL;
	return signature;
}

MonoMethodSignature *
monocle__method_signature (MonoMethod *method)
{
	MonoMethodSignature *known = atomic_load_explicit (&method->signature, memory_order_acquire);
	if (known)
		return known;
	MonoMethodSignature *signature = method->definition ? inflate_signature (method) : ask (method);
	if (!signature || atomic_compare_exchange_strong_explicit (&method->signature, &known, signature,
	                                                           memory_order_acq_rel, memory_order_acquire))
		return signature;
	return known;
}

/* --- mono_signature_* --------------------------------------------------------------------------------------------- */

MonoMethodSignature *
mono_method_signature (MonoMethod *method)
{
	return method ? monocle__method_signature (method) : NULL;
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

uint32_t
mono_signature_get_call_conv (MonoMethodSignature *signature)
{
	return signature ? signature->call_convention : 0;
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
