/*
 * SPDX-License-Identifier: MIT
 *
 * async-graph.h - boxes of async methods, and who goes on after which.
 */
#ifndef MONOCLE_MODULES_ASYNC_GRAPH_H
#define MONOCLE_MODULES_ASYNC_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/class.h>
#include <monocle/kit.h>

typedef struct {
	uint32_t from;   /* a box's number */
	uint32_t offset; /* in it, of the reference; 0: it leads there by other objects */
	uintptr_t to;    /* what awaits it: the address of a box */
} async_edge;

typedef struct {
	uintptr_t object;
	MonoMethod *method;   /* NULL: not in use, or not to be named */
	uint32_t last_offset; /* what is referred to from beyond it does not await it */
	bool runs;            /* on some thread: it awaits nothing now */
	bool is_cut;          /* somebody awaits it, who is not known */
	/* Of async_graph_chains () itself. */
	bool awaits;    /* another box */
	uint32_t first; /* of its edges, when they are in order */
} async_box;

typedef struct {
	async_edge *edges;
	uint32_t edge_count;
	async_box *boxes; /* the caller fills them in before the chains are told */
	uint32_t most;
} async_graph;

/* For so many boxes. False: no memory; the caller ends with async_graph_done () in any case. */
bool async_graph_init (async_graph *graph, uint32_t most);
void async_graph_done (async_graph *graph);
/* The box of this number is awaited by what lies there. False: there are too many. Any context. */
bool async_graph_add (async_graph *graph, uint32_t from, uintptr_t to, uint32_t offset);

/*
 * Tells every chain: a method that awaits none of the others, then who awaits it, and so on, `depth` at most, and
 * [truncated] where it goes on further than that, or to
 * where nothing is known of. One that runs and that nobody awaits is none. False: no memory.
 */
bool async_graph_chains (async_graph *graph, uint32_t count, uint32_t depth,
                         void (*add) (void *data, const monocle_kit_frame *frames, uint32_t count), void *data);

#endif
