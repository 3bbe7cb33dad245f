/*
 * SPDX-License-Identifier: MIT
 *
 * metadata.c - the metadata root, its streams and heaps (ECMA-335 II.24.2).
 *
 * Async-safe: reads the mapped bytes and the image only.
 */
#include "metadata.h"

#include <string.h>

#include "tables.h"

enum { ROOT_MAGIC = 0x424A5342, STREAM_NAME_MAX = 32 };

struct stream {
	char name[STREAM_NAME_MAX + 1];
	monocle__span data;
	bool inside; /* false: the header points outside the metadata */
};

/* What the root's stream headers led to. */
struct streams {
	monocle__span tables;
	bool has_tables, is_delta;
};

static uint64_t
round_up_4 (uint64_t value)
{
	return (value + 3) & ~UINT64_C (3);
}

/* Offset of the first stream header and their number. */
static int
read_root (monocle__span metadata, uint64_t *ret_at, uint32_t *ret_count)
{
	if (metadata.size < 16)
		return MONOCLE__ECMA_E_TRUNCATED;
	if (monocle__le32 (metadata.data) != ROOT_MAGIC)
		return MONOCLE__ECMA_E_FORMAT;
	uint64_t at = 16 + round_up_4 (monocle__le32 (metadata.data + 12));
	monocle__span counts;
	if (!monocle__span_part (metadata, at, 4, &counts))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_count = monocle__le16 (counts.data + 2);
	*ret_at = at + 4;
	return 0;
}

/* Reads the stream header at *at and moves *at past it. The name is padded with NULs to a multiple of four. */
static int
read_stream (monocle__span metadata, uint64_t *at, struct stream *ret_stream)
{
	monocle__span header, rest;
	if (!monocle__span_part (metadata, *at, 8, &header) || !monocle__span_rest (metadata, *at + 8, &rest))
		return MONOCLE__ECMA_E_TRUNCATED;
	size_t limit = rest.size < STREAM_NAME_MAX ? rest.size : STREAM_NAME_MAX;
	const uint8_t *end = memchr (rest.data, 0, limit);
	if (!end)
		return limit < STREAM_NAME_MAX ? MONOCLE__ECMA_E_TRUNCATED : MONOCLE__ECMA_E_FORMAT;
	size_t length = (size_t) (end - rest.data);
	memcpy (ret_stream->name, rest.data, length + 1);
	ret_stream->inside =
	    monocle__span_part (metadata, monocle__le32 (header.data), monocle__le32 (header.data + 4), &ret_stream->data);
	*at += 8 + round_up_4 (length + 1);
	return 0;
}

static bool
is_named (const struct stream *stream, const char *name)
{
	return strcmp (stream->name, name) == 0;
}

/* Both runtimes take the last of several streams with one name. Unknown streams are ignored. */
static int
keep_stream (monocle__ecma_image *image, struct streams *all, const struct stream *stream)
{
	static const char *const known[] = { "#Strings", "#Blob", "#GUID", "#US", "#~", "#-", "#Pdb", "#JTD" };
	enum { STRINGS, BLOB, GUID, US, TABLES, TABLES_UNCOMPRESSED, PDB, DELTA, COUNT };
	uint32_t which = 0;
	while (which < COUNT && !is_named (stream, known[which]))
		which++;
	if (which == COUNT)
		return 0;
	if (!stream->inside)
		return MONOCLE__ECMA_E_TRUNCATED;

	const uint8_t *data = stream->data.data;
	uint32_t size = (uint32_t) stream->data.size;
	switch (which) {
	case STRINGS:
		image->strings = (const char *) data;
		image->strings_size = size;
		break;
	case BLOB:
		image->blobs = data;
		image->blobs_size = size;
		break;
	case GUID:
		image->guids = data;
		image->guids_size = size;
		break;
	case US:
		image->user_strings = data;
		image->user_strings_size = size;
		break;
	case TABLES:
	case TABLES_UNCOMPRESSED:
		all->tables = stream->data;
		all->has_tables = true;
		break;
	case PDB:
		image->pdb = data;
		image->pdb_size = size;
		break;
	case DELTA: all->is_delta = true; break;
	}
	return 0;
}

