/*
 * SPDX-License-Identifier: MIT
 *
 * symbols_builder.c - see symbols_builder.h.
 */
#include "symbols_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DEBUG_ENTRY_SIZE = 28, PDB_ID_AT = 124 };

const uint8_t symbols_id[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0x11, 0x22, 0x33, 0x44 };

static int
blob (struct bytes *heap, const void *data, size_t size)
{
	size_t at = heap->size;
	put (heap, 1, size);
	put_bytes (heap, data, size);
	return (int) at;
}

static int
text (struct bytes *heap, const char *string)
{
	size_t at = heap->size;
	put_bytes (heap, string, strlen (string) + 1);
	return (int) at;
}

/* --- portable PDB ------------------------------------------------------------------------------------------------- */

static void
put_pdb_stream (struct bytes *stream)
{
	put_bytes (stream, symbols_id, sizeof symbols_id);
	put (stream, 4, 0x06000003);
	put (stream, 8, 1 << 0x06);
	put (stream, 4, 3);
}

/* clang-format off */
static void
put_documents (struct bytes *rows, struct bytes *b)
{
	char a[] = { '/', 0, (char)blob (b, "src", 3), (char)blob (b, "a.cs", 4) };
	char other[] = { 0, (char)blob (b, "b.cs", 4) };
	put_row (rows, "2222", blob (b, a, sizeof a), 1, blob (b, "\xAA\xBB", 2), 2);
	put_row (rows, "2222", blob (b, other, sizeof other), 0, 0, 0);
	put_row (rows, "2222", blob (b, "/\x7F", 2), 0, 0, 0);
}

static void
put_pdb_methods (struct bytes *rows, struct bytes *b, const void *points, size_t size)
{
	uint8_t run[256] = { 0 };
	memcpy (run + 1, points, size);
	put_row (rows, "22", 1, blob (b, run, size + 1));
	put_row (rows, "22", 0, 0);
	put_row (rows, "22", 0, blob (b, "\0\2" "\2\0\0" "\3\0\1\4\1", 10));
}

static void
put_pdb_locals (struct bytes *rows, struct bytes *s)
{
	put_row (rows, "222244", 1, 0, 1, 1, 0, 20);
	put_row (rows, "222244", 1, 0, 3, 1, 5, 5);
	put_row (rows, "222244", 3, 0, 4, 1, 0, 8);
	put_row (rows, "222", 0, 0, text (s, "x"));
	put_row (rows, "222", 1, 1, text (s, "y"));
	put_row (rows, "222", 0, 0, text (s, "z"));
}
/* clang-format on */

struct bytes
build_pdb_with_points (const void *points, size_t size)
{
	static const uint32_t counts[64] = { [0x30] = 3, [0x31] = 3, [0x32] = 3, [0x33] = 3, [0x36] = 1 };
	struct root root = { .version = "PDB v1.0" };
	put_pdb_stream (root_add (&root, "#Pdb"));
	struct bytes *rows = root_add (&root, "#~"), *strings = root_add (&root, "#Strings");
	struct bytes *blobs = root_add (&root, "#Blob"), *guids = root_add (&root, "#GUID");
	put (strings, 1, 0);
	put (blobs, 1, 0);
	put_tables_header (rows, 0, counts);
	put_documents (rows, blobs);
	put_pdb_methods (rows, blobs, points, size);
	put_pdb_locals (rows, strings);
	put_row (rows, "22", 3, 1);
	for (int i = 0; i < 32; i++)
		put (guids, 1, (uint64_t) i);
	return root_finish (&root);
}

struct bytes
build_pdb (void)
{
	static const char points[] = "\0\0\3\12\5"
	                             "\3\0\0"
	                             "\4\2\x7D\4\x7D"
	                             "\0\2"
	                             "\2\0\23\x6B\x7D";
	return build_pdb_with_points (points, sizeof points - 1);
}

/* --- .mdb --------------------------------------------------------------------------------------------------------- */

static uint32_t
put_source (struct bytes *out, const char *name)
{
	uint32_t at = (uint32_t) out->size;
	put (out, 1, strlen (name));
	put_bytes (out, name, strlen (name));
	put_zeros (out, 33);
	return at;
}

static uint32_t
put_program (struct bytes *out, const void *program, size_t size)
{
	uint32_t at = (uint32_t) out->size;
	put_bytes (out, program, size);
	return at;
}

