/*
 * SPDX-License-Identifier: MIT
 *
 * virtual.c - which method a call of a virtual method runs, from what metadata says of the classes (II.12.2, II.22.27).
 *
 * The walk goes down from the class that declares the method: an override takes the place of what it overrides, a
 * method with a new slot hides it. An interface's method is first found in the most derived class that names the
 * interface. Normal context: members are listed, and references to other images resolved.
 */
#include <string.h>
#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "inflate.h"
#include "member.h"
#include "method.h"
#include "relation.h"
#include "signature.h"

enum {
	VIRTUAL = 0x40,
	FINAL = 0x20,
	NEW_SLOT = 0x100,
	ABSTRACT = 0x400,
	ACCESS = 0x7,
	PUBLIC = 0x6,     /* II.23.1.10 */
	INTERFACE = 0x20, /* II.23.1.15 */
	METHOD_IMPL = 0x19,
	COLUMN_CLASS = 0,
	COLUMN_BODY = 1,
	COLUMN_DECLARATION = 2, /* II.22.27 */
	ROW_MASK = 0xffffff,
	PARAMETERS_MAX = 64,
};

static uint32_t
flags_of (MonoMethod *method)
{
	return mono_method_get_flags (method, NULL);
}

/* Two generic methods name their parameters with types of their own: `right` is read with those of `left`. */
static bool
are_alike (MonoMethodSignature *left, MonoMethodSignature *right, uint32_t count, MonoType *const *parameters)
{
	if (monocle__inflate_type (right->ret, 0, NULL, count, parameters) != left->ret)
		return false;
	for (uint32_t i = 0; i < left->count; i++)
		if (monocle__inflate_type (right->params[i], 0, NULL, count, parameters) != left->params[i])
			return false;
	return true;
}

static bool
is_alike (MonoMethod *left, MonoMethod *right)
{
	MonoType *parameters[PARAMETERS_MAX];
	if (strcmp (mono_method_get_name (left), mono_method_get_name (right)))
		return false;
	MonoMethodSignature *a = monocle__signature_of (left), *b = monocle__signature_of (right);
	if (!a || !b || a->count != b->count || a->has_this != b->has_this || a->generic_params != b->generic_params ||
	    a->generic_params > PARAMETERS_MAX)
		return false;
	for (uint32_t i = 0; i < a->generic_params; i++)
		parameters[i] = monocle_type (monocle_class_param (NULL, left, i, 0));
	return are_alike (a, b, a->generic_params, parameters);
}

/* --- MethodImpl: what a class says outright ----------------------------------------------------------------------- */

static uint32_t
column (MonoImage *image, uint32_t row, uint32_t number)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t value = 0;
	return ops->metadata_column (ops->host, image, METHOD_IMPL, row, number, &value) == 0 ? value : 0;
}

/* The method that a MethodDefOrRef means (II.24.2.6), as `klass` has it. */
static MonoMethod *
method_of (MonoImage *image, uint32_t coded, MonoClass *klass)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t token = (coded & 1 ? MONO_TOKEN_MEMBER_REF : MONO_TOKEN_METHOD_DEF) | coded >> 1;
	MonoMethod *method = ops->method_of_token (ops->host, image, token, monocle__class_definition (klass), NULL);
	return monocle__member_method_as_in (method, klass);
}

/* The body that the class gives to `method` by name; NULL: none. */
static MonoMethod *
declared_body (MonoClass *klass, MonoMethod *method)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = monocle__class_image (klass);
	uint32_t own = monocle_class_token (klass) & ROW_MASK;
	MonoMethod *body = NULL;
	if (!own || !image || !ops->metadata_column || !ops->method_of_token)
		return NULL;
	int rows = mono_image_get_table_rows (image, METHOD_IMPL);
	if (!monocle__image_ask_begin (image))
		return NULL;
	for (uint32_t row = 1; !body && row <= (uint32_t) rows; row++)
		if (column (image, row, COLUMN_CLASS) == own &&
		    method_of (image, column (image, row, COLUMN_DECLARATION), klass) == method)
			body = method_of (image, column (image, row, COLUMN_BODY), klass);
	monocle__image_ask_end (image);
	return body;
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

