/*
 * SPDX-License-Identifier: MIT
 *
 * mdb.c - see mdb.h.
 *
 *   header:  magic 8, version 50.0 in two words, GUID 16; words: total size, data section (offset, size),
 *            compile units (count, offset, size), sources (count, offset, size), methods (count, offset, size),
 *            types (count), anonymous scopes (count, offset, size), line base, line range, opcode base, flags
 *   source:  index, offset of: length, name, GUID 16, MD5 16, a byte
 *   method:  token, offset of its data, offset of its line program; by token
 *   data:    compile unit, offset of the locals, namespace, offset of the blocks ...; all numbers in LEB128
 *   locals:  count; slot, length, name, block (from 1)
 *   blocks:  count; kind, parent (from 1), start, end
 *
 * A line program is that of DWARF 2 with other opcodes. Async-safe.
 */
#include "mdb.h"

#include <string.h>

#include "bytes.h"
#include "tables.h"

#define MDB_MAGIC UINT64_C (0x45E82623FD7FA614)

enum {
	VERSION_MAJOR = 50,
	GUID_AT = 16,
	TABLES_AT = 32,
	HEADER_SIZE = 112,
	SOURCE_SIZE = 8,
	METHOD_SIZE = 12,
	NUMBER_MAX = 0x1FFFFFFF,
	LINE_HIDDEN = 0xFEEFEE, /* other tools' way to say it */
};

/* Words after the GUID that are read. */
enum {
	SOURCE_COUNT = 6,
	SOURCES_AT = 7,
	METHOD_COUNT = 9,
	METHODS_AT = 10,
	LINE_BASE = 16,
	LINE_RANGE = 17,
	OPCODE_BASE = 18,
};

/* Opcodes of a line program below opcode_base, and those after an EXTENDED. */
enum { EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8 };
enum { END_SEQUENCE = 1, NEGATE_HIDDEN = 0x40, EXTENSIONS_END = 0x7F };

static uint32_t
header_word (const uint8_t *header, uint32_t word)
{
	return monocle__le32 (header + TABLES_AT + (size_t) word * 4);
}

/* `count` rows that a word of the header places; NULL when they are not all there. */
static const uint8_t *
table_at (monocle__span file, uint32_t at, uint32_t count, uint32_t row_size)
{
	monocle__span rows;
	return monocle__span_part (file, at, (uint64_t) count * row_size, &rows) ? rows.data : NULL;
}

int
monocle__mdb_open (monocle__mdb *ret_mdb, const void *data, size_t size)
{
	monocle__span file = { data, size };
	const uint8_t *header = data;
	if (size < HEADER_SIZE)
		return MONOCLE__ECMA_E_TRUNCATED;
	if (monocle__le64 (header) != MDB_MAGIC || monocle__le32 (header + 8) != VERSION_MAJOR ||
	    monocle__le32 (header + 12) != 0)
		return MONOCLE__ECMA_E_FORMAT;
	*ret_mdb = (monocle__mdb) {
		.data = header,
		.size = size,
		.guid = header + GUID_AT,
		.source_count = header_word (header, SOURCE_COUNT),
		.method_count = header_word (header, METHOD_COUNT),
		.line_base = (int32_t) header_word (header, LINE_BASE),
		.line_range = header_word (header, LINE_RANGE),
		.opcode_base = header_word (header, OPCODE_BASE),
	};
	ret_mdb->sources = table_at (file, header_word (header, SOURCES_AT), ret_mdb->source_count, SOURCE_SIZE);
	ret_mdb->methods = table_at (file, header_word (header, METHODS_AT), ret_mdb->method_count, METHOD_SIZE);
	if (!ret_mdb->sources || !ret_mdb->methods)
		return MONOCLE__ECMA_E_TRUNCATED;
	/* A program's arithmetic must not overflow or divide by zero, whatever it says. */
	if (!ret_mdb->line_range || ret_mdb->line_range > 0xFF || ret_mdb->opcode_base <= CONST_ADD_PC ||
	    ret_mdb->opcode_base > 0xFF || ret_mdb->line_base < -0xFF || ret_mdb->line_base > 0xFF)
		return MONOCLE__ECMA_E_FORMAT;
	return 0;
}

bool
monocle__mdb_matches (const monocle__mdb *mdb, const monocle__ecma_image *image)
{
	uint32_t index;
	if (monocle__ecma_column (image, MONOCLE__TABLE_Module, 1, MONOCLE__COL_Module_Mvid, &index))
		return false;
	const uint8_t *mvid = monocle__ecma_guid (image, index);
	return mvid && memcmp (mvid, mdb->guid, 16) == 0;
}

