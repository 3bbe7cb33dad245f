/*
 * SPDX-License-Identifier: MIT
 *
 * debug-directory.h - what an image says about its symbols (PE format 6.1.1, "PE/COFF debug directory" of .NET).
 *
 * Everything is async-safe and points into the image.
 */
#ifndef MONOCLE_ECMA_DEBUG_DIRECTORY_H
#define MONOCLE_ECMA_DEBUG_DIRECTORY_H

#include "ecma.h"

enum {
	MONOCLE__DEBUG_CODEVIEW = 2,
	MONOCLE__DEBUG_REPRODUCIBLE = 16, /* the same sources make the same bytes: stamps are not times */
	MONOCLE__DEBUG_EMBEDDED = 17,
};

typedef struct {
	uint32_t type, stamp;
	uint16_t major, minor;
	const uint8_t *data; /* NULL when there is none, or when it lies outside of what is mapped */
	uint32_t size;
} monocle__debug_entry;

typedef struct {
	uint8_t id[20]; /* GUID and stamp, as a portable PDB has it */
	uint32_t age;
	bool portable;    /* false: of a Windows PDB, which is known by GUID and age */
	const char *path; /* where the compiler put the file, UTF-8 with either slash; NUL-terminated */
} monocle__debug_codeview;

/*
 * 0, or RANGE after the last entry. An image that was opened from bare metadata has no entries, and so has one whose
 * directory is not mapped.
 */
int monocle__debug_get (const monocle__ecma_image *image, uint32_t index, monocle__debug_entry *ret_entry);
/* The first entry of a type, or RANGE. */
int monocle__debug_find (const monocle__ecma_image *image, uint32_t type, monocle__debug_entry *ret_entry);

/* These read an entry's data: 0, RANGE when it is of another type, FORMAT or TRUNCATED when it is broken. */
int monocle__debug_read_codeview (const monocle__debug_entry *entry, monocle__debug_codeview *ret_codeview);
/* The last component of a path of either kind of system: what to look for beside the image. */
const char *monocle__debug_file_name (const char *path);
/* The packed file (raw deflate) and its size when unpacked. */
int monocle__debug_read_embedded (const monocle__debug_entry *entry, const uint8_t **ret_packed,
                                  uint32_t *ret_packed_size, uint32_t *ret_size);

#endif
