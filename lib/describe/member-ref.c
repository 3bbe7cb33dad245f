/*
 * SPDX-License-Identifier: MIT
 *
 * member-ref.c - methods and fields by token: definitions, references by name and signature (ECMA-335 II.22.25), and
 * instances of generic methods (II.22.29).
 *
 * A reference names a class, and the member may be declared by one of its base classes. Its signature is written in the
 * terms of the class that declares it, so each candidate's generic parameters are the scope in which it is read.
 */
#include <string.h>
#include "describe-priv.h"

enum { PARENTS_MAX = 64 };

/* A row of MemberRef. */
typedef struct {
	monocle__describe_image *image;
	const char *name;
	uint32_t parent; /* TypeDef, TypeRef, TypeSpec, MethodDef, ModuleRef */
	monocle__ecma_cursor signature;
} reference;

static bool
open_reference (monocle__describe_image *image, uint32_t token, reference *ret)
{
	uint32_t rid = token & 0xFFFFFF, parent, name;
	ret->image = image;
	if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MemberRef, rid, MONOCLE__COL_MemberRef_Class, &parent) ||
	    monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MemberRef, rid, MONOCLE__COL_MemberRef_Name, &name) ||
	    !monocle__describe_blob (image, MONOCLE__TABLE_MemberRef, rid, MONOCLE__COL_MemberRef_Signature,
	                             &ret->signature))
		return false;
	ret->parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	ret->name = monocle__ecma_string (&image->ecma, name);
	return ret->name && ret->parent;
}

static bool
is_field (const reference *r)
{
	return (monocle__ecma_peek_byte (&r->signature) & MONOCLE__SIG_KIND_MASK) == MONOCLE__SIG_FIELD;
}

/* The definition's row where its image can be read; then the image is to be left by read_end. */
static monocle__describe_image *
open_definition (MonoClass *klass, monocle__ecma_typedef *ret_row)
{
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (klass));
	if (!image || !monocle__describe_image_read_begin (image))
		return NULL;
	if (monocle__ecma_get_typedef (&image->ecma, monocle_class_token (klass), ret_row) == 0)
		return image;
	monocle__describe_image_read_end (image);
	return NULL;
}

