/*
 * SPDX-License-Identifier: MIT
 *
 * pdb.c - portable PDBs: opening, identity, documents, methods. Sequence points are in pdb-points.c. Async-safe.
 */
#include "pdb.h"

#include <string.h>

#include "bytes.h"
#include "debug-directory.h"
#include "tables.h"

enum { PDB_HEADER_SIZE = 32, ENTRY_POINT = 20, REFERENCED_TABLES = 24 };

static const char windows_magic[] = "Microsoft C/C++";

enum { ROWS_MAX = 0xFFFFFF }; /* a row number is the lower three bytes of a token */

/* Rows that the image has of a table, as the #Pdb stream says; its counts are in the order of the bits. */
static uint32_t
image_rows (const monocle__ecma_image *metadata, uint32_t table)
{
	monocle__span pdb = { metadata->pdb, metadata->pdb_size }, count;
	uint64_t referenced = monocle__le64 (pdb.data + REFERENCED_TABLES);
	uint64_t before = referenced & ((UINT64_C (1) << table) - 1);
	if (!(referenced >> table & 1) ||
	    !monocle__span_part (pdb, PDB_HEADER_SIZE + 4 * (uint64_t) __builtin_popcountll (before), 4, &count))
		return 0;
	uint32_t rows = monocle__le32 (count.data);
	return rows < ROWS_MAX ? rows : ROWS_MAX;
}

/* Row n of MethodDebugInformation belongs to row n of MethodDef, so that other counts would mean other methods. */
static bool
describes_all_methods (const monocle__ecma_image *metadata)
{
	uint32_t rows = monocle__ecma_rows (metadata, MONOCLE__TABLE_MethodDebugInformation);
	return rows == 0 || rows == image_rows (metadata, MONOCLE__TABLE_MethodDef);
}

int
monocle__pdb_open (monocle__pdb *ret_pdb, const void *data, size_t size)
{
	enum { MAGIC_SIZE = sizeof windows_magic - 1 };
	if (size >= MAGIC_SIZE && memcmp (data, windows_magic, MAGIC_SIZE) == 0)
		return MONOCLE__PDB_E_WINDOWS;
	int error = monocle__ecma_open_metadata (&ret_pdb->metadata, data, size);
	if (error)
		return error;
	if (!ret_pdb->metadata.pdb || !describes_all_methods (&ret_pdb->metadata))
		return MONOCLE__ECMA_E_FORMAT;
	ret_pdb->data = data;
	ret_pdb->size = size;
	ret_pdb->id = ret_pdb->metadata.pdb;
	ret_pdb->entry_point_token = monocle__le32 (ret_pdb->metadata.pdb + ENTRY_POINT);
	return 0;
}

/* --- identity ----------------------------------------------------------------------------------------------------- */

int
monocle__pdb_check_id (const monocle__pdb *pdb, const monocle__ecma_image *image)
{
	monocle__debug_entry entry;
	int result = MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; result && monocle__debug_get (image, i, &entry) == 0; i++) {
		monocle__debug_codeview codeview;
		if (entry.type != MONOCLE__DEBUG_CODEVIEW)
			continue;
		int error = monocle__debug_read_codeview (&entry, &codeview);
		if (error)
			return error;
		if (codeview.portable)
			result = memcmp (codeview.id, pdb->id, sizeof codeview.id) == 0 ? 0 : MONOCLE__PDB_E_UNRELATED;
	}
	return result;
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

int
monocle__pdb_get_document (const monocle__pdb *pdb, uint32_t document, monocle__pdb_document *ret_document)
{
	const monocle__ecma_table *rows = &pdb->metadata.tables[MONOCLE__TABLE_Document];
	if (document - 1 >= rows->rows)
		return MONOCLE__ECMA_E_RANGE;
	uint32_t language = monocle__table_cell (rows, document, MONOCLE__COL_Document_Language);
	uint32_t algorithm = monocle__table_cell (rows, document, MONOCLE__COL_Document_HashAlgorithm);
	uint32_t hash = monocle__table_cell (rows, document, MONOCLE__COL_Document_Hash);
	monocle__pdb_document found = {
		.language = monocle__ecma_guid (&pdb->metadata, language),
		.hash_algorithm = monocle__ecma_guid (&pdb->metadata, algorithm),
	};
	if (hash) {
		int error = monocle__ecma_blob (&pdb->metadata, hash, &found.hash, &found.hash_size);
		if (error)
			return error;
	}
	*ret_document = found;
	return 0;
}

/* Text that is longer than its buffer is counted all the same. */
struct text {
	char *buffer;
	size_t room, length;
};

static void
append (struct text *text, const void *data, size_t size)
{
	if (text->length < text->room) {
		size_t left = text->room - text->length;
		memcpy (text->buffer + text->length, data, size < left ? size : left);
	}
	text->length += size;
}

