/*
 * SPDX-License-Identifier: MIT
 *
 * signature-parse.c - signatures that belong to no method: read from blobs, copied, made empty.
 *
 * Each is one allocation that belongs to the caller. Normal context. ECMA-335 II.23.2.1 to II.23.2.3.
 */
#include "signature.h"

#include <stdlib.h>
#include <string.h>
#include "dispatch/host.h"
#include "image.h"
#include "inflate.h"
#include "metadata.h"
#include "method.h"

enum {
	BLOB_LIMIT = 1 << 24,
	ROW_MASK = 0xffffff,
	KIND_MASK = 0xf,
	KIND_LAST = MONO_CALL_VARARG,
	KIND_UNMANAGED = 9,
};

MonoType *
monocle__signature_type_of (MonoMethod *method, MonoType *type)
{
	MonoClass *klass = atomic_load_explicit (&method->klass, memory_order_relaxed);
	bool is_inst = method->definition && klass && klass->kind == MONOCLE__CLASS_INST;
	if (!method->definition)
		return type;
	return monocle__inflate_type (type, is_inst ? klass->count : 0, is_inst ? klass->arguments : NULL, method->count,
	                              monocle__method_arguments (method));
}

/* Not a method's; perhaps like another of as many parameters. mono_metadata_free_method_signature () frees it. */
static MonoMethodSignature *
owned_signature (MonoMethodSignature *like, uint32_t count)
{
	MonoMethodSignature *signature = count <= MONOCLE__PARAM_LIMIT ? calloc (1, monocle__signature_size (count)) : NULL;
	if (!signature)
		return NULL;
	signature->vararg_start = -1;
	if (like)
		memcpy (signature, like, monocle__signature_size (count));
	signature->count = (uint16_t) count;
	*monocle__signature_tail (signature) |= MONOCLE__SIGNATURE_OWNED;
	return signature;
}

MonoMethodSignature *
mono_metadata_signature_alloc (MonoImage *image, uint32_t nparams)
{
	return owned_signature (NULL, nparams);
}

MonoMethodSignature *
mono_metadata_signature_dup (MonoMethodSignature *sig)
{
	return sig ? owned_signature (sig, sig->count) : NULL;
}

/* Those of methods live as long as the methods. */
void
mono_metadata_free_method_signature (MonoMethodSignature *method)
{
	if (method && *monocle__signature_tail (method) & MONOCLE__SIGNATURE_OWNED)
		free (method);
}

/* As in Mono, calling conventions do not matter. */
mono_bool
mono_metadata_signature_equal (MonoMethodSignature *sig1, MonoMethodSignature *sig2)
{
	if (sig1 == sig2)
		return 1;
	if (!sig1 || !sig2 || sig1->has_this != sig2->has_this || sig1->explicit_this != sig2->explicit_this ||
	    sig1->count != sig2->count || sig1->generic_params != sig2->generic_params || sig1->ret != sig2->ret)
		return 0;
	return !sig1->count || !memcmp (sig1->params, sig2->params, sig1->count * sizeof *sig1->params);
}

static MonoMethodSignature *
signature_from_info (const monocle_signature_info *info)
{
	MonoMethodSignature *signature = owned_signature (NULL, info->param_count);
	if (signature)
		monocle__signature_fill (signature, info);
	return signature;
}

/* Field, property and local signatures begin with other kinds. */
static bool
is_method_signature (uint8_t first)
{
	return (first & KIND_MASK) <= KIND_LAST || (first & KIND_MASK) == KIND_UNMANAGED;
}

/* A signature at *at, which moves past it, in the scope of a method, which may be NULL. */
static MonoMethodSignature *
parse (MonoImage *image, MonoMethod *scope, const uint8_t **at, const uint8_t *end)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_signature_info info = { .size = sizeof info };
	MonoMethodSignature *signature = NULL;
	if (!is_method_signature (**at) || !ops->read_signature || !monocle__image_ask_begin (image))
		return NULL;
	if (ops->read_signature (ops->host, image, at, end, monocle__method_class (scope), scope, &info) == 0)
		signature = signature_from_info (&info);
	monocle__image_ask_end (image);
	return signature;
}

MonoMethodSignature *
mono_metadata_parse_method_signature (MonoImage *m, int def, const char *ptr, const char **rptr)
{
	const uint8_t *at = (const uint8_t *) ptr;
	MonoMethod *scope = m && def > 0 ? mono_get_method (m, MONO_TOKEN_METHOD_DEF | (uint32_t) def, NULL) : NULL;
	MonoMethodSignature *signature = m && at ? parse (m, scope, &at, at + BLOB_LIMIT) : NULL;
	if (rptr && signature)
		*rptr = (const char *) at;
	return signature;
}

MonoMethodSignature *
mono_metadata_parse_signature (MonoImage *image, uint32_t token)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	uint32_t row = token & ROW_MASK, size = 0;
	if (!held || (token & ~(uint32_t) ROW_MASK) != MONO_TOKEN_SIGNATURE || !row ||
	    row > monocle__metadata_rows (image, MONO_TABLE_STANDALONESIG))
		return NULL;
	uint32_t offset = monocle__metadata_cell (image, MONO_TABLE_STANDALONESIG, row, MONO_STAND_ALONE_SIGNATURE);
	const uint8_t *at = monocle__metadata_heap (image, MONOCLE_HEAP_BLOB, offset, &size);
	return at && size ? parse (image, NULL, &at, at + size) : NULL;
}
