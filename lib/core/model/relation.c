/*
 * SPDX-License-Identifier: MIT
 *
 * relation.c - how classes are related: interfaces, nesting, what may be stored where.
 *
 * The rules are those of ECMA-335 I.8.7 (assignment compatibility) with Mono's answers where they are wider: integers
 * of one size are one type as elements of arrays, an enum is its underlying type there, and a value goes into its
 * Nullable. Normal context: may make records and look classes of corlib up.
 */
#include "relation.h"

#include <string.h>
#include "class.h"
#include "constraint.h"
#include "image.h"
#include "member.h"
#include "metadata.h"

enum { FLAG_INTERFACE = 0x20, COVARIANT = 1, CONTRAVARIANT = 2 };

/*
 * Whether classes fit may depend on whether their arguments do, and metadata can make that grow without end. A question
 * that goes too deep or looks at too many interfaces is answered no.
 */
enum { ARGUMENT_DEPTH = 8, WORK_LIMIT = 8 * MONOCLE__INTERFACE_LIMIT };

struct question {
	uint32_t depth, work;
};

static bool is_assignable (MonoClass *to, MonoClass *from, struct question *question);

/* --- interfaces --------------------------------------------------------------------------------------------------- */

#define GENERIC "System.Collections.Generic"

/* Mono's vectors name two interfaces, which bring the other three; vectors of enums those of the integer as well. */
static MonoClass *
vector_interface (MonoClass *klass, uint32_t index)
{
	static _Atomic (MonoClass *) list, read_only_list;
	MonoType *base = monocle__class_enum_base (klass->element), *argument[] = { monocle_type (klass->element), base };
	if (klass->rank != 1 || index >= (base ? 4 : 2))
		return NULL;
	MonoClass *definition = index & 1 ? monocle__class_of_corlib (&read_only_list, GENERIC, "IReadOnlyList`1")
	                                  : monocle__class_of_corlib (&list, GENERIC, "IList`1");
	return definition ? monocle_class_inst (definition, 1, &argument[index / 2]) : NULL;
}

MonoClass *
monocle__relation_interface (MonoClass *klass, uint32_t index)
{
	if (klass->kind == MONOCLE__CLASS_ARRAY)
		return vector_interface (klass, index);
	if (klass->kind == MONOCLE__CLASS_PARAM)
		return monocle__constraint_interface (klass, index);
	const monocle__member_list *list = monocle__members_of (klass, MONOCLE_MEMBER_INTERFACE);
	return list && index < list->count ? monocle__member_class_as_in (list->items[index], klass) : NULL;
}

static uint32_t
add_interfaces (MonoClass *klass, MonoClass **list, uint32_t count)
{
	MonoClass *interface;
	for (uint32_t i = 0; (interface = monocle__relation_interface (klass, i)); i++) {
		uint32_t at = 0;
		while (at < count && list[at] != interface)
			at++;
		if (at == count && count < MONOCLE__INTERFACE_LIMIT)
			list[count++] = interface;
	}
	return count;
}

uint32_t
monocle__relation_interfaces (MonoClass *klass, MonoClass *ret_list[MONOCLE__INTERFACE_LIMIT])
{
	uint32_t count = 0;
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		count = add_interfaces (klass, ret_list, count);
	for (uint32_t i = 0; i < count; i++)
		count = add_interfaces (ret_list[i], ret_list, count);
	return count;
}

MonoClass *
mono_class_get_interfaces (MonoClass *klass, void **iter)
{
	uintptr_t position = iter ? (uintptr_t) *iter : 0;
	MonoClass *interface = klass && iter ? monocle__relation_interface (klass, (uint32_t) position) : NULL;
	if (interface)
		*iter = (void *) (position + 1);
	return interface;
}

/* As in Mono, an instance has no nested types: they are those of its definition. */
MonoClass *
mono_class_get_nested_types (MonoClass *klass, void **iter)
{
	if (!klass || klass->kind == MONOCLE__CLASS_INST)
		return NULL;
	return monocle__member_next (monocle__members_of (klass, MONOCLE_MEMBER_NESTED), iter);
}

/* --- base classes ------------------------------------------------------------------------------------------------- */

static bool
is_param (MonoClass *klass)
{
	return klass->kind == MONOCLE__CLASS_PARAM;
}

/* To Mono a type parameter is an interface as well. */
static bool
is_interface (MonoClass *klass)
{
	return is_param (klass) || (klass->kind != MONOCLE__CLASS_ARRAY && klass->kind != MONOCLE__CLASS_POINTER &&
	                            mono_class_get_flags (klass) & FLAG_INTERFACE);
}

static bool
has_parent (MonoClass *klass, MonoClass *parent)
{
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		if (klass == parent)
			return true;
	return false;
}

