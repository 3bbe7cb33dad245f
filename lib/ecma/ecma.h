/*
 * SPDX-License-Identifier: MIT
 *
 * ecma.h - reading ECMA-335 images: PE and metadata root, tables, heaps, signatures.
 *
 * Everything reads bytes that the caller maps and keeps mapped. Nothing here allocates, locks, or calls a runtime,
 * so every function may run in a signal handler. Every offset and length is checked against the mapping: malformed
 * input is a negative answer, never a wild read. Clause numbers refer to ECMA-335, 6th edition, partition II.
 */
#ifndef MONOCLE_ECMA_H
#define MONOCLE_ECMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MONOCLE__ECMA_OK = 0,
	MONOCLE__ECMA_E_TRUNCATED = -1, /* a structure runs past the end */
	MONOCLE__ECMA_E_FORMAT = -2,    /* a magic, a count or an encoding is wrong */
	MONOCLE__ECMA_E_RANGE = -3,     /* a row, an offset or a column that is not there */
};

/* Table numbers, column kinds and names come from tables.def; a column is addressed as MONOCLE__COL_TypeDef_Name. */
enum { MONOCLE__TABLE_COUNT = 64, MONOCLE__COLUMN_MAX = 9 };

typedef struct {
	uint32_t rows, row_size;
	const uint8_t *data;
	uint8_t column_offset[MONOCLE__COLUMN_MAX], column_size[MONOCLE__COLUMN_MAX], columns;
} monocle__ecma_table;

/* A read-only view of one image; plain data, no ownership. Built once, then read by any thread. */
typedef struct {
	const uint8_t *base; /* the PE, or NULL when only metadata was given */
	size_t size;
	bool mapped;             /* sections are at their RVAs (loaded image), not at their file offsets */
	const uint8_t *sections; /* PE section headers */
	uint32_t section_count;
	uint32_t headers_size; /* SizeOfHeaders: below it RVAs are file offsets */
	uint32_t cli_flags, entry_point_token;
	uint32_t debug_rva, debug_size; /* the debug directory; 0 when there is none (debug-directory.h) */
	const uint8_t *metadata;        /* the BSJB root */
	size_t metadata_size;
	const char *strings; /* the heaps: #Strings, #Blob, #GUID, #US */
	uint32_t strings_size;
	const uint8_t *blobs;
	uint32_t blobs_size;
	const uint8_t *guids;
	uint32_t guids_size;
	const uint8_t *user_strings;
	uint32_t user_strings_size;
	const uint8_t *pdb; /* the #Pdb stream of a portable PDB, NULL in an image (pdb.h) */
	uint32_t pdb_size;
	monocle__ecma_table tables[MONOCLE__TABLE_COUNT];
	uint64_t sorted;         /* one bit per table whose rows may be searched by halves */
	bool is_readytorun;      /* a managed native header with the RTR signature is present */
	uint32_t readytorun_rva; /* where it is (r2r.h) */
	uint16_t machine;        /* as in the COFF header */
} monocle__ecma_image;

/* Opens a PE image. `mapped`: laid out by RVA. Returns 0 or a negative code; *ret_image is defined only on 0. */
int monocle__ecma_open_pe (monocle__ecma_image *ret_image, const void *base, size_t size, bool mapped);
/* The same over a bare metadata root (edit-and-continue, tests). */
int monocle__ecma_open_metadata (monocle__ecma_image *ret_image, const void *metadata, size_t size);
/* Size of a PE image in memory as its header says (SizeOfImage), or 0: for bases whose mapping size is not known. */
size_t monocle__ecma_mapped_size (const void *base);
/* Size of a PE file as its section headers say (the end of the last raw section), or 0: for files mapped flat. */
size_t monocle__ecma_flat_size (const void *base);

/* Bytes at an RVA: NULL when in no section. *ret_available is how many follow in the section. */
const uint8_t *monocle__ecma_rva (const monocle__ecma_image *image, uint32_t rva, size_t *ret_available);

uint32_t monocle__ecma_rows (const monocle__ecma_image *image, uint32_t table);
/* One column of one row (1-based rid): a heap offset, the rid of an index column, the raw value of a coded one. */
int monocle__ecma_column (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column,
                          uint32_t *ret_value);
/* First rid at or after `from` (1: of all) whose cell is `value`, 0: none. Fast where the table is sorted so. */
uint32_t monocle__ecma_find (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t value,
                             uint32_t from);
/* The same for a coded column of the given kind, and a token. */
uint32_t monocle__ecma_find_token (const monocle__ecma_image *image, uint32_t table, uint32_t column, uint32_t kind,
                                   uint32_t token, uint32_t from);
/* The run [first, end) that a list column names: cut to rows that exist, empty when it contradicts itself. */
void monocle__ecma_list (const monocle__ecma_image *image, uint32_t table, uint32_t rid, uint32_t column,
                         uint32_t target, uint32_t *ret_first, uint32_t *ret_end);
/* A coded index as a token; 0 when its tag is reserved or its row is 0. `kind`: MONOCLE__CODED_TypeDefOrRef ... */
uint32_t monocle__ecma_coded_token (uint32_t kind, uint32_t value);
/* NUL-terminated string of the #Strings heap; NULL when out of range or unterminated. */
const char *monocle__ecma_string (const monocle__ecma_image *image, uint32_t offset);
int monocle__ecma_blob (const monocle__ecma_image *image, uint32_t offset, const uint8_t **ret_data,
                        uint32_t *ret_size);
