/*
 * SPDX-License-Identifier: MIT
 *
 * type.h - types as signatures name them.
 */
#ifndef MONOCLE_MODEL_TYPE_H
#define MONOCLE_MODEL_TYPE_H

#include "records.h"

/*
 * What Mono shows of a class that a type names: Gen<T> inside Gen's own definition is the definition itself, though its
 * type is an instance.
 */
MonoClass *monocle__class_shown (MonoClass *klass);
/* A copy in the arena. */
MonoType **monocle__type_list (uint32_t count, MonoType *const *types);
uint32_t monocle__type_code (const MonoType *type);

#endif
