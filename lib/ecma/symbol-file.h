/*
 * SPDX-License-Identifier: MIT
 *
 * symbol-file.h - the symbols of an image, of whichever kind: found, checked, and asked.
 *
 * Normal context: files are read and memory is allocated.
 */
#ifndef MONOCLE_ECMA_SYMBOL_FILE_H
#define MONOCLE_ECMA_SYMBOL_FILE_H

#include "mdb.h"
#include "pdb.h"

typedef enum { MONOCLE__SYMBOLS_NONE, MONOCLE__SYMBOLS_PDB, MONOCLE__SYMBOLS_MDB } monocle__symbol_kind;

/* Read-only once it is open, for any number of threads. */
typedef struct {
	monocle__symbol_kind kind;
	monocle__pdb pdb;
	monocle__mdb mdb;
	uint8_t *data; /* what they read */
	char *path;    /* for messages; NULL without memory */
	uint32_t document_count;
} monocle__symbol_file;

enum { MONOCLE__SYMBOL_COMPLAINT = 4096 + 256 };

/*
 * Looks for the symbols of an image that was read from `filename` ("" for one that came from memory): inside it, beside
 * it, and where its debug directory says. False: there are none, *ret_file is one that knows nothing, and `complaint`
 * says "PATH: WHY" of the first candidate that was there and could not be used, "" when there was none.
 */
bool monocle__symbol_file_find (monocle__symbol_file *ret_file, const monocle__ecma_image *image, const char *filename,
                                char complaint[MONOCLE__SYMBOL_COMPLAINT]);
/*
 * Looks at the head of an image's file only: false where monocle__symbol_file_find () would find nothing, as with most
 * libraries of a runtime, whose files are large.
 */
bool monocle__symbol_file_is_likely (const char *filename);
/* A portable PDB or an .mdb in memory, which is taken over, also on failure. */
bool monocle__symbol_file_take (monocle__symbol_file *ret_file, const monocle__ecma_image *image, const char *called,
                                uint8_t *data, size_t size, char complaint[MONOCLE__SYMBOL_COMPLAINT]);
void monocle__symbol_file_done (monocle__symbol_file *file);

/*
 * A regular file as a whole; the caller frees. NULL: *ret_reason says why, NULL when nothing is there. Never waits, and
 * never opens a device.
 */
uint8_t *monocle__symbol_file_read (const char *path, size_t *ret_size, const char **ret_reason);

/* The name of a document; the caller frees. NULL: there is none, or no memory. */
char *monocle__symbol_file_document (const monocle__symbol_file *file, uint32_t number);

/* As monocle__pdb_locate () and monocle__mdb_locate (). */
int monocle__symbol_file_locate (const monocle__symbol_file *file, uint32_t token, uint32_t il_offset,
                                 monocle__source_location *ret_location);

/* A walk over the points of one method; as those of pdb.h and mdb.h. */
typedef struct {
	monocle__symbol_kind kind;
	monocle__pdb_points pdb;
	monocle__mdb_points mdb;
} monocle__symbol_points;

int monocle__symbol_file_points (const monocle__symbol_file *file, uint32_t token, monocle__symbol_points *ret_points);
int monocle__symbol_file_next (monocle__symbol_points *points, monocle__source_point *ret_point);

#endif
