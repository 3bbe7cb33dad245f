/*
 * SPDX-License-Identifier: MIT
 *
 * inline-tree.h - what the runtime keeps of the methods that it made parts of a body: a tree of them, and which piece
 * of the body is of which.
 *
 * It keeps that with what it keeps for debuggers, when DOTNET_RichDebugInfo=1 stands in its environment, and shows it
 * to none but itself (its event JittedMethodRichDebugInfo tells it once, at a price that every start would pay). So it
 * is read where it lies. Nothing is believed: every read may fail, and the tree must begin with the very function that
 * the body is of, and end where it ends. What another runtime keeps otherwise is no tree.
 */
#ifndef MONOCLE_CLR_INLINE_TREE_H
#define MONOCLE_CLR_INLINE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "corprof.h"

#define MONOCLE__INLINE_TREE_NONE UINT32_MAX

typedef struct {
	FunctionID function;
	uint32_t il_offset; /* of the call in the parent's IL, or NONE */
	uint32_t parent;    /* NONE: it is the body's own method, the first node */
} monocle__inline_node;

/* From this native offset on. Ascending. */
typedef struct {
	uint32_t native_offset;
	uint32_t il_offset; /* or NONE */
	uint32_t node;
} monocle__inline_place;

typedef struct {
	uintptr_t start; /* of the body */
	FunctionID function;
	uint32_t node_count, place_count;
	monocle__inline_node *nodes;
	monocle__inline_place *places;
} monocle__inline_tree;

/*
 * Reads the tree of the function's body at `start`. NULL: nothing was inlined into it, or nothing is known of that. The
 * caller frees it. Normal context.
 */
monocle__inline_tree *monocle__inline_tree_read (FunctionID function, uintptr_t start);
void monocle__inline_tree_free (monocle__inline_tree *tree);

#endif
