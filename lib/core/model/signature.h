/*
 * SPDX-License-Identifier: MIT
 *
 * signature.h - signatures, made and filled.
 */
#ifndef MONOCLE_MODEL_SIGNATURE_H
#define MONOCLE_MODEL_SIGNATURE_H

#include "records.h"

MonoMethodSignature *monocle__signature_of (MonoMethod *method);
/* In the arena; parameters are zero. */
MonoMethodSignature *monocle__signature_new (uint32_t count);
/* Takes what the host said; `signature` has room for its parameters. */
void monocle__signature_fill (MonoMethodSignature *signature, const monocle_signature_info *info);
/* Its like with the parameters replaced, in the arena; NULL without memory. */
MonoMethodSignature *monocle__signature_inflate (MonoMethodSignature *open, uint32_t class_count,
                                                 MonoType *const *class_arguments, uint32_t method_count,
                                                 MonoType *const *method_arguments);

/* --- signature-parse.c -------------------------------------------------------------------------------------------- */

/* A type of a method's definition, as the method has it. */
MonoType *monocle__signature_type_of (MonoMethod *method, MonoType *type);

#endif
