/*
 * SPDX-License-Identifier: MIT
 *
 * access.c - may a method use a field or another method? ECMA-335 I.8.5.3.2, II.22.15, II.22.26.
 *
 * What a class may its nested classes may too. Of a field only the member's own accessibility is looked at, as in Mono,
 * of a method its class's and its type arguments' as well. Normal context: may make records and read attributes.
 */
#include <string.h>
#include <strings.h>
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "member.h"
#include "method.h"

enum {
	ACCESS_MASK = 7, /* MethodAttributes; FieldAttributes have the same accesses */
	COMPILER_CONTROLLED = 0,
	PRIVATE,
	FAMILY_AND_ASSEMBLY,
	ASSEMBLY,
	FAMILY,
	FAMILY_OR_ASSEMBLY,
	PUBLIC,
	VISIBILITY = 7, /* TypeAttributes */
	VISIBLE = 1,
	NESTED_PUBLIC,
	NESTED_PRIVATE,
	NESTED_FAMILY,
	NESTED_ASSEMBLY,
	NESTED_FAMILY_AND_ASSEMBLY,
	NESTED_FAMILY_OR_ASSEMBLY,
	ASSEMBLY_TOKEN = MONO_TOKEN_ASSEMBLY | 1,
};

/* --- friends: II.21.1 leaves the attribute to the class library --------------------------------------------------- */

/* Does the blob of an InternalsVisibleTo attribute, prolog and one string, name the assembly? Keys are not compared. */
static bool
blob_names (const uint8_t *data, uint32_t size, const char *name)
{
	size_t length = strlen (name);
	if (size < 3 || data[0] != 1 || data[1] != 0 || data[2] == 0xff)
		return false;
	uint32_t prefix = data[2] < 0x80 ? 1 : data[2] < 0xc0 ? 2 : 4;
	if (size < 2 + prefix + length || strncasecmp ((const char *) data + 2 + prefix, name, length))
		return false;
	uint32_t text = prefix == 1 ? data[2]
	              : prefix == 2 ? (uint32_t) (data[2] & 0x3f) << 8 | data[3]
	                            : (uint32_t) (data[2] & 0x1f) << 24 | (uint32_t) data[3] << 16 |
	                                  (uint32_t) data[4] << 8 | data[5];
	return text == length || (text > length && size > 2 + prefix + length && data[2 + prefix + length] == ',');
}

static bool
is_friend (MonoImage *from, MonoImage *owner)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	bool found = false;
	if (!ops->describe_attribute || !monocle__image_ask_begin (owner))
		return false;
	for (uint32_t i = 0; !found; i++) {
		monocle_attribute_info info = { .size = sizeof info };
		int result = ops->describe_attribute (ops->host, owner, ASSEMBLY_TOKEN, i, &info);
		if (result == MONOCLE_E_NOT_FOUND || (result != 0 && i > 0xffff))
			break;
		found = result == 0 && info.klass && info.data &&
		        !strcmp (mono_class_get_name (info.klass), "InternalsVisibleToAttribute") &&
		        blob_names (info.data, info.data_size, mono_image_get_name (from));
	}
	monocle__image_ask_end (owner);
	return found;
}

static bool
shares_internals (MonoClass *from, MonoClass *owner)
{
	MonoImage *from_image = monocle__class_image (from), *owner_image = monocle__class_image (owner);
	return from_image == owner_image || (from_image && owner_image && is_friend (from_image, owner_image));
}

/* --- families ----------------------------------------------------------------------------------------------------- */

static bool
is_generic (MonoClass *klass)
{
	const monocle__class_desc *desc = monocle__class_describe (klass);
	return klass->kind == MONOCLE__CLASS_INST || (desc && desc->generic_params);
}

/* Instances of one generic class are one family. */
static bool
is_family (MonoClass *from, MonoClass *owner)
{
	owner = monocle__class_definition (owner);
	for (int depth = 0; from && depth < MONOCLE__DEPTH_LIMIT; depth++, from = mono_class_get_parent (from))
		if (monocle__class_definition (from) == owner)
			return true;
	return false;
}

/* To a generic class, what derives from it counts as itself: that is how Mono sees it. */
static bool
is_same (MonoClass *from, MonoClass *owner)
{
	return from == owner || (is_generic (from) && is_family (owner, from));
}