/* #Pdb: a 20 byte id, the entry point, then counts of the type system's tables in the image that it describes. */
static int
read_pdb_counts (monocle__span pdb, uint32_t rows[MONOCLE__TABLE_COUNT])
{
	if (pdb.size < 32)
		return MONOCLE__ECMA_E_TRUNCATED;
	uint64_t referenced = monocle__le64 (pdb.data + 24), at = 32;
	for (uint32_t table = 0; table < MONOCLE__TABLE_COUNT; table++) {
		monocle__span count;
		if (!(referenced >> table & 1))
			continue;
		if (!monocle__span_part (pdb, at, 4, &count))
			return MONOCLE__ECMA_E_TRUNCATED;
		rows[table] = monocle__le32 (count.data);
		at += 4;
	}
	return 0;
}

static int
read_streams (monocle__ecma_image *image, monocle__span metadata, struct streams *ret_streams)
{
	uint64_t at;
	uint32_t count;
	int error = read_root (metadata, &at, &count);
	for (; !error && count; count--) {
		struct stream stream;
		error = read_stream (metadata, &at, &stream);
		if (!error)
			error = keep_stream (image, ret_streams, &stream);
	}
	return error;
}

int
monocle__metadata_open (monocle__ecma_image *image, monocle__span metadata)
{
	struct streams streams = { 0 };
	uint32_t external[MONOCLE__TABLE_COUNT] = { 0 };
	image->metadata = metadata.data;
	image->metadata_size = metadata.size;
	int error = read_streams (image, metadata, &streams);
	if (error)
		return error;
	/* A delta's rows and heap offsets go on from an image that is not here. */
	if (!streams.has_tables || streams.is_delta)
		return MONOCLE__ECMA_E_FORMAT;
	if (image->pdb) {
		error = read_pdb_counts ((monocle__span) { image->pdb, image->pdb_size }, external);
		if (error)
			return error;
	}
	return monocle__tables_open (image, streams.tables, external);
}

int
monocle__ecma_open_metadata (monocle__ecma_image *ret_image, const void *metadata, size_t size)
{
	memset (ret_image, 0, sizeof *ret_image);
	return monocle__metadata_open (ret_image, (monocle__span) { metadata, size });
}

const char *
monocle__ecma_string (const monocle__ecma_image *image, uint32_t offset)
{
	if (offset >= image->strings_size)
		return NULL;
	const char *string = image->strings + offset;
	return memchr (string, 0, image->strings_size - offset) ? string : NULL;
}

/* What begins with its length. */
static int
read_sized (const uint8_t *heap, uint32_t heap_size, uint32_t offset, const uint8_t **ret_data, uint32_t *ret_size)
{
	if (offset >= heap_size)
		return MONOCLE__ECMA_E_RANGE;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (heap + offset, heap_size - offset);
	uint32_t size = monocle__ecma_read_u (&cursor);
	if (cursor.error)
		return cursor.error;
	if (size > (size_t) (cursor.end - cursor.at))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_data = cursor.at;
	*ret_size = size;
	return 0;
}

int
monocle__ecma_blob (const monocle__ecma_image *image, uint32_t offset, const uint8_t **ret_data, uint32_t *ret_size)
{
	return read_sized (image->blobs, image->blobs_size, offset, ret_data, ret_size);
}

int
monocle__ecma_user_string (const monocle__ecma_image *image, uint32_t offset, const uint8_t **ret_data,
                           uint32_t *ret_size)
{
	return read_sized (image->user_strings, image->user_strings_size, offset, ret_data, ret_size);
}

const uint8_t *
monocle__ecma_guid (const monocle__ecma_image *image, uint32_t index)
{
	return index - 1 < image->guids_size / 16 ? image->guids + (size_t) (index - 1) * 16 : NULL;
}
