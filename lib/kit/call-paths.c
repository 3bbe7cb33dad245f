/*
 * SPDX-License-Identifier: MIT
 *
 * call-paths.c - from the trees of many threads to one table of paths.
 *
 * Methods of the same name and image are one function, paths of the same functions are one path (per thread label when
 * threads are kept apart). A method whose name is empty is hidden: its time is its caller's, its calls count nowhere.
 * An async method that goes on is not called by the one whose end it awaited (resumed.h); snapshots have stacks as they
 * are.
 * Offline code: plain malloc, and everything is a table with indexes.
 *
 * The spool's order depends on addresses and on who came first. The order here does not: functions are numbered by
 * name, paths by (depth, parent's number, function), so that equal profiles are equal files.
 */
#include "call-paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "invariant.h"
#include "resumed.h"
#include "thread-state.h"

#define NONE UINT32_MAX

/* key -> value, open addressing; keys are never 0 (their caller adds one where they might be). */
struct map {
	uint64_t *keys;
	uint32_t *values;
	uint32_t mask, count;
};

struct builder {
	struct monocle__call_paths *out;
	const struct monocle__spool_view *view;
	struct map methods; /* method key -> function */
	struct map edges;   /* (parent path, function) -> path; roots: (NONE, ...) */
	struct map labels;  /* hash of a label -> label */
	struct monocle__resumed resumed;
	uint32_t *thread_labels; /* label of each thread number */
	uint32_t thread_count;
	uint32_t *node_paths; /* path of each node index; NONE: a root or nothing */
	uint32_t *node_labels;
	uint32_t node_count; /* indexes that the spool's extents have */
	uint32_t function_room, path_room, label_room, thread_room;
	bool has_folds;
	bool cuts; /* where a method is resumed */
	bool failed;
};

/* --- map ---------------------------------------------------------------------------------------------------------- */

static uint32_t *map_slot (struct map *map, uint64_t key);

/* `count` places, a power of two. False: no memory, and the map is as it was. */
static bool
map_resize (struct map *map, uint32_t count)
{
	struct map old = *map;
	map->keys = calloc (count, sizeof *map->keys);
	map->values = calloc (count, sizeof *map->values);
	map->mask = count - 1;
	map->count = 0;
	if (!map->keys || !map->values) {
		free (map->keys);
		free (map->values);
		*map = old;
		return false;
	}
	for (uint32_t i = 0; old.keys && i <= old.mask; i++)
		if (old.keys[i])
			*map_slot (map, old.keys[i]) = old.values[i];
	free (old.keys);
	free (old.values);
	return true;
}

static bool
map_grow (struct map *map)
{
	return map_resize (map, map->keys ? (map->mask + 1) * 2 : 256);
}

/* So many more keys find room without a move. */
static bool
map_reserve (struct map *map, uint32_t keys)
{
	uint32_t count = 256;
	while (count / 2 <= map->count + keys)
		count *= 2;
	return (map->keys && map->mask >= count - 1) || map_resize (map, count);
}

static uint32_t
map_find (const struct map *map, uint64_t key)
{
	if (!map->keys)
		return NONE;
	for (uint64_t i = monocle__hash (key, key >> 31);; i++) {
		uint64_t slot = map->keys[i & map->mask];
		if (!slot || slot == key)
			return slot ? map->values[i & map->mask] : NONE;
	}
}

/* Where the value of `key` is; NONE in it when it is new. NULL: no memory. */
static uint32_t *
map_slot (struct map *map, uint64_t key)
{
	if ((!map->keys || map->count * 2 >= map->mask) && !map_grow (map))
		return NULL;
	uint64_t i = monocle__hash (key, key >> 31);
	while (map->keys[i & map->mask] && map->keys[i & map->mask] != key)
		i++;
	if (!map->keys[i & map->mask]) {
		map->keys[i & map->mask] = key;
		map->values[i & map->mask] = NONE;
		map->count++;
	}
	MONOCLE__INVARIANT (key != 0 && map->count <= map->mask);
	return &map->values[i & map->mask];
}

static void
map_done (struct map *map)
{
	free (map->keys);
	free (map->values);
}

