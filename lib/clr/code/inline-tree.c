/*
 * SPDX-License-Identifier: MIT
 *
 * inline-tree.c - see inline-tree.h. What is kept for debuggers (code-header.h) begins in one of two ways:
 *
 *      .NET 8 to 10  a byte of flags: 1, the state of a body that is replaced on the stack follows; 2, then the size of
 *                    the tree (4 bytes), and the tree
 *      .NET 11       numbers: 0, then the sizes of six parts that follow, the fifth of which is the tree
 *
 * A tree is a row of half bytes, the lower one first. Most numbers have three bits in each, the higher ones first, and
 * the fourth bit says that more follow; signed ones have their sign in the lowest bit. The counts of nodes and places
 * come first; a node is the function (16 half bytes) and its IL offset, first child and next sibling, each as the
 * difference from the node before; a place is its native offset, node and IL offset as such differences, and a kind.
 */
#include "inline-tree.h"
#include <stdlib.h>
#include <string.h>
#include "code-header.h"
#include "peek.h"

enum {
	HEADER_MAX = 64,    /* bytes that hold the sizes of all parts, and more */
	TREE_MAX = 1 << 20, /* bytes; the compiler gives up inlining long before */
	CHUNK = 4096,       /* that are read at one time */
	HAS_PATCHPOINTS = 1,
	HAS_TREE = 2,
	PARTS = 6,
	TREE_PART = 4,
};

static const uint32_t parts_follow = 0, first_il_offset = (uint32_t) -2;

/* --- numbers ------------------------------------------------------------------------------------------------------ */

typedef struct {
	const uint8_t *data;
	size_t at, count; /* half bytes */
	bool is_over;     /* more was asked for than there is */
} row;

static uint32_t
take_half (row *r)
{
	if (r->at >= r->count) {
		r->is_over = true;
		return 0;
	}
	uint8_t byte = r->data[r->at / 2];
	return r->at++ % 2 ? byte >> 4 : byte & 15;
}

static uint32_t
take_number (row *r)
{
	enum { MORE = 8, MOST = 11 };
	uint32_t number = 0, half = MORE;
	for (int i = 0; (half & MORE) && i < MOST; i++) {
		half = take_half (r);
		number = number << 3 | (half & 7);
	}
	r->is_over |= (half & MORE) != 0;
	return number;
}

/* Which differs so from the one before. */
static uint32_t
take_difference (row *r, uint32_t before)
{
	uint32_t number = take_number (r), size = number >> 1;
	return number & 1 ? before - size : before + size;
}

static uint64_t
take_word (row *r)
{
	uint64_t word = 0;
	for (int i = 0; i < 16; i++)
		word |= (uint64_t) take_half (r) << 4 * i;
	return word;
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

void
monocle__inline_tree_free (monocle__inline_tree *tree)
{
	if (!tree)
		return;
	free (tree->nodes);
	free (tree->places);
	free (tree);
}

/* An offset, or a number that stands for none. */
static uint32_t
il_offset_of (uint32_t told)
{
	return (int32_t) told < 0 ? MONOCLE__INLINE_TREE_NONE : told;
}

typedef struct {
	uint32_t child, sibling; /* 0: none */
	uint32_t reached;        /* in another order: the node that was reached so many nodes after the first */
} links;

/* From the first one every other is reached, once. */
static bool
join (monocle__inline_tree *tree, links *of)
{
	uint32_t count = 1;
	of[0].reached = 0;
	for (uint32_t next = 0; next < count; next++)
		for (uint32_t child = of[of[next].reached].child; child; child = of[child].sibling) {
			if (child >= tree->node_count || tree->nodes[child].parent != MONOCLE__INLINE_TREE_NONE)
				return false;
			tree->nodes[child].parent = of[next].reached;
			of[count++].reached = child;
		}
	return count == tree->node_count;
}

static bool
read_nodes (monocle__inline_tree *tree, row *r)
{
	uint32_t il_offset = first_il_offset, child = 0, sibling = 0;
	links *of = calloc (tree->node_count, sizeof *of);
	for (uint32_t i = 0; of && i < tree->node_count; i++) {
		FunctionID function = take_word (r);
		il_offset = take_difference (r, il_offset);
		of[i].child = child = take_difference (r, child);
		of[i].sibling = sibling = take_difference (r, sibling);
		tree->nodes[i] = (monocle__inline_node) { function, il_offset_of (il_offset), MONOCLE__INLINE_TREE_NONE };
	}
	bool is_read = of && !r->is_over && tree->nodes[0].function == tree->function && join (tree, of);
	free (of);
	return is_read;
}

/* Of several at one native offset the last counts. */
static bool
read_places (monocle__inline_tree *tree, row *r, uint32_t count)
{
	uint32_t native_offset = 0, node = 0, il_offset = first_il_offset;
	monocle__inline_place *last = NULL;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t step = take_number (r);
		node = take_difference (r, node);
		il_offset = take_difference (r, il_offset);
		take_number (r); /* of what kind it is */
		if (r->is_over || node >= tree->node_count || native_offset + step < native_offset)
			return false;
		native_offset += step;
		if (!last || last->native_offset != native_offset)
			last = &tree->places[tree->place_count++];
		*last = (monocle__inline_place) { native_offset, il_offset_of (il_offset), node };
	}
	return true;
}

