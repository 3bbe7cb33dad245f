/*
 * SPDX-License-Identifier: MIT
 *
 * row.c - the rows of an image's tables, cell by cell, and the heaps that they point into.
 */
#include <stdio.h>
#include "dump.h"

/* What each column holds: n a number or token, s text, b a blob, g a GUID. ECMA-335 II.22. */
/* clang-format off */
static const char *const columns[] = {
	[MONO_TABLE_MODULE]                 = "nsggg",
	[MONO_TABLE_TYPEREF]                = "nss",
	[MONO_TABLE_TYPEDEF]                = "nssnnn",
	[MONO_TABLE_FIELD]                  = "nsb",
	[MONO_TABLE_METHOD]                 = "nnnsbn",
	[MONO_TABLE_PARAM]                  = "nns",
	[MONO_TABLE_INTERFACEIMPL]          = "nn",
	[MONO_TABLE_MEMBERREF]              = "nsb",
	[MONO_TABLE_CONSTANT]               = "nnnb",
	[MONO_TABLE_CUSTOMATTRIBUTE]        = "nnb",
	[MONO_TABLE_FIELDMARSHAL]           = "nb",
	[MONO_TABLE_DECLSECURITY]           = "nnb",
	[MONO_TABLE_CLASSLAYOUT]            = "nnn",
	[MONO_TABLE_FIELDLAYOUT]            = "nn",
	[MONO_TABLE_STANDALONESIG]          = "b",
	[MONO_TABLE_EVENTMAP]               = "nn",
	[MONO_TABLE_EVENT]                  = "nsn",
	[MONO_TABLE_PROPERTYMAP]            = "nn",
	[MONO_TABLE_PROPERTY]               = "nsb",
	[MONO_TABLE_METHODSEMANTICS]        = "nnn",
	[MONO_TABLE_METHODIMPL]             = "nnn",
	[MONO_TABLE_MODULEREF]              = "s",
	[MONO_TABLE_TYPESPEC]               = "b",
	[MONO_TABLE_IMPLMAP]                = "nnsn",
	[MONO_TABLE_FIELDRVA]               = "nn",
	[MONO_TABLE_ASSEMBLY]               = "nnnnnnbss",
	[MONO_TABLE_ASSEMBLYREF]            = "nnnnnbssb",
	[MONO_TABLE_FILE]                   = "nsb",
	[MONO_TABLE_EXPORTEDTYPE]           = "nnssn",
	[MONO_TABLE_MANIFESTRESOURCE]       = "nnsn",
	[MONO_TABLE_NESTEDCLASS]            = "nn",
	[MONO_TABLE_GENERICPARAM]           = "nnns",
	[MONO_TABLE_METHODSPEC]             = "nb",
	[MONO_TABLE_GENERICPARAMCONSTRAINT] = "nn",
};
/* clang-format on */

#define TABLES      ((int) (sizeof columns / sizeof columns[0]))
#define COLUMNS_MAX 9

static void
blob (MonoImage *image, const char *key, uint32_t offset)
{
	const char *start = mono_metadata_blob_heap (image, offset);
	uint32_t size = start ? mono_metadata_decode_blob_size (start, &start) : 0;

	dump_bytes (key, start, size);
}

static void
guid (MonoImage *image, const char *key, uint32_t index)
{
	if (index)
		dump_owned (key, mono_guid_to_string ((const uint8_t *) mono_metadata_guid_heap (image, index)));
	else
		dump_text (key, NULL);
}

static void
cell (MonoImage *image, char kind, unsigned column, uint32_t value)
{
	char key[16];

	snprintf (key, sizeof key, "column %u", column);
	if (kind == 's')
		dump_text (key, mono_metadata_string_heap (image, value));
	else if (kind == 'b')
		blob (image, key, value);
	else if (kind == 'g')
		guid (image, key, value);
	else
		dump_hex (key, value);
}

