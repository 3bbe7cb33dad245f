/*
 * SPDX-License-Identifier: MIT
 *
 * sample-fold.c - see sample-fold.h.
 *
 * 64 bits of hash decide whether two stacks are the same: that two of a million are not, and are taken for one, happens
 * in one of 40 million files. Callers are known by all stacks that were kept, or by as many as a table of fixed size
 * has; Monocle's own files have those of callers before those of what they called.
 */
#include "sample-fold.h"

#include "array.h"
#include "hash.h"
#include "invariant.h"
#include "spool-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PATHS_MOST = 1 << 20,
	FRAME_BYTES = 2 * sizeof (uint32_t), /* with its place */
	FOLD_FRAMES = 2,                     /* [other paths], and the leaf */
};

/* --- maps --------------------------------------------------------------------------------------------------------- */

static size_t
map_slot (const monocle__fold_map *map, uint64_t key)
{
	size_t mask = map->slot_count - 1, at = (size_t) key & mask;
	while (map->keys[at] && map->keys[at] != key)
		at = (at + 1) & mask;
	return at;
}

static bool
map_grow (monocle__fold_map *map, bool with_samples)
{
	monocle__fold_map old = *map;
	map->slot_count = old.slot_count ? old.slot_count * 2 : 1024;
	map->keys = calloc (map->slot_count, sizeof *map->keys);
	map->samples = with_samples ? calloc (map->slot_count, sizeof *map->samples) : NULL;
	if (!map->keys || (with_samples && !map->samples)) {
		free (map->keys);
		free (map->samples);
		*map = old;
		return false;
	}
	for (size_t i = 0; i < old.slot_count; i++) {
		if (!old.keys[i])
			continue;
		size_t slot = map_slot (map, old.keys[i]);
		map->keys[slot] = old.keys[i];
		if (with_samples)
			map->samples[slot] = old.samples[i];
	}
	free (old.keys);
	free (old.samples);
	return true;
}

/* Room for one more, with half of the places free. */
static bool
map_reserve (monocle__fold_map *map, bool with_samples)
{
	return map->count * 2 < map->slot_count || map_grow (map, with_samples);
}

