/*
 * SPDX-License-Identifier: MIT
 *
 * rows.c - the rows people ask for: types, methods, assemblies, generic parameters (ECMA-335 II.22).
 *
 * Async-safe. What a row refers to is answered only where it exists; a broken name makes the whole answer negative.
 */
#include "ecma.h"
#include "digest.h"
#include "tables.h"

#include <string.h>

enum { VISIBILITY_MASK = 0x7, PUBLIC = 1 /* the last visibility of a type that is not nested */ };

/* A run of rows: [first, end). */
struct run {
	uint32_t first, end;
};

/* The rid of a token of `table`, 0 when it names no row of that table. */
static uint32_t
rid_of (const monocle__ecma_image *image, uint32_t token, uint32_t table)
{
	uint32_t rid = token & 0xFFFFFF;
	return token >> 24 == table && rid <= image->tables[table].rows ? rid : 0;
}

/* What a list column says, cut to the rows that exist; contradictory borders make an empty run. */
static struct run
list_run (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column, uint32_t target)
{
	const monocle__ecma_table *rows = &image->tables[table];
	uint32_t limit = image->tables[target].rows + 1;
	uint32_t first = monocle__table_cell (rows, rid, column);
	uint32_t end = rid < rows->rows ? monocle__table_cell (rows, rid + 1, column) : limit;
	if (first < 1)
		first = 1;
	if (first > limit)
		first = limit;
	if (end > limit)
		end = limit;
	return (struct run) { first, end < first ? first : end };
}

void
monocle__ecma_list (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column, uint32_t target,
                    uint32_t *ret_first, uint32_t *ret_end)
{
	struct run run = { 0, 0 };
	if (table < MONOCLE__TABLE_COUNT && target < MONOCLE__TABLE_COUNT && rid - 1 < image->tables[table].rows &&
	    column < image->tables[table].columns)
		run = list_run (image, table, rid, column, target);
	*ret_first = run.first;
	*ret_end = run.end;
}

static const char *
string_at (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column)
{
	return monocle__ecma_string (image, monocle__table_cell (&image->tables[table], rid, column));
}

int
monocle__ecma_get_typedef (const monocle__ecma_image *image, uint32_t token, monocle__ecma_typedef *ret)
{
	uint32_t rid = rid_of (image, token, MONOCLE__TABLE_TypeDef);
	if (!rid)
		return MONOCLE__ECMA_E_RANGE;
	const char *name = string_at (image, MONOCLE__TABLE_TypeDef, rid, MONOCLE__COL_TypeDef_Name);
	const char *name_space = string_at (image, MONOCLE__TABLE_TypeDef, rid, MONOCLE__COL_TypeDef_Namespace);
	if (!name || !name_space)
		return MONOCLE__ECMA_E_FORMAT;

	const monocle__ecma_table *types = &image->tables[MONOCLE__TABLE_TypeDef];
	struct run fields =
	    list_run (image, MONOCLE__TABLE_TypeDef, rid, MONOCLE__COL_TypeDef_FieldList, MONOCLE__TABLE_Field);
	struct run methods =
	    list_run (image, MONOCLE__TABLE_TypeDef, rid, MONOCLE__COL_TypeDef_MethodList, MONOCLE__TABLE_MethodDef);
	*ret = (monocle__ecma_typedef) {
		.name = name,
		.name_space = name_space,
		.flags = monocle__table_cell (types, rid, MONOCLE__COL_TypeDef_Flags),
		.extends_token = monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef,
		                                            monocle__table_cell (types, rid, MONOCLE__COL_TypeDef_Extends)),
		.first_field = fields.first,
		.end_field = fields.end,
		.first_method = methods.first,
		.end_method = methods.end,
		.enclosing_token = monocle__ecma_enclosing (image, token),
		.generic_params = monocle__ecma_generic_params (image, token),
	};
	return 0;
}