/* Seven bits a byte, lowest first, the top bit says that more follow. False at the end or after 32 bits. */
static bool
read_leb (const uint8_t **at, const uint8_t *end, uint32_t *ret_value)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;
	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		if (*at == end || shift > 28)
			return false;
		byte = *(*at)++;
		value |= (uint64_t) (byte & 0x7F) << shift;
	}
	*ret_value = (uint32_t) value;
	return true;
}

int
monocle__mdb_document_name (const monocle__mdb *mdb, uint32_t document, const char **ret_name, uint32_t *ret_size)
{
	monocle__span file = { mdb->data, mdb->size }, rest, name;
	uint32_t length;
	if (document - 1 >= mdb->source_count)
		return MONOCLE__ECMA_E_RANGE;
	if (!monocle__span_rest (file, monocle__le32 (mdb->sources + (size_t) (document - 1) * SOURCE_SIZE + 4), &rest))
		return MONOCLE__ECMA_E_TRUNCATED;
	const uint8_t *at = rest.data, *end = rest.data + rest.size;
	if (!read_leb (&at, end, &length))
		return MONOCLE__ECMA_E_TRUNCATED;
	if (!monocle__span_part ((monocle__span) { at, (size_t) (end - at) }, 0, length, &name))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_name = (const char *) name.data;
	*ret_size = length;
	return 0;
}

/* --- line programs ------------------------------------------------------------------------------------------------ */

