/*
 * SPDX-License-Identifier: MIT
 *
 * call-paths.h - a spool's call trees as one table of paths, in an order that depends on nothing but names.
 */
#ifndef MONOCLE_KIT_CALL_PATHS_H
#define MONOCLE_KIT_CALL_PATHS_H

#include "spool.h"

struct monocle__function {
	uint64_t key;             /* one of the methods of this name */
	const char *name, *image; /* into the spool, not NUL-terminated */
	uint32_t name_length, image_length;
	uint32_t image_index;          /* into images */
	struct monocle__origin origin; /* one of the method's, when there is no offset */
};

struct monocle__path {
	uint32_t parent; /* into paths; UINT32_MAX at the top */
	uint32_t function;
	uint32_t label; /* into labels; UINT32_MAX: none */
	uint32_t depth;
	uint64_t calls;
	uint64_t self; /* ticks */
};

struct monocle__label {
	char text[128]; /* of the thread */
	uint64_t state; /* what it did, MONOCLE_KIT_FRAME_RUNNING for example; 0: not known */
};

/*
 * A function is a method, or an IL offset in one. They are sorted by image, name, token and offset, so that those of a
 * method come together; paths level by level, by parent, then function.
 */
struct monocle__call_paths {
	struct monocle__function *functions;
	uint32_t function_count;
	uint32_t *images; /* the first function of each image */
	uint32_t image_count;
	struct monocle__label *labels;
	uint32_t label_count;
	struct monocle__path *paths;
	uint32_t path_count;
	uint64_t folded[2];   /* what is counted in [other paths]: calls, self */
	uint32_t *node_paths; /* of a spool with a threshold: the path of each node; UINT32_MAX: none. Else NULL */
	uint32_t node_count;
};

/* Are they of one method? */
bool monocle__call_paths_same_method (const struct monocle__function *a, const struct monocle__function *b);

/* 0 or -ENOMEM. The result borrows text from the view. */
int monocle__call_paths_init (struct monocle__call_paths *paths, const struct monocle__spool_view *view);
void monocle__call_paths_done (struct monocle__call_paths *paths);

#endif
