/*
 * SPDX-License-Identifier: MIT
 *
 * tables.c - the metadata tables (ECMA-335 II.22, II.24.2.6): widths, layout, cells, searches.
 *
 * The schema is tables.def and coded.def; this file only computes with it. Everything is read-only after
 * monocle__tables_open and async-safe.
 */
#include "tables.h"
#include "invariant.h"

#include <assert.h>

typedef enum { U8, U16, U32, STRING, GUID, BLOB, INDEX, LIST, CODED_INDEX } column_kind;

struct column {
	uint8_t table, kind, target;
};

/* clang-format off */
/* The word CODED names both a column kind here and a row macro of coded.def. */
#define COLUMN_KIND_U8     U8
#define COLUMN_KIND_U16    U16
#define COLUMN_KIND_U32    U32
#define COLUMN_KIND_STRING STRING
#define COLUMN_KIND_GUID   GUID
#define COLUMN_KIND_BLOB   BLOB
#define COLUMN_KIND_INDEX  INDEX
#define COLUMN_KIND_LIST   LIST
#define COLUMN_KIND_CODED  CODED_INDEX

#define COLUMN_TARGET_U8(target)     0
#define COLUMN_TARGET_U16(target)    0
#define COLUMN_TARGET_U32(target)    0
#define COLUMN_TARGET_STRING(target) 0
#define COLUMN_TARGET_GUID(target)   0
#define COLUMN_TARGET_BLOB(target)   0
#define COLUMN_TARGET_INDEX(target)  MONOCLE__TABLE_##target
#define COLUMN_TARGET_LIST(target)   MONOCLE__TABLE_##target
#define COLUMN_TARGET_CODED(target)  MONOCLE__CODED_##target

