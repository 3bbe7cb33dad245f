/*
 * SPDX-License-Identifier: MIT
 *
 * member.h - what classes list: methods, fields, properties, events, nested classes, interfaces.
 *
 * A list is made from what the host says when it is first wanted, and published by one compare-and-swap. Its
 * records never move. Of an instance only fields, properties and events have records of their own, which share the
 * description of the definition's.
 */
#ifndef MONOCLE_MEMBER_H
#define MONOCLE_MEMBER_H

#include "records.h"

/* What the host said, copied; never written after it is published. */
typedef struct {
	uint32_t token, flags, index; /* index: in the host's counting */
	const char *name;
	MonoType *type;                                  /* as in the definition; NULL: unknown */
	MonoMethod *methods[MONOCLE_MEMBER_METHODS_MAX]; /* the same */
	const void *data;                                /* of a field with an RVA, in the image */
	const char *constant; /* the constant's blob, its compressed length in front; NULL: there is none */
	uint32_t constant_type, constant_size;
} monocle__member_desc;

typedef struct {
	MonoClass *parent;
	const monocle__member_desc *desc;
	_Atomic (MonoType *) type; /* as the parent has it, once asked for */
	_Atomic (uint32_t) offset; /* of an instance field, once asked for; 0: not yet */
} monocle__member;

struct _MonoClassField {
	monocle__member member;
};
struct _MonoProperty {
	monocle__member member;
};
struct _MonoEvent {
	monocle__member member;
};

/* MonoMethod *, MonoClassField *, MonoProperty *, MonoEvent *, MonoClass * (nested, interface). */
typedef struct {
	uint32_t count;
	void *items[];
} monocle__member_list;

struct monocle__class_members {
	_Atomic (monocle__member_list *) lists[MONOCLE_MEMBER_KINDS];
};

/*
 * What the class lists, as it names it: of an instance the definition's methods, nested classes and interfaces. NULL:
 * there is nothing, the host does not tell, or no memory. Arrays list methods only, pointers and parameters nothing.
 * Any context once corlib's primitives have been met.
 */
const monocle__member_list *monocle__members_of (MonoClass *klass, monocle_member_kind kind);
/* Does the host list members at all? */
bool monocle__members_are_told (void);
/* One step of an iterator over a list; the iterator holds the next position. */
void *monocle__member_next (const monocle__member_list *list, void **iter);

/* The method, type or class of a definition's member, as `klass` has it. NULL for NULL. Any context. */
MonoMethod *monocle__member_method_as_in (MonoMethod *method, MonoClass *klass);
MonoClass *monocle__member_class_as_in (MonoClass *other, MonoClass *klass);

MonoType *monocle__member_type (monocle__member *member);

#endif