/* Locals and blocks of Run, in front of the data that places them; answers where that is. All numbers are small. */
static uint32_t
put_locals (struct bytes *out)
{
	static const char locals[] = "\2\0\1x\0\1\1y\1", blocks[] = "\1\1\0\3\x9";
	uint32_t locals_at = (uint32_t) out->size, blocks_at = locals_at + sizeof locals - 1;
	put_bytes (out, locals, sizeof locals - 1);
	put_bytes (out, blocks, sizeof blocks - 1);
	uint32_t data_at = (uint32_t) out->size;
	const uint8_t data[] = { 1, (uint8_t) (locals_at | 0x80), (uint8_t) (locals_at >> 7),
		                     0, (uint8_t) (blocks_at | 0x80), (uint8_t) (blocks_at >> 7) };
	put_bytes (out, data, sizeof data);
	return data_at;
}

struct bytes
build_mdb_with_program (const void *program, size_t size)
{
	static const uint8_t mvid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		                              0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF };
	/* Line 0xFEEFEE at 2, then line 7 at 3 behind a toggle. The line goes back by 0xFEEFE7. */
	static const char main_program[] = "\3\xED\xDF\xFB\7\2\2\1"
	                                   "\0\1\x40\2\1\3\x99\xA0\x84\xF8\x0F\1"
	                                   "\0\1\1";
	struct bytes out = { 0 };
	put (&out, 8, UINT64_C (0x45E82623FD7FA614));
	put_row (&out, "44", 50, 0);
	put_bytes (&out, mvid, sizeof mvid);
	put_zeros (&out, 80);
	uint32_t a = put_source (&out, "/src/a.cs"), b = put_source (&out, "b.cs");
	uint32_t run = put_program (&out, program, size);
	uint32_t main_at = put_program (&out, main_program, sizeof main_program - 1);
	uint32_t locals = put_locals (&out);
	set_u32 (&out, 32 + 6 * 4, 2);
	set_u32 (&out, 32 + 7 * 4, (uint32_t) out.size);
	put_row (&out, "4444", 1, (int) a, 2, (int) b);
	set_u32 (&out, 32 + 9 * 4, 2);
	set_u32 (&out, 32 + 10 * 4, (uint32_t) out.size);
	put_row (&out, "444444", 0x06000001, (int) locals, (int) run, 0x06000003, 0, (int) main_at);
	set_u32 (&out, 32 + 16 * 4, UINT32_MAX);
	set_u32 (&out, 32 + 17 * 4, 8);
	set_u32 (&out, 32 + 18 * 4, 9);
	set_u32 (&out, 32, (uint32_t) out.size);
	return out;
}

/* Special opcodes are 9 + 8 * offset + line + 1; opcode 8 goes 30 on; the last step back is 32 bits of -6. */
struct bytes
build_mdb (void)
{
	static const char program[] = "\3\11\1"
	                              "\53"
	                              "\4\2\52"
	                              "\10\3\xFA\xFF\xFF\xFF\x0F\1"
	                              "\0\1\1";
	return build_mdb_with_program (program, sizeof program - 1);
}

/* --- debug directory ---------------------------------------------------------------------------------------------- */

static uint32_t
rva_of (size_t at)
{
	return (uint32_t) (at - PE_TEXT_OFFSET + PE_TEXT_RVA);
}

void
add_debug_directory (struct bytes *pe, struct debug_row *rows, size_t count)
{
	size_t optional = 0x84 + 20, directories = optional + (pe->data[optional + 1] == 2 ? 112 : 96);
	size_t section = directories + 16 * 8, at = pe->size;
	set_u32 (pe, directories + 6 * 8, rva_of (at));
	set_u32 (pe, directories + 6 * 8 + 4, (uint32_t) count * DEBUG_ENTRY_SIZE);
	put_zeros (pe, count * DEBUG_ENTRY_SIZE);
	for (size_t i = 0; i < count; i++, at += DEBUG_ENTRY_SIZE) {
		uint32_t size = (uint32_t) rows[i].data.size;
		set_u32 (pe, at + 4, rows[i].stamp);
		set_u32 (pe, at + 8, rows[i].major | (uint32_t) rows[i].minor << 16);
		set_u32 (pe, at + 12, rows[i].type);
		set_u32 (pe, at + 16, size);
		set_u32 (pe, at + 20, size ? rva_of (pe->size) : 0);
		set_u32 (pe, at + 24, size ? (uint32_t) pe->size : 0);
		put_bytes (pe, rows[i].data.data, size);
		bytes_free (&rows[i].data);
	}
	set_u32 (pe, section + 8, (uint32_t) pe->size - PE_TEXT_OFFSET);
	set_u32 (pe, section + 16, (uint32_t) pe->size - PE_TEXT_OFFSET);
}

struct debug_row
codeview_row (const char *path)
{
	struct debug_row row = { .type = 2, .stamp = 0x44332211, .major = 0x100, .minor = 0x504D };
	put_bytes (&row.data, "RSDS", 4);
	put_bytes (&row.data, symbols_id, 16);
	put (&row.data, 4, 1);
	put_bytes (&row.data, path, strlen (path) + 1);
	return row;
}

