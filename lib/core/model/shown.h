/*
 * SPDX-License-Identifier: MIT
 *
 * shown.h - the fields of records that modules read without asking, where Mono 6.8 has them.
 *
 * What a record is (kind, rank, arguments, image, token) is there from the beginning; what describing it tells (name,
 * namespace, nesting, flags, whether it is a value type) as soon as it was described, by whoever; until then these are
 * zeros, but for the name when a module has asked: it is what the module was told. A record that is handed to a
 * callback of a load event or of the JIT is described before, and so is what hangs on it: elements, arguments, what it
 * is nested in, parents, images. All in any context; none raises an event.
 */
#ifndef MONOCLE_MODEL_SHOWN_H
#define MONOCLE_MODEL_SHOWN_H

#include "records.h"

/* Shows what a new class is. */
void monocle__shown_class_made (MonoClass *klass);
/* Shows what describing it told. Another thread that does it at the same time writes the same. */
void monocle__shown_class_is (MonoClass *klass, const monocle__class_desc *desc);
void monocle__shown_method_is (MonoMethod *method, const monocle__method_desc *desc);
void monocle__shown_image_is (MonoImage *image, const monocle__image_desc *desc);
/* A type that a module gets as part of something: it has its code. */
void monocle__shown_type (MonoType *type);
/* Events show their records from now on. */
void monocle__shown_begin (void);

#endif