static void
row (MonoImage *image, const MonoTableInfo *table, const char *kinds, int index)
{
	uint32_t cells[COLUMNS_MAX] = { 0 };
	unsigned count = 0;
	int equal = 1;

	while (kinds[count])
		count++;
	mono_metadata_decode_row (table, index, cells, (int) count);
	for (unsigned column = 0; column < count; column++) {
		cell (image, kinds[column], column, cells[column]);
		equal &= cells[column] == mono_metadata_decode_row_col (table, index, column);
	}
	dump_yes ("column by column", equal);
}

static void
owners (MonoImage *image)
{
	int methods = mono_image_get_table_rows (image, MONO_TABLE_METHOD);
	int fields = mono_image_get_table_rows (image, MONO_TABLE_FIELD);
	int types = mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);
	char key[48];

	dump_subject ("owners %s", mono_image_get_name (image));
	for (int i = 1; i <= methods; i++) {
		snprintf (key, sizeof key, "of method %d", i);
		dump_hex (key, mono_metadata_typedef_from_method (image, (uint32_t) i));
	}
	for (int i = 1; i <= fields; i++) {
		snprintf (key, sizeof key, "of field %d", i);
		dump_hex (key, mono_metadata_typedef_from_field (image, (uint32_t) i));
	}
	for (int i = 1; i <= types; i++) {
		snprintf (key, sizeof key, "of type %d", i);
		dump_hex (key, mono_metadata_nested_in_typedef (image, (uint32_t) i));
	}
}

/* --- what the searches over the tables find, of rows that are counted from 0 -------------------------------------- */

static void
type_searches (MonoImage *image, uint32_t row)
{
	uint32_t end = 0, packing = 0, size = 0;

	dump_number ("layout", mono_metadata_packing_from_typedef (image, row + 1, &packing, &size));
	dump_number ("packing", packing);
	dump_number ("class size", size);
	dump_number ("first event", mono_metadata_events_from_typedef (image, row, &end));
	dump_number ("events end", end);
	dump_number ("first property", mono_metadata_properties_from_typedef (image, row, &end));
	dump_number ("properties end", end);
	dump_number ("nested", mono_metadata_nesting_typedef (image, row + 1, 1));
}

static void
method_searches (MonoImage *image, uint32_t row)
{
	uint32_t parent = (row + 1) << MONO_CUSTOM_ATTR_BITS | MONO_CUSTOM_ATTR_METHODDEF;

	dump_number ("native function", mono_metadata_implmap_from_method (image, row));
	dump_number ("attributes", mono_metadata_custom_attrs_from_index (image, parent));
}

static void
field_searches (MonoImage *image, uint32_t row)
{
	uint32_t offset = 0, rva = 0, token = mono_metadata_make_token (MONO_TABLE_FIELD, row + 1);

	mono_metadata_field_info (image, row, &offset, &rva, NULL);
	dump_hex ("offset", offset);
	dump_hex ("address of data", rva);
	dump_number ("constant", mono_metadata_get_constant_index (image, token, 0));
	dump_yes ("marshalled", mono_metadata_get_marshal_info (image, row, 1) != NULL);
}

static void
each (MonoImage *image, uint32_t table, void (*answer) (MonoImage *image, uint32_t row))
{
	uint32_t rows = (uint32_t) mono_image_get_table_rows (image, (int) table);

	for (uint32_t i = 0; i < rows; i++) {
		dump_subject ("search %s 0x%08x", mono_image_get_name (image), mono_metadata_make_token (table, i + 1));
		answer (image, i);
	}
}

void
dump_rows (MonoImage *image)
{
	for (int number = 0; number < TABLES; number++) {
		const MonoTableInfo *table = mono_image_get_table_info (image, number);
		int rows = columns[number] ? mono_table_info_get_rows (table) : 0;
		for (int i = 0; i < rows; i++) {
			dump_subject ("row %s 0x%02x%06x", mono_image_get_name (image), (unsigned) number, (unsigned) i + 1);
			row (image, table, columns[number], i);
		}
	}
	owners (image);
	each (image, MONO_TABLE_TYPEDEF, type_searches);
	each (image, MONO_TABLE_METHOD, method_searches);
	each (image, MONO_TABLE_FIELD, field_searches);
}