struct debug_row
embedded_row (const struct bytes *pdb)
{
	struct debug_row row = { .type = 17, .major = 0x100, .minor = 0x100 };
	uint8_t packed[4096];
	z_stream stream = {
		.next_in = pdb->data, .avail_in = (uInt) pdb->size, .next_out = packed, .avail_out = sizeof packed
	};
	if (deflateInit2 (&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) ||
	    deflate (&stream, Z_FINISH) != Z_STREAM_END) {
		fputs ("symbols_builder: too large to embed\n", stderr);
		exit (1);
	}
	put_bytes (&row.data, "MPDB", 4);
	put (&row.data, 4, pdb->size);
	put_bytes (&row.data, packed, stream.total_out);
	deflateEnd (&stream);
	return row;
}

struct bytes
build_pe_with_symbols (void)
{
	struct bytes metadata = build_house (), pe = build_pe (&metadata, (struct pe_options) { 0 }), pdb = build_pdb ();
	struct debug_row rows[] = {
		codeview_row ("/obj/house.pdb"), { .type = 19, .major = 1 }, { .type = 16 }, embedded_row (&pdb)
	};
	add_debug_directory (&pe, rows, 4);
	bytes_free (&pdb);
	bytes_free (&metadata);
	return pe;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void
put_attribute_types (struct bytes *rows, struct bytes *s)
{
	int elsewhere = text (s, "Else"), own = text (s, "N"), none = 0;
	put_row (rows, "22222", 0, text (s, "own.dll"), 0, 0, 0);
	put_row (rows, "222", 0, text (s, "Type"), text (s, "System"));
	put_row (rows, "222", 0, text (s, "Enum"), elsewhere);
	put_row (rows, "222", 0, text (s, "Generic`1"), elsewhere);
	put_row (rows, "422222", 0, text (s, "<Module>"), none, 0, 1, 1);
	put_row (rows, "422222", 1, text (s, "Marker"),   own,  0, 1, 1);
	put_row (rows, "422222", 1, text (s, "Small"),    own,  0, 1, 2);
	put_row (rows, "422222", 2, text (s, "Inner"),    none, 0, 3, 2);
}

static void
put_attribute_members (struct bytes *rows, struct bytes *s, struct bytes *b, int signature)
{
	int value = text (s, "value__");
	put_row (rows, "222", 0x8056, text (s, "One"), blob (b, "\6\x11\x0C", 3)); /* static: not the underlying one */
	put_row (rows, "222", 0x0606, value, blob (b, "\6\x05", 2));
	put_row (rows, "222", 0x0606, value, blob (b, "\6\x06", 2));
	put_row (rows, "422222", 0, 0, 0x1886, text (s, ".ctor"), signature, 1);
	put_row (rows, "222", 1 << 3 | 4 /* TypeSpec 1 */, text (s, ".ctor"), signature);
}
/* clang-format on */

struct bytes
build_attributes (const void *signature, size_t signature_size, const void *value, size_t value_size)
{
	static const uint32_t counts[64] = { [0x00] = 1, [0x01] = 3, [0x02] = 4, [0x04] = 3, [0x06] = 1,
		                                 [0x0A] = 1, [0x0C] = 2, [0x1B] = 1, [0x20] = 1, [0x29] = 1 };
	struct root root = { 0 };
	struct bytes *rows = root_add (&root, "#~"), *strings = root_add (&root, "#Strings"), head = { 0 };
	struct bytes *blobs = root_add (&root, "#Blob");
	put (strings, 1, 0);
	put (blobs, 1, 0);
	put (&head, 1, 0x20);
	put_bytes (&head, signature, signature_size);
	int signature_at = blob (blobs, head.data, head.size), value_at = value_size ? blob (blobs, value, value_size) : 0;
	bytes_free (&head);
	put_tables_header (rows, 0, counts);
	put_attribute_types (rows, strings);
	put_attribute_members (rows, strings, blobs, signature_at);
	put_row (rows, "222", 2 << 5 | 3, 1 << 3 | 2, value_at); /* on TypeDef 2, by MethodDef 1 */
	put_row (rows, "222", 2 << 5 | 3, 1 << 3 | 3, value_at); /* on TypeDef 2, by MemberRef 1 */
	put_row (rows, "2", blob (blobs, "\x15\x12\x0D\2\x08\x1D\x0E", 7));
	put_row (rows, "422224222", 0x8004, 1, 0, 0, 0, 0, 0, text (strings, "own"), 0);
	put_row (rows, "22", 4, 2);
	return root_finish (&root);
}
