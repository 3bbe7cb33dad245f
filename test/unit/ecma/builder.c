/*
 * SPDX-License-Identifier: MIT
 *
 * builder.c - see builder.h.
 */
#include "builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
bytes_free (struct bytes *bytes)
{
	free (bytes->data);
	memset (bytes, 0, sizeof *bytes);
}

static uint8_t *
grow (struct bytes *bytes, size_t size)
{
	if (bytes->capacity - bytes->size < size) {
		bytes->capacity = (bytes->size + size) * 2;
		bytes->data = realloc (bytes->data, bytes->capacity);
		if (!bytes->data) {
			fputs ("builder: no memory\n", stderr);
			exit (1);
		}
	}
	bytes->size += size;
	return bytes->data + bytes->size - size;
}

void
put_bytes (struct bytes *bytes, const void *data, size_t size)
{
	if (size)
		memcpy (grow (bytes, size), data, size);
}

void
put_zeros (struct bytes *bytes, size_t size)
{
	if (size)
		memset (grow (bytes, size), 0, size);
}

void
put (struct bytes *bytes, size_t size, uint64_t value)
{
	uint8_t *at = grow (bytes, size);
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t) (value >> (i * 8));
}

void
put_row (struct bytes *bytes, const char *widths, ...)
{
	va_list values;
	va_start (values, widths);
	for (; *widths; widths++)
		put (bytes, (size_t) (*widths - '0'), (uint64_t) va_arg (values, int));
	va_end (values);
}

void
set_u32 (struct bytes *bytes, size_t at, uint32_t value)
{
	for (size_t i = 0; i < 4; i++)
		bytes->data[at + i] = (uint8_t) (value >> (i * 8));
}

void
pad (struct bytes *bytes, size_t alignment)
{
	put_zeros (bytes, (alignment - bytes->size % alignment) % alignment);
}

struct bytes *
root_add (struct root *root, const char *name)
{
	root->streams[root->stream_count].name = name;
	return &root->streams[root->stream_count++].data;
}

struct bytes
root_finish (struct root *root)
{
	const char *version = root->version ? root->version : "v4.0.30319";
	size_t version_size = (strlen (version) + 4) / 4 * 4, headers[STREAM_MAX];
	struct bytes out = { 0 };
	put (&out, 4, 0x424A5342);
	put_row (&out, "2244", 1, 1, 0, (int) version_size);
	put_bytes (&out, version, strlen (version) + 1);
	pad (&out, 4);
	put_row (&out, "22", 0, (int) root->stream_count);
	for (uint32_t i = 0; i < root->stream_count; i++) {
		headers[i] = out.size;
		put (&out, 8, 0);
		put_bytes (&out, root->streams[i].name, strlen (root->streams[i].name) + 1);
		pad (&out, 4);
	}
	for (uint32_t i = 0; i < root->stream_count; i++) {
		set_u32 (&out, headers[i], (uint32_t) out.size);
		set_u32 (&out, headers[i] + 4, (uint32_t) root->streams[i].data.size);
		put_bytes (&out, root->streams[i].data.data, root->streams[i].data.size);
		pad (&out, 4);
		bytes_free (&root->streams[i].data);
	}
	return out;
}

void
put_tables_header (struct bytes *stream, uint8_t heap_sizes, const uint32_t rows[64])
{
	uint64_t valid = 0;
	for (unsigned table = 0; table < 64; table++)
		valid |= (uint64_t) (rows[table] != 0) << table;
	put_row (stream, "41111", 0, 2, 0, heap_sizes, 1);
	put (stream, 8, valid);
	put (stream, 8, 0);
	for (unsigned table = 0; table < 64; table++)
		if (rows[table])
			put (stream, 4, rows[table]);
}

/* COFF and optional header; data directories are zero but for number 14. */
static void
put_pe_headers (struct bytes *out, bool plus, uint32_t text_size)
{
	put_row (out, "11", 'M', 'Z');
	put_zeros (out, 0x3C - 2);
	put (out, 4, 0x80);
	put_zeros (out, 0x40);
	put_row (out, "1111", 'P', 'E', 0, 0);
	put_row (out, "2244422", plus ? 0x8664 : 0x14C, 1, 0, 0, 0, plus ? 240 : 224, 0x2102);
	size_t optional = out->size;
	put (out, 2, plus ? 0x20B : 0x10B);
	put_zeros (out, 54);
	put (out, 4, PE_IMAGE_SIZE);
	put (out, 4, PE_HEADERS_SIZE);
	put_zeros (out, optional + (plus ? 108 : 92) - out->size);
	put (out, 4, 16);
	put_zeros (out, 14 * 8);
	put_row (out, "44", PE_TEXT_RVA, 72);
	put (out, 8, 0);
	put_bytes (out, ".text\0\0\0", 8);
	put_row (out, "44444444", (int) text_size, PE_TEXT_RVA, (int) text_size, PE_TEXT_OFFSET, 0, 0, 0, 0x60000020);
	pad (out, PE_HEADERS_SIZE);
}

