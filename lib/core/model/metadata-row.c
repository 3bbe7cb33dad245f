/*
 * SPDX-License-Identifier: MIT
 *
 * metadata-row.c - rows of an image's metadata tables, and the searches that Mono's API has over them.
 *
 * Nothing is kept here: the host reads each cell. What is not there reads as 0, also after an image was unloaded. The
 * searches go by halves over the column by which ECMA-335 II.22 sorts a table. Any context, but for the function that
 * returns an allocation. Numbers are Mono's: some functions count rows from 0, others from 1.
 */
#include "metadata.h"

#include <stdlib.h>
#include "dispatch/host.h"
#include "image.h"

enum {
	ROW_MASK = 0xffffff,
	NONE = UINT32_MAX,
};

/* --- tables ------------------------------------------------------------------------------------------------------- */

const MonoTableInfo *
mono_image_get_table_info (MonoImage *image, int table_id)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	return desc && table_id >= 0 && table_id < MONO_TABLE_NUM ? &desc->tables[table_id] : NULL;
}

int
mono_table_info_get_rows (const MonoTableInfo *table)
{
	return table ? (int) table->rows : 0;
}

uint32_t
monocle__metadata_rows (MonoImage *image, uint32_t table)
{
	return (uint32_t) mono_image_get_table_rows (image, (int) table);
}

uint32_t
monocle__metadata_cell (MonoImage *image, uint32_t table, uint32_t row, uint32_t column)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t value = 0;
	if (!image || !ops->metadata_column || !monocle__image_ask_begin (image))
		return 0;
	if (ops->metadata_column (ops->host, image, table, row, column, &value))
		value = 0;
	monocle__image_ask_end (image);
	return value;
}

uint32_t
mono_metadata_decode_table_row_col (MonoImage *image, int table, int idx, unsigned int col)
{
	return table < 0 || idx < 0 ? 0 : monocle__metadata_cell (image, (uint32_t) table, (uint32_t) idx + 1, col);
}

void
mono_metadata_decode_table_row (MonoImage *image, int table, int idx, uint32_t *res, int res_size)
{
	for (int col = 0; res && col < res_size; col++)
		res[col] = mono_metadata_decode_table_row_col (image, table, idx, (unsigned int) col);
}

uint32_t
mono_metadata_decode_row_col (const MonoTableInfo *t, int idx, unsigned int col)
{
	return t ? mono_metadata_decode_table_row_col (t->image, (int) t->table, idx, col) : 0;
}

void
mono_metadata_decode_row (const MonoTableInfo *t, int idx, uint32_t *res, int res_size)
{
	mono_metadata_decode_table_row (t ? t->image : NULL, t ? (int) t->table : -1, idx, res, res_size);
}

/* Only uncompressed metadata has the tables of pointers. */
uint32_t
mono_metadata_translate_token_index (MonoImage *image, int table, uint32_t idx)
{
	static const uint8_t pointers[MONOCLE__TABLES] = {
		[MONO_TABLE_FIELD] = MONO_TABLE_FIELD_POINTER,       [MONO_TABLE_METHOD] = MONO_TABLE_METHOD_POINTER,
		[MONO_TABLE_PARAM] = MONO_TABLE_PARAM_POINTER,       [MONO_TABLE_EVENT] = MONO_TABLE_EVENT_POINTER,
		[MONO_TABLE_PROPERTY] = MONO_TABLE_PROPERTY_POINTER,
	};
	uint32_t pointer = table >= 0 && table < MONOCLE__TABLES ? pointers[table] : 0;
	return pointer && monocle__metadata_rows (image, pointer) ? monocle__metadata_cell (image, pointer, idx, 0) : idx;
}

uint32_t
mono_metadata_token_from_dor (uint32_t dor_index)
{
	static const uint32_t tables[] = { MONO_TOKEN_TYPE_DEF, MONO_TOKEN_TYPE_REF, MONO_TOKEN_TYPE_SPEC, 0 };
	uint32_t table = tables[dor_index & MONO_TYPEDEFORREF_MASK];
	return table ? table | dor_index >> MONO_TYPEDEFORREF_BITS : 0;
}

