/*
 * SPDX-License-Identifier: MIT
 *
 * pdb-points.c - sequence points of portable PDBs. Async-safe.
 *
 *   blob:    LocalSignature, InitialDocument if the row's document is 0, then records; all numbers are compressed
 *   record:  IL delta, lines, columns, start line, start column       a visible point
 *            IL delta, 0, 0                                           a hidden point
 *            0, document                                              the document of what follows; never first
 *
 * IL deltas count from the last point of any kind, lines and columns from the last visible one.
 */
#include "pdb.h"
#include "tables.h"

enum { NUMBER_MAX = 0x1FFFFFFF, COLUMN_MAX = 0xFFFF };

static int
set_document (monocle__pdb_points *points, uint32_t document)
{
	if (document - 1 >= monocle__ecma_rows (&points->pdb->metadata, MONOCLE__TABLE_Document))
		return MONOCLE__ECMA_E_FORMAT;
	points->document = document;
	return 0;
}

int
monocle__pdb_points_of (const monocle__pdb *pdb, uint32_t method_token, monocle__pdb_points *ret_points)
{
	const monocle__ecma_table *rows = &pdb->metadata.tables[MONOCLE__TABLE_MethodDebugInformation];
	const uint8_t *data;
	uint32_t rid = method_token & 0xFFFFFF, size;
	if (method_token >> 24 != MONOCLE__TABLE_MethodDef || rid - 1 >= rows->rows)
		return MONOCLE__ECMA_E_RANGE;
	uint32_t blob = monocle__table_cell (rows, rid, MONOCLE__COL_MethodDebugInformation_SequencePoints);
	uint32_t document = monocle__table_cell (rows, rid, MONOCLE__COL_MethodDebugInformation_Document);
	if (!blob)
		return MONOCLE__ECMA_E_RANGE;
	int error = monocle__ecma_blob (&pdb->metadata, blob, &data, &size);
	if (error)
		return error;
	monocle__pdb_points points = { .pdb = pdb, .cursor = monocle__ecma_cursor_over (data, size) };
	monocle__ecma_read_u (&points.cursor); /* the locals' signature: F# stores a token, C# a rid */
	if (!document)
		document = monocle__ecma_read_u (&points.cursor);
	error = points.cursor.error ? points.cursor.error : set_document (&points, document);
	if (!error)
		*ret_points = points;
	return error;
}

/* Reads up to the next record that is a point, and moves to its offset. */
static int
read_offset (monocle__pdb_points *points)
{
	monocle__ecma_cursor *cursor = &points->cursor;
	uint32_t delta = monocle__ecma_read_u (cursor);
	while (points->any && !delta && !cursor->error) {
		int error = set_document (points, monocle__ecma_read_u (cursor));
		if (error)
			return cursor->error ? cursor->error : error;
		/* A document that nothing follows is said in vain. */
		if (cursor->at == cursor->end)
			return 0;
		delta = monocle__ecma_read_u (cursor);
	}
	if (cursor->error)
		return cursor->error;
	/* Both are at most NUMBER_MAX, so that the sum does not overflow. */
	points->il_offset += delta;
	points->any = true;
	return points->il_offset <= NUMBER_MAX ? 1 : MONOCLE__ECMA_E_FORMAT;
}

/* The start of a visible point: absolute in the first, relative in the others. */
static int
read_start (monocle__pdb_points *points)
{
	monocle__ecma_cursor *cursor = &points->cursor;
	int64_t line, column;
	if (points->any_visible) {
		line = (int64_t) points->line + monocle__ecma_read_s (cursor);
		column = (int64_t) points->column + monocle__ecma_read_s (cursor);
	} else {
		line = monocle__ecma_read_u (cursor);
		column = monocle__ecma_read_u (cursor);
	}
	if (cursor->error)
		return cursor->error;
	if (line < 0 || line > NUMBER_MAX || column < 0 || column > COLUMN_MAX)
		return MONOCLE__ECMA_E_FORMAT;
	points->line = (uint32_t) line;
	points->column = (uint32_t) column;
	points->any_visible = true;
	return 0;
}

static int
read_range (monocle__pdb_points *points, monocle__source_point *point)
{
	monocle__ecma_cursor *cursor = &points->cursor;
	int64_t lines = monocle__ecma_read_u (cursor);
	int64_t columns;
	if (lines)
		columns = monocle__ecma_read_s (cursor); /* a range of several lines may end further left */
	else
		columns = monocle__ecma_read_u (cursor);
	if (cursor->error)
		return cursor->error;
	point->hidden = !lines && !columns;
	if (point->hidden)
		return 0;
	int error = read_start (points);
	if (error)
		return error;
	int64_t end_line = points->line + lines, end_column = points->column + columns;
	if (end_line > NUMBER_MAX || end_column < 0 || end_column > COLUMN_MAX)
		return MONOCLE__ECMA_E_FORMAT;
	point->start_line = points->line;
	point->start_column = points->column;
	point->end_line = (uint32_t) end_line;
	point->end_column = (uint32_t) end_column;
	return 0;
}

int
monocle__pdb_next_point (monocle__pdb_points *points, monocle__source_point *ret_point)
{
	monocle__source_point point = { 0 };
	if (points->cursor.error)
		return points->cursor.error;
	if (points->cursor.at == points->cursor.end)
		return 0;
	int result = read_offset (points);
	if (result <= 0)
		goto end;
	point.il_offset = points->il_offset;
	point.document = points->document;
	result = read_range (points, &point);
	if (result)
		goto end;
	*ret_point = point;
	return 1;
end:
	/* What cannot be read is not tried again. */
	points->cursor.at = points->cursor.end;
	points->cursor.error = result;
	return result;
}

int
monocle__pdb_locate (const monocle__pdb *pdb, uint32_t method_token, uint32_t il_offset,
                     monocle__source_location *ret_location)
{
	monocle__pdb_points points;
	monocle__source_point point;
	monocle__source_location location = { 0 };
	bool any = false;
	int result = monocle__pdb_points_of (pdb, method_token, &points);
	if (result)
		return result;
	while ((result = monocle__pdb_next_point (&points, &point)) > 0 && (!any || point.il_offset <= il_offset)) {
		location.il_offset = point.il_offset;
		if (!point.hidden || !location.line)
			location.document = point.document;
		if (!point.hidden) {
			location.line = point.start_line;
			location.column = point.start_column;
			location.end_line = point.end_line;
			location.end_column = point.end_column;
		}
		any = true;
	}
	if (result < 0)
		return result;
	if (!any)
		return MONOCLE__ECMA_E_RANGE;
	*ret_location = location;
	return 0;
}