static const uint8_t *
find_method (const monocle__mdb *mdb, uint32_t token)
{
	uint32_t low = 0, high = mdb->method_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const uint8_t *row = mdb->methods + (size_t) middle * METHOD_SIZE;
		if (monocle__le32 (row) == token)
			return row;
		if (monocle__le32 (row) < token)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int
monocle__mdb_points_of (const monocle__mdb *mdb, uint32_t method_token, monocle__mdb_points *ret_points)
{
	monocle__span file = { mdb->data, mdb->size }, program;
	const uint8_t *row = find_method (mdb, method_token);
	if (!row)
		return MONOCLE__ECMA_E_RANGE;
	if (!monocle__span_rest (file, monocle__le32 (row + 8), &program))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_points = (monocle__mdb_points) {
		.mdb = mdb,
		.at = program.data,
		.end = program.data + program.size,
		.document = 1,
		.line = 1,
	};
	return 0;
}

/* EXTENDED: a length, an opcode and so many bytes. Unknown ones are passed over, as their length is there for. */
static int
run_extended (monocle__mdb_points *points)
{
	uint32_t size;
	if (!read_leb (&points->at, points->end, &size))
		return MONOCLE__ECMA_E_TRUNCATED;
	if (size < 1 || size > (size_t) (points->end - points->at))
		return MONOCLE__ECMA_E_FORMAT;
	uint8_t opcode = *points->at;
	points->at += size;
	if (opcode == END_SEQUENCE)
		points->ended = true;
	else if (opcode == NEGATE_HIDDEN)
		points->hidden = !points->hidden;
	else if (opcode < NEGATE_HIDDEN || opcode > EXTENSIONS_END)
		return MONOCLE__ECMA_E_FORMAT;
	return 0;
}

static int
advance (monocle__mdb_points *points, int32_t offset, int32_t line)
{
	int64_t next_offset = (int64_t) points->il_offset + offset, next_line = (int64_t) points->line + line;
	if (next_offset < 0 || next_offset > NUMBER_MAX || next_line < -NUMBER_MAX || next_line > NUMBER_MAX)
		return MONOCLE__ECMA_E_FORMAT;
	points->il_offset = (uint32_t) next_offset;
	points->line = (int32_t) next_line;
	return 0;
}

/* The opcodes that take a number. Steps back are written as what 32 bits make of them, not in signed LEB128. */
static int
run_operand (monocle__mdb_points *points, uint8_t opcode)
{
	uint32_t operand;
	if (!read_leb (&points->at, points->end, &operand))
		return MONOCLE__ECMA_E_TRUNCATED;
	if (opcode == ADVANCE_PC)
		return advance (points, (int32_t) operand, 0);
	if (opcode == ADVANCE_LINE)
		return advance (points, 0, (int32_t) operand);
	if (operand > points->mdb->source_count)
		return MONOCLE__ECMA_E_FORMAT;
	points->document = operand;
	return 0;
}

/* Runs one instruction: 1 when it emits a point, 0 when it does not, negative when it is none. */
static int
run_instruction (monocle__mdb_points *points)
{
	const monocle__mdb *mdb = points->mdb;
	if (points->at == points->end)
		return MONOCLE__ECMA_E_TRUNCATED;
	uint8_t opcode = *points->at++;
	if (opcode >= mdb->opcode_base) {
		uint32_t step = opcode - mdb->opcode_base;
		int32_t offset = (int32_t) (step / mdb->line_range), line = (int32_t) (step % mdb->line_range);
		int error = advance (points, offset, mdb->line_base + line);
		return error ? error : 1;
	}
	switch (opcode) {
	case EXTENDED: return run_extended (points);
	case COPY: return 1;
	case ADVANCE_PC:
	case ADVANCE_LINE:
	case SET_FILE: return run_operand (points, opcode);
	case CONST_ADD_PC: return advance (points, (int32_t) ((0xFF - mdb->opcode_base) / mdb->line_range), 0);
	default: return MONOCLE__ECMA_E_FORMAT;
	}
}

int
monocle__mdb_next_point (monocle__mdb_points *points, monocle__source_point *ret_point)
{
	int result = 0;
	while (!points->ended && result == 0)
		result = run_instruction (points);
	if (result <= 0) {
		/* What cannot be read is tried again to the same end: nothing moves at the end of the bytes. */
		if (result < 0)
			points->at = points->end;
		return result;
	}
	bool no_line = points->line == LINE_HIDDEN || points->line < 1;
	*ret_point = (monocle__source_point) {
		.il_offset = points->il_offset,
		.document = points->document,
		.start_line = no_line ? 0 : (uint32_t) points->line,
		.hidden = no_line || points->hidden,
	};
	return 1;
}

int
monocle__mdb_locate (const monocle__mdb *mdb, uint32_t method_token, uint32_t il_offset,
                     monocle__source_location *ret_location)
{
	monocle__mdb_points points;
	monocle__source_point point;
	monocle__source_location location = { 0 };
	int result = monocle__mdb_points_of (mdb, method_token, &points);
	if (result)
		return result;
	while ((result = monocle__mdb_next_point (&points, &point)) > 0 && point.il_offset <= il_offset) {
		location.il_offset = point.il_offset;
		if (point.start_line) {
			location.document = point.document;
			location.line = point.start_line;
		}
	}
	if (result < 0)
		return result;
	if (!location.line)
		return MONOCLE__ECMA_E_RANGE;
	*ret_location = location;
	return 0;
}

/* --- locals ------------------------------------------------------------------------------------------------------- */

/* Numbers of a method's data. */
enum { DATA_LOCALS = 1, DATA_BLOCKS = 3 };

typedef struct {
	const uint8_t *at, *end;
} reader;

/* The list that a number of the method's data places; *ret_count is how many it says there are. */
static int
open_list (const monocle__mdb *mdb, uint32_t token, uint32_t number, reader *ret_list, uint32_t *ret_count)
{
	monocle__span file = { mdb->data, mdb->size }, rest;
	const uint8_t *row = find_method (mdb, token);
	uint32_t offset = 0;
	if (!row)
		return MONOCLE__ECMA_E_RANGE;
	if (!monocle__span_rest (file, monocle__le32 (row + 4), &rest))
		return MONOCLE__ECMA_E_TRUNCATED;
	const uint8_t *at = rest.data, *end = rest.data + rest.size;
	for (uint32_t i = 0; i <= number; i++)
		if (!read_leb (&at, end, &offset))
			return MONOCLE__ECMA_E_TRUNCATED;
	if (!monocle__span_rest (file, offset, &rest))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_list = (reader) { rest.data, rest.data + rest.size };
	return read_leb (&ret_list->at, ret_list->end, ret_count) ? 0 : MONOCLE__ECMA_E_TRUNCATED;
}

static bool
read_local (reader *list, monocle__mdb_local *ret)
{
	if (!read_leb (&list->at, list->end, &ret->slot) || !read_leb (&list->at, list->end, &ret->name_size) ||
	    ret->name_size > (size_t) (list->end - list->at))
		return false;
	ret->name = (const char *) list->at;
	list->at += ret->name_size;
	return read_leb (&list->at, list->end, &ret->block);
}

int
monocle__mdb_get_local (const monocle__mdb *mdb, uint32_t method_token, uint32_t index, monocle__mdb_local *ret_local)
{
	reader list;
	uint32_t count;
	monocle__mdb_local local;
	int error = open_list (mdb, method_token, DATA_LOCALS, &list, &count);
	if (error || index >= count)
		return error ? error : MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; i <= index; i++)
		if (!read_local (&list, &local))
			return MONOCLE__ECMA_E_TRUNCATED;
	*ret_local = local;
	return 0;
}

int
monocle__mdb_get_block (const monocle__mdb *mdb, uint32_t method_token, uint32_t index, monocle__mdb_block *ret_block)
{
	reader list;
	uint32_t count;
	monocle__mdb_block block;
	int error = open_list (mdb, method_token, DATA_BLOCKS, &list, &count);
	if (error || index >= count)
		return error ? error : MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; i <= index; i++)
		if (!read_leb (&list.at, list.end, &block.kind) || !read_leb (&list.at, list.end, &block.parent) ||
		    !read_leb (&list.at, list.end, &block.start) || !read_leb (&list.at, list.end, &block.end))
			return MONOCLE__ECMA_E_TRUNCATED;
	*ret_block = block;
	return 0;
}