int
monocle__ecma_get_methoddef (const monocle__ecma_image *image, uint32_t token, monocle__ecma_methoddef *ret)
{
	uint32_t rid = rid_of (image, token, MONOCLE__TABLE_MethodDef);
	if (!rid)
		return MONOCLE__ECMA_E_RANGE;
	const char *name = string_at (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_Name);
	if (!name)
		return MONOCLE__ECMA_E_FORMAT;

	const monocle__ecma_table *methods = &image->tables[MONOCLE__TABLE_MethodDef];
	*ret = (monocle__ecma_methoddef) {
		.name = name,
		.rva = monocle__table_cell (methods, rid, MONOCLE__COL_MethodDef_RVA),
		.iflags = monocle__table_cell (methods, rid, MONOCLE__COL_MethodDef_ImplFlags),
		.flags = monocle__table_cell (methods, rid, MONOCLE__COL_MethodDef_Flags),
		.signature = monocle__table_cell (methods, rid, MONOCLE__COL_MethodDef_Signature),
	};
	return 0;
}

/* Assembly and AssemblyRef have the same columns at different places. */
struct assembly_columns {
	uint8_t table, version, flags, public_key, name, culture;
};

static int
read_assembly (const monocle__ecma_image *image, const struct assembly_columns *at, uint32_t rid,
               monocle__ecma_assembly *ret)
{
	const monocle__ecma_table *rows = &image->tables[at->table];
	if (rid - 1 >= rows->rows)
		return MONOCLE__ECMA_E_RANGE;
	monocle__ecma_assembly assembly = { 0 };
	assembly.name = string_at (image, at->table, rid, at->name);
	assembly.culture = string_at (image, at->table, rid, at->culture);
	if (!assembly.name || !assembly.culture)
		return MONOCLE__ECMA_E_FORMAT;
	for (uint32_t i = 0; i < 4; i++)
		assembly.version[i] = (uint16_t) monocle__table_cell (rows, rid, at->version + i);
	assembly.flags = monocle__table_cell (rows, rid, at->flags);
	uint32_t key = monocle__table_cell (rows, rid, at->public_key);
	if (key) {
		int error = monocle__ecma_blob (image, key, &assembly.public_key, &assembly.public_key_size);
		if (error)
			return error;
	}
	*ret = assembly;
	return 0;
}

int
monocle__ecma_get_assembly (const monocle__ecma_image *image, monocle__ecma_assembly *ret)
{
	static const struct assembly_columns at = {
		.table = MONOCLE__TABLE_Assembly,
		.version = MONOCLE__COL_Assembly_MajorVersion,
		.flags = MONOCLE__COL_Assembly_Flags,
		.public_key = MONOCLE__COL_Assembly_PublicKey,
		.name = MONOCLE__COL_Assembly_Name,
		.culture = MONOCLE__COL_Assembly_Culture,
	};
	return read_assembly (image, &at, 1, ret);
}

int
monocle__ecma_get_assemblyref (const monocle__ecma_image *image, uint32_t rid, monocle__ecma_assembly *ret)
{
	static const struct assembly_columns at = {
		.table = MONOCLE__TABLE_AssemblyRef,
		.version = MONOCLE__COL_AssemblyRef_MajorVersion,
		.flags = MONOCLE__COL_AssemblyRef_Flags,
		.public_key = MONOCLE__COL_AssemblyRef_PublicKeyOrToken,
		.name = MONOCLE__COL_AssemblyRef_Name,
		.culture = MONOCLE__COL_AssemblyRef_Culture,
	};
	return read_assembly (image, &at, rid, ret);
}

