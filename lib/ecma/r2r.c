/*
 * SPDX-License-Identifier: MIT
 *
 * r2r.c - ReadyToRun tables: header, functions, entry points, the compact numbers and sparse arrays they are made of.
 *
 *   READYTORUN_HEADER: +0 "RTR\0"  +4 major  +6 minor  +8 flags  +12 number of sections
 *                      +16 sections, 12 bytes each: type, RVA, size
 *
 * A compact number says by the low bits of its first byte how long it is: xxxxxxx0 one byte, xxxxxx01 two, xxxxx011
 * three, xxxx0111 four, xxxx1111 and four whole bytes.
 *
 * The sparse array is cut into blocks of 16, whose offsets come first. A block is a binary tree over the four bits
 * of the index. A node is a number: bit 0 says that the half with the bit clear follows it, bit 1 that the other half
 * begins (number >> 2) after the node; neither: it is the way to one index only, which is number >> 2.
 *
 * The hash table begins with the offsets of its buckets, one more than there are buckets. An entry is one byte of the
 * hash and the signed distance from there to what it refers to.
 */
#include "r2r.h"

#include <string.h>
#include "bytes.h"
#include "invariant.h"
#include "metadata.h"

enum {
	HEADER_SIZE = 16,
	SECTION_ROW = 12,
	FUNCTION_ROW = 12,
	COLD_ROW = 8,
	BLOCK = 16,
	DEPTH_MAX = 32, /* of types in a signature */
	/* The processor in the COFF header is told together with the system; the first is Linux, the second Windows. */
	MACHINE_LINUX_X64 = 0x8664 ^ 0x7B79,
	MACHINE_X64 = 0x8664,
};

enum {
	SECTION_FUNCTIONS = 102,
	SECTION_METHODS = 103,
	SECTION_THUNKS = 106,
	SECTION_INSTANCES = 109,
	SECTION_MANIFEST = 112,
	SECTION_COLD = 120,
};

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* Where something is read; what is not there is 0, and `failed` for good. */
typedef struct {
	monocle__span bytes;
	uint64_t at;
	bool failed;
} reader;

static uint32_t
read_whole (reader *r, uint32_t size)
{
	monocle__span part;
	if (r->failed || !monocle__span_part (r->bytes, r->at, size, &part)) {
		r->failed = true;
		return 0;
	}
	r->at += size;
	uint32_t value = 0;
	for (uint32_t i = 0; i < size; i++)
		value |= (uint32_t) part.data[i] << 8 * i;
	return value;
}

/* *ret_bits: how many carry the value. */
static uint32_t
read_bits (reader *r, uint32_t *ret_bits)
{
	uint64_t begin = r->at;
	uint32_t first = read_whole (r, 1), more = 0;
	while (more < 4 && first >> more & 1)
		more++;
	*ret_bits = more < 4 ? 7 * (more + 1) : 32;
	if (more == 4) {
		r->failed |= first >> 4 & 1;
		return read_whole (r, 4);
	}
	r->at = begin;
	return read_whole (r, more + 1) >> (more + 1);
}

static uint32_t
read_number (reader *r)
{
	uint32_t bits;
	return read_bits (r, &bits);
}

static int32_t
read_signed (reader *r)
{
	uint32_t bits, value = read_bits (r, &bits);
	return bits < 32 ? (int32_t) (value << (32 - bits)) >> (32 - bits) : (int32_t) value;
}

static reader
reader_at (monocle__span bytes, uint64_t at)
{
	return (reader) { bytes, at, at > bytes.size };
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void
take_section (monocle__r2r *r2r, uint32_t type, uint32_t rva, monocle__span bytes)
{
	uint32_t size = (uint32_t) bytes.size;
	switch (type) {
	case SECTION_FUNCTIONS:
		r2r->functions = bytes.data;
		r2r->function_count = size / FUNCTION_ROW;
		break;
	case SECTION_METHODS:
		r2r->methods = bytes.data;
		r2r->methods_size = size;
		break;
	case SECTION_THUNKS:
		r2r->thunks_rva = rva;
		r2r->thunks_size = size;
		break;
	case SECTION_INSTANCES:
		r2r->instances = bytes.data;
		r2r->instances_size = size;
		break;
	case SECTION_MANIFEST:
		r2r->manifest = bytes.data;
		r2r->manifest_size = size;
		break;
	case SECTION_COLD:
		r2r->cold = bytes.data;
		r2r->cold_count = size / COLD_ROW;
		break;
	default: break;
	}
}

static int
read_sections (monocle__r2r *r2r, uint32_t rva, uint32_t count)
{
	monocle__span rows, bytes;
	if (count > 1024 || !monocle__ecma_rva_part (r2r->image, rva, count * SECTION_ROW, &rows))
		return MONOCLE__ECMA_E_TRUNCATED;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *row = rows.data + (size_t) i * SECTION_ROW;
		uint32_t at = monocle__le32 (row + 4);
		if (monocle__ecma_rva_part (r2r->image, at, monocle__le32 (row + 8), &bytes))
			take_section (r2r, monocle__le32 (row), at, bytes);
	}
	return r2r->function_count ? 0 : MONOCLE__ECMA_E_RANGE;
}