static const struct column columns[] = {
#define TABLE(number, name)
#define COLUMN(table, name, kind, target) { MONOCLE__TABLE_##table, COLUMN_KIND_##kind, COLUMN_TARGET_##kind (target) },
#include "tables.def"
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

static const uint64_t known_tables = 0
#define TABLE(number, name) | UINT64_C (1) << number
#define COLUMN(table, name, kind, target)
#include "tables.def"
	;
/* clang-format on */

/* Tables that put an indirection between a list column and its target; only uncompressed (#-) streams have them. */
static const uint8_t pointer_tables[] = { MONOCLE__TABLE_FieldPtr, MONOCLE__TABLE_MethodPtr, MONOCLE__TABLE_ParamPtr,
	                                      MONOCLE__TABLE_EventPtr, MONOCLE__TABLE_PropertyPtr };

/* What the row functions search by. A table with two keys counts as sorted when it is by both. */
static const struct {
	uint8_t table, column;
} search_keys[] = {
	{ MONOCLE__TABLE_TypeDef, MONOCLE__COL_TypeDef_MethodList },
	{ MONOCLE__TABLE_TypeDef, MONOCLE__COL_TypeDef_FieldList },
	{ MONOCLE__TABLE_InterfaceImpl, MONOCLE__COL_InterfaceImpl_Class },
	{ MONOCLE__TABLE_Constant, MONOCLE__COL_Constant_Parent },
	{ MONOCLE__TABLE_FieldMarshal, MONOCLE__COL_FieldMarshal_Parent },
	{ MONOCLE__TABLE_ClassLayout, MONOCLE__COL_ClassLayout_Parent },
	{ MONOCLE__TABLE_EventMap, MONOCLE__COL_EventMap_Parent },
	{ MONOCLE__TABLE_PropertyMap, MONOCLE__COL_PropertyMap_Parent },
	{ MONOCLE__TABLE_MethodSemantics, MONOCLE__COL_MethodSemantics_Association },
	{ MONOCLE__TABLE_FieldRVA, MONOCLE__COL_FieldRVA_Field },
	{ MONOCLE__TABLE_NestedClass, MONOCLE__COL_NestedClass_NestedClass },
	{ MONOCLE__TABLE_GenericParam, MONOCLE__COL_GenericParam_Owner },
	{ MONOCLE__TABLE_CustomAttribute, MONOCLE__COL_CustomAttribute_Parent },
	{ MONOCLE__TABLE_LocalScope, MONOCLE__COL_LocalScope_Method },
	{ MONOCLE__TABLE_StateMachineMethod, MONOCLE__COL_StateMachineMethod_MoveNextMethod },
};

enum { TAG_MAX = 32 };

struct coded_kind {
	uint8_t bits;
	uint8_t tables[TAG_MAX]; /* number of the table plus one; 0: the tag is reserved */
};

/* clang-format off */
/* A row's bits and its tags are designated separately, so the rows of coded.def need no nesting. */
static const struct coded_kind coded_kinds[MONOCLE__CODED_COUNT] = {
#define CODED(kind, width) [MONOCLE__CODED_##kind].bits = width,
#define TAG(kind, tag, table) [MONOCLE__CODED_##kind].tables[tag] = MONOCLE__TABLE_##table + 1,
#include "coded.def"
};

#define TABLE(number, name)                                                                                            \
	static_assert (number < MONOCLE__TABLE_COUNT, "the valid bits of the stream end at 63");
#define COLUMN(table, name, kind, target)                                                                              \
	static_assert ((int) MONOCLE__COL_##table##_##name < (int) MONOCLE__COLUMN_MAX, "COLUMN_MAX is too small");
#include "tables.def"
#define CODED(kind, width)
#define TAG(kind, tag, table) static_assert (tag < TAG_MAX, "a tag has at most five bits");
#include "coded.def"
/* clang-format on */

/* What the widths of a stream's columns depend on. */
struct widths {
	uint32_t rows[MONOCLE__TABLE_COUNT];
	uint8_t heap_sizes;
};

enum { HEAP_STRINGS = 0x01, HEAP_GUIDS = 0x02, HEAP_BLOBS = 0x04, EXTRA_DATA = 0x40 };

static uint32_t
coded_width (const struct widths *widths, const struct coded_kind *kind)
{
	uint32_t limit = UINT32_C (1) << (16 - kind->bits);
	for (uint32_t tag = 0; tag < TAG_MAX; tag++)
		if (kind->tables[tag] && widths->rows[kind->tables[tag] - 1] >= limit)
			return 4;
	return 2;
}

static uint32_t
column_width (const struct widths *widths, const struct column *column)
{
	switch (column->kind) {
	case U8: return 1;
	case U16: return 2;
	case U32: return 4;
	case STRING: return widths->heap_sizes & HEAP_STRINGS ? 4 : 2;
	case GUID: return widths->heap_sizes & HEAP_GUIDS ? 4 : 2;
	case BLOB: return widths->heap_sizes & HEAP_BLOBS ? 4 : 2;
	case INDEX:
	case LIST: return widths->rows[column->target] > 0xFFFF ? 4 : 2;
	default: return coded_width (widths, &coded_kinds[column->target]);
	}
}

static void
place_columns (monocle__ecma_image *image, const struct widths *widths)
{
	for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
		monocle__ecma_table *table = &image->tables[columns[i].table];
		uint32_t width = column_width (widths, &columns[i]);
		MONOCLE__INVARIANT (table->columns < MONOCLE__COLUMN_MAX && table->row_size <= UINT8_MAX);
		table->column_offset[table->columns] = (uint8_t) table->row_size;
		table->column_size[table->columns] = (uint8_t) width;
		table->columns++;
		table->row_size += width;
	}
}

/* The tables follow each other without a gap, in the order of their numbers. */
static int
place_rows (monocle__ecma_image *image, monocle__span rest)
{
	for (uint32_t number = 0; number < MONOCLE__TABLE_COUNT; number++) {
		monocle__ecma_table *table = &image->tables[number];
		uint64_t size = (uint64_t) table->rows * table->row_size;
		monocle__span part;
		if (!monocle__span_part (rest, 0, size, &part) || !monocle__span_rest (rest, size, &rest))
			return MONOCLE__ECMA_E_TRUNCATED;
		MONOCLE__INVARIANT (part.size >= size);
		table->data = part.data;
	}
	return 0;
}

/* Row counts follow the 24 bytes of the header, one per valid bit. A rid has 24 bits, so a count has no more. */
static int
read_counts (monocle__ecma_image *image, monocle__span stream, uint64_t *ret_at)
{
	uint64_t valid = monocle__le64 (stream.data + 8), at = 24;
	for (uint32_t number = 0; number < MONOCLE__TABLE_COUNT; number++) {
		monocle__span count;
		if (!(valid >> number & 1))
			continue;
		if (!monocle__span_part (stream, at, 4, &count))
			return MONOCLE__ECMA_E_TRUNCATED;
		at += 4;
		uint32_t rows = monocle__le32 (count.data);
		if (rows > 0xFFFFFF || (rows && !(known_tables >> number & 1)))
			return MONOCLE__ECMA_E_FORMAT;
		image->tables[number].rows = rows;
	}
	*ret_at = at;
	return 0;
}

static bool
has_pointer_rows (const monocle__ecma_image *image)
{
	for (uint32_t i = 0; i < sizeof pointer_tables; i++)
		if (image->tables[pointer_tables[i]].rows)
			return true;
	return false;
}

static bool
is_ascending (const monocle__ecma_table *table, uint32_t column)
{
	uint32_t last = 0;
	for (uint32_t rid = 1; rid <= table->rows; rid++) {
		uint32_t value = monocle__table_cell (table, rid, column);
		if (value < last)
			return false;
		last = value;
	}
	return true;
}

/* The stream's own Sorted bits are wrong in real files, either way; a look costs microseconds. */
static uint64_t
find_sorted (const monocle__ecma_image *image)
{
	uint64_t sorted = 0, unsorted = 0;
	for (uint32_t i = 0; i < sizeof search_keys / sizeof search_keys[0]; i++) {
		bool ascends = is_ascending (&image->tables[search_keys[i].table], search_keys[i].column);
		*(ascends ? &sorted : &unsorted) |= UINT64_C (1) << search_keys[i].table;
	}
	return sorted & ~unsorted;
}

int
monocle__tables_open (monocle__ecma_image *image, monocle__span stream, const uint32_t external[MONOCLE__TABLE_COUNT])
{
	if (stream.size < 24)
		return MONOCLE__ECMA_E_TRUNCATED;
	uint64_t at;
	int error = read_counts (image, stream, &at);
	if (error)
		return error;
	/* Through a pointer table a run of methods is not a run of MethodDef rows: no answer is better than a wrong one. */
	if (has_pointer_rows (image))
		return MONOCLE__ECMA_E_FORMAT;

	struct widths widths = { .heap_sizes = stream.data[6] };
	for (uint32_t number = 0; number < MONOCLE__TABLE_COUNT; number++)
		widths.rows[number] = image->tables[number].rows ? image->tables[number].rows : external[number];
	place_columns (image, &widths);
	if (widths.heap_sizes & EXTRA_DATA)
		at += 4;
	monocle__span rest;
	if (!monocle__span_rest (stream, at, &rest))
		return MONOCLE__ECMA_E_TRUNCATED;
	error = place_rows (image, rest);
	if (error)
		return error;
	image->sorted = find_sorted (image);
	return 0;
}

uint32_t
monocle__table_lower_bound (const monocle__ecma_table *table, uint32_t column, uint32_t value)
{
	uint32_t low = 1, high = table->rows + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (monocle__table_cell (table, middle, column) < value)
			low = middle + 1;
		else
			high = middle;
	}
	MONOCLE__INVARIANT (low <= table->rows + 1 && (low == 1 || monocle__table_cell (table, low - 1, column) < value));
	return low;
}

