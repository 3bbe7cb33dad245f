/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-tree.c - see coverage-tree.h.
 *
 * Methods are sorted by where they are, and then each makes the nodes above it that the one before has not made.
 */
#include "coverage-tree.h"

#include "array.h"
#include "coverage-rows.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define NONE MONOCLE__COVERAGE_NONE

const char *const monocle__coverage_tree_kinds[] = {
	[MONOCLE__COVERAGE_WHOLE] = "whole",   [MONOCLE__COVERAGE_ASSEMBLY] = "assembly",
	[MONOCLE__COVERAGE_FOLDER] = "folder", [MONOCLE__COVERAGE_FILE] = "file",
	[MONOCLE__COVERAGE_CLASS] = "class",   [MONOCLE__COVERAGE_METHOD] = "method",
};

/* --- where methods are -------------------------------------------------------------------------------------------- */

/* Bytes of the path before the file's own name, the last slash included. */
static size_t
folder_length (const char *path)
{
	return (size_t) (monocle__path_base_name (path) - path);
}

static int
compare_folders (const char *a, const char *b)
{
	size_t x = folder_length (a), y = folder_length (b);
	int order = memcmp (a, b, x < y ? x : y);
	return order ? order : x < y ? -1 : x > y;
}

static int
compare_numbers (uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_images (const monocle__coverage *coverage, uint32_t a, uint32_t b)
{
	int order = a == b ? 0 : strcmp (coverage->images[a].name, coverage->images[b].name);
	return order ? order : compare_numbers (a, b);
}

/* Files are in the order of their paths; a folder's come before those of the folders in it. */
static int
compare_files (const monocle__coverage *coverage, uint32_t a, uint32_t b)
{
	int order = a == b ? 0 : compare_folders (coverage->files[a].path, coverage->files[b].path);
	return order ? order : compare_numbers (a, b);
}

static int
compare_methods (const void *a, const void *b, void *data)
{
	const monocle__coverage *coverage = data;
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
	const monocle__coverage_method *x = &coverage->methods[i], *y = &coverage->methods[k];
	int order = compare_images (coverage, coverage->types[x->type].image, coverage->types[y->type].image);
	if (order == 0)
		order = compare_files (coverage, x->file, y->file);
	if (order == 0)
		order = compare_numbers (x->type, y->type);
	if (order == 0)
		order = compare_numbers (x->line, y->line);
	return order ? order : compare_numbers (i, k);
}

/* Those that have a line, in the order of the tree. NULL: out of memory. */
static uint32_t *
sorted_methods (const monocle__coverage *coverage, size_t *ret_count)
{
	uint32_t *order = malloc ((coverage->method_count + 1) * sizeof *order);
	size_t count = 0;
	for (uint32_t i = 0; order && i < coverage->method_count; i++) {
		if (coverage->methods[i].file != NONE)
			order[count++] = i;
	}
	if (order)
		qsort_r (order, count, sizeof *order, compare_methods, (void *) coverage);
	*ret_count = count;
	return order;
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

static bool
add_node (monocle__coverage_tree *tree, uint32_t parent, monocle__coverage_node node, uint32_t *ret_index)
{
	uint32_t index = (uint32_t) tree->count;
	if (!MONOCLE__RESERVE (tree->nodes, tree->capacity, tree->count + 1))
		return false;
	node.parent = parent;
	node.first_child = node.last_child = node.next_sibling = NONE;
	tree->nodes[tree->count++] = node;
	if (ret_index)
		*ret_index = index;
	if (parent == NONE)
		return true;
	tree->nodes[index].depth = tree->nodes[parent].depth + 1;
	if (tree->nodes[parent].first_child == NONE)
		tree->nodes[parent].first_child = index;
	else
		tree->nodes[tree->nodes[parent].last_child].next_sibling = index;
	tree->nodes[parent].last_child = index;
	return true;
}

static void
add_sums (monocle__coverage_sums *sums, const monocle__coverage_sums *more)
{
	sums->lines += more->lines;
	sums->lines_hit += more->lines_hit;
	sums->arms += more->arms;
	sums->arms_hit += more->arms_hit;
	sums->methods += more->methods;
	sums->methods_hit += more->methods_hit;
	sums->types += more->types;
	sums->types_hit += more->types_hit;
}

/* The last child of a node, if it stands for the same; else NONE. */
static uint32_t
last_child (const monocle__coverage_tree *tree, uint32_t parent, monocle__coverage_kind kind, uint32_t index)
{
	uint32_t child = tree->nodes[parent].last_child;
	bool is_same = child != NONE && tree->nodes[child].kind == kind && tree->nodes[child].index == index;
	return is_same ? child : NONE;
}

static bool
find_image (monocle__coverage_tree *tree, const monocle__coverage *coverage, uint32_t image, uint32_t *at)
{
	const char *name = coverage->images[image].name;
	monocle__coverage_node node = { MONOCLE__COVERAGE_ASSEMBLY, image, .name = name };
	uint32_t found = last_child (tree, *at, MONOCLE__COVERAGE_ASSEMBLY, image);
	if (found != NONE) {
		*at = found;
		return true;
	}
	node.sums = monocle__coverage_sum_of_image (coverage, image);
	return add_node (tree, *at, node, at);
}

/* A file that lies in the folder of all has no node of a folder. */
static bool
find_folder (monocle__coverage_tree *tree, const monocle__coverage *coverage, uint32_t file, uint32_t *at)
{
	const char *path = coverage->files[file].path;
	size_t length = folder_length (path);
	uint32_t child = tree->nodes[*at].last_child;
	monocle__coverage_node node = { .kind = MONOCLE__COVERAGE_FOLDER, .index = file };
	if (length <= tree->folder)
		return true;
	if (child != NONE && tree->nodes[child].kind == MONOCLE__COVERAGE_FOLDER &&
	    compare_folders (coverage->files[tree->nodes[child].index].path, path) == 0) {
		*at = child;
		return true;
	}
	node.name = strndup (path + tree->folder, length - tree->folder);
	if (node.name && add_node (tree, *at, node, at))
		return true;
	free ((char *) node.name);
	return false;
}

/* Does another image have lines of the file, too? */
static bool
is_shared (const monocle__coverage *coverage, uint32_t file, uint32_t image)
{
	const monocle__coverage_file *f = &coverage->files[file];
	for (size_t i = 0; i < coverage->method_count; i++) {
		if (coverage->methods[i].file == file && coverage->types[coverage->methods[i].type].image != image)
			return true;
	}
	for (uint32_t i = 0; i < f->line_count; i++) {
		if (coverage->types[coverage->methods[coverage->lines[f->first_line + i].method].type].image != image)
			return true;
	}
	return false;
}

static bool
find_file (monocle__coverage_tree *tree, const monocle__coverage *coverage, uint32_t file, uint32_t image, uint32_t *at)
{
	const char *name = monocle__path_base_name (coverage->files[file].path);
	monocle__coverage_node node = { MONOCLE__COVERAGE_FILE, file, .name = name };
	uint32_t found = last_child (tree, *at, MONOCLE__COVERAGE_FILE, file);
	if (found != NONE) {
		*at = found;
		return true;
	}
	node.sums = monocle__coverage_sum_of_file (coverage, file);
	if (is_shared (coverage, file, image) && monocle__coverage_sum_of_part (coverage, image, file, &node.sums) != 0)
		return false;
	if (tree->nodes[*at].kind == MONOCLE__COVERAGE_FOLDER)
		add_sums (&tree->nodes[*at].sums, &node.sums);
	return add_node (tree, *at, node, at);
}

static bool
find_type (monocle__coverage_tree *tree, const monocle__coverage *coverage, uint32_t type, uint32_t *at)
{
	const char *name = coverage->types[type].name;
	monocle__coverage_node node = { MONOCLE__COVERAGE_CLASS, type, .name = name };
	uint32_t found = last_child (tree, *at, MONOCLE__COVERAGE_CLASS, type);
	if (found == NONE)
		return add_node (tree, *at, node, at);
	*at = found;
	return true;
}

static bool
add_method (monocle__coverage_tree *tree, const monocle__coverage *coverage, uint32_t index)
{
	const monocle__coverage_method *method = &coverage->methods[index];
	monocle__coverage_node node = { MONOCLE__COVERAGE_METHOD, index, .name = method->name };
	uint32_t at = 0;
	if (!find_image (tree, coverage, coverage->types[method->type].image, &at) ||
	    !find_folder (tree, coverage, method->file, &at) ||
	    !find_file (tree, coverage, method->file, coverage->types[method->type].image, &at) ||
	    !find_type (tree, coverage, method->type, &at))
		return false;
	node.sums = monocle__coverage_sum_of_method (coverage, index);
	add_sums (&tree->nodes[at].sums, &node.sums);
	return add_node (tree, at, node, NULL);
}

/* A class that is whole below one file has the sums of the class: methods that share a line do not count it twice. */
static void
mend_classes (monocle__coverage_tree *tree, const monocle__coverage *coverage)
{
	for (size_t i = 0; i < tree->count; i++) {
		monocle__coverage_node *node = &tree->nodes[i];
		uint32_t children = 0;
		if (node->kind != MONOCLE__COVERAGE_CLASS)
			continue;
		for (uint32_t k = node->first_child; k != NONE; k = tree->nodes[k].next_sibling)
			children++;
		if (children == coverage->types[node->index].method_count)
			node->sums = monocle__coverage_sum_of_type (coverage, node->index);
	}
}

/* --- order -------------------------------------------------------------------------------------------------------- */

typedef struct {
	const monocle__coverage_tree *tree;
	monocle__coverage_sort sort;
} order_context;

static int
compare_nodes (const void *a, const void *b, void *data)
{
	const order_context *context = data;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	const monocle__coverage_node *nodes = context->tree->nodes;
	int order = monocle__coverage_rows_compare (&nodes[x].sums, &nodes[y].sums, context->sort);
	return order ? order : compare_numbers (x, y);
}

static void
sort_children (monocle__coverage_tree *tree, monocle__coverage_node *node, order_context *context, uint32_t *scratch)
{
	size_t count = 0;
	for (uint32_t k = node->first_child; k != NONE; k = tree->nodes[k].next_sibling)
		scratch[count++] = k;
	if (count == 0)
		return;
	qsort_r (scratch, count, sizeof *scratch, compare_nodes, context);
	node->first_child = scratch[0];
	node->last_child = scratch[count - 1];
	for (size_t i = 0; i < count; i++)
		tree->nodes[scratch[i]].next_sibling = i + 1 < count ? scratch[i + 1] : NONE;
}

/* Shows the `limit` nodes with the most missed lines, and the way to them. */
static void
choose_nodes (monocle__coverage_tree *tree, size_t limit, order_context *context, uint32_t *scratch)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		scratch[i] = i;
		if (tree->nodes[i].state == MONOCLE__COVERAGE_SHOWN)
			tree->nodes[i].state = MONOCLE__COVERAGE_BEYOND;
	}
	context->sort = MONOCLE__COVERAGE_SORT_MISSED;
	qsort_r (scratch, tree->count, sizeof *scratch, compare_nodes, context);
	for (size_t i = 0, shown = 0; i < tree->count && shown <= limit; i++) {
		for (uint32_t k = scratch[i]; k != NONE && tree->nodes[k].state == MONOCLE__COVERAGE_BEYOND;
		     k = tree->nodes[k].parent) {
			tree->nodes[k].state = MONOCLE__COVERAGE_SHOWN;
			shown++;
		}
	}
}

