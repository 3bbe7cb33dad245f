/*
 * SPDX-License-Identifier: MIT
 *
 * mdb.h - the symbol files of Mono's own compiler: NAME.exe.mdb beside NAME.exe.
 *
 * Reads bytes that the caller keeps mapped. Nothing here allocates or calls a runtime; everything is async-safe.
 * Negative codes are those of ecma.h.
 */
#ifndef MONOCLE_ECMA_MDB_H
#define MONOCLE_ECMA_MDB_H

#include "ecma.h"
#include "source-point.h"

/* A read-only view of one file; plain data, no ownership. Built once, then read by any thread. */
typedef struct {
	const uint8_t *data;
	size_t size;
	const uint8_t *guid;              /* the MVID of the image */
	const uint8_t *sources, *methods; /* their tables */
	uint32_t source_count, method_count;
	uint32_t line_range, opcode_base; /* of the line programs */
	int32_t line_base;
} monocle__mdb;

/* 0 or a negative code; *ret_mdb is defined only on 0. Versions but 50.0 are FORMAT. */
int monocle__mdb_open (monocle__mdb *ret_mdb, const void *data, size_t size);
/* Whether the file describes this image. */
bool monocle__mdb_matches (const monocle__mdb *mdb, const monocle__ecma_image *image);

/* Documents are numbered 1 to mdb->source_count. The name is UTF-8 without a NUL. */
int monocle__mdb_document_name (const monocle__mdb *mdb, uint32_t document, const char **ret_name, uint32_t *ret_size);

/* A walk over the points of one method, in the order of the file: offsets ascend, but may repeat. */
typedef struct {
	const monocle__mdb *mdb;
	const uint8_t *at, *end;
	uint32_t il_offset, document;
	int32_t line;
	bool hidden, ended;
} monocle__mdb_points;

/* 0; RANGE when the file knows no such method. */
int monocle__mdb_points_of (const monocle__mdb *mdb, uint32_t method_token, monocle__mdb_points *ret_points);
/*
 * 1 and a point, 0 at the end, negative where the program breaks off. Columns and ends are 0. A hidden point may have a
 * line even so, for which Mono takes it all the same.
 */
int monocle__mdb_next_point (monocle__mdb_points *points, monocle__source_point *ret_point);
/* 0, RANGE when no point with a line is at or before the offset, or what the two above answer. */
int monocle__mdb_locate (const monocle__mdb *mdb, uint32_t method_token, uint32_t il_offset,
                         monocle__source_location *ret_location);

/* --- locals ------------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *name; /* UTF-8, not terminated */
	uint32_t name_size;
	uint32_t slot;  /* in the signature of the locals */
	uint32_t block; /* from 1; 0: the whole method */
} monocle__mdb_local;

typedef struct {
	uint32_t kind;       /* 1: of the source, 2: the compiler's own, 3 and 4: of iterators */
	uint32_t parent;     /* from 1; 0: none */
	uint32_t start, end; /* IL offsets */
} monocle__mdb_block;

/* By number from 0. 0; RANGE when the method has no more; TRUNCATED or FORMAT for a damaged list. */
int monocle__mdb_get_local (const monocle__mdb *mdb, uint32_t method_token, uint32_t index,
                            monocle__mdb_local *ret_local);
int monocle__mdb_get_block (const monocle__mdb *mdb, uint32_t method_token, uint32_t index,
                            monocle__mdb_block *ret_block);

#endif