uint32_t
monocle__table_find (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t value, uint32_t from)
{
	const monocle__ecma_table *rows = &image->tables[table];
	if (image->sorted >> table & 1 && from <= rows->rows && monocle__table_cell (rows, from, column) < value)
		from = monocle__table_lower_bound (rows, column, value);
	for (uint32_t rid = from; rid <= rows->rows; rid++) {
		uint32_t cell = monocle__table_cell (rows, rid, column);
		if (cell == value)
			return rid;
		if (cell > value && image->sorted >> table & 1)
			return 0;
	}
	return 0;
}

uint32_t
monocle__coded_value (uint32_t kind, uint32_t token)
{
	MONOCLE__INVARIANT (kind < MONOCLE__CODED_COUNT);
	const struct coded_kind *coded = &coded_kinds[kind];
	for (uint32_t tag = 0; tag < TAG_MAX; tag++)
		if (coded->tables[tag] == (token >> 24) + 1)
			return (token & 0xFFFFFF) << coded->bits | tag;
	return UINT32_MAX;
}

uint32_t
monocle__ecma_rows (const monocle__ecma_image *image, uint32_t table)
{
	return table < MONOCLE__TABLE_COUNT ? image->tables[table].rows : 0;
}

int
monocle__ecma_column (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column,
                      uint32_t *ret_value)
{
	if (table >= MONOCLE__TABLE_COUNT)
		return MONOCLE__ECMA_E_RANGE;
	const monocle__ecma_table *rows = &image->tables[table];
	if (rid - 1 >= rows->rows || column >= rows->columns)
		return MONOCLE__ECMA_E_RANGE;
	*ret_value = monocle__table_cell (rows, rid, column);
	return 0;
}

uint32_t
monocle__ecma_find (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t value, uint32_t from)
{
	if (table >= MONOCLE__TABLE_COUNT || column >= image->tables[table].columns || !from)
		return 0;
	return monocle__table_find (image, table, column, value, from);
}

uint32_t
monocle__ecma_find_token (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t kind,
                          uint32_t token, uint32_t from)
{
	uint32_t value = kind < MONOCLE__CODED_COUNT && token & 0xFFFFFF ? monocle__coded_value (kind, token) : UINT32_MAX;
	return value == UINT32_MAX ? 0 : monocle__ecma_find (image, table, column, value, from);
}

uint32_t
monocle__ecma_coded_token (uint32_t kind, uint32_t value)
{
	if (kind >= MONOCLE__CODED_COUNT)
		return 0;
	const struct coded_kind *coded = &coded_kinds[kind];
	uint32_t table = coded->tables[value & ((UINT32_C (1) << coded->bits) - 1)];
	uint32_t rid = value >> coded->bits;
	return table && rid && rid <= 0xFFFFFF ? (table - 1) << 24 | rid : 0;
}
