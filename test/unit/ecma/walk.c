/*
 * SPDX-License-Identifier: MIT
 *
 * walk.c - see walk.h.
 */
#include "walk.h"

#include <string.h>

#define TOKEN(table, rid) ((uint32_t) MONOCLE__TABLE_##table << 24 | (rid))

static uint32_t
cell (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column)
{
	uint32_t value = 0;
	monocle__ecma_column (image, table, rid, column, &value);
	return value;
}

/* Every column of every row is there, and nothing is behind the last. */
static void
walk_cells (const monocle__ecma_image *image, struct walk *walk)
{
	uint32_t value;
	for (uint32_t table = 0; table < MONOCLE__TABLE_COUNT; table++) {
		uint32_t rows = monocle__ecma_rows (image, table), columns = image->tables[table].columns;
		for (uint32_t rid = 1; rid <= rows; rid++)
			for (uint32_t column = 0; column < columns; column++, walk->cells++)
				walk->bad_cells += monocle__ecma_column (image, table, rid, column, &value) != 0;
		walk->bad_cells += monocle__ecma_column (image, table, 0, 0, &value) == 0;
		walk->bad_cells += monocle__ecma_column (image, table, rows + 1, 0, &value) == 0;
		walk->bad_cells += rows && monocle__ecma_column (image, table, 1, columns, &value) == 0;
	}
}

static void
walk_typedefs (const monocle__ecma_image *image, struct walk *walk)
{
	uint32_t rows = monocle__ecma_rows (image, MONOCLE__TABLE_TypeDef), next_method = 1, next_field = 1;
	for (uint32_t rid = 1; rid <= rows; rid++, walk->typedefs++) {
		monocle__ecma_typedef type;
		if (monocle__ecma_get_typedef (image, TOKEN (TypeDef, rid), &type)) {
			walk->bad_typedefs++;
			continue;
		}
		walk->bad_names += !strlen (type.name) || strlen (type.name_space) > 4096;
		/* The runs of all types lie back to back and cover both tables. */
		walk->bad_owners += type.first_method != next_method || type.first_field != next_field;
		next_method = type.end_method;
		next_field = type.end_field;
		for (uint32_t method = type.first_method; method < type.end_method; method++)
			walk->bad_owners += monocle__ecma_method_owner (image, TOKEN (MethodDef, method)) != TOKEN (TypeDef, rid);
		bool is_nested = (type.flags & 7) > 1;
		walk->nested += is_nested;
		walk->bad_nested += is_nested != (type.enclosing_token != 0);
		for (uint32_t index = 0; index < type.generic_params; index++)
			walk->bad_generic_params += !monocle__ecma_generic_param_name (image, TOKEN (TypeDef, rid), index);
		walk->generic_params += type.generic_params;
	}
	walk->bad_owners += next_method != monocle__ecma_rows (image, MONOCLE__TABLE_MethodDef) + 1;
	walk->bad_owners += next_field != monocle__ecma_rows (image, MONOCLE__TABLE_Field) + 1;
}

static void
walk_methods (const monocle__ecma_image *image, struct walk *walk)
{
	uint32_t rows = monocle__ecma_rows (image, MONOCLE__TABLE_MethodDef);
	for (uint32_t rid = 1; rid <= rows; rid++, walk->methods++) {
		monocle__ecma_methoddef method;
		size_t available;
		if (monocle__ecma_get_methoddef (image, TOKEN (MethodDef, rid), &method)) {
			walk->bad_methods++;
			continue;
		}
		walk->bad_names += !strlen (method.name);
		walk->bad_owners += !monocle__ecma_method_owner (image, TOKEN (MethodDef, rid));
		if (method.rva && image->base)
			walk->bad_methods += !monocle__ecma_rva (image, method.rva, &available) || !available;
		uint32_t generic_params = monocle__ecma_generic_params (image, TOKEN (MethodDef, rid));
		for (uint32_t index = 0; index < generic_params; index++)
			walk->bad_generic_params += !monocle__ecma_generic_param_name (image, TOKEN (MethodDef, rid), index);
		walk->generic_params += generic_params;
	}
}

static void
walk_names (const monocle__ecma_image *image, struct walk *walk)
{
	static const uint8_t columns[][2] = {
		{ MONOCLE__TABLE_Param, MONOCLE__COL_Param_Name },         { MONOCLE__TABLE_Field, MONOCLE__COL_Field_Name },
		{ MONOCLE__TABLE_MemberRef, MONOCLE__COL_MemberRef_Name }, { MONOCLE__TABLE_Event, MONOCLE__COL_Event_Name },
		{ MONOCLE__TABLE_Property, MONOCLE__COL_Property_Name },   { MONOCLE__TABLE_File, MONOCLE__COL_File_Name },
		{ MONOCLE__TABLE_ModuleRef, MONOCLE__COL_ModuleRef_Name },
	};
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, columns[i][0]); rid++) {
			const char *name = monocle__ecma_string (image, cell (image, columns[i][0], rid, columns[i][1]));
			walk->bad_names += !name || strlen (name) >= image->strings_size;
		}
	walk->params = monocle__ecma_rows (image, MONOCLE__TABLE_Param);
}

