/*
 * SPDX-License-Identifier: MIT
 *
 * constraint.h - what a type parameter must be.
 */
#ifndef MONOCLE_MODEL_CONSTRAINT_H
#define MONOCLE_MODEL_CONSTRAINT_H

#include <stdint.h>
#include <mono/metadata/class.h>

/* The base class of a type parameter, and its interfaces by position; NULL: past the last. */
MonoClass *monocle__constraint_parent (MonoClass *param);
MonoClass *monocle__constraint_interface (MonoClass *param, uint32_t index);

#endif