/* --- searching ---------------------------------------------------------------------------------------------------- */

/* The first row whose cell is not below `value`; one more than the rows: all are. */
static uint32_t
lower_bound (MonoImage *image, uint32_t table, uint32_t column, uint64_t value)
{
	uint32_t low = 1, high = monocle__metadata_rows (image, table) + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (monocle__metadata_cell (image, table, middle, column) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

monocle__row_run
monocle__metadata_run (MonoImage *image, uint32_t table, uint32_t column, uint32_t value)
{
	uint32_t rows = monocle__metadata_rows (image, table), first = lower_bound (image, table, column, value);
	uint32_t end = first;
	while (end <= rows && monocle__metadata_cell (image, table, end, column) == value)
		end++;
	return end > first ? (monocle__row_run) { first, end } : (monocle__row_run) { 0, 0 };
}

/* The first row with that value, 0: none. */
static uint32_t
find (MonoImage *image, uint32_t table, uint32_t column, uint32_t value)
{
	return monocle__metadata_run (image, table, column, value).first;
}

/* The type whose list of `member` rows holds `row`: the last one whose list does not begin after it. */
static uint32_t
owner_of (MonoImage *image, uint32_t list_column, uint32_t member, uint32_t token)
{
	uint32_t row = token & ROW_MASK;
	if (!row || row > monocle__metadata_rows (image, member))
		return 0;
	return lower_bound (image, MONO_TABLE_TYPEDEF, list_column, (uint64_t) row + 1) - 1;
}

uint32_t
mono_metadata_typedef_from_field (MonoImage *meta, uint32_t table_index)
{
	return owner_of (meta, MONO_TYPEDEF_FIELD_LIST, MONO_TABLE_FIELD, table_index);
}

uint32_t
mono_metadata_typedef_from_method (MonoImage *meta, uint32_t table_index)
{
	return owner_of (meta, MONO_TYPEDEF_METHOD_LIST, MONO_TABLE_METHOD, table_index);
}

uint32_t
mono_metadata_nested_in_typedef (MonoImage *meta, uint32_t table_index)
{
	uint32_t row = find (meta, MONO_TABLE_NESTEDCLASS, MONO_NESTED_CLASS_NESTED, table_index & ROW_MASK);
	return row ? MONO_TOKEN_TYPE_DEF |
	                 monocle__metadata_cell (meta, MONO_TABLE_NESTEDCLASS, row, MONO_NESTED_CLASS_ENCLOSING)
	           : 0;
}

/* The table is not sorted by what encloses. */
uint32_t
mono_metadata_nesting_typedef (MonoImage *meta, uint32_t table_index, uint32_t start_index)
{
	uint32_t rows = monocle__metadata_rows (meta, MONO_TABLE_NESTEDCLASS), enclosing = table_index & ROW_MASK;
	for (uint32_t row = start_index ? start_index : 1; row <= rows; row++)
		if (monocle__metadata_cell (meta, MONO_TABLE_NESTEDCLASS, row, MONO_NESTED_CLASS_ENCLOSING) == enclosing)
			return row;
	return 0;
}

/* The class of a token, in the scope of a definition of the image. */
static MonoClass *
class_of (MonoImage *image, uint32_t token, MonoClass *scope)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!token || !ops->class_of_token || !monocle__image_ask_begin (image))
		return NULL;
	MonoClass *klass = ops->class_of_token (ops->host, image, token, scope, NULL);
	monocle__image_ask_end (image);
	return klass;
}