static void
walk_references (const monocle__ecma_image *image, struct walk *walk)
{
	uint32_t typerefs = monocle__ecma_rows (image, MONOCLE__TABLE_TypeRef);
	for (uint32_t rid = 1; rid <= typerefs; rid++, walk->typerefs++) {
		const char *name = "", *name_space = "";
		uint32_t scope = 0;
		walk->bad_references +=
		    monocle__ecma_get_typeref (image, TOKEN (TypeRef, rid), &name, &name_space, &scope) != 0;
		walk->bad_references += strlen (name) == 0 || strlen (name_space) > 4096;
	}
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, MONOCLE__TABLE_AssemblyRef); rid++) {
		monocle__ecma_assembly reference;
		uint8_t token[8];
		if (monocle__ecma_get_assemblyref (image, rid, &reference)) {
			walk->bad_references++;
			continue;
		}
		walk->bad_references += !strlen (reference.name) || strlen (reference.culture) > 4096;
		if (reference.public_key)
			monocle__ecma_public_key_token (reference.public_key, reference.public_key_size, token);
	}
}

static void
walk_blob (const monocle__ecma_image *image, struct walk *walk, uint32_t table, uint32_t rid, uint32_t column)
{
	const uint8_t *data;
	uint32_t size;
	bool bad = true;
	walk->signatures++;
	if (monocle__ecma_blob (image, cell (image, table, rid, column), &data, &size) == 0) {
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
		if (table == MONOCLE__TABLE_TypeSpec)
			monocle__ecma_skip_type (&cursor);
		else
			monocle__ecma_skip_signature (&cursor);
		bad = cursor.error != 0;
		walk->long_signatures += !bad && cursor.at != cursor.end;
	}
	walk->bad_signatures += bad;
	if (bad && !walk->first_bad_signature)
		walk->first_bad_signature = table << 24 | rid;
}

static void
walk_signatures (const monocle__ecma_image *image, struct walk *walk)
{
	static const uint8_t columns[][2] = {
		{ MONOCLE__TABLE_MethodDef, MONOCLE__COL_MethodDef_Signature },
		{ MONOCLE__TABLE_Field, MONOCLE__COL_Field_Signature },
		{ MONOCLE__TABLE_StandAloneSig, MONOCLE__COL_StandAloneSig_Signature },
		{ MONOCLE__TABLE_TypeSpec, MONOCLE__COL_TypeSpec_Signature },
		{ MONOCLE__TABLE_MemberRef, MONOCLE__COL_MemberRef_Signature },
		{ MONOCLE__TABLE_MethodSpec, MONOCLE__COL_MethodSpec_Instantiation },
		{ MONOCLE__TABLE_Property, MONOCLE__COL_Property_Type },
	};
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, columns[i][0]); rid++)
			walk_blob (image, walk, columns[i][0], rid, columns[i][1]);
	walk->typespecs = monocle__ecma_rows (image, MONOCLE__TABLE_TypeSpec);
}

/* Tokens of rows that are not there, of the right tables and of wrong ones. */
static void
walk_wrong_tokens (const monocle__ecma_image *image, struct walk *walk)
{
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	for (uint32_t table = 0; table < 256; table++)
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t rid = i == 0 ? 0 : i == 1 ? monocle__ecma_rows (image, table) + 1 : 0xFFFFFF;
			uint32_t token = table << 24 | rid;
			walk->bad_typedefs += monocle__ecma_get_typedef (image, token, &type) == 0;
			walk->bad_methods += monocle__ecma_get_methoddef (image, token, &method) == 0;
			walk->bad_owners += monocle__ecma_method_owner (image, token) || monocle__ecma_enclosing (image, token);
			walk->bad_generic_params += monocle__ecma_generic_params (image, token) != 0;
			walk->bad_generic_params += monocle__ecma_generic_param_name (image, token, 0) != NULL;
		}
}

static void
walk_identity (const monocle__ecma_image *image)
{
	char mvid[37];
	uint8_t token[8];
	monocle__ecma_assembly assembly;
	monocle__ecma_mvid (image, mvid);
	if (monocle__ecma_get_assembly (image, &assembly) == 0 && assembly.public_key)
		monocle__ecma_public_key_token (assembly.public_key, assembly.public_key_size, token);
	monocle__ecma_find_typedef (image, "System", "no such type");
}

void
walk_image (const monocle__ecma_image *image, struct walk *ret_walk)
{
	memset (ret_walk, 0, sizeof *ret_walk);
	walk_cells (image, ret_walk);
	walk_typedefs (image, ret_walk);
	walk_methods (image, ret_walk);
	walk_names (image, ret_walk);
	walk_references (image, ret_walk);
	walk_signatures (image, ret_walk);
	walk_wrong_tokens (image, ret_walk);
	walk_identity (image);
}

void
walk_signature (const uint8_t *data, uint32_t size)
{
	static void (*const readers[]) (monocle__ecma_cursor *) = {
		monocle__ecma_skip_type,
		monocle__ecma_skip_method,
		monocle__ecma_skip_signature,
	};
	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
		readers[i](&cursor);
	}
	monocle__ecma_cursor numbers = monocle__ecma_cursor_over (data, size);
	while (!numbers.error && numbers.at != numbers.end) {
		monocle__ecma_peek_byte (&numbers);
		monocle__ecma_read_s (&numbers);
		monocle__ecma_read_type_token (&numbers);
		monocle__ecma_read_byte (&numbers);
	}
}
