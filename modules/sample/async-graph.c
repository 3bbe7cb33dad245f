/*
 * SPDX-License-Identifier: MIT
 *
 * async-graph.c - see async-graph.h.
 *
 * Several may await one, and one may await several (Task.WhenAll): each way from an innermost method to an outermost
 * one is a chain. There may be more ways than boxes, so their number has a limit. A chain that is not followed to its
 * end says so, as every stack does.
 */
#include "async-graph.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { STEPS = 1 << 22 };

typedef struct {
	const async_graph *graph;
	uint32_t *by_address; /* numbers of boxes */
	monocle_kit_frame *frames;
	uint32_t depth, steps;
	void (*add) (void *data, const monocle_kit_frame *frames, uint32_t count);
	void *data;
} walk;

static void *
reserve (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

bool
async_graph_init (async_graph *graph, uint32_t most)
{
	*graph = (async_graph) { .most = most };
	graph->edges = reserve (2 * (size_t) most * sizeof *graph->edges);
	graph->boxes = reserve (((size_t) most + 1) * sizeof *graph->boxes);
	return graph->edges && graph->boxes;
}

void
async_graph_done (async_graph *graph)
{
	if (graph->edges)
		munmap (graph->edges, 2 * (size_t) graph->most * sizeof *graph->edges);
	if (graph->boxes)
		munmap (graph->boxes, ((size_t) graph->most + 1) * sizeof *graph->boxes);
	*graph = (async_graph) { .edges = NULL };
}

bool
async_graph_add (async_graph *graph, uint32_t from, uintptr_t to, uint32_t offset)
{
	if (graph->edge_count == 2 * graph->most)
		return false;
	graph->edges[graph->edge_count++] = (async_edge) { from, offset, to };
	return true;
}

static int
compare_edges (const void *a, const void *b)
{
	const async_edge *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static int
compare_addresses (const void *a, const void *b, void *data)
{
	const async_graph *graph = data;
	uintptr_t x = graph->boxes[*(const uint32_t *) a].object, y = graph->boxes[*(const uint32_t *) b].object;
	return (x > y) - (x < y);
}

/* NULL: no box in use lies there. */
static async_box *
box_at (const walk *w, uint32_t count, uintptr_t address)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		async_box *box = &w->graph->boxes[w->by_address[middle]];
		if (box->object == address)
			return box->method ? box : NULL;
		if (box->object < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Edges to what is no box in use go; those that stay have the number of theirs as `to`. */
static void
settle (async_graph *graph, const walk *w, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		async_box *from = &graph->boxes[graph->edges[i].from], *to = box_at (w, count, graph->edges[i].to);
		if (!from->method || !to || to == from || graph->edges[i].offset > from->last_offset)
			continue;
		to->awaits = true;
		graph->edges[kept++] = (async_edge) { graph->edges[i].from, 0, (uintptr_t) (to - graph->boxes) };
	}
	graph->edge_count = kept;
	if (kept)
		qsort (graph->edges, kept, sizeof *graph->edges, compare_edges);
	for (uint32_t i = 0, edge = 0; i <= count; i++) {
		graph->boxes[i].first = edge;
		while (edge < kept && graph->edges[edge].from == i)
			edge++;
	}
}

/* `above`: frames so far. */
static void
go_on (walk *w, uint32_t number, uint32_t above)
{
	const async_box *box = &w->graph->boxes[number];
	uint32_t first = box->first, end = box[1].first;
	w->frames[above] = (monocle_kit_frame) { box->method, 0 };
	if (w->steps)
		w->steps--;
	bool is_last = first == end, is_cut = is_last ? box->is_cut : above + 1 == w->depth || !w->steps;
	if (is_cut)
		w->frames[above + 1] = (monocle_kit_frame) { (void *) MONOCLE_KIT_FRAME_TRUNCATED, 0 };
	if (is_cut || is_last)
		w->add (w->data, w->frames, above + 1 + is_cut);
	for (uint32_t i = first; i < end && !is_cut && w->steps; i++)
		go_on (w, (uint32_t) w->graph->edges[i].to, above + 1);
}

bool
async_graph_chains (async_graph *graph, uint32_t count, uint32_t depth,
                    void (*add) (void *data, const monocle_kit_frame *frames, uint32_t count), void *data)
{
	walk w = { .graph = graph, .depth = depth, .steps = STEPS, .add = add, .data = data };
	w.by_address = calloc ((size_t) count + 1, sizeof *w.by_address);
	w.frames = calloc ((size_t) depth + 1, sizeof *w.frames);
	bool has_memory = w.by_address && w.frames;
	if (has_memory) {
		for (uint32_t i = 0; i < count; i++)
			w.by_address[i] = i;
		qsort_r (w.by_address, count, sizeof *w.by_address, compare_addresses, graph);
		settle (graph, &w, count);
		for (uint32_t i = 0; i < count; i++) {
			const async_box *box = &graph->boxes[i];
			if (box->method && !box->awaits && (!box->runs || box->first != box[1].first))
				go_on (&w, i, 0);
		}
	}
	free (w.by_address);
	free (w.frames);
	return has_memory;
}