static bool
has_path (const monocle__fold_map *map, uint64_t key)
{
	return map->slot_count && map->keys[map_slot (map, key)] == key;
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

/* hashes[n]: of the n outermost frames, and never 0. */
static bool
hash_stack (monocle__sample_fold *fold, const uint32_t *frames, size_t depth)
{
	if (!MONOCLE__RESERVE (fold->hashes, fold->hash_capacity, depth + 1))
		return false;
	fold->hashes[0] = 1;
	for (size_t i = 0; i < depth; i++)
		fold->hashes[i + 1] = monocle__hash (fold->hashes[i], frames[depth - 1 - i]) | 1;
	return true;
}

/* From the innermost frame outwards: where one is known, so are those around it. */
static bool
know_stack (monocle__sample_fold *fold, const uint32_t *frames, size_t depth)
{
	if (!hash_stack (fold, frames, depth))
		return false;
	for (size_t n = depth; n && fold->paths.count < PATHS_MOST; n--) {
		if (!map_reserve (&fold->paths, false))
			return false;
		uint64_t *key = &fold->paths.keys[map_slot (&fold->paths, fold->hashes[n])];
		if (*key)
			break;
		*key = fold->hashes[n];
		fold->paths.count++;
	}
	return true;
}

static size_t
bytes_of (const monocle__profile *profile)
{
	size_t sample = sizeof *profile->samples + profile->value_count * sizeof *profile->values;
	return profile->sample_count * sample + profile->frame_count * FRAME_BYTES;
}

/* From here on samples are folded. */
static bool
begin (monocle__sample_fold *fold, monocle__profile *profile)
{
	static const monocle__function other = { .name = MONOCLE__SPOOL_OTHER, .system_name = "", .filename = "" };
	fold->is_full = true;
	fold->function = monocle__profile_add_function (profile, &other);
	bool good = fold->function != SIZE_MAX;
	for (size_t i = 0; i < profile->sample_count && good; i++)
		good = know_stack (fold, profile->frames + profile->samples[i].frames, profile->samples[i].depth);
	return good;
}

/* --- folding ------------------------------------------------------------------------------------------------------ */

/* How many of the outermost frames are kept: those of the nearest caller that is known, while there is room for it. */
static size_t
kept_frames (const monocle__sample_fold *fold, const monocle__profile *profile, size_t depth)
{
	size_t kept = depth - 1;
	if (bytes_of (profile) >= fold->limit + fold->limit / 4)
		return 0;
	while (kept && !has_path (&fold->paths, fold->hashes[kept]))
		kept--;
	return kept;
}

static void
add_values (monocle__profile *profile, size_t sample, const int64_t *values)
{
	int64_t *sums = profile->values + sample * profile->value_count;
	for (size_t i = 0; i < profile->value_count; i++)
		sums[i] = monocle__add (sums[i], values[i]);
}

static bool
add_as_is (monocle__profile *profile, const uint32_t *frames, const uint32_t *places, size_t depth,
           const int64_t *values)
{
	return monocle__profile_add_sample (profile, frames, depth, values) &&
	       (!depth || monocle__profile_set_places (profile, places, depth));
}

static bool
add_folded (monocle__sample_fold *fold, monocle__profile *profile, uint32_t *frames, uint32_t *places, size_t depth,
            const int64_t *values, uint64_t labels, bool *ret_new)
{
	if (!hash_stack (fold, frames, depth) || !map_reserve (&fold->stacks, true))
		return false;
	size_t kept = kept_frames (fold, profile, depth), first = depth - kept;
	uint64_t key = monocle__hash (monocle__hash (fold->hashes[kept], frames[0]), labels) | 1;
	size_t slot = map_slot (&fold->stacks, key);
	*ret_new = !fold->stacks.keys[slot];
	fold->folded++;
	if (!*ret_new) {
		add_values (profile, fold->stacks.samples[slot], values);
		return true;
	}
	fold->stacks.keys[slot] = key;
	fold->stacks.samples[slot] = (uint32_t) profile->sample_count;
	fold->stacks.count++;
	uint32_t leaf = frames[0], place = places[0];
	MONOCLE__INVARIANT (first >= 1 && kept + FOLD_FRAMES <= depth + 1);
	memmove (frames + FOLD_FRAMES, frames + first, kept * sizeof *frames);
	memmove (places + FOLD_FRAMES, places + first, kept * sizeof *places);
	frames[0] = leaf;
	places[0] = place;
	frames[1] = (uint32_t) fold->function;
	places[1] = 0;
	return add_as_is (profile, frames, places, kept + FOLD_FRAMES, values);
}

bool
monocle__sample_fold_add (monocle__sample_fold *fold, monocle__profile *profile, uint32_t *frames, uint32_t *places,
                          size_t depth, const int64_t *values, uint64_t labels, bool *ret_new)
{
	*ret_new = true;
	if (!fold->is_full && bytes_of (profile) >= fold->limit && !begin (fold, profile))
		return false;
	if (!fold->is_full || !depth)
		return add_as_is (profile, frames, places, depth, values);
	return add_folded (fold, profile, frames, places, depth, values, labels, ret_new);
}

bool
monocle__sample_fold_tell (const monocle__sample_fold *fold, monocle__profile *profile)
{
	char line[160];
	if (!fold->folded)
		return true;
	snprintf (line, sizeof line,
	          "folded: %zu stacks of the file are shown in " MONOCLE__SPOOL_OTHER ": it has more than are kept apart",
	          fold->folded);
	const char *comment = monocle__profile_text (profile, line, strlen (line));
	return comment && monocle__profile_add_comment (profile, comment);
}

void
monocle__sample_fold_done (monocle__sample_fold *fold)
{
	free (fold->paths.keys);
	free (fold->paths.samples);
	free (fold->stacks.keys);
	free (fold->stacks.samples);
	free (fold->hashes);
}