/* Room for one more in a table that doubles. */
static void *
with_room (void *table, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return table;
	uint32_t more = *room ? *room * 2 : 64;
	void *larger = realloc (table, more * size);
	if (larger)
		*room = more;
	return larger;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static void
on_name (void *data, uint64_t key, const struct monocle__spool_name *name)
{
	struct builder *builder = data;
	struct monocle__call_paths *out = builder->out;
	if (builder->failed || !key || monocle__thread_state_is_key (key))
		return;
	builder->has_folds |= key == MONOCLE_KIT_FRAME_OTHER;
	void *functions = with_room (out->functions, out->function_count, &builder->function_room, sizeof *out->functions);
	uint32_t *value = map_slot (&builder->methods, key);
	if (functions)
		out->functions = functions;
	if (!functions || !value) {
		builder->failed = true;
		return;
	}
	*value = 0; /* Known; its number comes when all are. */
	out->functions[out->function_count++] = (struct monocle__function) { .key = key,
		                                                                 .name = name->name,
		                                                                 .name_length = (uint32_t) name->name_length,
		                                                                 .image = name->image,
		                                                                 .image_length = (uint32_t) name->image_length,
		                                                                 .origin = name->origin };
}

static int
compare_text (const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
	uint32_t length = a_length < b_length ? a_length : b_length;
	int order = length ? memcmp (a, b, length) : 0;
	return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int
compare_images (const struct monocle__function *a, const struct monocle__function *b)
{
	return compare_text (a->image, a->image_length, b->image, b->image_length);
}

static int
compare_methods (const struct monocle__function *a, const struct monocle__function *b)
{
	int order = compare_images (a, b);
	return order ? order : compare_text (a->name, a->name_length, b->name, b->name_length);
}

/* A method whose offset is not known comes first; which of the same name it is, is not asked then. */
static int
compare_functions (const void *pa, const void *pb)
{
	const struct monocle__function *a = pa, *b = pb;
	uint32_t a_place = a->origin.il_offset + 1, b_place = b->origin.il_offset + 1;
	int order = compare_methods (a, b);
	if (order || (!a_place && !b_place))
		return order;
	if (a_place != b_place)
		return a_place < b_place ? -1 : 1;
	order = (a->origin.token > b->origin.token) - (a->origin.token < b->origin.token);
	return order ? order : memcmp (a->origin.mvid, b->origin.mvid, sizeof a->origin.mvid);
}

bool
monocle__call_paths_same_method (const struct monocle__function *a, const struct monocle__function *b)
{
	return compare_methods (a, b) == 0;
}

/* Sorts the functions, makes equal ones one, and numbers their images. */
static bool
settle_functions (struct builder *builder)
{
	struct monocle__call_paths *out = builder->out;
	uint32_t count = 0;
	if (out->function_count)
		qsort (out->functions, out->function_count, sizeof *out->functions, compare_functions);
	out->images = calloc (out->function_count + 1, sizeof *out->images);
	if (!out->images)
		return false;
	for (uint32_t i = 0; i < out->function_count; i++) {
		struct monocle__function *function = &out->functions[i];
		if (!count || compare_functions (function, &out->functions[count - 1])) {
			if (!count || compare_images (function, &out->functions[count - 1]))
				out->images[out->image_count++] = count;
			function->image_index = out->image_count - 1;
			out->functions[count++] = *function;
		}
		uint32_t *value = map_slot (&builder->methods, function->key);
		if (!value)
			return false;
		*value = count - 1;
	}
	MONOCLE__INVARIANT (count <= out->function_count && out->image_count <= count);
	out->function_count = count;
	return true;
}

/* Methods whose names were lost are one function. */
static void
add_unnamed (void *data, uint32_t index, const struct monocle__node *node)
{
	static const char unnamed[] = "(unnamed)";
	struct builder *builder = data;
	(void) index;
	if (node->parent && map_find (&builder->methods, node->key) == NONE)
		on_name (
		    builder, node->key,
		    &(struct monocle__spool_name) {
		        .name = unnamed, .name_length = sizeof unnamed - 1, .image = "", .origin = MONOCLE__ORIGIN_UNKNOWN });
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static int
compare_labels (const void *pa, const void *pb)
{
	const struct monocle__label *a = pa, *b = pb;
	int order = strcmp (a->text, b->text);
	return order ? order : (a->state > b->state) - (a->state < b->state);
}

/* A server may have had a hundred thousand threads. */
static uint32_t
find_or_add_label (struct builder *builder, const struct monocle__label *label)
{
	struct monocle__call_paths *out = builder->out;
	for (uint64_t key = monocle__hash_text (label->state, label->text);; key++) {
		uint32_t *value = map_slot (&builder->labels, key ? key : 1);
		if (!value)
			return NONE;
		if (*value != NONE && compare_labels (&out->labels[*value], label))
			continue; /* Two of one hash. */
		if (*value != NONE)
			return *value;
		void *labels = with_room (out->labels, out->label_count, &builder->label_room, sizeof *out->labels);
		if (!labels)
			return NONE;
		out->labels = labels;
		out->labels[out->label_count] = *label;
		return *value = out->label_count++;
	}
}

static void
on_thread (void *data, uint32_t number, const struct monocle__thread_record *record)
{
	struct builder *builder = data;
	struct monocle__label label = { .state = 0 };
	uint32_t length = __atomic_load_n (&record->name_length, __ATOMIC_ACQUIRE);
	if (!(builder->view->header->flags & MONOCLE__SPOOL_THREADS) || builder->failed)
		return;
	if (length && length < sizeof record->name)
		snprintf (label.text, sizeof label.text, "%.*s", (int) length, record->name);
	else
		snprintf (label.text, sizeof label.text, "Thread %u", number);
	uint32_t index = find_or_add_label (builder, &label);
	uint32_t *labels = with_room (builder->thread_labels, number, &builder->thread_room, sizeof *labels);
	if (labels)
		builder->thread_labels = labels;
	if (!labels || index == NONE) {
		builder->failed = true;
		return;
	}
	labels[number] = index;
	builder->thread_count = number;
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static uint32_t
find_or_add_path (struct builder *builder, uint32_t parent, uint32_t function, uint32_t label)
{
	struct monocle__call_paths *out = builder->out;
	/* A path at the top is known by its label where others have their parent. */
	uint64_t edge = ((uint64_t) (parent == NONE ? label : parent) << 32 | function) + 1;
	edge ^= parent == NONE ? UINT64_C (1) << 63 : 0;
	uint32_t *value = map_slot (&builder->edges, edge);
	if (!value)
		return NONE;
	if (*value != NONE)
		return *value;
	void *paths = with_room (out->paths, out->path_count, &builder->path_room, sizeof *out->paths);
	if (!paths)
		return NONE;
	out->paths = paths;
	MONOCLE__INVARIANT (parent == NONE || parent < out->path_count);
	uint32_t depth = parent == NONE ? 0 : out->paths[parent].depth + 1;
	out->paths[out->path_count] = (struct monocle__path) { parent, function, label, depth, 0, 0 };
	*value = out->path_count++;
	return !builder->cuts || monocle__resumed_add (&builder->resumed, *value) ? *value : NONE;
}

static void
on_root (struct builder *builder, uint32_t index, const struct monocle__node *node)
{
	bool known = node->key >= 1 && node->key <= builder->thread_count;
	builder->node_labels[index] = known ? builder->thread_labels[node->key] : NONE;
}

/* Is it what the thread did, and no frame? */
static bool
is_state (const struct builder *builder, const struct monocle__node *node)
{
	return monocle__thread_state_is_key (node->key) && builder->node_paths[node->parent] == NONE &&
	       builder->node_labels[node->parent] != NONE;
}

static void
on_state (struct builder *builder, uint32_t index, const struct monocle__node *node)
{
	struct monocle__label label = builder->out->labels[builder->node_labels[node->parent]];
	label.state = node->key;
	builder->node_labels[index] = find_or_add_label (builder, &label);
	builder->failed |= builder->node_labels[index] == NONE;
}

/* Adds what is counted in [other paths]. */
static void
see_fold (struct builder *builder, const struct monocle__node *node)
{
	const struct monocle__node *parent = monocle__spool_view_node (builder->view, node->parent);
	uint64_t *folded = builder->out->folded;
	if (!parent || parent->key != MONOCLE_KIT_FRAME_OTHER)
		return;
	folded[0] += __atomic_load_n (&node->calls, __ATOMIC_RELAXED);
	folded[1] += __atomic_load_n (&node->self, __ATOMIC_RELAXED);
}

static void
on_node (void *data, uint32_t index, const struct monocle__node *node)
{
	struct builder *builder = data;
	if (builder->failed)
		return;
	if (!node->parent) {
		on_root (builder, index, node);
		return;
	}
	if (is_state (builder, node)) {
		on_state (builder, index, node);
		return;
	}
	if (builder->has_folds)
		see_fold (builder, node);
	uint32_t function = map_find (&builder->methods, node->key);
	uint32_t label = builder->node_labels[node->parent];
	uint32_t path = builder->node_paths[node->parent];
	bool hidden = function == NONE || !builder->out->functions[function].name_length;
	if (!hidden && builder->cuts)
		path = monocle__resumed_parent (&builder->resumed, path, function);
	if (!hidden)
		path = find_or_add_path (builder, path, function, label);
	builder->failed |= !hidden && path == NONE;
	MONOCLE__INVARIANT (node->parent < index && index < builder->node_count);
	builder->node_paths[index] = path;
	builder->node_labels[index] = label;
	if (builder->out->node_paths && !hidden)
		builder->out->node_paths[index] = path;
	if (path == NONE)
		return;
	if (!hidden || builder->view->header->flags & MONOCLE__SPOOL_STACKS)
		builder->out->paths[path].calls += __atomic_load_n (&node->calls, __ATOMIC_RELAXED);
	builder->out->paths[path].self += __atomic_load_n (&node->self, __ATOMIC_RELAXED);
}

/* Who calls a state machine says whose it is. */
static void
see_call (void *data, uint32_t index, const struct monocle__node *node)
{
	struct builder *builder = data;
	const struct monocle__node *parent = node->parent ? monocle__spool_view_node (builder->view, node->parent) : NULL;
	uint32_t caller = parent && parent->parent ? map_find (&builder->methods, parent->key) : NONE;
	uint32_t function = node->parent ? map_find (&builder->methods, node->key) : NONE;
	(void) index;
	if (caller != NONE && function != NONE)
		monocle__resumed_see_call (&builder->resumed, caller, function);
}

/*
 * The call that a thread is in has been running since its last event, unless threads have a clock each: it cannot be
 * read when they are gone, or from elsewhere.
 */
static void
charge_running (void *data, uint32_t number, const struct monocle__thread_record *record)
{
	struct builder *builder = data;
	const struct monocle__spool_view *view = builder->view;
	uint64_t last = __atomic_load_n (&record->last, __ATOMIC_RELAXED);
	uint32_t current = __atomic_load_n (&record->current, __ATOMIC_RELAXED);
	bool running = !__atomic_load_n (&record->ended, __ATOMIC_ACQUIRE);
	(void) number;
	bool has_end = (view->header->flags & (MONOCLE__SPOOL_TIMES | MONOCLE__SPOOL_CPU)) == MONOCLE__SPOOL_TIMES;
	if (!running || !has_end || last >= view->end_ticks || current >= builder->node_count)
		return;
	uint32_t path = builder->node_paths[current];
	if (path != NONE)
		builder->out->paths[path].self += view->end_ticks - last;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

/* Numbers the labels by text: in the paths too. */
static bool
sort_labels (struct monocle__call_paths *out)
{
	if (!out->label_count)
		return true;
	struct monocle__label *before = malloc (out->label_count * sizeof *before);
	uint32_t *renamed = calloc (out->label_count, sizeof *renamed);
	if (before && renamed) {
		memcpy (before, out->labels, out->label_count * sizeof *before);
		qsort (out->labels, out->label_count, sizeof *out->labels, compare_labels);
		for (uint32_t i = 0; i < out->label_count; i++)
			renamed[i] = (uint32_t) ((struct monocle__label *) bsearch (&before[i], out->labels, out->label_count,
			                                                            sizeof *before, compare_labels) -
			                         out->labels);
		for (uint32_t i = 0; i < out->path_count; i++)
			if (out->paths[i].label != NONE)
				out->paths[i].label = renamed[out->paths[i].label];
	}
	bool good = before && renamed;
	free (before);
	free (renamed);
	return good;
}

/* The order of paths while they are sorted: by the first key that a pass has not sorted by yet. */
struct order {
	uint32_t *from, *to; /* indexes of paths */
	uint32_t *starts;    /* of a key: where the next path with it goes */
	uint32_t *places;    /* by index: where the path has come to be */
};

enum path_key { BY_FUNCTION, BY_LABEL, BY_DEPTH };

/* Without a label, in a damaged spool, a path comes behind those that have one. */
static inline uint32_t
key_of (const struct monocle__call_paths *out, uint32_t index, enum path_key key)
{
	const struct monocle__path *path = &out->paths[index];
	if (key == BY_LABEL)
		return path->label < out->label_count ? path->label : out->label_count;
	return key == BY_FUNCTION ? path->function : path->depth;
}

/* From counts by key to the first place of each. */
static void
add_up (uint32_t *starts, uint32_t count, uint32_t first)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t of_key = starts[i];
		starts[i] = first;
		first += of_key;
	}
}

/* Paths with equal keys stay in the order that they are in. */
static void
sort_by (const struct monocle__call_paths *out, struct order *order, enum path_key key, uint32_t key_count)
{
	uint32_t *sorted = order->to;
	memset (order->starts, 0, key_count * sizeof *order->starts);
	for (uint32_t i = 0; i < out->path_count; i++)
		order->starts[key_of (out, i, key)]++;
	add_up (order->starts, key_count, 0);
	for (uint32_t i = 0; i < out->path_count; i++)
		sorted[order->starts[key_of (out, order->from[i], key)]++] = order->from[i];
	order->to = order->from;
	order->from = sorted;
}

/* One level, whose parents are in their places from `above` on. */
static void
sort_level (const struct monocle__call_paths *out, struct order *order, uint32_t above, uint32_t first, uint32_t next)
{
	memset (order->starts, 0, (first - above) * sizeof *order->starts);
	for (uint32_t i = first; i < next; i++)
		order->starts[order->places[out->paths[order->from[i]].parent] - above]++;
	add_up (order->starts, first - above, first);
	for (uint32_t i = first; i < next; i++) {
		uint32_t index = order->from[i];
		uint32_t place = order->starts[order->places[out->paths[index].parent] - above]++;
		order->to[place] = index;
		order->places[index] = place;
	}
}

/* Level by level, because a level is sorted by the places that the one above has got. In `to`, then. */
static void
sort_levels (const struct monocle__call_paths *out, struct order *order)
{
	uint32_t first = 0, next, above = 0;
	for (; first < out->path_count; above = first, first = next) {
		uint32_t depth = out->paths[order->from[first]].depth;
		for (next = first; next < out->path_count && out->paths[order->from[next]].depth == depth; next++)
			if (!depth) {
				order->to[next] = order->from[next];
				order->places[order->from[next]] = next;
			}
		if (depth)
			sort_level (out, order, above, first, next);
	}
}

static uint32_t
deepest (const struct monocle__call_paths *out)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; i < out->path_count; i++)
		depth = out->paths[i].depth > depth ? out->paths[i].depth : depth;
	return depth;
}

/* By depth, parent, label and function. There are no more keys of a kind than starts. */
static void
sort_order (const struct monocle__call_paths *out, struct order *order)
{
	for (uint32_t i = 0; i < out->path_count; i++)
		order->from[i] = i;
	sort_by (out, order, BY_FUNCTION, out->function_count);
	if (out->label_count)
		sort_by (out, order, BY_LABEL, out->label_count + 1);
	sort_by (out, order, BY_DEPTH, deepest (out) + 1);
	sort_levels (out, order);
}

/* Puts the paths where the order says. */
static void
move_paths (struct monocle__call_paths *out, const struct order *order, struct monocle__path *sorted)
{
	for (uint32_t i = 0; i < out->path_count; i++) {
		sorted[i] = out->paths[order->to[i]];
		if (sorted[i].parent != NONE)
			sorted[i].parent = order->places[sorted[i].parent];
		MONOCLE__INVARIANT (sorted[i].depth ? sorted[i].parent < i : sorted[i].parent == NONE);
	}
	for (uint32_t i = 0; i < out->node_count; i++)
		if (out->node_paths[i] != NONE)
			out->node_paths[i] = order->places[out->node_paths[i]];
	free (out->paths);
	out->paths = sorted;
}

static bool
sort_paths (struct monocle__call_paths *out)
{
	size_t count = out->path_count;
	if (!count)
		return true;
	/* A path's depth is less than their number; labels and functions may be more. */
	size_t starts = count > out->function_count ? count : out->function_count;
	starts = starts > out->label_count ? starts : out->label_count + 1;
	struct order order = { .from = malloc (count * sizeof *order.from),
		                   .to = malloc (count * sizeof *order.to),
		                   .starts = malloc (starts * sizeof *order.starts),
		                   .places = malloc (count * sizeof *order.places) };
	struct monocle__path *sorted = malloc (count * sizeof *sorted);
	bool good = order.from && order.to && order.starts && order.places && sorted;
	if (good) {
		sort_order (out, &order);
		move_paths (out, &order, sorted);
	} else {
		free (sorted);
	}
	free (order.from);
	free (order.to);
	free (order.starts);
	free (order.places);
	return good;
}

/* --- all together ------------------------------------------------------------------------------------------------- */

static bool
make_node_tables (struct builder *builder)
{
	size_t count = builder->node_count;
	builder->node_paths = malloc (count * sizeof *builder->node_paths);
	builder->node_labels = malloc (count * sizeof *builder->node_labels);
	if (!builder->node_paths || !builder->node_labels)
		return false;
	if (builder->view->header->threshold_ns) {
		builder->out->node_paths = malloc (count * sizeof *builder->out->node_paths);
		if (!builder->out->node_paths)
			return false;
		memset (builder->out->node_paths, 0xff, count * sizeof *builder->out->node_paths);
		builder->out->node_count = builder->node_count;
	}
	memset (builder->node_paths, 0xff, count * sizeof *builder->node_paths);
	memset (builder->node_labels, 0xff, count * sizeof *builder->node_labels);
	return true;
}

static void
count_node (void *data, uint32_t index, const struct monocle__node *node)
{
	uint32_t *count = data;
	(void) index, (void) node;
	++*count;
}

/* Each node may be a path. */
static bool
make_path_tables (struct builder *builder)
{
	uint32_t count = 0;
	struct monocle__spool_visitor counter = { .data = &count, .node = count_node };
	monocle__spool_view_visit (builder->view, &counter);
	builder->path_room = count + 1;
	builder->out->paths = malloc (builder->path_room * sizeof *builder->out->paths);
	return builder->out->paths && map_reserve (&builder->edges, count);
}

static bool
build (struct builder *builder)
{
	struct monocle__spool_visitor names = { .data = builder, .name = on_name };
	struct monocle__spool_visitor threads = { .data = builder, .thread = on_thread };
	struct monocle__spool_visitor nodes = { .data = builder, .node = on_node };
	struct monocle__spool_visitor calls = { .data = builder, .node = see_call };
	struct monocle__spool_visitor running = { .data = builder, .thread = charge_running };
	struct monocle__spool_visitor unnamed = { .data = builder, .node = add_unnamed };
	monocle__spool_view_visit (builder->view, &names);
	monocle__spool_view_visit (builder->view, &unnamed);
	if (builder->failed || !settle_functions (builder) || !make_node_tables (builder) || !make_path_tables (builder))
		return false;
	if (builder->cuts && !monocle__resumed_init (&builder->resumed, builder->out))
		return false;
	monocle__spool_view_visit (builder->view, &threads);
	if (builder->cuts)
		monocle__spool_view_visit (builder->view, &calls);
	monocle__spool_view_visit (builder->view, &nodes);
	if (builder->failed)
		return false;
	monocle__spool_view_visit (builder->view, &running);
	return sort_labels (builder->out) && sort_paths (builder->out);
}

int
monocle__call_paths_init (struct monocle__call_paths *paths, const struct monocle__spool_view *view)
{
	struct builder builder = { .out = paths, .view = view };
	builder.cuts = !(view->header->flags & MONOCLE__SPOOL_PIECES);
	builder.node_count = view->extent_count * (uint32_t) (MONOCLE__EXTENT_SIZE / sizeof (struct monocle__node));
	memset (paths, 0, sizeof *paths);
	bool good = build (&builder);
	map_done (&builder.methods);
	map_done (&builder.edges);
	map_done (&builder.labels);
	monocle__resumed_done (&builder.resumed);
	free (builder.thread_labels);
	free (builder.node_paths);
	free (builder.node_labels);
	if (!good)
		monocle__call_paths_done (paths);
	return good ? 0 : -ENOMEM;
}

void
monocle__call_paths_done (struct monocle__call_paths *paths)
{
	free (paths->functions);
	free (paths->images);
	free (paths->labels);
	free (paths->paths);
	free (paths->node_paths);
	memset (paths, 0, sizeof *paths);
}
