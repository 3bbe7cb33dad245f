/*
 * SPDX-License-Identifier: MIT
 *
 * array-method.c - the methods that every array class has and no metadata lists: ECMA-335 I.8.9.1, II.14.2.
 *
 *      .ctor (int, ... rank times)       lengths
 *      .ctor (int, ... 2 * rank times)   lower bounds and lengths; of a vector of vectors: both lengths
 *      Get (int, ...), Address (int, ...), Set (int, ..., element)
 *
 * They are made with the class's first list of methods, in Mono's order and with Mono's flags; they have no token. A
 * vector of anything but vectors has one constructor. Mono's wrappers for the generic interfaces of vectors do not
 * exist here. Any thread, any context.
 */
#include "array-method.h"

#include "arena.h"
#include "class.h"
#include "member.h"
#include "shown.h"
#include "signature.h"

enum {
	CONSTRUCTOR_FLAGS = 0x1806, /* public, special name, run-time special name */
	ACCESSOR_FLAGS = 0x6,       /* public */
	INTERNAL_CALL = 0x1000,
	RUNTIME = 0x3,
};

struct shape {
	const char *name;
	uint32_t flags, iflags, indices;
	MonoType *ret, *last; /* `last` follows the indices; NULL: nothing does */
};

static MonoMethodSignature *
signature_new (const struct shape *shape)
{
	MonoMethodSignature *signature = monocle__signature_new (shape->indices + (shape->last ? 1 : 0));
	if (!signature)
		return NULL;
	signature->ret = shape->ret;
	signature->has_this = true;
	for (uint32_t i = 0; i < shape->indices; i++)
		signature->params[i] = monocle_type (monocle_class_primitive (MONO_TYPE_I4));
	if (shape->last)
		signature->params[shape->indices] = shape->last;
	return signature;
}

static MonoMethod *
method_new (MonoClass *klass, const struct shape *shape)
{
	MonoMethod *method = monocle__arena_alloc (sizeof *method);
	monocle__method_desc *desc = monocle__arena_alloc (sizeof *desc);
	MonoMethodSignature *signature = signature_new (shape);
	if (!method || !desc || !signature)
		return NULL;
	desc->name = shape->name;
	desc->flags = (uint16_t) shape->flags;
	desc->iflags = (uint16_t) shape->iflags;
	desc->klass = klass;
	method->image = monocle__class_image (klass);
	atomic_store_explicit (&method->klass, klass, memory_order_relaxed);
	atomic_init (&method->desc, desc);
	atomic_init (&method->signature, signature);
	monocle__shown_method_is (method, desc);
	return method;
}

monocle__member_list *
monocle__array_methods_new (MonoClass *klass)
{
	MonoType *nothing = monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	MonoType *element = monocle_type (klass->element), *address = monocle_type_byref (klass->element);
	bool has_two = klass->rank > 1 || (klass->element->kind == MONOCLE__CLASS_ARRAY && klass->element->rank == 1);
	/* clang-format off */
	const struct shape shapes[] = {
		{ ".ctor",   CONSTRUCTOR_FLAGS, INTERNAL_CALL,           klass->rank,      nothing, NULL },
		{ ".ctor",   CONSTRUCTOR_FLAGS, INTERNAL_CALL,           klass->rank * 2u, nothing, NULL },
		{ "Get",     ACCESSOR_FLAGS,    INTERNAL_CALL | RUNTIME, klass->rank,      element, NULL },
		{ "Address", ACCESSOR_FLAGS,    INTERNAL_CALL | RUNTIME, klass->rank,      address, NULL },
		{ "Set",     ACCESSOR_FLAGS,    INTERNAL_CALL | RUNTIME, klass->rank,      nothing, element },
	};
	/* clang-format on */
	enum { COUNT = sizeof shapes / sizeof *shapes };
	monocle__member_list *list = monocle__arena_alloc (sizeof *list + COUNT * sizeof *list->items);
	if (!list)
		return NULL;
	for (uint32_t i = 0; i < COUNT; i++)
		if ((i != 1 || has_two) && !(list->items[list->count++] = method_new (klass, &shapes[i])))
			return NULL;
	return list;
}
