/*
 * SPDX-License-Identifier: MIT
 *
 * reference.c - what the tokens of an image lead to: types, methods and fields of its own and of other images.
 */
#include <stdio.h>
#include "dump.h"

enum { SIGNATURE_OF_FIELD = 0x06, SIGNATURE_OF_LOCALS = 0x07 }; /* ECMA-335 II.23.2 */

/* The first byte of the signature in a row's column, -1: it is empty. */
static int
signature_kind (MonoImage *image, int table, int row, unsigned column)
{
	const MonoTableInfo *info = mono_image_get_table_info (image, table);
	const char *blob = mono_metadata_blob_heap (image, mono_metadata_decode_row_col (info, row, column));

	return mono_metadata_decode_blob_size (blob, &blob) > 0 ? (unsigned char) *blob : -1;
}

/* What ldtoken gives is known by the class of its handle; identity is asked of what has a record of its own. */
static void
loaded (MonoImage *image, uint32_t token)
{
	MonoClass *handle = NULL;
	void *found = mono_ldtoken (image, token, &handle, NULL);

	dump_yes ("is loaded", found != NULL);
	dump_class ("handle", handle);
}

static void
type (MonoImage *image, uint32_t token)
{
	MonoClass *klass = mono_class_get (image, token);

	dump_class ("class", klass);
	dump_owned ("name of the token", mono_class_name_from_token (image, token));
	loaded (image, token);
	dump_meet (klass);
}

static void
type_specification (MonoImage *image, uint32_t token)
{
	type (image, token);
	dump_type ("type", -1, mono_type_create_from_typespec (image, token));
}

static void
method (MonoImage *image, uint32_t token)
{
	MonoMethod *found = mono_get_method_full (image, token, NULL, NULL);
	MonoMethodSignature *signature = found ? mono_method_get_signature (found, image, token) : NULL;

	dump_method ("method", found);
	if (signature)
		dump_owned ("signature", mono_signature_get_desc (signature, 1));
	loaded (image, token);
}

static void
field (MonoImage *image, uint32_t token)
{
	MonoClass *klass = NULL;

	dump_field ("field", mono_field_from_token (image, token, &klass, NULL));
	dump_class ("class", klass);
	loaded (image, token);
}

static void
member (MonoImage *image, uint32_t token)
{
	int row = (int) mono_metadata_token_index (token) - 1;

	if (signature_kind (image, MONO_TABLE_MEMBERREF, row, MONO_MEMBERREF_SIGNATURE) == SIGNATURE_OF_FIELD)
		field (image, token);
	else
		method (image, token);
}

static void
call_signature (MonoImage *image, uint32_t token)
{
	int row = (int) mono_metadata_token_index (token) - 1;
	int kind = signature_kind (image, MONO_TABLE_STANDALONESIG, row, MONO_STAND_ALONE_SIGNATURE);
	MonoMethodSignature *signature;

	if (kind == SIGNATURE_OF_LOCALS || kind == SIGNATURE_OF_FIELD)
		return;
	signature = mono_metadata_parse_signature (image, token);
	dump_yes ("parses", signature != NULL);
	if (!signature)
		return;
	dump_owned ("signature", mono_signature_get_desc (signature, 1));
	dump_named ("result", mono_signature_get_return_type (signature));
	dump_number ("convention", mono_signature_get_call_conv (signature));
	mono_metadata_free_method_signature (signature);
}

static void
each (MonoImage *image, uint32_t table, void (*answer) (MonoImage *image, uint32_t token))
{
	uint32_t rows = (uint32_t) mono_image_get_table_rows (image, (int) table);

	for (uint32_t i = 1; i <= rows; i++) {
		dump_subject ("token %s 0x%08x", mono_image_get_name (image), mono_metadata_make_token (table, i));
		answer (image, mono_metadata_make_token (table, i));
	}
}

static void
assembly (MonoImage *image, uint32_t token)
{
	MonoAssemblyName *name = mono_assembly_name_new ("none");

	mono_assembly_get_assemblyref (image, (int) mono_metadata_token_index (token) - 1, name);
	dump_owned ("assembly", mono_stringify_assembly_name (name));
}

void
dump_references (MonoImage *image)
{
	each (image, MONO_TABLE_TYPEREF, type);
	each (image, MONO_TABLE_TYPESPEC, type_specification);
	each (image, MONO_TABLE_MEMBERREF, member);
	each (image, MONO_TABLE_METHODSPEC, method);
	each (image, MONO_TABLE_STANDALONESIG, call_signature);
	each (image, MONO_TABLE_ASSEMBLYREF, assembly);
	each (image, MONO_TABLE_TYPEDEF, loaded);
	each (image, MONO_TABLE_METHOD, loaded);
	each (image, MONO_TABLE_FIELD, loaded);
}
