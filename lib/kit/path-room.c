/*
 * SPDX-License-Identifier: MIT
 *
 * path-room.c - see path-room.h.
 *
 * A path is a node while the program runs; most of what it takes, it takes at the end, when the profile is written in
 * the process: then it has a place in each of some tables, and a sample with all its frames in the file, which
 * `monocle run` reads, and writes again with lines. All of that is counted from the beginning, so that the end takes
 * neither more memory than there is room for nor much time.
 */
#include "path-room.h"

#include <stdio.h>

#include <monocle/kit.h>

#include "memory-limit.h"

enum {
	PATH_BYTES = 176, /* a node, its places in the tables of the tree and of the writer, its sample */
	FRAME_BYTES = 8,  /* of a sample, where it is read */
	SHALLOW = 32,     /* beyond so many frames */
	DEEP_FRAMES = 4,  /* so many are a byte: a recursion of thousands of calls has its paths */
	PAGE = 4096,
	LEAST = 1 << 20, /* of a process with little memory */
	SHARE = 8,       /* of what it may have */
};

void
monocle__path_room_init (struct monocle__path_room *room, uint64_t wanted, const char *root)
{
	const char *whose = NULL;
	*room = (struct monocle__path_room) { .limit = wanted ? wanted : MONOCLE_KIT_PATHS };
	uint64_t share = monocle__memory_limit (root, &whose) / SHARE;
	share = share < LEAST ? LEAST : share;
	if (wanted || share >= room->limit)
		return;
	room->limit = share;
	room->whose = whose;
}

void
monocle__path_room_fit (struct monocle__path_room *room, uint64_t reserved)
{
	/* A fifth of a path is its node. */
	if (room->limit / 4 <= reserved)
		return;
	room->limit = reserved * 4;
	room->whose = NULL;
}

bool
monocle__path_room_take (struct monocle__path_room *room, uint32_t *owed, uint32_t depth, enum monocle__path_kind kind)
{
	uint64_t limit = kind == MONOCLE__PATH_ORDINARY ? room->limit - room->limit / 4 : room->limit;
	if (kind != MONOCLE__PATH_NEEDED && __atomic_load_n (&room->used, __ATOMIC_RELAXED) >= limit)
		return false;
	uint32_t shallow = depth < SHALLOW ? depth : SHALLOW;
	*owed += PATH_BYTES + FRAME_BYTES * shallow + (depth - shallow) / DEEP_FRAMES;
	if (*owed >= PAGE) {
		__atomic_fetch_add (&room->used, *owed, __ATOMIC_RELAXED);
		*owed = 0;
	}
	return true;
}

void
monocle__path_room_reason (const struct monocle__path_room *room, char *text, unsigned size)
{
	unsigned long long kibibytes = room->limit >> 10;
	bool is_whole = kibibytes >= 1024 && kibibytes % 1024 == 0;
	snprintf (text, size, "call paths had %llu %s of room%s%s (option paths)", is_whole ? kibibytes >> 10 : kibibytes,
	          is_whole ? "MiB" : "KiB", room->whose ? ", an eighth of " : "", room->whose ? room->whose : "");
}
