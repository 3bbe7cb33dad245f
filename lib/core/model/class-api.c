/*
 * SPDX-License-Identifier: MIT
 *
 * class-api.c - what modules ask about classes: names, places, parents, elements.
 *
 * Any thread, any context; what asks the host for a class by name is said to need normal context.
 */
#include "class.h"

#include <stdio.h>
#include <string.h>
#include "arena.h"
#include "constraint.h"
#include "dispatch/host.h"
#include "image.h"
#include "inflate.h"
#include "publish.h"
#include "type.h"

static MonoImage *
image_of (MonoClass *klass)
{
	return atomic_load_explicit (&klass->image, memory_order_acquire);
}

/* --- mono_class_*: names and places ------------------------------------------------------------------------------- */

/* A class that the host cannot describe (yet) is called by its token: something to tell it from others by. */
static const char *
fallback_name (MonoClass *klass)
{
	const char *known = atomic_load_explicit (&klass->fallback, memory_order_acquire), *copy;
	char text[24];
	if (known)
		return known;
	if (klass->kind == MONOCLE__CLASS_PARAM)
		snprintf (text, sizeof text, "%s%u", klass->owner ? "!!" : "!", klass->index);
	else
		snprintf (text, sizeof text, "<0x%08x>", monocle_class_token (klass));
	if (!(copy = monocle__arena_string (text)))
		return "";
	copy = MONOCLE__PUBLISH (&klass->fallback, copy);
	MONOCLE__PUBLISH (&klass->name, copy);
	return copy;
}

const char *
monocle__class_name (MonoClass *klass)
{
	const monocle__class_desc *desc = monocle__class_describe (klass);
	return desc ? desc->name : fallback_name (monocle__class_definition (klass));
}

/* A parameter without an owner in a TypeSpec is called "0" by Mono, although it is "!0" in the names of types. */
const char *
mono_class_get_name (MonoClass *klass)
{
	const char *name = klass ? monocle__class_name (klass) : NULL;
	bool is_nobodys = klass && klass->kind == MONOCLE__CLASS_PARAM && !klass->owner && !klass->element;
	return is_nobodys && *name == '!' ? name + 1 : name;
}

const char *
mono_class_get_namespace (MonoClass *klass)
{
	if (!klass)
		return NULL;
	const monocle__class_desc *desc = monocle__class_describe (klass);
	return desc ? desc->name_space : "";
}

MonoImage *
monocle__class_image (MonoClass *klass)
{
	for (; klass; klass = klass->element) {
		if (klass->kind == MONOCLE__CLASS_DEF || klass->kind == MONOCLE__CLASS_PRIMITIVE)
			return image_of (klass);
		if (klass->owner)
			return klass->owner->image;
	}
	return NULL;
}

/* As in Mono, no class is without an image; what no image defines is corlib's. */
MonoImage *
mono_class_get_image (MonoClass *klass)
{
	MonoImage *image = monocle__class_image (klass);
	if (image || !klass)
		return image;
	while (klass->element)
		klass = klass->element;
	image = klass->kind == MONOCLE__CLASS_NAMED ? image_of (klass) : monocle__image_corlib ();
	return image ? image : monocle__image_absent ("");
}

MonoClass *
mono_class_get_nesting_type (MonoClass *klass)
{
	const monocle__class_desc *desc = klass ? monocle__class_describe (klass) : NULL;
	return desc ? desc->nesting : NULL;
}

uint32_t
mono_class_get_flags (MonoClass *klass)
{
	const monocle__class_desc *desc = klass ? monocle__class_describe (klass) : NULL;
	return desc ? desc->flags : 0;
}

/* Looked up in corlib, which makes corlib adopt it. */
void
monocle__class_meet_primitive (MonoClass *klass)
{
	MonoImage *image = monocle__image_corlib ();
	if (klass->kind == MONOCLE__CLASS_PRIMITIVE && image && !monocle_class_token (klass))
		mono_class_from_name (image, "System", mono_class_get_name (klass));
}

uint32_t
mono_class_get_type_token (MonoClass *klass)
{
	if (klass)
		monocle__class_meet_primitive (klass);
	return monocle_class_token (klass);
}

