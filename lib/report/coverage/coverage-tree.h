/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-tree.h - coverage as people have ordered their sources: assembly, folder, file, class, method.
 *
 * A file that several assemblies have is below each of them, with the sums of all. A class that lies in several files
 * is below each with what it has there.
 */
#ifndef MONOCLE_REPORT_COVERAGE_TREE_H
#define MONOCLE_REPORT_COVERAGE_TREE_H

#include "coverage-report.h"

typedef enum {
	MONOCLE__COVERAGE_WHOLE,
	MONOCLE__COVERAGE_ASSEMBLY,
	MONOCLE__COVERAGE_FOLDER,
	MONOCLE__COVERAGE_FILE,
	MONOCLE__COVERAGE_CLASS,
	MONOCLE__COVERAGE_METHOD,
} monocle__coverage_kind;

extern const char *const monocle__coverage_tree_kinds[];

typedef struct {
	monocle__coverage_kind kind;
	uint32_t index; /* in images, files (of a folder: its first), types, methods */
	uint32_t parent, first_child, last_child, next_sibling;
	uint32_t depth;   /* 0: the whole */
	uint8_t state;    /* monocle__coverage_tree_state */
	const char *name; /* of a folder with its slash, and the node's own */
	monocle__coverage_sums sums;
} monocle__coverage_node;

enum monocle__coverage_tree_state {
	MONOCLE__COVERAGE_SHOWN,
	MONOCLE__COVERAGE_BEYOND,   /* there is no room for it */
	MONOCLE__COVERAGE_UNWANTED, /* the options exclude it */
};

/* nodes[0] is the whole. Each node comes after its parent. */
typedef struct {
	monocle__coverage_node *nodes;
	size_t count, capacity;
	size_t folder; /* bytes that all paths begin with, which names lack */
} monocle__coverage_tree;

/* 0, or -1: out of memory. */
int monocle__coverage_tree_init (monocle__coverage_tree *tree, const monocle__coverage *coverage,
                                 const monocle__coverage_report_options *options);
void monocle__coverage_tree_done (monocle__coverage_tree *tree);

/* Visits what is shown, but for the whole, depth first. `leave` comes after a node's children, of the whole too. */
typedef struct {
	void (*enter) (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context);
	void (*leave) (const monocle__coverage_tree *tree, const monocle__coverage_node *node, void *context); /* or NULL */
	void *context;
} monocle__coverage_tree_visitor;

void monocle__coverage_tree_walk (const monocle__coverage_tree *tree, const monocle__coverage_tree_visitor *visitor);

#endif
