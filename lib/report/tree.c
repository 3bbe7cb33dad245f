/*
 * SPDX-License-Identifier: MIT
 *
 * tree.c - the call tree: one node per path from the root that any sample has.
 *
 * A parent is made before its children, so parent < node holds for every node, and totals are one walk backwards.
 */
#include "tree.h"

#include "array.h"
#include "hash.h"
#include "invariant.h"

#include <string.h>

void
monocle__tree_free (monocle__tree *tree)
{
	if (!tree)
		return;
	free (tree->nodes);
	free (tree->self);
	free (tree->total);
	free (tree->leaves);
	free (tree->slots);
	free (tree);
}

static size_t
path_hash (uint32_t parent, uint32_t function)
{
	return (size_t) monocle__hash (0, (uint64_t) parent << 32 | function);
}

/* The slot that holds the child, or the free one where it belongs. The root is never in the table, so 0 means free. */
static uint32_t *
child_slot (const monocle__tree *tree, uint32_t parent, uint32_t function)
{
	size_t mask = tree->slot_count - 1;
	for (size_t at = path_hash (parent, function) & mask;; at = (at + 1) & mask) {
		uint32_t *slot = &tree->slots[at];
		if (*slot == 0 || (tree->nodes[*slot].parent == parent && tree->nodes[*slot].function == function))
			return slot;
	}
}

static bool
slots_grow (monocle__tree *tree)
{
	size_t count = tree->slot_count ? tree->slot_count * 2 : 256;
	uint32_t *slots = calloc (count, sizeof *slots);
	if (!slots)
		return false;
	free (tree->slots);
	tree->slots = slots;
	tree->slot_count = count;
	for (uint32_t i = 1; i < tree->count; i++)
		*child_slot (tree, tree->nodes[i].parent, tree->nodes[i].function) = i;
	return true;
}

/* A new node, linked under its parent; MONOCLE__NO_NODE: out of memory. */
static uint32_t
node_new (monocle__tree *tree, uint32_t parent, uint32_t function)
{
	size_t width = tree->profile->value_count, count = tree->count;
	monocle__node *node;
	if (count >= MONOCLE__NO_NODE || !MONOCLE__RESERVE (tree->nodes, tree->capacity, count + 1) ||
	    !MONOCLE__RESERVE (tree->self, tree->self_capacity, (count + 1) * width))
		return MONOCLE__NO_NODE;
	memset (tree->self + count * width, 0, width * sizeof *tree->self);
	node = &tree->nodes[tree->count++];
	*node = (monocle__node) { function, parent, MONOCLE__NO_NODE, MONOCLE__NO_NODE, 0 };
	if (parent != MONOCLE__NO_NODE) {
		MONOCLE__INVARIANT (parent < count);
		node->depth = tree->nodes[parent].depth + 1;
		node->next_sibling = tree->nodes[parent].first_child;
		tree->nodes[parent].first_child = (uint32_t) count;
	}
	return (uint32_t) count;
}

static uint32_t
node_child (monocle__tree *tree, uint32_t parent, uint32_t function)
{
	uint32_t *slot, node;
	if (tree->count * 2 >= tree->slot_count && !slots_grow (tree))
		return MONOCLE__NO_NODE;
	slot = child_slot (tree, parent, function);
	if (*slot)
		return *slot;
	MONOCLE__INVARIANT (parent < tree->count && tree->count < tree->slot_count);
	node = node_new (tree, parent, function);
	if (node != MONOCLE__NO_NODE)
		*slot = node;
	return node;
}

static bool
add_sample (monocle__tree *tree, size_t index)
{
	const monocle__profile *profile = tree->profile;
	const monocle__sample *sample = &profile->samples[index];
	const int64_t *values = monocle__profile_values (profile, index);
	uint32_t node = 0;
	for (size_t i = sample->depth; i > 0 && node != MONOCLE__NO_NODE; i--)
		node = node_child (tree, node, profile->frames[sample->frames + i - 1]);
	if (node == MONOCLE__NO_NODE)
		return false;
	tree->leaves[index] = node;
	for (size_t v = 0; v < profile->value_count; v++) {
		int64_t *sum = &tree->self[node * profile->value_count + v];
		*sum = monocle__add (*sum, values[v]);
	}
	return true;
}