int
mono_class_get_rank (MonoClass *klass)
{
	return klass ? klass->rank : 0;
}

MonoType *
mono_class_get_type (MonoClass *klass)
{
	return monocle_type (klass);
}

MonoType *
mono_class_get_byref_type (MonoClass *klass)
{
	return monocle_type_byref (klass);
}

/* --- mono_class_*: relations -------------------------------------------------------------------------------------- */

MonoClass *
monocle__class_of_corlib (_Atomic (MonoClass *) *cache, const char *name_space, const char *name)
{
	MonoClass *klass = atomic_load_explicit (cache, memory_order_acquire);
	MonoImage *image = monocle__image_corlib ();
	if (klass || !image)
		return klass;
	klass = mono_class_from_name (image, name_space, name);
	if (klass)
		atomic_store_explicit (cache, klass, memory_order_release);
	return klass;
}

/* The base class as the host tells it, for a definition. */
static MonoClass *
ask_parent (MonoClass *klass)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = image_of (klass);
	if (!ops->class_parent || !image || !monocle__image_ask_begin (image))
		return NULL;
	MonoClass *parent = ops->class_parent (ops->host, klass);
	monocle__image_ask_end (image);
	return parent;
}

static MonoClass *
find_parent (MonoClass *klass)
{
	static _Atomic (MonoClass *) array_class;
	MonoClass *parent;
	switch (klass->kind) {
	case MONOCLE__CLASS_PRIMITIVE:
		monocle__class_meet_primitive (klass);
		/* fallthrough */
	case MONOCLE__CLASS_DEF: return ask_parent (klass);
	case MONOCLE__CLASS_INST:
		parent = mono_class_get_parent (klass->element);
		return parent ? monocle__inflate_class (parent, klass->count, klass->arguments, 0, NULL) : NULL;
	case MONOCLE__CLASS_ARRAY: return monocle__class_of_corlib (&array_class, "System", "Array");
	case MONOCLE__CLASS_PARAM: return monocle__constraint_parent (klass);
	default: return NULL;
	}
}

MonoClass *
mono_class_get_parent (MonoClass *klass)
{
	MonoClass *known = klass ? atomic_load_explicit (&klass->parent, memory_order_acquire) : NULL;
	if (known || !klass || atomic_load_explicit (&klass->has_no_parent, memory_order_relaxed))
		return known;
	MonoClass *parent = find_parent (klass);
	if (parent)
		atomic_store_explicit (&klass->parent, parent, memory_order_release);
	return parent;
}

bool
monocle__class_desc_is_system (const monocle__class_desc *desc, const char *name)
{
	return !desc->nesting && !strcmp (desc->name, name) && !strcmp (desc->name_space, "System");
}

bool
monocle__class_is_system (MonoClass *klass, const char *name)
{
	const monocle__class_desc *desc = monocle__class_describe (klass);
	return desc && monocle__class_desc_is_system (desc, name);
}

bool
monocle__class_desc_is_value (const monocle__class_desc *desc)
{
	switch (desc->element_type) {
		/* clang-format off */
#define MONOCLE__PRIMITIVE(code, class_name, keyword, valuetype, class_flags) \
	case MONO_TYPE_##code: \
		return valuetype;
#include "primitives.def"
	/* clang-format on */
	case MONO_TYPE_VALUETYPE: return true;
	default: return false;
	}
}

mono_bool
mono_class_is_valuetype (MonoClass *klass)
{
	const monocle__class_desc *desc = klass ? monocle__class_describe (klass) : NULL;
	return desc && monocle__class_desc_is_value (desc);
}

mono_bool
mono_class_is_enum (MonoClass *klass)
{
	klass = klass ? monocle__class_definition (klass) : NULL;
	if (!klass || klass->kind != MONOCLE__CLASS_DEF || !mono_class_is_valuetype (klass))
		return 0;
	MonoClass *parent = mono_class_get_parent (klass);
	return monocle__class_describe (klass)->enum_base || (parent && monocle__class_is_system (parent, "Enum"));
}