static bool
may_access_from (MonoClass *from, MonoClass *owner, uint32_t access)
{
	switch (access) {
	case COMPILER_CONTROLLED: return monocle__class_image (from) == monocle__class_image (owner);
	case PRIVATE: return is_same (from, owner);
	case FAMILY_AND_ASSEMBLY: return is_family (from, owner) && shares_internals (from, owner);
	case ASSEMBLY: return shares_internals (from, owner);
	case FAMILY: return is_family (from, owner) || is_same (from, owner);
	case FAMILY_OR_ASSEMBLY: return is_family (from, owner) || is_same (from, owner) || shares_internals (from, owner);
	default: return access == PUBLIC;
	}
}

static bool
may_access (MonoClass *from, MonoClass *owner, uint32_t flags)
{
	for (int depth = 0; from && depth < MONOCLE__DEPTH_LIMIT; depth++, from = mono_class_get_nesting_type (from))
		if (may_access_from (from, owner, flags & ACCESS_MASK))
			return true;
	return false;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

/* II.23.1.15: visibilities of nested classes are the accesses of members, from 2 on and in another order. */
static uint32_t
access_of (uint32_t visibility)
{
	static const uint8_t accesses[] = {
		[NESTED_PUBLIC] = PUBLIC,
		[NESTED_PRIVATE] = PRIVATE,
		[NESTED_FAMILY] = FAMILY,
		[NESTED_ASSEMBLY] = ASSEMBLY,
		[NESTED_FAMILY_AND_ASSEMBLY] = FAMILY_AND_ASSEMBLY,
		[NESTED_FAMILY_OR_ASSEMBLY] = FAMILY_OR_ASSEMBLY,
	};
	return accesses[visibility];
}

static MonoClass *
outermost (MonoClass *klass)
{
	MonoClass *outer = klass;
	for (int depth = 0; outer && depth < MONOCLE__DEPTH_LIMIT; depth++, outer = mono_class_get_nesting_type (outer))
		klass = outer;
	return monocle__class_definition (klass);
}

/* To Mono everything inside one outermost class sees everything else inside it. */
static bool
may_see (MonoClass *from, MonoClass *klass)
{
	if (outermost (from) == outermost (klass))
		return true;
	for (int depth = 0; depth < MONOCLE__DEPTH_LIMIT; depth++) {
		MonoClass *outer = mono_class_get_nesting_type (klass);
		uint32_t visibility = mono_class_get_flags (klass) & VISIBILITY;
		if (!outer)
			return visibility == VISIBLE || shares_internals (from, klass);
		if (visibility < NESTED_PUBLIC || !may_access (from, outer, access_of (visibility)))
			return false;
		klass = outer;
	}
	return false;
}

/* What a class is made of must be visible: elements, definition and arguments. */
static bool
may_use (MonoClass *from, MonoClass *klass, int depth)
{
	for (; klass->kind == MONOCLE__CLASS_ARRAY || klass->kind == MONOCLE__CLASS_POINTER; klass = klass->element)
		continue;
	if (klass->kind == MONOCLE__CLASS_PARAM || klass->kind == MONOCLE__CLASS_FNPTR)
		return true;
	for (uint32_t i = 0; i < klass->count; i++)
		if (depth >= MONOCLE__DEPTH_LIMIT || !may_use (from, klass->arguments[i]->klass, depth + 1))
			return false;
	return may_see (from, monocle__class_definition (klass));
}

/* --- mono_method_* ------------------------------------------------------------------------------------------------ */

mono_bool
mono_method_can_access_field (MonoMethod *method, MonoClassField *field)
{
	MonoClass *from = monocle__method_class (method);
	return from && field && may_access (from, field->member.parent, field->member.desc->flags);
}

mono_bool
mono_method_can_access_method (MonoMethod *method, MonoMethod *called)
{
	MonoClass *from = monocle__method_class (method), *owner = monocle__method_class (called);
	if (!from || !owner || !may_access (from, owner, mono_method_get_flags (called, NULL)) || !may_use (from, owner, 0))
		return 0;
	for (uint32_t i = 0; i < called->count; i++)
		if (!may_use (from, monocle__method_arguments (called)[i]->klass, 0))
			return 0;
	return 1;
}
