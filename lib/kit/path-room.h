/*
 * SPDX-License-Identifier: MIT
 *
 * path-room.h - how much memory call paths may take, of all threads together.
 *
 * What is beyond is folded: a path that finds no room is counted under the nearest caller that has a node, as CALLER;
 * [other paths]; METHOD. So what a method was called, and took by itself, stays exact.
 */
#ifndef MONOCLE_KIT_PATH_ROOM_H
#define MONOCLE_KIT_PATH_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* The last quarter of the room is for folds, so that they are near the paths that they belong to. */
enum monocle__path_kind {
	MONOCLE__PATH_ORDINARY,
	MONOCLE__PATH_FOLDED, /* [other paths] below a caller, and a method below that */
	MONOCLE__PATH_NEEDED, /* without it something would not be counted: there is no bound */
};

struct monocle__path_room {
	uint64_t limit;    /* bytes */
	uint64_t used;     /* relaxed additions of threads, a page at a time */
	const char *whose; /* whose limit it is a part of; NULL: the option's, or the default */
	bool is_full;      /* some path was folded; atomic */
};

/*
 * `wanted`: what was asked for; 0: the default, MONOCLE_KIT_PATHS, or less by what the process may have. `root`: as
 * monocle__memory_limit () has it.
 */
void monocle__path_room_init (struct monocle__path_room *room, uint64_t wanted, const char *root);
/* The nodes have to fit into so many bytes of the file. */
void monocle__path_room_fit (struct monocle__path_room *room, uint64_t reserved);
/*
 * Is there room for one more path of so many frames? `owed`, 0 at first, is of the calling thread's tree. Any context.
 */
bool monocle__path_room_take (struct monocle__path_room *room, uint32_t *owed, uint32_t depth,
                              enum monocle__path_kind kind);
/* Why paths are folded, for the profile: "... had 64 MiB of room (option paths)". */
void monocle__path_room_reason (const struct monocle__path_room *room, char *text, unsigned size);

#endif