MonoClass **
mono_metadata_interfaces_from_typedef (MonoImage *meta, uint32_t table_index, unsigned int *count)
{
	uint32_t row = table_index & ROW_MASK, found = 0;
	monocle__row_run run = { 0, 0 };
	if (row)
		run = monocle__metadata_run (meta, MONO_TABLE_INTERFACEIMPL, MONO_INTERFACEIMPL_CLASS, row);
	if (count)
		*count = 0;
	MonoClass **list = run.first ? calloc (run.end - run.first, sizeof *list) : NULL;
	for (; list && run.first < run.end; run.first++) {
		uint32_t coded =
		    monocle__metadata_cell (meta, MONO_TABLE_INTERFACEIMPL, run.first, MONO_INTERFACEIMPL_INTERFACE);
		MonoClass *klass = class_of (meta, mono_metadata_token_from_dor (coded), monocle_class_def (meta, row));
		if (klass)
			list[found++] = klass;
	}
	if (count)
		*count = found;
	return list;
}

/* --- events and properties: their maps, and who gets, sets, adds and removes -------------------------------------- */

/* A run of `member` rows that begins in `column` of a map's row and ends where the next one's begins; from 0. */
static uint32_t
map_run (MonoImage *image, uint32_t map, uint32_t member, uint32_t type_row, unsigned int *ret_end)
{
	uint32_t row = find (image, map, MONO_EVENT_MAP_PARENT, type_row);
	uint32_t first = row ? monocle__metadata_cell (image, map, row, MONO_EVENT_MAP_EVENTLIST) : 0;
	*ret_end = 0;
	if (!first)
		return 0;
	if (row < monocle__metadata_rows (image, map))
		*ret_end = monocle__metadata_cell (image, map, row + 1, MONO_EVENT_MAP_EVENTLIST) - 1;
	else
		*ret_end = monocle__metadata_rows (image, member);
	return first - 1;
}

uint32_t
mono_metadata_events_from_typedef (MonoImage *meta, uint32_t table_index, unsigned int *end_idx)
{
	return map_run (meta, MONO_TABLE_EVENTMAP, MONO_TABLE_EVENT, table_index + 1, end_idx);
}

_Static_assert((int) MONO_PROPERTY_MAP_PARENT == (int) MONO_EVENT_MAP_PARENT &&
                   (int) MONO_PROPERTY_MAP_PROPERTY_LIST == (int) MONO_EVENT_MAP_EVENTLIST,
               "both maps have the same shape");

uint32_t
mono_metadata_properties_from_typedef (MonoImage *meta, uint32_t table_index, unsigned int *end)
{
	return map_run (meta, MONO_TABLE_PROPERTYMAP, MONO_TABLE_PROPERTY, table_index + 1, end);
}

static uint32_t
semantics_run (MonoImage *image, uint32_t coded, unsigned int *ret_end)
{
	monocle__row_run run =
	    monocle__metadata_run (image, MONO_TABLE_METHODSEMANTICS, MONO_METHOD_SEMA_ASSOCIATION, coded);
	*ret_end = run.first ? run.end - 1 : 0;
	return run.first ? run.first - 1 : 0;
}

uint32_t
mono_metadata_methods_from_event (MonoImage *meta, uint32_t table_index, unsigned int *end)
{
	return semantics_run (meta, (table_index + 1) << MONO_HAS_SEMANTICS_BITS | MONO_HAS_SEMANTICS_EVENT, end);
}

uint32_t
mono_metadata_methods_from_property (MonoImage *meta, uint32_t table_index, unsigned int *end)
{
	return semantics_run (meta, (table_index + 1) << MONO_HAS_SEMANTICS_BITS | MONO_HAS_SEMANTICS_PROPERTY, end);
}

/* --- what else hangs on a row ------------------------------------------------------------------------------------- */

uint32_t
mono_metadata_packing_from_typedef (MonoImage *meta, uint32_t table_index, uint32_t *packing, uint32_t *size)
{
	uint32_t row = find (meta, MONO_TABLE_CLASSLAYOUT, MONO_CLASS_LAYOUT_PARENT, table_index & ROW_MASK);
	if (row && packing)
		*packing = monocle__metadata_cell (meta, MONO_TABLE_CLASSLAYOUT, row, MONO_CLASS_LAYOUT_PACKING_SIZE);
	if (row && size)
		*size = monocle__metadata_cell (meta, MONO_TABLE_CLASSLAYOUT, row, MONO_CLASS_LAYOUT_CLASS_SIZE);
	return row;
}

