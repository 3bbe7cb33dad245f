/*
 * SPDX-License-Identifier: MIT
 *
 * pdb.h - Portable PDB: documents, sequence points, state machines, names of locals.
 *
 * Format: the Portable PDB v1.0 specification of the .NET runtime's documentation, on ECMA-335 II.24. Reads bytes that
 * the caller keeps mapped. Unless a comment says otherwise nothing here allocates or calls a runtime, and everything is
 * async-safe. Negative codes are those of ecma.h, and two more.
 */
#ifndef MONOCLE_ECMA_PDB_H
#define MONOCLE_ECMA_PDB_H

#include "ecma.h"
#include "source-point.h"

enum {
	MONOCLE__PDB_E_WINDOWS = -5,   /* the older format, which only Windows writes */
	MONOCLE__PDB_E_UNRELATED = -6, /* of another image, or of another build of it, or changed since */
};

enum { MONOCLE__PDB_ID_SIZE = 20 /* GUID and stamp */ };

/* A read-only view of one file; plain data, no ownership. Built once, then read by any thread. */
typedef struct {
	monocle__ecma_image metadata; /* tables 0x30 to 0x37 */
	const uint8_t *data;
	size_t size;
	const uint8_t *id;
	uint32_t entry_point_token;
} monocle__pdb;

/* 0 or a negative code; *ret_pdb is defined only on 0. */
int monocle__pdb_open (monocle__pdb *ret_pdb, const void *data, size_t size);
/*
 * Whether the file describes this image: its id must be that of a portable CodeView entry. 0, UNRELATED, RANGE when the
 * image has no such entry, or what is wrong with the debug directory.
 */
int monocle__pdb_check_id (const monocle__pdb *pdb, const monocle__ecma_image *image);
/* --- embedded files (pdb-embedded.c): these call zlib, which allocates; not async-safe ---------------------------- */

/*
 * Unpacks the file that an image embeds into memory that the caller frees with free (). 0, RANGE when it embeds none,
 * FORMAT, or MONOCLE__IL_E_NO_MEMORY; *ret_data and *ret_size are untouched on failure.
 */
int monocle__pdb_load_embedded (const monocle__ecma_image *image, uint8_t **ret_data, size_t *ret_size);

/* --- documents ---------------------------------------------------------------------------------------------------- */

/* Pointers are NULL and sizes 0 for what the file does not say. GUIDs have 16 bytes. */
typedef struct {
	const uint8_t *language, *hash_algorithm, *hash;
	uint32_t hash_size;
} monocle__pdb_document;

/* Documents are numbered 1 to monocle__ecma_rows (&pdb->metadata, MONOCLE__TABLE_Document). */
int monocle__pdb_get_document (const monocle__pdb *pdb, uint32_t document, monocle__pdb_document *ret_document);
/*
 * Joins the parts of the name, UTF-8 as stored. Returns its length, however small the buffer is, or a negative code;
 * writes as much as fits and a NUL, nothing when `size` is 0.
 */
int monocle__pdb_document_name (const monocle__pdb *pdb, uint32_t document, char *buffer, size_t size);

/* --- sequence points ---------------------------------------------------------------------------------------------- */

/* A walk over the points of one method, in ascending order of offsets. */
typedef struct {
	const monocle__pdb *pdb;
	monocle__ecma_cursor cursor;
	uint32_t il_offset, document, line, column; /* what the next record counts from */
	bool any, any_visible;
} monocle__pdb_points;

/* 0; RANGE when there is no such method, or no points for it; FORMAT, TRUNCATED for a blob that cannot begin so. */
int monocle__pdb_points_of (const monocle__pdb *pdb, uint32_t method_token, monocle__pdb_points *ret_points);
/* 1 and a point, 0 at the end, negative where the blob breaks off: what came before is right. */
int monocle__pdb_next_point (monocle__pdb_points *points, monocle__source_point *ret_point);
/* 0, or what monocle__pdb_points_of and monocle__pdb_next_point answer. An offset before the first point is its. */
int monocle__pdb_locate (const monocle__pdb *pdb, uint32_t method_token, uint32_t il_offset,
                         monocle__source_location *ret_location);

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* The method that people wrote whose body went into this MoveNext (async, iterators); 0 when it is none. */
uint32_t monocle__pdb_kickoff (const monocle__pdb *pdb, uint32_t move_next_token);

/* A walk over the places where an async method gives way, in the order of the code. */
typedef struct {
	monocle__ecma_cursor cursor;
} monocle__pdb_awaits;

/* 0; RANGE when the file says nothing of such places in this method. */
int monocle__pdb_awaits_of (const monocle__pdb *pdb, uint32_t move_next_token, monocle__pdb_awaits *ret_awaits);
/* Where it gives way and where it goes on, as IL offsets. False at the end, and where the blob breaks off. */
bool monocle__pdb_next_await (monocle__pdb_awaits *awaits, uint32_t *ret_yield, uint32_t *ret_resume);

/* Variables and constants that live in [start, end) of a method's code. Runs are [first, end), of rows that exist. */
typedef struct {
	uint32_t start, end, first_variable, end_variable, first_constant, end_constant;
} monocle__pdb_scope;

typedef struct {
	const char *name;
	uint32_t slot; /* in the signature of the locals */
	bool hidden;   /* not for debuggers' users */
} monocle__pdb_variable;

/* Scopes of a method are a run of rows; outer ones come first. Both are 0 when there are none. */
void monocle__pdb_scopes_of (const monocle__pdb *pdb, uint32_t method_token, uint32_t *ret_first, uint32_t *ret_end);
int monocle__pdb_get_scope (const monocle__pdb *pdb, uint32_t row, monocle__pdb_scope *ret_scope);
int monocle__pdb_get_variable (const monocle__pdb *pdb, uint32_t row, monocle__pdb_variable *ret_variable);
#endif
