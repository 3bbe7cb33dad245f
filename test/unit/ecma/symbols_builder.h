/*
 * SPDX-License-Identifier: MIT
 *
 * symbols_builder.h - writes symbol files, debug directories and attributes byte by byte, for tests of what reads them.
 */
#ifndef MONOCLE_TEST_ECMA_SYMBOLS_BUILDER_H
#define MONOCLE_TEST_ECMA_SYMBOLS_BUILDER_H

#include "builder.h"

/* Bytes 1 to 16 and the stamp 0x44332211: the id of every file here. */
extern const uint8_t symbols_id[20];

/*
 * A portable PDB for the three methods of "house" (builder.h).
 *   documents  1 "/src/a.cs" with a hash, 2 "b.cs", 3 of a name that cannot be read
 *   Run        0: 1 10,5-10,8   3: hidden   7: 1 12,3-14,1   9: 2 1,1-1,20
 *              scopes [0, 20) with x in slot 0 and y, hidden, in slot 1; [5, 10) with z in slot 0
 *   Stop       nothing
 *   Main       2: hidden   5: 2 4,1-4,2; MoveNext of Run; scope [0, 8)
 */
struct bytes build_pdb (void);
/* The same with other points of Run: the bytes behind the signature of the locals. */
struct bytes build_pdb_with_points (const void *points, size_t size);

/*
 * An .mdb for "house": sources 1 "/src/a.cs", 2 "b.cs".
 *   Run   0: 1 10   4: 1 11   8: 2 11   38: 2 5; x in slot 0, y in slot 1 and block 1, [3, 9)
 *   Main  2: none   3: 1 7, hidden
 */
struct bytes build_mdb (void);
/* The same with another program for Run. */
struct bytes build_mdb_with_program (const void *program, size_t size);

struct debug_row {
	uint32_t type, stamp;
	uint16_t major, minor;
	struct bytes data;
};

/* Puts a directory and its data behind the section of a flat image made by build_pe; frees the data. */
void add_debug_directory (struct bytes *pe, struct debug_row *rows, size_t count);
/* Rows for a file: its name and id, and the file itself packed. */
struct debug_row codeview_row (const char *path);
struct debug_row embedded_row (const struct bytes *pdb);
/* "house" with both, and with two rows that hold nothing. */
struct bytes build_pe_with_symbols (void);

/*
 * Metadata with a class N.Marker and its constructor of the given signature, behind HASTHIS, and with attributes on it.
 *   types       N.Marker, N.Small an enum of U1, Marker/Inner an enum of I2; assembly "own"
 *   references  1 System.Type, 2 Else.Enum, 3 Else.Generic`1
 *   attributes  1 of N.Marker by its constructor, 2 of Generic<I4, string[]> by a reference with the same signature
 */
struct bytes build_attributes (const void *signature, size_t signature_size, const void *value, size_t value_size);

#endif
