/*
 * SPDX-License-Identifier: MIT
 *
 * tree.h - sums over the samples of a profile: per function, and per path of calls.
 */
#ifndef MONOCLE_REPORT_TREE_H
#define MONOCLE_REPORT_TREE_H

#include "profile.h"

/*
 * One row per function that is on any stack. For each value: *self* sums the samples where the function is the leaf,
 * *total* those where it is anywhere on the stack. A sample counts once however often the function is on its stack, so
 * recursion does not count double.
 */
typedef struct {
	const monocle__profile *profile;
	size_t count;    /* rows */
	uint32_t *order; /* rows: function indices */
	int64_t *self;   /* by function index and value: self[function * value_count + value] */
	int64_t *total;
} monocle__methods;

/* NULL: out of memory. Keeps a pointer to the profile. Rows are in the order of the profile's functions. */
monocle__methods *monocle__methods_new (const monocle__profile *profile);
void monocle__methods_free (monocle__methods *methods);
/* Descending by a value's self or total; equal rows by its total, then by name. */
void monocle__methods_sort (monocle__methods *methods, size_t value, bool by_total);

#define MONOCLE__NO_NODE UINT32_MAX

typedef struct {
	uint32_t function; /* index in the profile; MONOCLE__NO_NODE for the root */
	uint32_t parent;   /* MONOCLE__NO_NODE for the root; always less than the node's own index */
	uint32_t first_child, next_sibling;
	uint32_t depth; /* 0 for the root */
} monocle__node;

/*
 * Paths from the root: nodes[0] is the whole profile. Nothing in here recurses; a stack may be a million deep.
 */
typedef struct {
	const monocle__profile *profile;
	monocle__node *nodes;
	size_t count, capacity;
	int64_t *self; /* by node and value */
	size_t self_capacity;
	int64_t *total;   /* a node with everything below it */
	uint32_t *leaves; /* by sample: the node at the end of its stack */
	uint32_t *slots;  /* hash over (parent, function): index of the node, 0 is free */
	size_t slot_count;
} monocle__tree;

/* NULL: out of memory. */
monocle__tree *monocle__tree_new (const monocle__profile *profile);
void monocle__tree_free (monocle__tree *tree);
/* Children of every node: descending by a value's total, or, with value SIZE_MAX, by name. false: out of memory. */
bool monocle__tree_sort (monocle__tree *tree, size_t value);

typedef struct {
	const uint8_t *shown; /* by node: not 0 where it is visited; what is below a hidden node is hidden. NULL: all */
	void (*enter) (const monocle__tree *tree, uint32_t node, void *context);
	void (*leave) (const monocle__tree *tree, uint32_t node, void *context); /* after its children; may be NULL */
	void *context;
} monocle__tree_visitor;

/* Depth first from the root, which is visited too. */
void monocle__tree_walk (const monocle__tree *tree, const monocle__tree_visitor *visitor);

static inline int64_t
monocle__tree_total (const monocle__tree *tree, uint32_t node, size_t value)
{
	return tree->total[node * tree->profile->value_count + value];
}

static inline int64_t
monocle__tree_self (const monocle__tree *tree, uint32_t node, size_t value)
{
	return tree->self[node * tree->profile->value_count + value];
}

#endif