static bool
is_named (monocle__describe_image *image, uint32_t table, uint32_t rid, uint32_t column, const char *name)
{
	uint32_t offset;
	const char *text = monocle__ecma_column (&image->ecma, table, rid, column, &offset)
	                     ? NULL
	                     : monocle__ecma_string (&image->ecma, offset);
	return text && strcmp (text, name) == 0;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* How well a candidate fits: not at all, in the number of its parameters, or wholly. */
typedef enum { FITS_NOT, FITS_IN_NUMBER, FITS } fit;

static bool
same_types (MonoMethodSignature *signature, const monocle_signature_info *info, uint32_t count)
{
	void *iter = NULL;
	if (mono_signature_get_return_type (signature) != info->ret)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (mono_signature_get_params (signature, &iter) != info->params[i])
			return false;
	return true;
}

/* How many type parameters a method signature declares. */
static uint32_t
generic_params (monocle__ecma_cursor signature)
{
	return monocle__ecma_read_byte (&signature) & MONOCLE__SIG_GENERIC ? monocle__ecma_read_u (&signature) : 0;
}

/* Methods may differ in nothing but that. */
static bool
has_as_many_type_params (const reference *r, monocle__describe_image *image, uint32_t rid)
{
	monocle__ecma_cursor own;
	return monocle__describe_blob (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_Signature, &own) &&
	       generic_params (own) == generic_params (r->signature);
}

/* A call with a variable number of arguments lists those of this call after the ones of the definition. */
static fit
fit_of (const reference *r, MonoMethod *candidate)
{
	MonoMethodSignature *signature = mono_method_signature (candidate);
	monocle_signature_info info = { .size = sizeof info };
	monocle__ecma_cursor cursor = r->signature;
	if (!signature ||
	    monocle__describe_read_signature (r->image, &cursor, mono_method_get_class (candidate), candidate, &info))
		return FITS_NOT;
	uint32_t count = mono_signature_get_param_count (signature);
	bool is_vararg = info.call_convention == MONOCLE__SIG_VARARG;
	if ((is_vararg ? info.param_count < count : info.param_count != count) ||
	    !info.has_this != !mono_signature_is_instance (signature) ||
	    is_vararg != (mono_signature_get_call_conv (signature) == MONO_CALL_VARARG))
		return FITS_NOT;
	return same_types (signature, &info, count) ? FITS : FITS_IN_NUMBER;
}

/* Candidates may be many: their lists are given up. This is one operation's work, so the memory is there. */
static fit
fit_and_drop (const reference *r, MonoMethod *candidate)
{
	monocle__describe_scratch *scratch = monocle__describe_owner_now->scratch ();
	uint32_t begin = monocle__describe_list_begin (scratch);
	fit how = fit_of (r, candidate);
	monocle__describe_list_drop (scratch, begin);
	return how;
}

/*
 * The method that the class itself declares. Types that are known by name only, here or there, may be the same type
 * under two names: a single candidate that fits in number is believed.
 */
static MonoMethod *
declared_method (const reference *r, MonoClass *klass)
{
	monocle__ecma_typedef row;
	monocle__describe_image *image = open_definition (klass, &row);
	MonoMethod *likely = NULL, *found = NULL;
	unsigned fits = 0;
	if (!image)
		return NULL;
	for (uint32_t rid = row.first_method; rid < row.end_method && !found; rid++) {
		if (!is_named (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_Name, r->name) ||
		    !has_as_many_type_params (r, image, rid))
			continue;
		MonoMethod *candidate = monocle_method_def (image->record, MONOCLE__TABLE_MethodDef << 24 | rid);
		fit how = candidate ? fit_and_drop (r, candidate) : FITS_NOT;
		found = how == FITS ? candidate : NULL;
		likely = how == FITS_IN_NUMBER ? candidate : likely;
		fits += how == FITS_IN_NUMBER;
	}
	monocle__describe_image_read_end (image);
	return found ? found : fits == 1 ? likely : NULL;
}

/* Arrays have methods that no table lists (II.14.2). */
static MonoMethod *
array_method (const reference *r, MonoClass *array)
{
	void *iter = NULL;
	MonoMethod *candidate;
	while ((candidate = mono_class_get_methods (array, &iter)))
		if (strcmp (mono_method_get_name (candidate), r->name) == 0 && fit_and_drop (r, candidate) == FITS)
			return candidate;
	return NULL;
}

static MonoMethod *
referenced_method (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	reference r;
	if (!open_reference (image, token, &r) || is_field (&r))
		return NULL;
	if (r.parent >> 24 == MONOCLE__TABLE_MethodDef)
		return monocle__describe_method (image, r.parent, owner, method);
	MonoClass *klass = monocle__describe_class_of_token (image, r.parent, owner, method);
	if (klass && mono_class_get_rank (klass))
		return array_method (&r, klass);
	for (int i = 0; klass && i < PARENTS_MAX; i++, klass = mono_class_get_parent (klass)) {
		MonoMethod *definition = declared_method (&r, klass);
		if (definition)
			return monocle_method_inst (definition, klass, 0, NULL);
	}
	return NULL;
}

/* II.23.2.15 */
static MonoMethod *
instantiated (monocle__describe_image *image, MonoMethod *generic, monocle__ecma_cursor *cursor, MonoClass *owner,
              MonoMethod *method, monocle__describe_scratch *scratch)
{
	if (monocle__ecma_read_byte (cursor) != MONOCLE__SIG_METHODSPEC)
		return NULL;
	uint32_t count = monocle__ecma_read_u (cursor), begin = monocle__describe_list_begin (scratch), read = 0;
	while (read < count &&
	       monocle__describe_list_add (scratch, monocle__describe_read_type (image, cursor, owner, method)))
		read++;
	MonoMethod *instance = NULL;
	if (count && read == count)
		instance = monocle_method_inst (generic, mono_method_get_class (generic), count,
		                                monocle__describe_list (scratch, begin));
	monocle__describe_list_drop (scratch, begin);
	return instance;
}

static MonoMethod *
specified_method (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	uint32_t rid = token & 0xFFFFFF, generic_token;
	monocle__ecma_cursor cursor;
	if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MethodSpec, rid, MONOCLE__COL_MethodSpec_Method,
	                          &generic_token) ||
	    !monocle__describe_blob (image, MONOCLE__TABLE_MethodSpec, rid, MONOCLE__COL_MethodSpec_Instantiation, &cursor))
		return NULL;
	generic_token = monocle__ecma_coded_token (MONOCLE__CODED_MethodDefOrRef, generic_token);
	MonoMethod *generic = monocle__describe_method (image, generic_token, owner, method);
	monocle__describe_scratch *scratch = generic ? monocle__describe_enter () : NULL;
	if (!scratch)
		return NULL;
	MonoMethod *instance = instantiated (image, generic, &cursor, owner, method, scratch);
	monocle__describe_leave (scratch);
	return instance;
}