static bool
add_totals (monocle__tree *tree)
{
	size_t width = tree->profile->value_count;
	tree->total = calloc (tree->count * width, sizeof *tree->total);
	if (!tree->total)
		return false;
	memcpy (tree->total, tree->self, tree->count * width * sizeof *tree->total);
	for (size_t node = tree->count - 1; node > 0; node--) {
		for (size_t v = 0; v < width; v++) {
			MONOCLE__INVARIANT (tree->nodes[node].parent < node); /* so one walk backwards sums all */
			int64_t *sum = &tree->total[tree->nodes[node].parent * width + v];
			*sum = monocle__add (*sum, tree->total[node * width + v]);
		}
	}
	return true;
}

monocle__tree *
monocle__tree_new (const monocle__profile *profile)
{
	monocle__tree *tree = calloc (1, sizeof *tree);
	if (!tree)
		return NULL;
	tree->profile = profile;
	tree->leaves = malloc ((profile->sample_count + 1) * sizeof *tree->leaves);
	if (!tree->leaves)
		goto fail;
	if (node_new (tree, MONOCLE__NO_NODE, MONOCLE__NO_NODE) == MONOCLE__NO_NODE)
		goto fail;
	for (size_t i = 0; i < profile->sample_count; i++) {
		if (!add_sample (tree, i))
			goto fail;
	}
	if (!add_totals (tree))
		goto fail;
	return tree;
fail:
	monocle__tree_free (tree);
	return NULL;
}

typedef struct {
	const monocle__tree *tree;
	size_t value;
} sort_context;

/* By parent first, so that one sort orders the children of all nodes. */
static int
compare_nodes (const void *a, const void *b, void *data)
{
	const sort_context *context = data;
	const monocle__tree *tree = context->tree;
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
	const monocle__node *x = &tree->nodes[i], *y = &tree->nodes[k];
	const monocle__function *functions = tree->profile->functions;
	int names;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (context->value != SIZE_MAX) {
		int64_t key_x = monocle__tree_total (tree, i, context->value);
		int64_t key_y = monocle__tree_total (tree, k, context->value);
		if (key_x != key_y)
			return key_x > key_y ? -1 : 1;
	}
	names = strcmp (functions[x->function].name, functions[y->function].name);
	return names ? names : strcmp (functions[x->function].filename, functions[y->function].filename);
}

bool
monocle__tree_sort (monocle__tree *tree, size_t value)
{
	sort_context context = { tree, value };
	size_t count = tree->count - 1;
	uint32_t *order = malloc (tree->count * sizeof *order);
	if (!order)
		return false;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t) i + 1;
	qsort_r (order, count, sizeof *order, compare_nodes, &context);
	/* Relinking from the back leaves each list in the order of the array. */
	for (size_t i = 0; i < tree->count; i++)
		tree->nodes[i].first_child = MONOCLE__NO_NODE;
	for (size_t i = count; i > 0; i--) {
		MONOCLE__INVARIANT (order[i - 1] && tree->nodes[order[i - 1]].parent < order[i - 1]);
		monocle__node *node = &tree->nodes[order[i - 1]], *parent = &tree->nodes[node->parent];
		node->next_sibling = parent->first_child;
		parent->first_child = order[i - 1];
	}
	free (order);
	return true;
}

/* The node, or the first of those that follow it under the same parent, that is shown. */
static uint32_t
first_shown (const monocle__tree *tree, const uint8_t *shown, uint32_t node)
{
	while (node != MONOCLE__NO_NODE && shown && !shown[node])
		node = tree->nodes[node].next_sibling;
	return node;
}

void
monocle__tree_walk (const monocle__tree *tree, const monocle__tree_visitor *visitor)
{
	uint32_t next, node = 0;
	while (node != MONOCLE__NO_NODE) {
		MONOCLE__INVARIANT (node < tree->count &&
		                    (!node || tree->nodes[node].depth == tree->nodes[tree->nodes[node].parent].depth + 1));
		visitor->enter (tree, node, visitor->context);
		next = first_shown (tree, visitor->shown, tree->nodes[node].first_child);
		while (next == MONOCLE__NO_NODE && node != MONOCLE__NO_NODE) {
			if (visitor->leave)
				visitor->leave (tree, node, visitor->context);
			next = first_shown (tree, visitor->shown, tree->nodes[node].next_sibling);
			node = tree->nodes[node].parent;
		}
		node = next;
	}
}
