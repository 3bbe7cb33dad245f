/*
 * SPDX-License-Identifier: MIT
 *
 * native.c - generic instances as precompiled code names them (lib/ecma's r2r.h), as the records that the runtime's own
 * ids lead to.
 *
 * Such signatures have a type of their own for "any reference type", and may borrow the tokens of another image. A
 * method whose type arguments are all references is one method whatever they are: T_REF, as in lib/clr's resolve.c.
 */
#include <mono/metadata/tokentype.h>
#include "describe-priv.h"

enum { ARGUMENTS_MAX = 16, DEPTH_MAX = 24 };

/* Where types are read, and whose tokens they are. */
typedef struct {
	monocle__describe_image *image;
	const monocle__r2r *r2r;
	monocle__ecma_cursor *cursor;
	uint32_t depth;
} place;

/* A generic class with its arguments; `count` 0: it is not generic. */
typedef struct {
	MonoClass *definition;
	uint32_t count;
	MonoType *arguments[ARGUMENTS_MAX];
} instance;

static MonoType *read_argument (const place *at, MonoClass *owner, MonoMethod *method, uint32_t index);

static bool
read_arguments (const place *at, MonoClass *owner, MonoMethod *method, uint32_t count, MonoType **ret)
{
	if (count > ARGUMENTS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!(ret[i] = read_argument (at, owner, method, i)))
			return false;
	return true;
}

static bool
read_instance (const place *at, instance *ret)
{
	uint8_t element = monocle__ecma_read_byte (at->cursor);
	ret->definition = monocle__describe_class (at->image, monocle__ecma_read_type_token (at->cursor), NULL, NULL,
	                                           element == MONOCLE__ET_VALUETYPE);
	ret->count = monocle__ecma_read_u (at->cursor);
	return ret->definition && ret->count && read_arguments (at, ret->definition, NULL, ret->count, ret->arguments);
}

/* The place one level deeper, in the image whose number is there. False: it is not loaded, or too deep. */
static bool
enter (const place *at, bool borrows, place *ret)
{
	*ret = *at;
	if (!ret->depth--)
		return false;
	if (borrows) {
		const char *name = monocle__r2r_assembly (at->r2r, monocle__ecma_read_u (at->cursor));
		ret->image = name ? monocle__describe_owner_now->image_named (at->image, name) : at->image;
	}
	return ret->image != NULL;
}

static MonoType *
read_generic (const place *at)
{
	instance klass;
	return read_instance (at, &klass)
	         ? monocle_type (monocle_class_inst (klass.definition, klass.count, klass.arguments))
	         : NULL;
}

/* Argument `index` of the class or method. */
static MonoType *
read_argument (const place *at, MonoClass *owner, MonoMethod *method, uint32_t index)
{
	place inner;
	uint8_t element = monocle__ecma_peek_byte (at->cursor);
	bool borrows = element == MONOCLE__R2R_ET_MODULE;
	if (element != MONOCLE__R2R_ET_CANON && element != MONOCLE__ET_GENERICINST && !borrows)
		return monocle__describe_read_type (at->image, at->cursor, NULL, NULL);
	monocle__ecma_read_byte (at->cursor);
	if (element == MONOCLE__R2R_ET_CANON)
		return monocle_type (monocle_class_param (owner, method, index, 1));
	if (!enter (at, borrows, &inner))
		return NULL;
	return borrows ? read_argument (&inner, owner, method, index) : read_generic (&inner);
}

/* The class that the method is a member of; its tokens are those of its own image. */
static bool
read_owner (place at, monocle__describe_image **ret_image, instance *ret)
{
	place inner;
	while (monocle__ecma_peek_byte (at.cursor) == MONOCLE__R2R_ET_MODULE) {
		monocle__ecma_read_byte (at.cursor);
		if (!enter (&at, true, &inner))
			return false;
		at = inner;
	}
	*ret_image = at.image;
	ret->count = 0;
	if (monocle__ecma_peek_byte (at.cursor) != MONOCLE__ET_GENERICINST)
		return true;
	monocle__ecma_read_byte (at.cursor);
	return read_instance (&at, ret);
}

static bool
are_references (uint32_t count, MonoType *const *types)
{
	for (uint32_t i = 0; i < count; i++)
		if (mono_class_is_valuetype (mono_class_from_mono_type (types[i])))
			return false;
	return true;
}

static void
share (uint32_t count, MonoType **types, MonoClass *owner, MonoMethod *method)
{
	for (uint32_t i = 0; i < count; i++)
		types[i] = monocle_type (monocle_class_param (owner, method, i, 1));
}

static MonoMethod *
method_of (MonoMethod *definition, instance *klass, uint32_t count, MonoType **arguments)
{
	if (are_references (klass->count, klass->arguments) && are_references (count, arguments)) {
		share (klass->count, klass->arguments, klass->definition, NULL);
		share (count, arguments, NULL, definition);
	}
	MonoClass *owner = klass->count ? monocle_class_inst (klass->definition, klass->count, klass->arguments)
	                                : mono_method_get_class (definition);
	return owner ? monocle_method_inst (definition, owner, count, arguments) : NULL;
}

static MonoMethod *
read_method (monocle__describe_image *image, const monocle__r2r *r2r, monocle__r2r_signature *signature)
{
	instance klass = { .count = 0 };
	MonoType *arguments[ARGUMENTS_MAX];
	monocle__describe_image *owner = image;
	place at = { image, r2r, &signature->owner, DEPTH_MAX };
	if (signature->flags & (MONOCLE__R2R_METHOD_SLOT | MONOCLE__R2R_METHOD_MEMBERREF | MONOCLE__R2R_METHOD_CONTEXT) ||
	    (signature->flags & MONOCLE__R2R_METHOD_OWNER && !read_owner (at, &owner, &klass)))
		return NULL;
	MonoMethod *definition = monocle_method_def (owner->record, MONO_TOKEN_METHOD_DEF | signature->row);
	at.cursor = &signature->arguments;
	if (!definition || !read_arguments (&at, NULL, definition, signature->argument_count, arguments))
		return NULL;
	if (!klass.count && !signature->argument_count)
		return definition;
	return method_of (definition, &klass, signature->argument_count, arguments);
}

MonoMethod *
monocle__describe_native_method (monocle__describe_image *image, const monocle__r2r *r2r, uint32_t offset)
{
	monocle__describe_scratch *scratch = offset < r2r->instances_size ? monocle__describe_enter () : NULL;
	monocle__r2r_signature signature;
	if (!scratch)
		return NULL;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (r2r->instances + offset, r2r->instances_size - offset);
	MonoMethod *method =
	    monocle__r2r_read_signature (&cursor, &signature) ? NULL : read_method (image, r2r, &signature);
	monocle__describe_leave (scratch);
	return method;
}
