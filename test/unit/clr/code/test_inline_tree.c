/*
 * SPDX-License-Identifier: MIT
 *
 * test_inline_tree.c - trees of inlined methods as each runtime keeps them, and what looks like one and is none.
 *
 * The writer below is the reader's opposite, by the same description (inline-tree.c). That the runtimes write so is
 * asked of them: "samples of what expressions call".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include "code/inline-tree.h"

enum { ROOM = 4096, FUNCTION = 0x7f0012345678 };

/* --- a writer ----------------------------------------------------------------------------------------------------- */

typedef struct {
	uint8_t bytes[ROOM];
	size_t halves;
} row;

static void
put_half (row *r, unsigned half)
{
	assert_true (r->halves < ROOM * 2);
	r->bytes[r->halves / 2] |= (uint8_t) (half << (r->halves % 2 ? 4 : 0));
	r->halves++;
}

static void
put_number (row *r, uint32_t number)
{
	int shift = 0;
	while ((uint64_t) number >> shift > 7)
		shift += 3;
	for (; shift; shift -= 3)
		put_half (r, (number >> shift & 7) | 8);
	put_half (r, number & 7);
}

static void
put_difference (row *r, uint32_t value, uint32_t *before)
{
	int32_t by = (int32_t) (value - *before);
	put_number (r, by < 0 ? (uint32_t) -by << 1 | 1 : (uint32_t) by << 1);
	*before = value;
}

static void
put_word (row *r, uint64_t word)
{
	for (int i = 0; i < 16; i++)
		put_half (r, word >> 4 * i & 15);
}

struct told_node {
	uint64_t function;
	uint32_t il_offset, child, sibling;
};

struct told_place {
	uint32_t native_offset, node, il_offset;
};

static size_t
write_tree (row *r, const struct told_node *nodes, uint32_t node_count, const struct told_place *places,
            uint32_t place_count)
{
	uint32_t il_offset = (uint32_t) -2, child = 0, sibling = 0, native = 0, node = 0;
	put_number (r, node_count);
	put_number (r, place_count);
	for (uint32_t i = 0; i < node_count; i++) {
		put_word (r, nodes[i].function);
		put_difference (r, nodes[i].il_offset, &il_offset);
		put_difference (r, nodes[i].child, &child);
		put_difference (r, nodes[i].sibling, &sibling);
	}
	il_offset = (uint32_t) -2;
	for (uint32_t i = 0; i < place_count; i++) {
		put_number (r, places[i].native_offset - native);
		native = places[i].native_offset;
		put_difference (r, places[i].node, &node);
		put_difference (r, places[i].il_offset, &il_offset);
		put_number (r, 2);
	}
	return (r->halves + 1) / 2;
}

/* As .NET 8 to 10 keep it: the whole of it is `*ret_size` bytes. */
static void
write_behind_flags (const row *tree, size_t size, uint8_t ret[ROOM], size_t *ret_size)
{
	uint32_t told = (uint32_t) size;
	ret[0] = 2;
	memcpy (ret + 1, &told, sizeof told);
	memcpy (ret + 5, tree->bytes, size);
	*ret_size = size + 5;
}

/* As .NET 11 does, with other parts before it. */
static void
write_behind_sizes (const row *tree, size_t size, uint8_t ret[ROOM], size_t *ret_size)
{
	static const uint32_t before[] = { 20, 12, 3, 64 };
	row header = { .halves = 0 };
	put_number (&header, 0);
	for (int i = 0; i < 4; i++)
		put_number (&header, before[i]);
	put_number (&header, (uint32_t) size);
	put_number (&header, 0);
	size_t at = (header.halves + 1) / 2;
	memcpy (ret, header.bytes, at);
	memset (ret + at, 0x5a, 99);
	memcpy (ret + at + 99, tree->bytes, size);
	*ret_size = at + 99 + size;
}

/* --- a body ------------------------------------------------------------------------------------------------------- */

/* As the runtime puts the address of a body's header before it. */
static struct {
	uintptr_t header;
	uint8_t code[16];
} body;
static uintptr_t words[] = { 0, 0, 0, FUNCTION };
static uint8_t *end_of_memory; /* nothing can be read from here on */

static int
make_memory (void **state)
{
	uint8_t *memory = mmap (NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect (memory + ROOM, ROOM, PROT_NONE))
		return -1;
	end_of_memory = memory + ROOM;
	return 0;
}

static monocle__inline_tree *
read_body (FunctionID function)
{
	return monocle__inline_tree_read (function, (uintptr_t) body.code);
}

/* Of a body for which these bytes are kept, which are the last ones there. */
static monocle__inline_tree *
decode (const uint8_t *bytes, size_t size)
{
	memcpy (end_of_memory - size, bytes, size);
	words[0] = (uintptr_t) end_of_memory - size;
	body.header = (uintptr_t) words;
	return read_body (FUNCTION);
}

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static const struct told_node nodes[] = {
	{ FUNCTION, UINT32_MAX, 1, 0 },
	{ 0x1111, 4, 2, 3 },
	{ 0x2222, 0xfb01a880, 0, 0 },
	{ 0x3333, 9, 0, 0 },
};
static const struct told_place places[] = {
	{ 0, 0, (uint32_t) -2 }, { 7, 1, 0 }, { 9, 2, 70000 }, { 9, 2, 12 }, { 300, 3, 1 }, { 70001, 0, 6 },
};
enum { NODES = sizeof nodes / sizeof *nodes, PLACES = sizeof places / sizeof *places };