static MonoMethod *
find_alike (MonoClass *klass, MonoMethod *method, uint32_t mask, uint32_t wanted)
{
	void *iter = NULL;
	MonoMethod *own;
	while ((own = mono_class_get_methods (klass, &iter)))
		if ((flags_of (own) & mask) == wanted && is_alike (own, method))
			return own;
	return NULL;
}

/* What the slot of `method` holds in `klass`, which is below the method's own class or that class itself. */
static MonoMethod *
in_slot (MonoClass *klass, MonoMethod *method)
{
	MonoClass *chain[MONOCLE__DEPTH_LIMIT], *owner = monocle__class_definition (monocle__method_class (method));
	int depth = 0;
	for (; klass && monocle__class_definition (klass) != owner && depth < MONOCLE__DEPTH_LIMIT; depth++) {
		chain[depth] = klass;
		klass = mono_class_get_parent (klass);
	}
	while (klass && depth-- > 0) {
		MonoMethod *body = declared_body (chain[depth], method);
		MonoMethod *own = body ? body : find_alike (chain[depth], method, VIRTUAL, VIRTUAL);
		if (own && !body && flags_of (own) & NEW_SLOT)
			break;
		method = own ? own : method;
	}
	return method;
}

/* --- interfaces --------------------------------------------------------------------------------------------------- */

/* Does the class itself name the interface, or one that has it? */
static bool
names_interface (MonoClass *klass, MonoClass *interface)
{
	MonoClass *named;
	for (uint32_t i = 0; (named = monocle__relation_interface (klass, i)); i++)
		if (named == interface || mono_class_implements_interface (named, interface))
			return true;
	return false;
}

/* In a class that names the interface: its own word, or a public method of it or its bases. */
static MonoMethod *
implementation_in (MonoClass *klass, MonoMethod *method)
{
	MonoMethod *found = declared_body (klass, method);
	for (int depth = 0; !found && klass && depth < MONOCLE__DEPTH_LIMIT; depth++, klass = mono_class_get_parent (klass))
		found = find_alike (klass, method, VIRTUAL | ACCESS, VIRTUAL | PUBLIC);
	return found;
}

/* NULL: none, and the interface has no body either. */
static MonoMethod *
implementation (MonoClass *klass, MonoMethod *method)
{
	MonoClass *interface = monocle__method_class (method), *at = klass;
	MonoMethod *found = NULL;
	for (int depth = 0; !found && at && depth < MONOCLE__DEPTH_LIMIT; depth++, at = mono_class_get_parent (at))
		if (names_interface (at, interface))
			found = implementation_in (at, method);
	if (found)
		return flags_of (found) & FINAL ? found : in_slot (klass, found);
	return flags_of (method) & ABSTRACT ? NULL : method;
}

/* A generic method is looked for by its definition; what is found gets the same arguments. */
MonoMethod *
mono_object_get_virtual_method (MonoObject *object, MonoMethod *method)
{
	MonoClass *klass = method ? mono_object_get_class (object) : NULL;
	if (!klass)
		return NULL;
	if (!(flags_of (method) & VIRTUAL) || flags_of (method) & FINAL)
		return method;
	MonoClass *owner = monocle__method_class (method);
	MonoMethod *open = method->count ? monocle_method_inst (method, owner, 0, NULL) : method;
	MonoMethod *found = mono_class_get_flags (owner) & INTERFACE ? implementation (klass, open) : in_slot (klass, open);
	if (!found || !method->count)
		return found;
	return monocle_method_inst (found, monocle__method_class (found), method->count,
	                            monocle__method_arguments (method));
}
