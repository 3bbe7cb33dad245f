/*
 * SPDX-License-Identifier: MIT
 *
 * method.h - describing methods.
 */
#ifndef MONOCLE_MODEL_METHOD_H
#define MONOCLE_MODEL_METHOD_H

#include "records.h"

/* Of an instance its own; NULL of others. */
static inline MonoType *const *
monocle__method_arguments (const MonoMethod *method)
{
	return method->count ? method->context.method_inst->types : NULL;
}

/* NULL while nothing tells. */
MonoClass *monocle__method_class (MonoMethod *method);
const monocle__method_desc *monocle__method_describe (MonoMethod *method);
void monocle__method_complete (MonoMethod *method);

#endif
