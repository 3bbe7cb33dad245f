/*
 * SPDX-License-Identifier: MIT
 *
 * private-field.h - where fields of the class library are that are no public API (private-names.def).
 */
#ifndef PRIVATE_FIELD_H
#define PRIVATE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include <mono/metadata/class.h>

#include "private-name.h"

/*
 * Was the runtime's version looked at, and has its core library all names of the feature that belong to it? Where it
 * has not, what rests on them is off; the first call for each feature logs that for the module. Normal context.
 */
bool private_field_serves (const char *module, monocle__private_feature feature);
/* The core library's class that the name is of; NULL: it has none. Normal context. */
MonoClass *private_field_class (monocle__private_id id);
/* Is this the bare name of the type that a name is of? Async-safe. */
bool private_field_is_type (const char *name, monocle__private_id id);
/* The field of this name in a class, or in one that it derives from; NULL: it has none. Normal context. */
MonoClassField *private_field_of (MonoClass *klass, monocle__private_id id);

#endif