static MonoMethod *
method_of (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	uint32_t rid = token & 0xFFFFFF;
	switch (token >> 24) {
	case MONOCLE__TABLE_MethodDef:
		return rid && rid <= monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_MethodDef)
		         ? monocle_method_def (image->record, token)
		         : NULL;
	case MONOCLE__TABLE_MemberRef: return referenced_method (image, token, owner, method);
	case MONOCLE__TABLE_MethodSpec: return specified_method (image, token, owner, method);
	default: return NULL;
	}
}

/* One level around it all, so that one allowance of work covers every candidate. */
MonoMethod *
monocle__describe_method (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method)
{
	monocle__describe_scratch *scratch = monocle__describe_enter ();
	if (!scratch)
		return NULL;
	MonoMethod *found = method_of (image, token, owner, method);
	monocle__describe_leave (scratch);
	return found;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

static bool
is_same_field (const reference *r, monocle__describe_image *image, uint32_t rid, MonoClass *definition)
{
	monocle__ecma_cursor own, referred = r->signature;
	if (!monocle__describe_blob (image, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Signature, &own))
		return false;
	monocle__ecma_read_byte (&own);
	monocle__ecma_read_byte (&referred);
	MonoType *type = monocle__describe_read_type (image, &own, definition, NULL);
	return type && type == monocle__describe_read_type (r->image, &referred, definition, NULL);
}

/* The index of the field among those that the class declares, UINT32_MAX: none. Here too a single name is believed. */
static uint32_t
declared_field (const reference *r, MonoClass *klass)
{
	monocle__ecma_typedef row;
	monocle__describe_image *image = open_definition (klass, &row);
	uint32_t likely = UINT32_MAX, found = UINT32_MAX;
	unsigned named = 0;
	if (!image)
		return UINT32_MAX;
	MonoClass *definition = monocle_class_def (image->record, monocle_class_token (klass));
	for (uint32_t rid = row.first_field; rid < row.end_field && found == UINT32_MAX; rid++) {
		if (!is_named (image, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Name, r->name))
			continue;
		likely = rid - row.first_field;
		named++;
		if (is_same_field (r, image, rid, definition))
			found = likely;
	}
	monocle__describe_image_read_end (image);
	return found == UINT32_MAX && named == 1 ? likely : found;
}

static int
referenced_field (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                  MonoClass **ret_klass, uint32_t *ret_index)
{
	reference r;
	if (!open_reference (image, token, &r) || !is_field (&r))
		return MONOCLE_E_UNKNOWN;
	MonoClass *klass = monocle__describe_class_of_token (image, r.parent, owner, method);
	for (int i = 0; klass && i < PARENTS_MAX; i++, klass = mono_class_get_parent (klass)) {
		uint32_t index = declared_field (&r, klass);
		if (index == UINT32_MAX)
			continue;
		*ret_klass = klass;
		*ret_index = index;
		return MONOCLE_OK;
	}
	return MONOCLE_E_UNKNOWN;
}

static int
defined_field (monocle__describe_image *image, uint32_t token, MonoClass **ret_klass, uint32_t *ret_index)
{
	monocle__ecma_typedef row;
	uint32_t owner = monocle__ecma_field_owner (&image->ecma, token);
	if (!owner || monocle__ecma_get_typedef (&image->ecma, owner, &row))
		return MONOCLE_E_UNKNOWN;
	*ret_klass = monocle_class_def (image->record, owner);
	*ret_index = (token & 0xFFFFFF) - row.first_field;
	return *ret_klass ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

int
monocle__describe_field (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                         MonoClass **ret_klass, uint32_t *ret_index)
{
	switch (token >> 24) {
	case MONOCLE__TABLE_Field: return defined_field (image, token, ret_klass, ret_index);
	case MONOCLE__TABLE_MemberRef: return referenced_field (image, token, owner, method, ret_klass, ret_index);
	default: return MONOCLE_E_UNKNOWN;
	}
}
