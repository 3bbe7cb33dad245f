/*
 * SPDX-License-Identifier: MIT
 *
 * source.h - source files: which are wanted, and which are here.
 */
#ifndef MONOCLE_MODULES_COVER_SOURCE_H
#define MONOCLE_MODULES_COVER_SOURCE_H

#include <stdbool.h>

#include <mono/metadata/object.h>
#include "pattern.h"

/* `file=`, `xfile=` and `generated`. Init window. */
void source_init (const pattern_list *wanted, const pattern_list *unwanted, bool generated);
/* By the first two. Any thread. */
bool source_is_wanted (const char *path);
/* Is it to be left out because a build or a source generator wrote it? Any thread. */
bool source_is_generated (const char *path);

typedef enum {
	SOURCE_NONE, /* the method has no lines */
	SOURCE_ELSEWHERE,
	SOURCE_HERE, /* the file is on this machine */
} source_place;

/* Reads symbols: normal context. */
source_place source_of (MonoMethod *method);

#endif
