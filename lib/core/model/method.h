/*
 * SPDX-License-Identifier: MIT
 *
 * method.h - describing methods.
 */
#ifndef MONOCLE_MODEL_METHOD_H
#define MONOCLE_MODEL_METHOD_H

#include "records.h"

const monocle__method_desc *monocle__method_describe (MonoMethod *method);
void monocle__method_complete (MonoMethod *method);

#endif