/* Name (Document table): a separator, one ASCII byte or 0 for none, then offsets of the parts in the blob heap. */
static int
join_parts (const monocle__ecma_image *metadata, monocle__ecma_cursor *name, struct text *text)
{
	uint8_t separator = monocle__ecma_read_byte (name);
	if (separator >= 0x80)
		return MONOCLE__ECMA_E_FORMAT;
	for (bool first = true; name->at != name->end; first = false) {
		const uint8_t *part;
		uint32_t offset = monocle__ecma_read_u (name), size = 0;
		if (name->error)
			return name->error;
		if (!first && separator)
			append (text, &separator, 1);
		int error = offset ? monocle__ecma_blob (metadata, offset, &part, &size) : 0;
		if (error)
			return error;
		if (size)
			append (text, part, size);
		/* Each byte of the name may refer to the largest part of the heap: no name of a file is that long. */
		if (text->length > UINT16_MAX)
			return MONOCLE__ECMA_E_FORMAT;
	}
	return name->error;
}

int
monocle__pdb_document_name (const monocle__pdb *pdb, uint32_t document, char *buffer, size_t size)
{
	const uint8_t *data;
	uint32_t offset, blob_size;
	int error =
	    monocle__ecma_column (&pdb->metadata, MONOCLE__TABLE_Document, document, MONOCLE__COL_Document_Name, &offset);
	if (!error)
		error = monocle__ecma_blob (&pdb->metadata, offset, &data, &blob_size);
	if (error)
		return error;
	struct text text = { .buffer = buffer, .room = size ? size - 1 : 0 };
	monocle__ecma_cursor name = monocle__ecma_cursor_over (data, blob_size);
	error = join_parts (&pdb->metadata, &name, &text);
	if (size)
		buffer[error ? 0 : text.length < size ? text.length : size - 1] = 0;
	return error ? error : (int) text.length;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static uint32_t
method_rid (uint32_t token)
{
	return token >> 24 == MONOCLE__TABLE_MethodDef ? token & 0xFFFFFF : 0;
}

uint32_t
monocle__pdb_kickoff (const monocle__pdb *pdb, uint32_t move_next_token)
{
	uint32_t rid = method_rid (move_next_token), kickoff;
	uint32_t row = rid ? monocle__table_find (&pdb->metadata, MONOCLE__TABLE_StateMachineMethod,
	                                          MONOCLE__COL_StateMachineMethod_MoveNextMethod, rid, 1)
	                   : 0;
	if (!row)
		return 0;
	kickoff = monocle__table_cell (&pdb->metadata.tables[MONOCLE__TABLE_StateMachineMethod], row,
	                               MONOCLE__COL_StateMachineMethod_KickoffMethod);
	return kickoff && kickoff <= image_rows (&pdb->metadata, MONOCLE__TABLE_MethodDef)
	         ? MONOCLE__TABLE_MethodDef << 24 | kickoff
	         : 0;
}

/* GUIDs as they lie in the file. */
static const uint8_t kind_awaits[16] = { 0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9, 0x1a, 0x40,
	                                     0x9c, 0x2a, 0xf9, 0x4f, 0x17, 0x10, 0x72, 0xf8 };

/* The row of CustomDebugInformation that says this of the method, 0 for none. */
static uint32_t
find_custom (const monocle__pdb *pdb, uint32_t method_token, const uint8_t kind[16])
{
	const monocle__ecma_table *rows = &pdb->metadata.tables[MONOCLE__TABLE_CustomDebugInformation];
	uint32_t parent = monocle__coded_value (MONOCLE__CODED_HasCustomDebugInformation, method_token);
	uint32_t row = 0;
	do {
		row = monocle__table_find (&pdb->metadata, MONOCLE__TABLE_CustomDebugInformation,
		                           MONOCLE__COL_CustomDebugInformation_Parent, parent, row + 1);
		const uint8_t *guid =
		    row ? monocle__ecma_guid (&pdb->metadata,
		                              monocle__table_cell (rows, row, MONOCLE__COL_CustomDebugInformation_Kind))
		        : NULL;
		if (guid && memcmp (guid, kind, 16) == 0)
			return row;
	} while (row);
	return 0;
}

int
monocle__pdb_awaits_of (const monocle__pdb *pdb, uint32_t move_next_token, monocle__pdb_awaits *ret_awaits)
{
	const uint8_t *data;
	uint32_t size, row = method_rid (move_next_token) ? find_custom (pdb, move_next_token, kind_awaits) : 0;
	if (!row || monocle__ecma_blob (&pdb->metadata,
	                                monocle__table_cell (&pdb->metadata.tables[MONOCLE__TABLE_CustomDebugInformation],
	                                                     row, MONOCLE__COL_CustomDebugInformation_Value),
	                                &data, &size))
		return MONOCLE__ECMA_E_RANGE;
	if (size < 4)
		return MONOCLE__ECMA_E_RANGE;
	ret_awaits->cursor = monocle__ecma_cursor_over (data + 4, size - 4); /* the first number is a handler's */
	return 0;
}

static uint32_t
read_u32 (monocle__ecma_cursor *cursor)
{
	uint32_t value = 0;
	for (int i = 0; i < 4; i++)
		value |= (uint32_t) monocle__ecma_read_byte (cursor) << 8 * i;
	return value;
}

bool
monocle__pdb_next_await (monocle__pdb_awaits *awaits, uint32_t *ret_yield, uint32_t *ret_resume)
{
	uint32_t yield = read_u32 (&awaits->cursor), resume = read_u32 (&awaits->cursor);
	monocle__ecma_read_u (&awaits->cursor); /* of MoveNext itself */
	if (awaits->cursor.error)
		return false;
	*ret_yield = yield;
	*ret_resume = resume;
	return true;
}

void
monocle__pdb_scopes_of (const monocle__pdb *pdb, uint32_t method_token, uint32_t *ret_first, uint32_t *ret_end)
{
	const monocle__ecma_table *scopes = &pdb->metadata.tables[MONOCLE__TABLE_LocalScope];
	uint32_t rid = method_rid (method_token);
	uint32_t first =
	    rid ? monocle__table_find (&pdb->metadata, MONOCLE__TABLE_LocalScope, MONOCLE__COL_LocalScope_Method, rid, 1)
	        : 0;
	uint32_t end = first;
	while (end && end <= scopes->rows && monocle__table_cell (scopes, end, MONOCLE__COL_LocalScope_Method) == rid)
		end++;
	*ret_first = first;
	*ret_end = end;
}

/* A run of rows of `target` that a column of a scope begins and the next scope's ends, cut to rows that exist. */
static void
scope_run (const monocle__pdb *pdb, uint32_t row, uint32_t column, uint32_t target, uint32_t *ret_first,
           uint32_t *ret_end)
{
	const monocle__ecma_table *scopes = &pdb->metadata.tables[MONOCLE__TABLE_LocalScope];
	uint32_t limit = pdb->metadata.tables[target].rows + 1;
	uint32_t first = monocle__table_cell (scopes, row, column);
	uint32_t end = row < scopes->rows ? monocle__table_cell (scopes, row + 1, column) : limit;
	if (end > limit)
		end = limit;
	if (first < 1 || first > end)
		first = end = 1;
	*ret_first = first;
	*ret_end = end;
}

int
monocle__pdb_get_scope (const monocle__pdb *pdb, uint32_t row, monocle__pdb_scope *ret_scope)
{
	const monocle__ecma_table *scopes = &pdb->metadata.tables[MONOCLE__TABLE_LocalScope];
	if (row - 1 >= scopes->rows)
		return MONOCLE__ECMA_E_RANGE;
	uint32_t start = monocle__table_cell (scopes, row, MONOCLE__COL_LocalScope_StartOffset);
	uint32_t length = monocle__table_cell (scopes, row, MONOCLE__COL_LocalScope_Length);
	if (length > UINT32_MAX - start)
		return MONOCLE__ECMA_E_FORMAT;
	ret_scope->start = start;
	ret_scope->end = start + length;
	scope_run (pdb, row, MONOCLE__COL_LocalScope_VariableList, MONOCLE__TABLE_LocalVariable, &ret_scope->first_variable,
	           &ret_scope->end_variable);
	scope_run (pdb, row, MONOCLE__COL_LocalScope_ConstantList, MONOCLE__TABLE_LocalConstant, &ret_scope->first_constant,
	           &ret_scope->end_constant);
	return 0;
}

int
monocle__pdb_get_variable (const monocle__pdb *pdb, uint32_t row, monocle__pdb_variable *ret_variable)
{
	const monocle__ecma_table *variables = &pdb->metadata.tables[MONOCLE__TABLE_LocalVariable];
	if (row - 1 >= variables->rows)
		return MONOCLE__ECMA_E_RANGE;
	uint32_t name = monocle__table_cell (variables, row, MONOCLE__COL_LocalVariable_Name);
	const char *text = monocle__ecma_string (&pdb->metadata, name);
	if (!text)
		return MONOCLE__ECMA_E_FORMAT;
	ret_variable->name = text;
	ret_variable->slot = monocle__table_cell (variables, row, MONOCLE__COL_LocalVariable_Index);
	ret_variable->hidden = monocle__table_cell (variables, row, MONOCLE__COL_LocalVariable_Attributes) & 1;
	return 0;
}