/* The same of the #US heap: UTF-16, and a last byte that says whether a character is special. */
int monocle__ecma_user_string (const monocle__ecma_image *image, uint32_t offset, const uint8_t **ret_data,
                               uint32_t *ret_size);
const uint8_t *monocle__ecma_guid (const monocle__ecma_image *image, uint32_t index);

/* --- rows people ask for; each is a few columns resolved ---------------------------------------------------------- */

/* Tokens are 0 for nothing. Runs of members are [first, end), cut to rows that exist; a contradictory one is empty. */
typedef struct {
	const char *name, *name_space;
	uint32_t flags, extends_token;
	uint32_t first_field, end_field, first_method, end_method;
	uint32_t enclosing_token, generic_params;
} monocle__ecma_typedef;

typedef struct {
	const char *name;
	uint32_t rva, iflags, flags;
	uint32_t signature; /* offset in the blob heap */
} monocle__ecma_methoddef;

typedef struct {
	const char *name;
	uint16_t version[4];
	uint32_t flags;
	const char *culture;
	const uint8_t *public_key; /* NULL when there is none */
	uint32_t public_key_size;
} monocle__ecma_assembly;

int monocle__ecma_get_typedef (const monocle__ecma_image *image, uint32_t token, monocle__ecma_typedef *ret);
/* The columns of the row; its class and generic parameters are searched for by the functions below. */
int monocle__ecma_get_methoddef (const monocle__ecma_image *image, uint32_t token, monocle__ecma_methoddef *ret);
int monocle__ecma_get_assembly (const monocle__ecma_image *image, monocle__ecma_assembly *ret);
/* AssemblyRef by rid: the same shape; public_key holds the key or token as stored. */
int monocle__ecma_get_assemblyref (const monocle__ecma_image *image, uint32_t rid, monocle__ecma_assembly *ret);
/* TypeRef: names and the resolution scope token (Module, ModuleRef, AssemblyRef or TypeRef). */
int monocle__ecma_get_typeref (const monocle__ecma_image *image, uint32_t token, const char **ret_name,
                               const char **ret_namespace, uint32_t *ret_scope);
/* Token of the type that declares methoddef `token` (binary search over TypeDef.MethodList), 0 when none. */
uint32_t monocle__ecma_method_owner (const monocle__ecma_image *image, uint32_t token);
/* The same for a field. */
uint32_t monocle__ecma_field_owner (const monocle__ecma_image *image, uint32_t token);
/* Type that encloses typedef `token`, 0 when none (by halves over NestedClass). Its rid is smaller: climbing ends. */
uint32_t monocle__ecma_enclosing (const monocle__ecma_image *image, uint32_t token);
/* Number of generic parameters of a typedef or methoddef token; name of one. */
uint32_t monocle__ecma_generic_params (const monocle__ecma_image *image, uint32_t token);
const char *monocle__ecma_generic_param_name (const monocle__ecma_image *image, uint32_t token, uint32_t index);
/* TypeDef by namespace (NULL is "") and name (top level only), 0 when there is none. Linear. */
uint32_t monocle__ecma_find_typedef (const monocle__ecma_image *image, const char *name_space, const char *name);
/* MVID as "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX" upper case; buffer of 37. */
int monocle__ecma_mvid (const monocle__ecma_image *image, char buffer[37]);
/* Public key -> token (the last 8 bytes of SHA-1, reversed). 8 bytes are taken as a token already; no key: zeros. */
void monocle__ecma_public_key_token (const uint8_t *key, uint32_t size, uint8_t ret_token[8]);

/* --- signatures (II.23.2): a cursor that reports what it meets ---------------------------------------------------- */

typedef struct {
	const uint8_t *at, *end;
	int error;
} monocle__ecma_cursor;

monocle__ecma_cursor monocle__ecma_cursor_over (const uint8_t *data, uint32_t size);
/* Compressed unsigned and signed (II.23.2), a TypeDefOrRefOrSpec, a byte. Malformed: 0, and cursor->error for good. */
uint32_t monocle__ecma_read_u (monocle__ecma_cursor *cursor);
int32_t monocle__ecma_read_s (monocle__ecma_cursor *cursor);
uint32_t monocle__ecma_read_type_token (monocle__ecma_cursor *cursor);
uint8_t monocle__ecma_read_byte (monocle__ecma_cursor *cursor);
uint8_t monocle__ecma_peek_byte (const monocle__ecma_cursor *cursor);
/* Skips the custom modifiers before a type (II.23.2.7). */
void monocle__ecma_skip_modifiers (monocle__ecma_cursor *cursor);
/* Skips one whole type, modifiers included. Bounded in depth. */
void monocle__ecma_skip_type (monocle__ecma_cursor *cursor);
/* Skips one method signature (MethodDef, MethodRef or stand-alone), or one signature blob of any kind but TypeSpec. */
void monocle__ecma_skip_method (monocle__ecma_cursor *cursor);
void monocle__ecma_skip_signature (monocle__ecma_cursor *cursor);

/* Writing compressed numbers: returns the bytes written (1, 2 or 4), 0 when value >= 2^29. */
uint32_t monocle__ecma_write_u (uint8_t *out, uint32_t value);
uint32_t monocle__ecma_write_type_token (uint8_t *out, uint32_t token);

/* Element types (II.23.1.16) as enumerators MONOCLE__ET_VOID ... come from element_types.def. */
#include "ecma-tables.h"

#endif