int
monocle__ecma_get_typeref (const monocle__ecma_image *image, uint32_t token, const char **ret_name,
                           const char **ret_namespace, uint32_t *ret_scope)
{
	uint32_t rid = rid_of (image, token, MONOCLE__TABLE_TypeRef);
	if (!rid)
		return MONOCLE__ECMA_E_RANGE;
	const char *name = string_at (image, MONOCLE__TABLE_TypeRef, rid, MONOCLE__COL_TypeRef_Name);
	const char *name_space = string_at (image, MONOCLE__TABLE_TypeRef, rid, MONOCLE__COL_TypeRef_Namespace);
	if (!name || !name_space)
		return MONOCLE__ECMA_E_FORMAT;
	uint32_t scope =
	    monocle__table_cell (&image->tables[MONOCLE__TABLE_TypeRef], rid, MONOCLE__COL_TypeRef_ResolutionScope);
	*ret_name = name;
	*ret_namespace = name_space;
	*ret_scope = monocle__ecma_coded_token (MONOCLE__CODED_ResolutionScope, scope);
	return 0;
}

static bool
owns (const monocle__ecma_image *image, uint32_t type, uint32_t column, uint32_t target, uint32_t rid)
{
	struct run run = list_run (image, MONOCLE__TABLE_TypeDef, type, column, target);
	return run.first <= rid && rid < run.end;
}

/* The owner is the last type whose list does not begin after the row: types without members share a beginning. */
static uint32_t
owner_of (const monocle__ecma_image *image, uint32_t column, uint32_t target, uint32_t rid)
{
	const monocle__ecma_table *types = &image->tables[MONOCLE__TABLE_TypeDef];
	uint32_t type;
	if (!rid)
		return 0;
	if (image->sorted >> MONOCLE__TABLE_TypeDef & 1) {
		type = monocle__table_lower_bound (types, column, rid + 1) - 1;
		return type && owns (image, type, column, target, rid) ? MONOCLE__TABLE_TypeDef << 24 | type : 0;
	}
	for (type = types->rows; type; type--)
		if (owns (image, type, column, target, rid))
			return MONOCLE__TABLE_TypeDef << 24 | type;
	return 0;
}

uint32_t
monocle__ecma_method_owner (const monocle__ecma_image *image, uint32_t token)
{
	return owner_of (image, MONOCLE__COL_TypeDef_MethodList, MONOCLE__TABLE_MethodDef,
	                 rid_of (image, token, MONOCLE__TABLE_MethodDef));
}

uint32_t
monocle__ecma_field_owner (const monocle__ecma_image *image, uint32_t token)
{
	return owner_of (image, MONOCLE__COL_TypeDef_FieldList, MONOCLE__TABLE_Field,
	                 rid_of (image, token, MONOCLE__TABLE_Field));
}

uint32_t
monocle__ecma_enclosing (const monocle__ecma_image *image, uint32_t token)
{
	uint32_t rid = rid_of (image, token, MONOCLE__TABLE_TypeDef);
	if (!rid)
		return 0;
	uint32_t row =
	    monocle__table_find (image, MONOCLE__TABLE_NestedClass, MONOCLE__COL_NestedClass_NestedClass, rid, 1);
	if (!row)
		return 0;
	uint32_t enclosing =
	    monocle__table_cell (&image->tables[MONOCLE__TABLE_NestedClass], row, MONOCLE__COL_NestedClass_EnclosingClass);
	/* Enclosing types come first (II.22): so they exist, and climbing from one to the next comes to an end. */
	return enclosing && enclosing < rid ? MONOCLE__TABLE_TypeDef << 24 | enclosing : 0;
}

/* The next generic parameter of an owner (a coded TypeOrMethodDef) at or after row `from`, 0 when there is none. */
static uint32_t
next_generic_param (const monocle__ecma_image *image, uint32_t owner, uint32_t from)
{
	return monocle__table_find (image, MONOCLE__TABLE_GenericParam, MONOCLE__COL_GenericParam_Owner, owner, from);
}

