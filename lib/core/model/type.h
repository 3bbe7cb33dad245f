/*
 * SPDX-License-Identifier: MIT
 *
 * type.h - types as signatures name them.
 */
#ifndef MONOCLE_MODEL_TYPE_H
#define MONOCLE_MODEL_TYPE_H

#include "records.h"

/* A copy in the arena. */
MonoType **monocle__type_list (uint32_t count, MonoType *const *types);
/* Do generic parameters stand in it? */
bool monocle__type_is_open (const MonoType *type);
uint32_t monocle__type_code (const MonoType *type);

#endif
