/*
 * SPDX-License-Identifier: MIT
 *
 * class-api.h - what classes answer to modules and to other files alike.
 */
#ifndef MONOCLE_MODEL_CLASS_API_H
#define MONOCLE_MODEL_CLASS_API_H

#include "records.h"

/* As it stands in the names of types; "!0" for a parameter that nobody can name. Any context. */
const char *monocle__class_name (MonoClass *klass);
/* Is it a class of namespace System called so? */
bool monocle__class_is_system (MonoClass *klass, const char *name);
/* A class of corlib by name, remembered in `cache`. Normal context the first time. */
MonoClass *monocle__corlib_class (_Atomic (MonoClass *) *cache, const char *name_space, const char *name);
/* A primitive that nobody has met as a definition yet gets its token. Normal context. */
void monocle__class_meet_primitive (MonoClass *klass);
/* Of an enum its underlying type, NULL for all others and where the host does not tell. */
MonoType *monocle__enum_base (MonoClass *klass);

#endif