struct bytes
build_pe (const struct bytes *metadata, struct pe_options options)
{
	enum { CLI = 72, NATIVE = 8, RET = 4 };
	struct bytes out = { 0 };
	uint32_t size = (uint32_t) metadata->size;
	put_pe_headers (&out, options.plus, CLI + NATIVE + size + RET);
	put_row (&out, "422", CLI, 2, 5);
	put_row (&out, "4444", PE_TEXT_RVA + CLI + NATIVE, (int) size, 1, 0x06000001);
	put_zeros (&out, 40);
	put_row (&out, "44", options.native_signature ? PE_TEXT_RVA + CLI : 0, options.native_signature ? NATIVE : 0);
	put (&out, 8, options.native_signature);
	put_bytes (&out, metadata->data, metadata->size);
	put (&out, 4, 0x2A2A2A2A);
	return out;
}

static uint32_t
get_u32 (const uint8_t *data)
{
	return data[0] | (uint32_t) data[1] << 8 | (uint32_t) data[2] << 16 | (uint32_t) data[3] << 24;
}

struct bytes
map_pe (const struct bytes *flat)
{
	const uint8_t *coff = flat->data + get_u32 (flat->data + 0x3C) + 4, *optional = coff + 20;
	const uint8_t *section = optional + coff[16] + coff[17] * 256;
	struct bytes out = { 0 };
	put_zeros (&out, get_u32 (optional + 56));
	memcpy (out.data, flat->data, get_u32 (optional + 60));
	for (int left = coff[2] + coff[3] * 256; left; left--, section += 40) {
		uint32_t raw_size = get_u32 (section + 16), address = get_u32 (section + 12);
		size_t room = out.size - address;
		memcpy (out.data + address, flat->data + get_u32 (section + 20), raw_size < room ? raw_size : room);
	}
	return out;
}

/* Appends to a heap and yields the offset. Heaps begin with an empty entry. */
static int
text (struct bytes *heap, const char *string)
{
	size_t at = heap->size;
	put_bytes (heap, string, strlen (string) + 1);
	return (int) at;
}

static int
blob (struct bytes *heap, const char *data, size_t size)
{
	size_t at = heap->size;
	put (heap, 1, size);
	put_bytes (heap, data, size);
	return (int) at;
}

/* clang-format off */
static void
put_house_types (struct bytes *rows, struct bytes *s)
{
	int none = 0, object = 1 << 2 | 1 /* TypeRef 1 */, name_space = text (s, "N");
	put_row (rows, "22222", 0, text (s, "house.dll"), 1, 0, 0);
	put_row (rows, "222", 1 << 2 | 2 /* AssemblyRef 1 */, text (s, "Object"), text (s, "System"));
	put_row (rows, "422222", 0, text (s, "<Module>"), none,       0,      1, 1);
	put_row (rows, "422222", 1, text (s, "Outer`1"),  name_space, object, 1, 1);
	put_row (rows, "422222", 2, text (s, "Inner"),    none,       object, 2, 3);
	put_row (rows, "422222", 1, text (s, "Last"),     name_space, object, 2, 3);
}

static void
put_house_members (struct bytes *rows, struct bytes *s, struct bytes *b)
{
	put_row (rows, "222", 6, text (s, "field"), blob (b, "\x06\x08", 2));
	put_row (rows, "422222", 0x2050, 0, 0x86, text (s, "Run"),  blob (b, "\x30\x02\x01\x01\x1E\x01", 6), 1);
	put_row (rows, "422222", 0x0000, 0, 0x86, text (s, "Stop"), blob (b, "\x20\x00\x01", 3), 2);
	put_row (rows, "422222", 0x2054, 0, 0x96, text (s, "Main"), blob (b, "\x00\x00\x01", 3), 2);
	put_row (rows, "222", 0, 1, text (s, "count"));
}

static void
put_house_assemblies (struct bytes *rows, struct bytes *s, struct bytes *b)
{
	int key = blob (b, "\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 16);
	int token = blob (b, "\xb7\x7a\x5c\x56\x19\x34\xe0\x89", 8);
	put_row (rows, "422224222", 0x8004, 1, 2, 3, 4, 1, key, text (s, "house"), 0);
	put_row (rows, "222242222", 4, 0, 0, 0, 0, token, text (s, "mscorlib"), 0, 0);
}

static void
put_house_nesting (struct bytes *rows, struct bytes *s)
{
	put_row (rows, "22", 3, 2);                              /* Inner in Outer`1 */
	put_row (rows, "2222", 0, 0, 1 << 1 | 1, text (s, "U")); /* of Run */
	put_row (rows, "2222", 1, 0, 1 << 1 | 1, text (s, "V"));
	put_row (rows, "2222", 0, 0, 2 << 1 | 0, text (s, "T")); /* of Outer`1 */
}
/* clang-format on */

struct bytes
build_house (void)
{
	static const uint32_t counts[64] = { [0x00] = 1, [0x01] = 1, [0x02] = 4, [0x04] = 1, [0x06] = 3,
		                                 [0x08] = 1, [0x20] = 1, [0x23] = 1, [0x29] = 1, [0x2A] = 3 };
	static const uint8_t guid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		                              0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF };
	struct root root = { 0 };
	struct bytes *rows = root_add (&root, "#~"), *strings = root_add (&root, "#Strings");
	struct bytes *blobs = root_add (&root, "#Blob");
	put (strings, 1, 0);
	put (blobs, 1, 0);
	put_tables_header (rows, 0, counts);
	put_house_types (rows, strings);
	put_house_members (rows, strings, blobs);
	put_house_assemblies (rows, strings, blobs);
	put_house_nesting (rows, strings);
	put_bytes (root_add (&root, "#GUID"), guid, sizeof guid);
	return root_finish (&root);
}