static bool
names_interface (MonoClass *klass, MonoClass *interface)
{
	MonoClass *own;
	for (uint32_t i = 0; (own = monocle__relation_interface (klass, i)); i++)
		if (own == interface)
			return true;
	return false;
}

static bool
has_interface (MonoClass *klass, MonoClass *interface)
{
	MonoClass *list[MONOCLE__INTERFACE_LIMIT];
	uint32_t count = monocle__relation_interfaces (klass, list);
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == interface)
			return true;
	return false;
}

/* Of an interface those that it names itself count; everything counts as below object. */
mono_bool
mono_class_is_subclass_of (MonoClass *klass, MonoClass *other, mono_bool check_interfaces)
{
	if (!klass || !other)
		return 0;
	if (other == monocle_class_primitive (MONO_TYPE_OBJECT))
		return 1;
	if (check_interfaces && is_interface (other))
		return is_interface (klass) ? names_interface (klass, other) : has_interface (klass, other);
	return !is_interface (klass) && has_parent (klass, other);
}

/* --- variance: II.9.5 --------------------------------------------------------------------------------------------- */

enum { VARIANCE_KNOWN = 1u << 31, VARIANCE_PARAMS = 15 };

/* Two bits for each of the first parameters of a definition: II.22.20, II.23.1.7. */
static uint32_t
variance_of (MonoClass *definition)
{
	uint32_t variance = atomic_load_explicit (&definition->variance, memory_order_relaxed);
	uint32_t row = monocle_class_token (definition) & 0xffffff;
	MonoImage *image = monocle__class_image (definition);
	if (variance || !image || atomic_load (&image->unloaded))
		return variance;
	/* A TypeOrMethodDef (II.24.2.6) with the tag of a TypeDef. */
	monocle__row_run run = monocle__metadata_run (image, MONO_TABLE_GENERICPARAM, MONO_GENERICPARAM_OWNER, row << 1);
	for (uint32_t param = run.first; param < run.end; param++) {
		uint32_t number = monocle__metadata_cell (image, MONO_TABLE_GENERICPARAM, param, MONO_GENERICPARAM_NUMBER);
		uint32_t flags = monocle__metadata_cell (image, MONO_TABLE_GENERICPARAM, param, MONO_GENERICPARAM_FLAGS);
		if (number < VARIANCE_PARAMS)
			variance |= (flags & 3) << 2 * number;
	}
	atomic_store_explicit (&definition->variance, variance | VARIANCE_KNOWN, memory_order_relaxed);
	return variance;
}

static bool
argument_fits (uint32_t variance, MonoClass *to, MonoClass *from, struct question *question)
{
	if (to == from)
		return true;
	if (mono_class_is_valuetype (to) || mono_class_is_valuetype (from))
		return false;
	if (variance & COVARIANT)
		return is_assignable (to, from, question);
	return variance & CONTRAVARIANT && is_assignable (from, to, question);
}

/* Two instances of one definition whose arguments vary as it allows. */
static bool
varies (MonoClass *to, MonoClass *from, struct question *question)
{
	if (to->kind != MONOCLE__CLASS_INST || from->kind != MONOCLE__CLASS_INST || to->element != from->element ||
	    to->count != from->count)
		return false;
	uint32_t variance = variance_of (to->element);
	for (uint32_t i = 0; i < to->count; i++) {
		uint32_t own = i < VARIANCE_PARAMS ? variance >> 2 * i & 3 : 0;
		if (!argument_fits (own, to->arguments[i]->klass, from->arguments[i]->klass, question))
			return false;
	}
	return true;
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

/* What an element counts as: enums as their integer, integers without their sign. */
static MonoClass *
element_as (MonoClass *klass)
{
	MonoType *base = monocle__class_enum_base (klass);
	if (base)
		klass = base->klass;
	switch (klass->kind == MONOCLE__CLASS_PRIMITIVE ? klass->primitive : 0) {
	case MONO_TYPE_U1: return monocle_class_primitive (MONO_TYPE_I1);
	case MONO_TYPE_U2: return monocle_class_primitive (MONO_TYPE_I2);
	case MONO_TYPE_U4: return monocle_class_primitive (MONO_TYPE_I4);
	case MONO_TYPE_U8: return monocle_class_primitive (MONO_TYPE_I8);
	case MONO_TYPE_U: return monocle_class_primitive (MONO_TYPE_I);
	default: return klass;
	}
}

/* In an array a native integer is one of its size as well, though not as the argument of an interface. */
static MonoClass *
array_element_as (MonoClass *klass)
{
	klass = element_as (klass);
	if (klass != monocle_class_primitive (MONO_TYPE_I))
		return klass;
	return monocle_class_primitive (sizeof (void *) == 8 ? MONO_TYPE_I8 : MONO_TYPE_I4);
}

static bool
array_fits (MonoClass *to, MonoClass *from, struct question *question)
{
	if (from->kind != MONOCLE__CLASS_ARRAY || to->rank != from->rank)
		return false;
	if (mono_class_is_valuetype (to->element) || mono_class_is_valuetype (from->element))
		return array_element_as (to->element) == array_element_as (from->element);
	return is_assignable (to->element, from->element, question);
}

/* The interfaces that a vector of any type which fits the argument has. */
static bool
is_vector_interface (MonoClass *klass)
{
	static const char *const names[] = {
		"IList`1", "ICollection`1", "IEnumerable`1", "IReadOnlyList`1", "IReadOnlyCollection`1",
	};
	if (klass->kind != MONOCLE__CLASS_INST || klass->count != 1 ||
	    monocle__class_image (klass) != monocle__image_corlib () || strcmp (mono_class_get_namespace (klass), GENERIC))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp (mono_class_get_name (klass), names[i]))
			return true;
	return false;
}

