/*
 * SPDX-License-Identifier: MIT
 *
 * generic-inst.h - lists of type arguments.
 */
#ifndef MONOCLE_MODEL_GENERIC_INST_H
#define MONOCLE_MODEL_GENERIC_INST_H

#include "records.h"

/* The record of this list, one for equal lists; NULL: no memory, or more than Mono can count. Any context. */
const monocle__generic_inst *monocle__generic_inst_of (uint32_t count, MonoType *const *types);

#endif
