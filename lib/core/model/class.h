/*
 * SPDX-License-Identifier: MIT
 *
 * class.h - classes, as class.c makes and describes them and class-api.c answers for them.
 */
#ifndef MONOCLE_MODEL_CLASS_H
#define MONOCLE_MODEL_CLASS_H

#include "records.h"

/* An array's record is longer by what mono_type_get_array_type () shows. */
typedef struct {
	MonoClass klass;
	MonoArrayType shape;
} monocle__array_class;

/* An instance's by what mono_class_get_context () shows. */
typedef struct {
	MonoClass klass;
	monocle__generic_class generic;
} monocle__inst_class;

/* NULL while the host cannot tell. Arrays, pointers and the like are described from their element. */
const monocle__class_desc *monocle__class_describe (MonoClass *klass);
/*
 * What Mono shows of a class that a type names: Gen<T> inside Gen's own definition is the definition itself, though its
 * type is an instance.
 */
MonoClass *monocle__class_shown (MonoClass *klass);
/* The definition under an instance; any other class itself. */
MonoClass *monocle__class_definition (MonoClass *klass);
/* T[*]: an array of rank 1 that is not a vector. */
MonoClass *monocle__class_general_vector (MonoClass *element);
/* The image that defines the class, or what it is made of; NULL of a class that is known by name only, and the like. */
MonoImage *monocle__class_image (MonoClass *klass);
/* What modules see as the class of a method of the image that nothing describes: "<unknown>". NULL: no memory. */
MonoClass *monocle__class_unknown_of (MonoImage *image);
/* Called when corlib becomes known, so that primitives get an image. */
void monocle__class_corlib_is (MonoImage *image);
/* Describes what is still undescribed: names, parents, parameters. False: that was done already. */
bool monocle__class_complete (MonoClass *klass);
/* The same for the type parameters of a class or of a method. */
void monocle__class_params_complete (MonoClass *klass, MonoMethod *method, uint32_t count);

/* --- class-api.c -------------------------------------------------------------------------------------------------- */

/* As it stands in the names of types; "!0" for a parameter that nobody can name. Any context. */
const char *monocle__class_name (MonoClass *klass);
/* As its element type tells: false for what has none. */
bool monocle__class_desc_is_value (const monocle__class_desc *desc);
/* Does it describe a class of namespace System called so? */
bool monocle__class_desc_is_system (const monocle__class_desc *desc, const char *name);
/* Is it a class of namespace System called so? */
bool monocle__class_is_system (MonoClass *klass, const char *name);
/* A class of corlib by name, remembered in `cache`. Normal context the first time. */
MonoClass *monocle__class_of_corlib (_Atomic (MonoClass *) *cache, const char *name_space, const char *name);
/* A primitive that nobody has met as a definition yet gets its token. Normal context. */
void monocle__class_meet_primitive (MonoClass *klass);
/* Of an enum its underlying type, NULL for all others and where the host does not tell. */
MonoType *monocle__class_enum_base (MonoClass *klass);

#endif