mono_bool
mono_class_is_delegate (MonoClass *klass)
{
	if (klass && klass->kind == MONOCLE__CLASS_PARAM)
		return 0;
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		if (monocle__class_is_system (klass, "Delegate"))
			return 1;
	return 0;
}

MonoType *
monocle__class_enum_base (MonoClass *klass)
{
	klass = klass ? monocle__class_definition (klass) : NULL;
	const monocle__class_desc *desc =
	    klass && klass->kind == MONOCLE__CLASS_DEF ? monocle__class_describe (klass) : NULL;
	return desc ? monocle_type (monocle_class_primitive (desc->enum_base)) : NULL;
}

/* Of an array or pointer what it holds, of an enum its underlying class, of Nullable<T> T, else the class itself. */
MonoClass *
mono_class_get_element_class (MonoClass *klass)
{
	if (!klass)
		return NULL;
	if (klass->kind == MONOCLE__CLASS_ARRAY || klass->kind == MONOCLE__CLASS_POINTER)
		return monocle__class_shown (klass->element);
	if (mono_class_is_nullable (klass))
		return klass->arguments[0]->klass;
	MonoType *base = monocle__class_enum_base (klass);
	return base ? base->klass : klass;
}

/* As in Mono: of whatever has an element, that element; enums are the use for it. */
MonoType *
mono_class_enum_basetype (MonoClass *klass)
{
	MonoClass *element = mono_class_get_element_class (klass);
	return element == klass ? NULL : monocle_type (element);
}

MonoClass *
mono_array_class_get (MonoClass *element, uint32_t rank)
{
	return monocle_class_array (element, rank);
}

MonoClass *
mono_bounded_array_class_get (MonoClass *element, uint32_t rank, mono_bool bounded)
{
	return bounded && rank == 1 ? monocle__class_general_vector (element) : monocle_class_array (element, rank);
}

MonoClass *
mono_ptr_class_get (MonoType *type)
{
	return type ? monocle_class_pointer (type->klass) : NULL;
}

/* Nothing about a record waits to be initialised. */
mono_bool
mono_class_init (MonoClass *klass)
{
	return klass != NULL;
}

/* mono_get_NAME_class: primitives are there always, the others once corlib is. */
#define WELL_KNOWN_PRIMITIVE(name, code) \
	MonoClass *mono_get_##name##_class (void) \
	{ \
		return monocle_class_primitive (MONO_TYPE_##code); \
	}
#define WELL_KNOWN_CLASS(name, name_space, class_name) \
	MonoClass *mono_get_##name##_class (void) \
	{ \
		static _Atomic (MonoClass *) cache; \
		return monocle__class_of_corlib (&cache, name_space, class_name); \
	}
/* clang-format off */
WELL_KNOWN_PRIMITIVE (object,  OBJECT)
WELL_KNOWN_PRIMITIVE (string,  STRING)
WELL_KNOWN_PRIMITIVE (void,    VOID)
WELL_KNOWN_PRIMITIVE (boolean, BOOLEAN)
WELL_KNOWN_PRIMITIVE (char,    CHAR)
WELL_KNOWN_PRIMITIVE (sbyte,   I1)
WELL_KNOWN_PRIMITIVE (byte,    U1)
WELL_KNOWN_PRIMITIVE (int16,   I2)
WELL_KNOWN_PRIMITIVE (uint16,  U2)
WELL_KNOWN_PRIMITIVE (int32,   I4)
WELL_KNOWN_PRIMITIVE (uint32,  U4)
WELL_KNOWN_PRIMITIVE (int64,   I8)
WELL_KNOWN_PRIMITIVE (uint64,  U8)
WELL_KNOWN_PRIMITIVE (single,  R4)
WELL_KNOWN_PRIMITIVE (double,  R8)
WELL_KNOWN_PRIMITIVE (intptr,  I)
WELL_KNOWN_PRIMITIVE (uintptr, U)
WELL_KNOWN_CLASS (array,     "System",           "Array")
WELL_KNOWN_CLASS (enum,      "System",           "Enum")
WELL_KNOWN_CLASS (exception, "System",           "Exception")
WELL_KNOWN_CLASS (thread,    "System.Threading", "Thread")
/* clang-format on */