/* A node takes 19 half bytes at least, a place 4; what was not filled is at the end. */
static bool
read_all (monocle__inline_tree *tree, row *r)
{
	uint32_t nodes = take_number (r), places = take_number (r);
	if (r->is_over || nodes < 2 || !places || nodes > r->count / 19 || places > r->count / 4)
		return false;
	tree->node_count = nodes;
	tree->nodes = calloc (nodes, sizeof *tree->nodes);
	tree->places = calloc (places, sizeof *tree->places);
	return tree->nodes && tree->places && read_nodes (tree, r) && read_places (tree, r, places) && r->count - r->at < 2;
}

/* --- where it lies ------------------------------------------------------------------------------------------------ */

/* What cannot be read is 0. */
static void
read_header (uintptr_t address, uint8_t ret[HEADER_MAX])
{
	memset (ret, 0, HEADER_MAX);
	if (!monocle__peek (address, ret, HEADER_MAX))
		for (size_t i = 0; i < HEADER_MAX && monocle__peek (address + i, ret + i, 1); i++)
			;
}

/* False: there is no tree of this kind. *ret_address: in what `header` was read from, which begins at *ret_address. */
static bool
find_behind_flags (const uint8_t header[HEADER_MAX], uintptr_t *ret_address, uint32_t *ret_size)
{
	if (header[0] & HAS_PATCHPOINTS || header[0] != HAS_TREE)
		return false;
	memcpy (ret_size, header + 1, sizeof *ret_size);
	*ret_address += 1 + sizeof *ret_size;
	return true;
}

static bool
find_behind_sizes (const uint8_t header[HEADER_MAX], uintptr_t *ret_address, uint32_t *ret_size)
{
	row r = { .data = header, .count = (size_t) HEADER_MAX * 2 };
	uint32_t sizes[PARTS];
	if (take_number (&r) != parts_follow)
		return false;
	for (int i = 0; i < PARTS; i++)
		sizes[i] = take_number (&r);
	*ret_address += (r.at + 1) / 2;
	for (int i = 0; i < TREE_PART; i++)
		*ret_address += sizes[i];
	*ret_size = sizes[TREE_PART];
	return !r.is_over;
}

static uint8_t *
read_bytes (uintptr_t address, size_t size)
{
	uint8_t *bytes = size && size <= TREE_MAX ? malloc (size) : NULL;
	for (size_t at = 0; bytes && at < size; at += CHUNK) {
		size_t part = size - at < CHUNK ? size - at : CHUNK;
		if (!monocle__peek (address + at, bytes + at, part)) {
			free (bytes);
			return NULL;
		}
	}
	return bytes;
}

static monocle__inline_tree *
read_at (uintptr_t address, FunctionID function)
{
	uint8_t header[HEADER_MAX];
	uint32_t size = 0;
	uintptr_t at = address;
	read_header (address, header);
	if (!find_behind_flags (header, &at, &size) && !find_behind_sizes (header, &at, &size))
		return NULL;
	uint8_t *bytes = read_bytes (at, size);
	monocle__inline_tree *tree = bytes ? calloc (1, sizeof *tree) : NULL;
	row r = { .data = bytes, .count = (size_t) size * 2 };
	if (tree) {
		tree->function = function;
		if (!read_all (tree, &r)) {
			monocle__inline_tree_free (tree);
			tree = NULL;
		}
	}
	free (bytes);
	return tree;
}

monocle__inline_tree *
monocle__inline_tree_read (FunctionID function, uintptr_t start)
{
	uintptr_t at;
	monocle__code_header header;
	if (!monocle__peek (start - sizeof at, &at, sizeof at) ||
	    !monocle__peek (at, &header, offsetof (monocle__code_header, function_count)) || header.function != function ||
	    !header.debuggers)
		return NULL;
	monocle__inline_tree *tree = read_at (header.debuggers, function);
	if (tree)
		tree->start = start;
	return tree;
}
