/*
 * SPDX-License-Identifier: MIT
 *
 * signature-parse.h - types out of an image's bytes.
 */
#ifndef MONOCLE_MODEL_SIGNATURE_PARSE_H
#define MONOCLE_MODEL_SIGNATURE_PARSE_H

#include "records.h"

/* A type of a method's definition, as the method has it. */
MonoType *monocle__method_type (MonoMethod *method, MonoType *type);

#endif