static bool
vector_fits (MonoClass *to, MonoClass *from, struct question *question)
{
	if (from->kind != MONOCLE__CLASS_ARRAY || from->rank != 1 || !is_vector_interface (to))
		return false;
	MonoClass *argument = to->arguments[0]->klass;
	if (mono_class_is_valuetype (argument) || mono_class_is_valuetype (from->element))
		return element_as (argument) == array_element_as (from->element);
	return is_assignable (argument, from->element, question);
}

/* --- assignment --------------------------------------------------------------------------------------------------- */

static uint32_t
all_interfaces (MonoClass *klass, MonoClass *list[MONOCLE__INTERFACE_LIMIT], struct question *question)
{
	uint32_t count = monocle__relation_interfaces (klass, list);
	question->work -= count < question->work ? count : question->work;
	return count;
}

static bool
interface_fits (MonoClass *to, MonoClass *from, struct question *question)
{
	MonoClass *list[MONOCLE__INTERFACE_LIMIT];
	uint32_t count = all_interfaces (from, list, question);
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == to)
			return true;
	if (vector_fits (to, from, question) || (is_interface (from) && varies (to, from, question)))
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (varies (to, list[i], question))
			return true;
	return false;
}

/* Is a parameter constrained to the other, or to what derives from the class? */
static bool
param_fits (MonoClass *to, MonoClass *from, struct question *question)
{
	MonoClass *list[MONOCLE__INTERFACE_LIMIT];
	uint32_t count = all_interfaces (from, list, question);
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == to || (is_param (list[i]) && has_parent (list[i], to)))
			return true;
	return false;
}

/* Of two different classes. */
static bool
fits (MonoClass *to, MonoClass *from, struct question *question)
{
	if (is_param (from) && param_fits (to, from, question))
		return true;
	if (is_param (to))
		return false;
	if (to->kind == MONOCLE__CLASS_POINTER || from->kind == MONOCLE__CLASS_POINTER)
		return false;
	if (is_interface (to))
		return interface_fits (to, from, question);
	if (to->kind == MONOCLE__CLASS_ARRAY)
		return array_fits (to, from, question);
	if (mono_class_is_delegate (to) && varies (to, from, question))
		return true;
	if (mono_class_is_nullable (to))
		return to->arguments[0]->klass == from;
	return to == monocle_class_primitive (MONO_TYPE_OBJECT) || has_parent (from, to);
}

static bool
is_assignable (MonoClass *to, MonoClass *from, struct question *question)
{
	if (to == from)
		return true;
	if (question->depth == ARGUMENT_DEPTH || !question->work)
		return false;
	question->work--;
	question->depth++;
	bool answer = fits (to, from, question);
	question->depth--;
	return answer;
}

mono_bool
mono_class_is_assignable_from (MonoClass *klass, MonoClass *oklass)
{
	return klass && oklass && is_assignable (klass, oklass, &(struct question) { 0, WORK_LIMIT });
}

/* To Mono this is the same question the other way round, whether `iface` is an interface or not. */
mono_bool
mono_class_implements_interface (MonoClass *klass, MonoClass *iface)
{
	return mono_class_is_assignable_from (iface, klass);
}

/* --- Nullable<T> -------------------------------------------------------------------------------------------------- */

mono_bool
mono_class_is_nullable (MonoClass *klass)
{
	return klass && klass->kind == MONOCLE__CLASS_INST && klass->count == 1 &&
	       monocle__class_is_system (klass, "Nullable`1");
}

MonoClass *
mono_class_get_nullable_param (MonoClass *klass)
{
	return mono_class_is_nullable (klass) ? klass->arguments[0]->klass : NULL;
}
