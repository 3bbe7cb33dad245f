/*
 * SPDX-License-Identifier: MIT
 *
 * debug-directory.c - see debug-directory.h.
 *
 *   entry (28): +4 stamp  +8 major, minor  +12 type  +16 size  +20 RVA  +24 file offset
 *   CodeView:   "RSDS"  GUID 16  age 4  path NUL       portable when minor is 0x504D
 *   embedded:   "MPDB"  size when unpacked 4  raw deflate
 */
#include "debug-directory.h"

#include <string.h>

#include "bytes.h"

enum {
	ENTRY_SIZE = 28,
	CODEVIEW_MAGIC = 0x53445352, /* RSDS */
	EMBEDDED_MAGIC = 0x4244504D, /* MPDB */
	PORTABLE_MINOR = 0x504D,
	CODEVIEW_PATH = 24,
	EMBEDDED_DATA = 8,
};

/* The whole entries that are mapped; what the directory claims beyond them is not there. */
static monocle__span
entries (const monocle__ecma_image *image)
{
	monocle__span all = { 0 };
	if (image->debug_rva)
		all.data = monocle__ecma_rva (image, image->debug_rva, &all.size);
	if (!all.data)
		return (monocle__span) { 0 };
	if (all.size > image->debug_size)
		all.size = image->debug_size;
	return all;
}

/* A flat image has the data at its file offset, a mapped one at its RVA, if a section has it at all. */
static monocle__span
entry_data (const monocle__ecma_image *image, const uint8_t *entry)
{
	uint32_t size = monocle__le32 (entry + 16), rva = monocle__le32 (entry + 20), offset = monocle__le32 (entry + 24);
	monocle__span whole = { image->base, image->size }, data = { 0 };
	if (image->mapped) {
		offset = 0;
		whole.data = rva ? monocle__ecma_rva (image, rva, &whole.size) : NULL;
	}
	if (size && whole.data)
		monocle__span_part (whole, offset, size, &data);
	return data;
}

int
monocle__debug_get (const monocle__ecma_image *image, uint32_t index, monocle__debug_entry *ret_entry)
{
	monocle__span all = entries (image), entry;
	if (!monocle__span_part (all, (uint64_t) index * ENTRY_SIZE, ENTRY_SIZE, &entry))
		return MONOCLE__ECMA_E_RANGE;
	monocle__span data = entry_data (image, entry.data);
	*ret_entry = (monocle__debug_entry) {
		.type = monocle__le32 (entry.data + 12),
		.stamp = monocle__le32 (entry.data + 4),
		.major = monocle__le16 (entry.data + 8),
		.minor = monocle__le16 (entry.data + 10),
		.data = data.data,
		.size = (uint32_t) data.size,
	};
	return 0;
}

int
monocle__debug_find (const monocle__ecma_image *image, uint32_t type, monocle__debug_entry *ret_entry)
{
	monocle__debug_entry entry;
	for (uint32_t i = 0; monocle__debug_get (image, i, &entry) == 0; i++) {
		if (entry.type != type)
			continue;
		*ret_entry = entry;
		return 0;
	}
	return MONOCLE__ECMA_E_RANGE;
}

int
monocle__debug_read_codeview (const monocle__debug_entry *entry, monocle__debug_codeview *ret_codeview)
{
	if (entry->type != MONOCLE__DEBUG_CODEVIEW)
		return MONOCLE__ECMA_E_RANGE;
	if (!entry->data || entry->size <= CODEVIEW_PATH)
		return MONOCLE__ECMA_E_TRUNCATED;
	const char *path = (const char *) entry->data + CODEVIEW_PATH;
	if (monocle__le32 (entry->data) != CODEVIEW_MAGIC || !memchr (path, 0, entry->size - CODEVIEW_PATH))
		return MONOCLE__ECMA_E_FORMAT;
	memcpy (ret_codeview->id, entry->data + 4, 16);
	for (uint32_t i = 0; i < 4; i++)
		ret_codeview->id[16 + i] = (uint8_t) (entry->stamp >> (i * 8));
	ret_codeview->age = monocle__le32 (entry->data + 20);
	ret_codeview->portable = entry->minor == PORTABLE_MINOR;
	ret_codeview->path = path;
	return 0;
}

const char *
monocle__debug_file_name (const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/' || *path == '\\')
			name = path + 1;
	return name;
}

int
monocle__debug_read_embedded (const monocle__debug_entry *entry, const uint8_t **ret_packed, uint32_t *ret_packed_size,
                              uint32_t *ret_size)
{
	if (entry->type != MONOCLE__DEBUG_EMBEDDED)
		return MONOCLE__ECMA_E_RANGE;
	if (!entry->data || entry->size < EMBEDDED_DATA)
		return MONOCLE__ECMA_E_TRUNCATED;
	uint32_t size = monocle__le32 (entry->data + 4);
	/* The sign bit is reserved. */
	if (monocle__le32 (entry->data) != EMBEDDED_MAGIC || !size || size > INT32_MAX)
		return MONOCLE__ECMA_E_FORMAT;
	*ret_packed = entry->data + EMBEDDED_DATA;
	*ret_packed_size = entry->size - EMBEDDED_DATA;
	*ret_size = size;
	return 0;
}
