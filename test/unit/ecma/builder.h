/*
 * SPDX-License-Identifier: MIT
 *
 * builder.h - writes metadata and PE images byte by byte, for tests of what reads them.
 *
 * Row bytes are laid out by the test, with widths that it states itself: the builder knows no schema, so that it cannot
 * share a mistake with lib/ecma.
 */
#ifndef MONOCLE_TEST_ECMA_BUILDER_H
#define MONOCLE_TEST_ECMA_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Growing bytes; all zero is empty. Running out of memory ends the test. */
struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

void bytes_free (struct bytes *bytes);
void put_bytes (struct bytes *bytes, const void *data, size_t size);
void put_zeros (struct bytes *bytes, size_t size);
/* `size` 1, 2, 4 or 8, little-endian. */
void put (struct bytes *bytes, size_t size, uint64_t value);
/* "2244": one int argument per digit, each so many bytes. */
void put_row (struct bytes *bytes, const char *widths, ...);
void set_u32 (struct bytes *bytes, size_t at, uint32_t value);
void pad (struct bytes *bytes, size_t alignment);

enum { STREAM_MAX = 8 };

/* A metadata root: streams in the order in which they are added. */
struct root {
	const char *version;
	uint32_t stream_count;
	struct {
		const char *name;
		struct bytes data;
	} streams[STREAM_MAX];
};

struct bytes *root_add (struct root *root, const char *name);
/* Frees the streams. */
struct bytes root_finish (struct root *root);
/* A #~ header: row counts by table, zero for absent ones; rows are put behind it by the test. */
void put_tables_header (struct bytes *stream, uint8_t heap_sizes, const uint32_t rows[64]);

struct pe_options {
	bool plus;                 /* PE32+ */
	uint32_t native_signature; /* 0: no managed native header */
};

enum {
	PE_HEADERS_SIZE = 0x200,
	PE_TEXT_RVA = 0x2000, /* one section: CLI header, native header, metadata, four bytes 0x2A ("ret") */
	PE_TEXT_OFFSET = 0x200,
	PE_IMAGE_SIZE = 0x3000,
};

struct bytes build_pe (const struct bytes *metadata, struct pe_options options);
/* Any well-formed image as a loader lays it out. */
struct bytes map_pe (const struct bytes *flat);

/*
 * "house": a small module with a bit of everything.
 *   <Module>; public N.Outer`1<T> { Run<U, V>(); Stop(); int field }; nested Inner (no methods); N.Last { Main() }
 */
struct bytes build_house (void);

#endif
