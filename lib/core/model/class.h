/*
 * SPDX-License-Identifier: MIT
 *
 * class.h - making, describing and completing classes.
 */
#ifndef MONOCLE_MODEL_CLASS_H
#define MONOCLE_MODEL_CLASS_H

#include "records.h"

/* An array's record is longer by what mono_type_get_array_type () shows. */
typedef struct {
	MonoClass klass;
	MonoArrayType shape;
} monocle__array_class;

/* Stands for "asked, there is none" where a MonoClass pointer is cached. */
extern MonoClass monocle__class_none;

/* NULL while the host cannot tell. Arrays, pointers and the like are described from their element. */
const monocle__class_desc *monocle__class_describe (MonoClass *klass);
/* The definition under an instance; any other class itself. */
MonoClass *monocle__class_definition (MonoClass *klass);
/* T[*]: an array of rank 1 that is no vector. */
MonoClass *monocle__class_general_vector (MonoClass *element);
/* Called when corlib becomes known, so that primitives get an image. */
void monocle__class_corlib_is (MonoImage *image);
/* Describes what is still undescribed: names, parents, parameters. False: that was done already. */
bool monocle__class_complete (MonoClass *klass);
/* The same for the type parameters of a class or of a method. */
void monocle__params_complete (MonoClass *klass, MonoMethod *method, uint32_t count);

#endif
