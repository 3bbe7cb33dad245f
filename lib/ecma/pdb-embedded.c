/*
 * SPDX-License-Identifier: MIT
 *
 * pdb-embedded.c - portable PDBs inside of images, packed by deflate. Calls zlib, which allocates: not async-safe.
 */
#include <stdlib.h>
#include <zlib.h>

#include "debug-directory.h"
#include "il.h"
#include "pdb.h"

enum {
	SIZE_MAX_UNPACKED = 512 << 20,
	RATIO_MAX = 1032, /* deflate: 258 bytes of a match in two bits, at best */
};

struct packed {
	const uint8_t *data;
	uint32_t size, unpacked_size;
};

/* A size that these bytes cannot unpack to is refused before anybody allocates it. */
static int
find_packed (const monocle__ecma_image *image, struct packed *ret)
{
	monocle__debug_entry entry;
	int error = monocle__debug_find (image, MONOCLE__DEBUG_EMBEDDED, &entry);
	if (!error)
		error = monocle__debug_read_embedded (&entry, &ret->data, &ret->size, &ret->unpacked_size);
	if (error)
		return error;
	if (ret->unpacked_size > SIZE_MAX_UNPACKED || ret->unpacked_size / RATIO_MAX > ret->size)
		return MONOCLE__ECMA_E_FORMAT;
	return 0;
}

static int
unpack (const struct packed *packed, uint8_t *buffer)
{
	z_stream stream = {
		.next_in = (Bytef *) (uintptr_t) packed->data,
		.avail_in = packed->size,
		.next_out = buffer,
		.avail_out = packed->unpacked_size,
	};
	/* Negative window bits: no zlib header. */
	if (inflateInit2 (&stream, -MAX_WBITS) != Z_OK)
		return MONOCLE__IL_E_NO_MEMORY;
	int result = inflate (&stream, Z_FINISH);
	inflateEnd (&stream);
	if (result == Z_MEM_ERROR)
		return MONOCLE__IL_E_NO_MEMORY;
	return result == Z_STREAM_END && stream.avail_out == 0 ? 0 : MONOCLE__ECMA_E_FORMAT;
}

int
monocle__pdb_load_embedded (const monocle__ecma_image *image, uint8_t **ret_data, size_t *ret_size)
{
	struct packed packed;
	int error = find_packed (image, &packed);
	if (error)
		return error;
	uint8_t *data = malloc (packed.unpacked_size);
	if (!data)
		return MONOCLE__IL_E_NO_MEMORY;
	error = unpack (&packed, data);
	if (error) {
		free (data);
		return error;
	}
	*ret_data = data;
	*ret_size = packed.unpacked_size;
	return 0;
}