static bool
arrange (monocle__coverage_tree *tree, const monocle__coverage_report_options *options)
{
	order_context context = { tree, options->sort };
	uint32_t *scratch = malloc (tree->count * sizeof *scratch);
	if (!scratch)
		return false;
	for (size_t i = 0; i < tree->count; i++) {
		const monocle__coverage_sums *sums = &tree->nodes[i].sums;
		if (options->only_missed && i > 0 && sums->lines == sums->lines_hit)
			tree->nodes[i].state = MONOCLE__COVERAGE_UNWANTED;
		if (options->sort != MONOCLE__COVERAGE_SORT_PATH)
			sort_children (tree, &tree->nodes[i], &context, scratch);
	}
	if (options->limit && options->limit < tree->count - 1)
		choose_nodes (tree, options->limit, &context, scratch);
	free (scratch);
	return true;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static bool
build (monocle__coverage_tree *tree, const monocle__coverage *coverage)
{
	monocle__coverage_node root = { MONOCLE__COVERAGE_WHOLE, .name = "", .sums = monocle__coverage_sum (coverage) };
	size_t count;
	uint32_t *order = sorted_methods (coverage, &count);
	bool is_built = order && add_node (tree, NONE, root, NULL);
	for (size_t i = 0; is_built && i < count; i++)
		is_built = add_method (tree, coverage, order[i]);
	free (order);
	if (is_built)
		mend_classes (tree, coverage);
	return is_built;
}

int
monocle__coverage_tree_init (monocle__coverage_tree *tree, const monocle__coverage *coverage,
                             const monocle__coverage_report_options *options)
{
	*tree = (monocle__coverage_tree) { .folder = monocle__coverage_rows_folder (coverage) };
	if (build (tree, coverage) && arrange (tree, options))
		return 0;
	monocle__coverage_tree_done (tree);
	return -1;
}

void
monocle__coverage_tree_done (monocle__coverage_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (tree->nodes[i].kind == MONOCLE__COVERAGE_FOLDER)
			free ((char *) tree->nodes[i].name);
	}
	free (tree->nodes);
	*tree = (monocle__coverage_tree) { 0 };
}

/* Six levels at most. */
static void
walk (const monocle__coverage_tree *tree, const monocle__coverage_node *node,
      const monocle__coverage_tree_visitor *visitor)
{
	if (node != tree->nodes)
		visitor->enter (tree, node, visitor->context);
	for (uint32_t k = node->first_child; k != NONE; k = tree->nodes[k].next_sibling) {
		if (tree->nodes[k].state == MONOCLE__COVERAGE_SHOWN)
			walk (tree, &tree->nodes[k], visitor);
	}
	if (visitor->leave)
		visitor->leave (tree, node, visitor->context);
}

void
monocle__coverage_tree_walk (const monocle__coverage_tree *tree, const monocle__coverage_tree_visitor *visitor)
{
	walk (tree, tree->nodes, visitor);
}
