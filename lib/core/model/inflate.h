/*
 * SPDX-License-Identifier: MIT
 *
 * inflate.h - generic classes and types with arguments in the places of their parameters.
 */
#ifndef MONOCLE_MODEL_INFLATE_H
#define MONOCLE_MODEL_INFLATE_H

#include "records.h"

/* Its like with the parameters replaced; NULL without memory. Counts may be 0: then those parameters stay. */
MonoClass *monocle__inflate_class (MonoClass *klass, uint32_t class_count, MonoType *const *class_arguments,
                                   uint32_t method_count, MonoType *const *method_arguments);
MonoType *monocle__inflate_type (MonoType *type, uint32_t class_count, MonoType *const *class_arguments,
                                 uint32_t method_count, MonoType *const *method_arguments);

#endif