static void
is_whole (monocle__inline_tree *tree)
{
	static const uint32_t parents[] = { MONOCLE__INLINE_TREE_NONE, 0, 1, 0 };
	static const uint32_t il_offsets[] = { MONOCLE__INLINE_TREE_NONE, 4, MONOCLE__INLINE_TREE_NONE, 9 };
	static const monocle__inline_place should[] = {
		{ 0, MONOCLE__INLINE_TREE_NONE, 0 }, { 7, 0, 1 }, { 9, 12, 2 }, { 300, 1, 3 }, { 70001, 6, 0 },
	};
	assert_non_null (tree);
	assert_int_equal (tree->function, FUNCTION);
	assert_int_equal (tree->node_count, NODES);
	for (int i = 0; i < NODES; i++) {
		assert_int_equal (tree->nodes[i].function, nodes[i].function);
		assert_int_equal (tree->nodes[i].parent, parents[i]);
		assert_int_equal (tree->nodes[i].il_offset, il_offsets[i]);
	}
	assert_int_equal (tree->place_count, sizeof should / sizeof *should);
	assert_memory_equal (tree->places, should, sizeof should);
	monocle__inline_tree_free (tree);
}

static void
both_ways_of_keeping_are_read (void **state)
{
	static uint8_t bytes[ROOM];
	row tree = { .halves = 0 };
	size_t size = write_tree (&tree, nodes, NODES, places, PLACES), whole;
	write_behind_flags (&tree, size, bytes, &whole);
	is_whole (decode (bytes, whole));
	write_behind_sizes (&tree, size, bytes, &whole);
	is_whole (decode (bytes, whole));
}

static void
is_none (const struct told_node *told, uint32_t count, const struct told_place *at, uint32_t place_count)
{
	static uint8_t bytes[ROOM];
	row tree = { .halves = 0 };
	size_t size = write_tree (&tree, told, count, at, place_count), whole;
	write_behind_flags (&tree, size, bytes, &whole);
	assert_null (decode (bytes, whole));
}

static void
what_is_no_tree_is_refused (void **state)
{
	const struct told_node another[] = { { FUNCTION + 8, 0, 1, 0 }, { 1, 0, 0, 0 } };
	const struct told_node alone[] = { { FUNCTION, 0, 0, 0 } };
	const struct told_node two_parents[] = { { FUNCTION, 0, 1, 0 }, { 1, 0, 2, 2 }, { 2, 0, 0, 0 } };
	const struct told_node ring[] = { { FUNCTION, 0, 0, 0 }, { 1, 0, 2, 0 }, { 2, 0, 1, 0 } };
	const struct told_node no_parent[] = { { FUNCTION, 0, 1, 0 }, { 1, 0, 0, 0 }, { 2, 0, 0, 0 } };
	const struct told_node too_far[] = { { FUNCTION, 0, 7, 0 }, { 1, 0, 0, 0 } };
	const struct told_place unknown[] = { { 0, 2, 0 } };
	is_none (another, 2, places, 2);
	is_none (alone, 1, places, 1);
	is_none (two_parents, 3, places, 2);
	is_none (ring, 3, places, 2);
	is_none (no_parent, 3, places, 2);
	is_none (too_far, 2, places, 2);
	is_none (nodes, 2, unknown, 1);
	is_none (nodes, NODES, places, 0);
}

/* Every length that is cut off, and every byte that is changed: an answer or none, and no read of what is not there. */
static void
damage_is_survived (void **state)
{
	static uint8_t bytes[ROOM], damaged[ROOM];
	row tree = { .halves = 0 };
	size_t size = write_tree (&tree, nodes, NODES, places, PLACES), whole;
	for (int kind = 0; kind < 2; kind++) {
		(kind ? write_behind_sizes : write_behind_flags) (&tree, size, bytes, &whole);
		for (size_t length = 0; length < whole; length++)
			assert_null (decode (bytes, length));
		for (size_t at = 0; at < whole; at++)
			for (unsigned value = 0; value < 256; value++) {
				memcpy (damaged, bytes, whole);
				damaged[at] = (uint8_t) value;
				monocle__inline_tree_free (decode (damaged, whole));
			}
	}
}

static void
words_that_lead_nowhere_are_survived (void **state)
{
	static uint8_t bytes[ROOM];
	row tree = { .halves = 0 };
	size_t size = write_tree (&tree, nodes, NODES, places, PLACES), whole;
	write_behind_flags (&tree, size, bytes, &whole);
	is_whole (decode (bytes, whole));
	assert_null (read_body (FUNCTION + 8));
	words[0] = 0;
	assert_null (read_body (FUNCTION));
	words[0] = (uintptr_t) end_of_memory;
	assert_null (read_body (FUNCTION));
	body.header = 1; /* as before a stub */
	assert_null (read_body (FUNCTION));
	assert_null (monocle__inline_tree_read (FUNCTION, (uintptr_t) end_of_memory + ROOM / 2));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (both_ways_of_keeping_are_read),
		cmocka_unit_test (what_is_no_tree_is_refused),
		cmocka_unit_test (damage_is_survived),
		cmocka_unit_test (words_that_lead_nowhere_are_survived),
	};
	return cmocka_run_group_tests (tests, make_memory, NULL);
}
