/*
 * SPDX-License-Identifier: MIT
 *
 * inlined.c - see inlined.h. Trees lie in a table by the start of their body. A body that is put where another one was
 * takes its tree away; a tree whose body is gone is asked about by nothing.
 */
#include "inlined.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "environment.h"
#include "hash.h"
#include "images/editable.h"
#include "images/emitted.h"
#include "images/image.h"
#include "images/resolve.h"
#include "inline-tree.h"
#include "invariant.h"

enum { FIRST_SLOTS = 256, DEEPEST = 64 /* methods in each other, as far as they are shown */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static monocle__inline_tree **slots; /* open addressing, at most half full; none is ever taken out */
static size_t slot_count, tree_count;
static atomic_bool is_wanted;

void
monocle__inlined_begin (void)
{
	const char *value = monocle__variable ("DOTNET_RichDebugInfo");
	atomic_store (&is_wanted, value && strtoul (value, NULL, 16));
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static monocle__inline_tree **
slot_of (uintptr_t start)
{
	for (size_t i = (size_t) (monocle__hash_spread (start) >> 32);; i++) {
		monocle__inline_tree **slot = &slots[i & (slot_count - 1)];
		if (!*slot || (*slot)->start == start)
			return slot;
	}
}

static bool
grow (void)
{
	monocle__inline_tree **old = slots;
	size_t old_count = slot_count, count = old ? old_count * 2 : FIRST_SLOTS;
	if (tree_count * 2 < old_count)
		return true;
	monocle__inline_tree **larger = calloc (count, sizeof *larger);
	if (!larger)
		return false;
	slots = larger;
	slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			*slot_of (old[i]->start) = old[i];
	free (old);
	return true;
}

static monocle__inline_tree *
find (uintptr_t start)
{
	return slots ? *slot_of (start) : NULL;
}

/* Takes the tree over. False: no memory. */
static bool
put (monocle__inline_tree *tree)
{
	if (!grow ()) {
		monocle__inline_tree_free (tree);
		return false;
	}
	monocle__inline_tree **slot = slot_of (tree->start);
	tree_count += !*slot;
	monocle__inline_tree_free (*slot);
	*slot = tree;
	MONOCLE__INVARIANT (tree_count * 2 <= slot_count && tree->node_count > 1);
	return true;
}

/* Nothing is in the body that stands there now. */
static void
clear (uintptr_t start)
{
	monocle__inline_tree *old = find (start);
	if (old)
		old->place_count = 0;
}

/* What a program writes while it runs is asked about when it is compiled; a part of another method may never be. */
static void
meet_parts (const monocle__inline_tree *tree)
{
	for (uint32_t i = 1; tree && i < tree->node_count; i++)
		monocle__emitted_method (tree->nodes[i].function);
}

bool
monocle__inlined_learn (FunctionID function, uintptr_t start)
{
	if (!atomic_load_explicit (&is_wanted, memory_order_relaxed))
		return false;
	monocle__inline_tree *tree = monocle__inline_tree_read (function, start);
	bool has_tree = tree;
	meet_parts (tree);
	pthread_mutex_lock (&lock);
	if (tree)
		has_tree = put (tree);
	else
		clear (start);
	pthread_mutex_unlock (&lock);
	return has_tree;
}

void
monocle__inlined_end (void)
{
	atomic_store (&is_wanted, false);
	pthread_mutex_lock (&lock);
	for (size_t i = 0; i < slot_count; i++)
		monocle__inline_tree_free (slots[i]);
	free (slots);
	slots = NULL;
	slot_count = tree_count = 0;
	pthread_mutex_unlock (&lock);
}

/* --- what is asked ------------------------------------------------------------------------------------------------ */

/* The last place at or before the offset. NULL: a prologue, which is the method's own. */
static const monocle__inline_place *
place_at (const monocle__inline_tree *tree, uint32_t native_offset)
{
	uint32_t from = 0, to = tree->place_count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (tree->places[middle].native_offset <= native_offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? &tree->places[from - 1] : NULL;
}

/* Each function, innermost first, with where it is in its own IL. *ret_outermost: the same of the body's method. */
static uint32_t
chain_at (const monocle__inline_tree *tree, uint32_t native_offset, monocle__inline_node ret[DEEPEST],
          uint32_t *ret_outermost)
{
	const monocle__inline_place *place = tree ? place_at (tree, native_offset) : NULL;
	uint32_t count = 0, il_offset = place ? place->il_offset : MONOCLE__INLINE_TREE_NONE;
	for (uint32_t at = place ? place->node : 0; at && count < DEEPEST; at = tree->nodes[at].parent) {
		MONOCLE__INVARIANT (at < tree->node_count);
		ret[count++] = (monocle__inline_node) { tree->nodes[at].function, il_offset, at };
		il_offset = tree->nodes[at].il_offset;
	}
	*ret_outermost = il_offset;
	return count;
}

/*
 * Only where it is one: some runtimes leave the offset of a call undefined. Where methods may have probes the
 * compiler's offsets are those of other IL than the program's.
 */
static uint32_t
il_offset_in (MonoMethod *method, uint32_t il_offset)
{
	const monocle__clr_image *image = monocle__clr_image_of (monocle_method_image (method));
	size_t size;
	if (!image || monocle_call_filter_installed () || monocle_coverage_filter_installed () ||
	    !monocle__editable_body_of_any (image, monocle_method_token (method), &size) || il_offset >= size)
		return MONOCLE__INLINE_TREE_NONE;
	return il_offset;
}

uint32_t
monocle__inlined_at (void *host, MonoMethod *method, const void *start, uint32_t native_offset, monocle_inlined *ret,
                     uint32_t capacity)
{
	monocle__inline_node chain[DEEPEST];
	uint32_t outermost, known = 0;
	pthread_mutex_lock (&lock);
	uint32_t count = chain_at (find ((uintptr_t) start), native_offset, chain, &outermost);
	pthread_mutex_unlock (&lock);
	for (uint32_t i = 0; i < count && known + 1 < capacity; i++) {
		MonoMethod *part = monocle__resolve_method (chain[i].function);
		if (part)
			ret[known++] = (monocle_inlined) { part, il_offset_in (part, chain[i].il_offset) };
	}
	if (known)
		ret[known++] = (monocle_inlined) { method, il_offset_in (method, outermost) };
	return known;
}
