/*
 * SPDX-License-Identifier: MIT
 *
 * signature.h - signatures, made and filled.
 */
#ifndef MONOCLE_MODEL_SIGNATURE_H
#define MONOCLE_MODEL_SIGNATURE_H

#include "records.h"

enum { MONOCLE__PARAM_LIMIT = 65535 }; /* II.15.4.1.1 allows no more */

/*
 * The word behind the parameters: the method whose signature it is, instances included, or 0, and in the lowest bit
 * whether it is an allocation of its own, which mono_metadata_free_method_signature () frees.
 */
enum { MONOCLE__SIGNATURE_OWNED = 1 };

static inline uintptr_t *
monocle__signature_tail (MonoMethodSignature *signature)
{
	return (uintptr_t *) (void *) (signature->params + signature->count);
}

static inline MonoMethod *
monocle__signature_method (MonoMethodSignature *signature)
{
	return (MonoMethod *) (*monocle__signature_tail (signature) & ~(uintptr_t) MONOCLE__SIGNATURE_OWNED);
}

/* In bytes, with all that is behind its head. */
static inline size_t
monocle__signature_size (uint32_t count)
{
	return sizeof (MonoMethodSignature) + count * sizeof (MonoType *) + sizeof (uintptr_t);
}

MonoMethodSignature *monocle__signature_of (MonoMethod *method);
/* All that the host said but the parameters themselves. */
void monocle__signature_head (const monocle_signature_info *info, MonoMethodSignature *ret_head);
/* Parameters aside. */
bool monocle__signature_heads_equal (const MonoMethodSignature *a, const MonoMethodSignature *b);
/* In the arena; parameters are zero. */
MonoMethodSignature *monocle__signature_new (uint32_t count);
/* Takes what the host said; `signature` has room for its parameters. */
void monocle__signature_fill (MonoMethodSignature *signature, const monocle_signature_info *info);
/* Its like with the parameters replaced, in the arena; NULL without memory. */
MonoMethodSignature *monocle__signature_inflate (MonoMethodSignature *open, uint32_t class_count,
                                                 MonoType *const *class_arguments, uint32_t method_count,
                                                 MonoType *const *method_arguments);

/* --- signature-shared.c ------------------------------------------------------------------------------------------- */

/* One record for equal ones; NULL where a parameter is unknown. */
MonoMethodSignature *monocle__signature_shared (const monocle_signature_info *info);

/* --- signature-parse.c -------------------------------------------------------------------------------------------- */

/* A type of a method's definition, as the method has it. */
MonoType *monocle__signature_type_of (MonoMethod *method, MonoType *type);

#endif
