/*
 * SPDX-License-Identifier: MIT
 *
 * constraint.c - what type parameters are constrained to: ECMA-335 II.10.1.7, II.22.20, II.22.21.
 *
 * As in Mono, the first constraint is a parameter's base class if it is a class; the others are its interfaces. The
 * stand-ins of shared code have object only. Any thread, any context once corlib's ValueType has been met.
 */
#include "constraint.h"

#include "class.h"
#include "dispatch/host.h"
#include "image.h"
#include "metadata.h"
#include "method.h"

enum {
	ROW_MASK = 0xffffff,
	VALUE_TYPE_CONSTRAINT = 8, /* GenericParamAttributes, II.23.1.7 */
	FLAG_INTERFACE = 0x20,
};

/* The GenericParam row; 0: the parameter has no owner, or its image is gone. */
static uint32_t
row_of (MonoClass *param, MonoImage *image)
{
	uint32_t token = param->owner ? param->owner->token : monocle_class_token (param->element);
	uint32_t owner = (token & ROW_MASK) << 1 | (param->owner ? 1 : 0); /* TypeOrMethodDef, II.24.2.6 */
	if (!(token & ROW_MASK) || !image)
		return 0;
	monocle__row_run run = monocle__metadata_run (image, MONO_TABLE_GENERICPARAM, MONO_GENERICPARAM_OWNER, owner);
	for (uint32_t row = run.first; row < run.end; row++)
		if (monocle__metadata_cell (image, MONO_TABLE_GENERICPARAM, row, MONO_GENERICPARAM_NUMBER) == param->index)
			return row;
	return 0;
}

static MonoImage *
image_of (MonoClass *param)
{
	return param->owner ? param->owner->image : param->element ? monocle__class_image (param->element) : NULL;
}

/* A TypeDefOrRef among the parameter's owner. */
static MonoClass *
resolve (MonoClass *param, MonoImage *image, uint32_t coded)
{
	static const uint32_t tokens[] = { MONO_TOKEN_TYPE_DEF, MONO_TOKEN_TYPE_REF, MONO_TOKEN_TYPE_SPEC };
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t tag = coded & MONO_TYPEDEFORREF_MASK, token = coded >> MONO_TYPEDEFORREF_BITS;
	MonoClass *owner = param->owner ? monocle__method_class (param->owner) : param->element;
	if (tag >= sizeof tokens / sizeof *tokens || !ops->class_of_token || !monocle__image_ask_begin (image))
		return NULL;
	MonoClass *klass = ops->class_of_token (ops->host, image, tokens[tag] | token, owner, param->owner);
	monocle__image_ask_end (image);
	return klass;
}

static MonoClass *
constraint_at (MonoClass *param, uint32_t index)
{
	MonoImage *image = image_of (param);
	uint32_t row = row_of (param, image);
	if (!row)
		return NULL;
	monocle__row_run run =
	    monocle__metadata_run (image, MONO_TABLE_GENERICPARAMCONSTRAINT, MONO_GENPARCONSTRAINT_GENERICPAR, row);
	if (!run.first || index >= run.end - run.first)
		return NULL;
	return resolve (param, image,
	                monocle__metadata_cell (image, MONO_TABLE_GENERICPARAMCONSTRAINT, run.first + index,
	                                        MONO_GENPARCONSTRAINT_CONSTRAINT));
}

/* The first constraint, if it is neither an interface nor another parameter. */
static MonoClass *
class_constraint (MonoClass *param)
{
	MonoClass *first = constraint_at (param, 0);
	return first && first->kind != MONOCLE__CLASS_PARAM && !(mono_class_get_flags (first) & FLAG_INTERFACE) ? first
	                                                                                                        : NULL;
}

MonoClass *
monocle__constraint_parent (MonoClass *param)
{
	static _Atomic (MonoClass *) value_type;
	MonoClass *parent = param->shared_ref ? NULL : class_constraint (param);
	MonoClass *object = monocle_class_primitive (MONO_TYPE_OBJECT);
	MonoImage *image = image_of (param);
	uint32_t row = parent || param->shared_ref ? 0 : row_of (param, image);
	if (parent || !row)
		return parent ? parent : object;
	uint32_t flags = monocle__metadata_cell (image, MONO_TABLE_GENERICPARAM, row, MONO_GENERICPARAM_FLAGS);
	if (!(flags & VALUE_TYPE_CONSTRAINT))
		return object;
	parent = monocle__class_of_corlib (&value_type, "System", "ValueType");
	return parent ? parent : object;
}

MonoClass *
monocle__constraint_interface (MonoClass *param, uint32_t index)
{
	return param->shared_ref ? NULL : constraint_at (param, index + (class_constraint (param) ? 1 : 0));
}