int
monocle__r2r_open (monocle__r2r *ret, const monocle__ecma_image *image)
{
	monocle__span header;
	memset (ret, 0, sizeof *ret);
	ret->image = image;
	if (!image->is_readytorun || (image->machine != MACHINE_LINUX_X64 && image->machine != MACHINE_X64))
		return MONOCLE__ECMA_E_RANGE;
	if (!monocle__ecma_rva_part (image, image->readytorun_rva, HEADER_SIZE, &header))
		return MONOCLE__ECMA_E_TRUNCATED;
	ret->major = monocle__le16 (header.data + 4);
	ret->minor = monocle__le16 (header.data + 6);
	ret->flags = monocle__le32 (header.data + 8);
	if (image->readytorun_rva > UINT32_MAX - HEADER_SIZE)
		return MONOCLE__ECMA_E_TRUNCATED;
	return read_sections (ret, image->readytorun_rva + HEADER_SIZE, monocle__le32 (header.data + 12));
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static uint32_t
begin_of (const monocle__r2r *r2r, uint32_t index)
{
	return monocle__le32 (r2r->functions + (size_t) index * FUNCTION_ROW);
}

monocle__r2r_function
monocle__r2r_get (const monocle__r2r *r2r, uint32_t index)
{
	MONOCLE__INVARIANT (index < r2r->function_count);
	const uint8_t *row = r2r->functions + (size_t) index * FUNCTION_ROW;
	monocle__r2r_function f = { monocle__le32 (row), monocle__le32 (row + 4), monocle__le32 (row + 8) };
	if (f.end < f.begin)
		f.end = f.begin;
	return f;
}

uint32_t
monocle__r2r_find (const monocle__r2r *r2r, uint32_t rva, uint32_t first, uint32_t last)
{
	uint32_t low = first, count = last < first ? 1 : last - first + 1;
	while (count > 1) {
		uint32_t half = count / 2;
		low += begin_of (r2r, low + half) <= rva ? half : 0;
		count -= half;
	}
	MONOCLE__INVARIANT (low >= first && low <= (last < first ? first : last));
	monocle__r2r_function f = monocle__r2r_get (r2r, low);
	return rva >= f.begin && rva < f.end ? low : UINT32_MAX;
}

const uint8_t *
monocle__r2r_unwind (const monocle__r2r *r2r, const monocle__r2r_function *function)
{
	monocle__span header, whole;
	if (!monocle__ecma_rva_part (r2r->image, function->unwind, 4, &header) ||
	    !monocle__ecma_rva_part (r2r->image, function->unwind, 4u + 2u * header.data[2], &whole))
		return NULL;
	return whole.data;
}

/* --- the sparse array --------------------------------------------------------------------------------------------- */

typedef struct {
	const monocle__r2r *r2r;
	monocle__span bytes;
	uint64_t base; /* offsets count from here */
	uint32_t count;
	monocle__r2r_visit_method visit;
	void *data;
} sparse_array;

/* An entry: the function, shifted past a bit that says whether fix-ups follow, and a second one where they do. */
static uint32_t
read_function (reader *r)
{
	uint32_t id = read_number (r);
	if (!(id & 1))
		return id >> 1;
	if (id & 2)
		read_number (r); /* how far before this they are, for functions that share them */
	return id >> 2;
}

static void
visit_element (const sparse_array *array, uint32_t index, uint64_t at)
{
	reader r = reader_at (array->bytes, at);
	uint32_t function = read_function (&r);
	if (!r.failed && index < array->count && function < array->r2r->function_count)
		array->visit (index + 1, function, array->data);
}

/* The indices from `first`, whose bits below 2 * `bit` are clear, to the next that has more of them. */
static void
visit_node (const sparse_array *array, uint32_t first, uint32_t bit, uint64_t at)
{
	if (!bit) {
		visit_element (array, first, at);
		return;
	}
	reader r = reader_at (array->bytes, at);
	uint32_t node = read_number (&r), leaf = node >> 2;
	if (r.failed)
		return;
	if (!(node & 3)) {
		if (leaf < BLOCK && (leaf & ~(2 * bit - 1)) == (first & (BLOCK - 1)))
			visit_element (array, (first & ~(BLOCK - 1u)) | leaf, r.at);
		return;
	}
	if (node & 1)
		visit_node (array, first, bit / 2, r.at);
	if (node & 2)
		visit_node (array, first | bit, bit / 2, at + leaf);
}

void
monocle__r2r_each_method (const monocle__r2r *r2r, monocle__r2r_visit_method visit, void *data)
{
	sparse_array array = { .r2r = r2r, .bytes = { r2r->methods, r2r->methods_size }, .visit = visit, .data = data };
	reader r = reader_at (array.bytes, 0);
	uint32_t head = read_number (&r), size = head & 3 ? (head & 3) * 2u : 1;
	array.base = r.at;
	array.count = head >> 2;
	if (size > 4)
		return;
	for (uint32_t block = 0; !r.failed && (uint64_t) block * BLOCK < array.count; block++) {
		uint32_t offset = read_whole (&r, size);
		if (!r.failed)
			visit_node (&array, block * BLOCK, BLOCK / 2, array.base + offset);
	}
}

/* --- the hash table ----------------------------------------------------------------------------------------------- */

/*
 * Entries lie all over the table, and most of the time goes by until one has come from memory. So each is asked for
 * some entries before it is looked at.
 */
enum { AHEAD = 16 };

typedef struct {
	const monocle__r2r *r2r;
	monocle__r2r_visit_instance visit;
	void *data;
	uint64_t ahead[AHEAD]; /* a ring */
	uint32_t asked, visited;
} entries;

/* What an entry refers to: a signature, then the function. */
static void
visit_entry (entries *of, uint64_t at)
{
	const monocle__r2r *r2r = of->r2r;
	monocle__r2r_signature signature;
	monocle__ecma_cursor cursor =
	    monocle__ecma_cursor_over (r2r->instances + at, (uint32_t) (r2r->instances_size - at));
	if (monocle__r2r_read_signature (&cursor, &signature))
		return;
	reader r =
	    reader_at ((monocle__span) { r2r->instances, r2r->instances_size }, (uint64_t) (cursor.at - r2r->instances));
	uint32_t function = read_function (&r);
	if (!r.failed && function < r2r->function_count)
		of->visit ((uint32_t) at, function, of->data);
}

static void
visit_next (entries *of)
{
	visit_entry (of, of->ahead[of->visited++ % AHEAD]);
}

static void
ask_for (entries *of, uint64_t at)
{
	if (at >= of->r2r->instances_size)
		return;
	__builtin_prefetch (of->r2r->instances + at);
	if (of->asked - of->visited == AHEAD)
		visit_next (of);
	of->ahead[of->asked++ % AHEAD] = at;
}

/* Entries of all buckets together are no more than bytes, or buckets overlap. */
static void
visit_bucket (entries *of, uint64_t begin, uint64_t end, uint32_t *left)
{
	reader r = reader_at ((monocle__span) { of->r2r->instances, of->r2r->instances_size }, begin);
	while (!r.failed && r.at < end && *left) {
		--*left;
		read_whole (&r, 1);
		uint64_t from = r.at;
		int64_t target = (int64_t) from + read_signed (&r);
		if (!r.failed && target >= 0)
			ask_for (of, (uint64_t) target);
	}
}

void
monocle__r2r_each_instance (const monocle__r2r *r2r, monocle__r2r_visit_instance visit, void *data)
{
	entries all = { .r2r = r2r, .visit = visit, .data = data };
	reader r = reader_at ((monocle__span) { r2r->instances, r2r->instances_size }, 0);
	uint32_t head = read_whole (&r, 1), size = head & 3 ? (head & 3) * 2u : 1, left = r2r->instances_size;
	uint64_t base = r.at, buckets = (uint64_t) 1 << (head >> 2);
	if (r.failed || size > 4 || head >> 2 > 31 || (buckets + 1) * size > r2r->instances_size)
		return;
	uint32_t begin = read_whole (&r, size);
	for (uint64_t i = 0; i < buckets && !r.failed; i++) {
		uint32_t end = read_whole (&r, size);
		visit_bucket (&all, base + begin, base + end, &left);
		begin = end;
	}
	while (all.visited < all.asked)
		visit_next (&all);
}

void
monocle__r2r_each_cold (const monocle__r2r *r2r, monocle__r2r_visit_cold visit, void *data)
{
	for (uint32_t i = 0; i < r2r->cold_count; i++) {
		const uint8_t *row = r2r->cold + (size_t) i * COLD_ROW;
		uint32_t cold = monocle__le32 (row), function = monocle__le32 (row + 4);
		if (cold < r2r->function_count && function < r2r->function_count)
			visit (cold, function, data);
	}
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

static void skip_type (monocle__ecma_cursor *cursor, uint32_t depth);

static void
skip_types (monocle__ecma_cursor *cursor, uint32_t count, uint32_t depth)
{
	for (uint32_t i = 0; i < count && !cursor->error; i++)
		skip_type (cursor, depth);
}

static void
skip_numbers (monocle__ecma_cursor *cursor)
{
	for (uint32_t count = monocle__ecma_read_u (cursor); count && !cursor->error; count--)
		monocle__ecma_read_u (cursor);
}

/* The encodings of ECMA-335 II.23.2.12, and three more. What is met nowhere in such signatures is refused. */
static void
skip_type (monocle__ecma_cursor *cursor, uint32_t depth)
{
	uint8_t element = depth ? monocle__ecma_peek_byte (cursor) : 0;
	switch (element) {
	case MONOCLE__R2R_ET_CANON: monocle__ecma_read_byte (cursor); return;
	case MONOCLE__R2R_ET_MODULE:
		monocle__ecma_read_byte (cursor);
		monocle__ecma_read_u (cursor);
		skip_type (cursor, depth - 1);
		return;
	case MONOCLE__R2R_ET_NATIVE_VALUETYPE:
	case MONOCLE__ET_PTR:
	case MONOCLE__ET_BYREF:
	case MONOCLE__ET_SZARRAY:
		monocle__ecma_read_byte (cursor);
		skip_type (cursor, depth - 1);
		return;
	case MONOCLE__ET_GENERICINST:
		monocle__ecma_read_byte (cursor);
		skip_type (cursor, depth - 1);
		skip_types (cursor, monocle__ecma_read_u (cursor), depth - 1);
		return;
	case MONOCLE__ET_ARRAY:
		monocle__ecma_read_byte (cursor);
		skip_type (cursor, depth - 1);
		monocle__ecma_read_u (cursor);
		skip_numbers (cursor);
		skip_numbers (cursor);
		return;
	default: monocle__ecma_skip_type (cursor);
	}
}

/* A part of the signature, and a cursor that ends where it does. */
static monocle__ecma_cursor
take_types (monocle__ecma_cursor *cursor, uint32_t count)
{
	monocle__ecma_cursor part = *cursor;
	skip_types (cursor, count, DEPTH_MAX);
	part.end = cursor->error ? part.at : cursor->at;
	return part;
}

int
monocle__r2r_read_signature (monocle__ecma_cursor *cursor, monocle__r2r_signature *ret)
{
	monocle__r2r_signature s = { .flags = monocle__ecma_read_u (cursor) };
	if (s.flags & MONOCLE__R2R_METHOD_CONTEXT)
		s.context = monocle__ecma_read_u (cursor);
	s.owner = take_types (cursor, s.flags & MONOCLE__R2R_METHOD_OWNER ? 1 : 0);
	s.row = monocle__ecma_read_u (cursor);
	if (s.flags & MONOCLE__R2R_METHOD_INSTANCE)
		s.argument_count = monocle__ecma_read_u (cursor);
	s.arguments = take_types (cursor, s.argument_count);
	take_types (cursor, s.flags & MONOCLE__R2R_METHOD_CONSTRAINT ? 1 : 0);
	if (cursor->error)
		return cursor->error;
	*ret = s;
	return 0;
}

/* Numbers count the image's own references, one that means no other assembly, then the references of the manifest. */
const char *
monocle__r2r_assembly (const monocle__r2r *r2r, uint32_t number)
{
	monocle__ecma_assembly assembly;
	monocle__ecma_image manifest;
	uint32_t own = monocle__ecma_rows (r2r->image, MONOCLE__TABLE_AssemblyRef);
	if (!number)
		return NULL;
	if (number <= own)
		return monocle__ecma_get_assemblyref (r2r->image, number, &assembly) ? NULL : assembly.name;
	number -= own + 1;
	if (!number || !r2r->manifest || monocle__ecma_open_metadata (&manifest, r2r->manifest, r2r->manifest_size))
		return NULL;
	return monocle__ecma_get_assemblyref (&manifest, number, &assembly) ? NULL : assembly.name;
}