const char *
mono_metadata_get_marshal_info (MonoImage *meta, uint32_t idx, mono_bool is_field)
{
	uint32_t tag = is_field ? MONO_HAS_FIELD_MARSHAL_FIELDSREF : MONO_HAS_FIELD_MARSHAL_PARAMDEF;
	uint32_t row =
	    find (meta, MONO_TABLE_FIELDMARSHAL, MONO_FIELD_MARSHAL_PARENT, (idx + 1) << MONO_HAS_FIELD_MARSHAL_BITS | tag);
	return row ? mono_metadata_blob_heap (
	                 meta, monocle__metadata_cell (meta, MONO_TABLE_FIELDMARSHAL, row, MONO_FIELD_MARSHAL_NATIVE_TYPE))
	           : NULL;
}

uint32_t
mono_metadata_custom_attrs_from_index (MonoImage *meta, uint32_t cattr_index)
{
	return find (meta, MONO_TABLE_CUSTOMATTRIBUTE, MONO_CUSTOM_ATTR_PARENT, cattr_index);
}

uint32_t
mono_metadata_declsec_from_index (MonoImage *meta, uint32_t idx)
{
	uint32_t row = find (meta, MONO_TABLE_DECLSECURITY, MONO_DECL_SECURITY_PARENT, idx);
	return row ? row - 1 : NONE;
}

uint32_t
mono_metadata_implmap_from_method (MonoImage *meta, uint32_t method_idx)
{
	return find (meta, MONO_TABLE_IMPLMAP, MONO_IMPLMAP_MEMBER,
	             (method_idx + 1) << MONO_MEMBERFORWD_BITS | MONO_MEMBERFORWD_METHODDEF);
}

uint32_t
mono_metadata_get_constant_index (MonoImage *meta, uint32_t token, uint32_t hint)
{
	uint32_t tag;
	switch (token & ~(uint32_t) ROW_MASK) {
	case MONO_TOKEN_FIELD_DEF: tag = MONO_HASCONSTANT_FIEDDEF; break;
	case MONO_TOKEN_PARAM_DEF: tag = MONO_HASCONSTANT_PARAM; break;
	case MONO_TOKEN_PROPERTY: tag = MONO_HASCONSTANT_PROPERTY; break;
	default: return 0;
	}
	return find (meta, MONO_TABLE_CONSTANT, MONO_CONSTANT_PARENT, (token & ROW_MASK) << MONO_HASCONSTANT_BITS | tag);
}

void
mono_metadata_field_info (MonoImage *meta, uint32_t table_index, uint32_t *offset, uint32_t *rva,
                          MonoMarshalSpec **marshal_spec)
{
	uint32_t row;
	if (offset) {
		row = find (meta, MONO_TABLE_FIELDLAYOUT, MONO_FIELD_LAYOUT_FIELD, table_index + 1);
		*offset = row ? monocle__metadata_cell (meta, MONO_TABLE_FIELDLAYOUT, row, MONO_FIELD_LAYOUT_OFFSET) : NONE;
	}
	if (rva) {
		row = find (meta, MONO_TABLE_FIELDRVA, MONO_FIELD_RVA_FIELD, table_index + 1);
		*rva = row ? monocle__metadata_cell (meta, MONO_TABLE_FIELDRVA, row, MONO_FIELD_RVA_RVA) : 0;
	}
	if (marshal_spec) {
		const char *blob = mono_metadata_get_marshal_info (meta, table_index, 1);
		*marshal_spec = blob ? mono_metadata_parse_marshal_spec (meta, blob) : NULL;
	}
}
