/*
 * SPDX-License-Identifier: MIT
 *
 * relation.h - interfaces, of a class itself and of all that it is.
 */
#ifndef MONOCLE_MODEL_RELATION_H
#define MONOCLE_MODEL_RELATION_H

#include "records.h"

/* Interfaces that are followed from one class, against metadata that names them for ever. */
enum { MONOCLE__INTERFACE_LIMIT = 512 };

/* The interface at a position in what the class itself names (of vectors Mono's two); NULL: past the last. */
MonoClass *monocle__relation_interface (MonoClass *klass, uint32_t index);
/* All interfaces of the class, of its bases and of those interfaces, each once. Returns how many. */
uint32_t monocle__relation_interfaces (MonoClass *klass, MonoClass *ret_list[MONOCLE__INTERFACE_LIMIT]);

#endif