/* The coded TypeOrMethodDef of a token that names a row, else 0: no row has rid 0. */
static uint32_t
generic_owner (const monocle__ecma_image *image, uint32_t token)
{
	if (!rid_of (image, token, MONOCLE__TABLE_TypeDef) && !rid_of (image, token, MONOCLE__TABLE_MethodDef))
		return 0;
	return monocle__coded_value (MONOCLE__CODED_TypeOrMethodDef, token);
}

uint32_t
monocle__ecma_generic_params (const monocle__ecma_image *image, uint32_t token)
{
	const monocle__ecma_table *params = &image->tables[MONOCLE__TABLE_GenericParam];
	uint32_t owner = generic_owner (image, token), count = 0;
	if (!owner)
		return 0;
	if (image->sorted >> MONOCLE__TABLE_GenericParam & 1) {
		uint32_t first = monocle__table_lower_bound (params, MONOCLE__COL_GenericParam_Owner, owner);
		return monocle__table_lower_bound (params, MONOCLE__COL_GenericParam_Owner, owner + 1) - first;
	}
	for (uint32_t row = 0; (row = next_generic_param (image, owner, row + 1));)
		count++;
	return count;
}

const char *
monocle__ecma_generic_param_name (const monocle__ecma_image *image, uint32_t token, uint32_t index)
{
	const monocle__ecma_table *params = &image->tables[MONOCLE__TABLE_GenericParam];
	uint32_t owner = generic_owner (image, token);
	if (!owner)
		return NULL;
	for (uint32_t row = 0; (row = next_generic_param (image, owner, row + 1));)
		if (monocle__table_cell (params, row, MONOCLE__COL_GenericParam_Number) == index)
			return string_at (image, MONOCLE__TABLE_GenericParam, row, MONOCLE__COL_GenericParam_Name);
	return NULL;
}

static bool
cell_is (const monocle__ecma_image *image, uint32_t rid, uint32_t column, const char *text)
{
	const char *string = string_at (image, MONOCLE__TABLE_TypeDef, rid, column);
	return string && strcmp (string, text) == 0;
}

uint32_t
monocle__ecma_find_typedef (const monocle__ecma_image *image, const char *name_space, const char *name)
{
	const monocle__ecma_table *types = &image->tables[MONOCLE__TABLE_TypeDef];
	if (!name_space)
		name_space = "";
	for (uint32_t rid = 1; rid <= types->rows; rid++) {
		uint32_t flags = monocle__table_cell (types, rid, MONOCLE__COL_TypeDef_Flags);
		if ((flags & VISIBILITY_MASK) <= PUBLIC && cell_is (image, rid, MONOCLE__COL_TypeDef_Name, name) &&
		    cell_is (image, rid, MONOCLE__COL_TypeDef_Namespace, name_space))
			return MONOCLE__TABLE_TypeDef << 24 | rid;
	}
	return 0;
}

/* The first three fields of a GUID are little-endian numbers, the rest is bytes: where each text byte comes from. */
int
monocle__ecma_mvid (const monocle__ecma_image *image, char buffer[37])
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const char digits[] = "0123456789ABCDEF";
	uint32_t index;
	int error = monocle__ecma_column (image, MONOCLE__TABLE_Module, 1, MONOCLE__COL_Module_Mvid, &index);
	if (error)
		return error;
	const uint8_t *guid = monocle__ecma_guid (image, index);
	if (!guid)
		return MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*buffer++ = '-';
		*buffer++ = digits[guid[order[i]] >> 4];
		*buffer++ = digits[guid[order[i]] & 0xF];
	}
	*buffer = 0;
	return 0;
}

void
monocle__ecma_public_key_token (const uint8_t *key, uint32_t size, uint8_t ret_token[8])
{
	uint8_t digest[20];
	if (size == 0 || size == 8) {
		memset (ret_token, 0, 8);
		if (size)
			memcpy (ret_token, key, size);
		return;
	}
	monocle__digest_sha1 (key, size, digest);
	for (uint32_t i = 0; i < 8; i++)
		ret_token[i] = digest[19 - i];
}
