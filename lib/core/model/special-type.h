/*
 * SPDX-License-Identifier: MIT
 *
 * special-type.h - types that say more than their class does.
 */
#ifndef MONOCLE_MODEL_SPECIAL_TYPE_H
#define MONOCLE_MODEL_SPECIAL_TYPE_H

#include "records.h"

enum { MONOCLE__MODIFIERS_MAX = 64 };

typedef struct {
	monocle__node node; /* first: it is interned */
	MonoType type;
	bool is_open;
	uint32_t modifier_count;
	MonoType **modifiers; /* in the order of the signature */
	uint64_t required;
	MonoType *pointee;              /* of a pointer to what is special itself */
	MonoMethodSignature *signature; /* of a function pointer */
	MonoArrayType shape;            /* of an array with sizes or bounds: rank is not 0 */
} monocle__special_type;

/* NULL: the class says it all. */
const monocle__special_type *monocle__special_type_of (const MonoType *type);
/* The same type over another class or other parts, for inflation. `like` gives modifiers and shape. */
MonoType *monocle__special_type_like (const monocle__special_type *like, MonoType *type);
MonoType *monocle__special_type_fnptr (MonoMethodSignature *signature);

#endif
