/*
 * SPDX-License-Identifier: MIT
 *
 * heap-walk.h - every object on the heap.
 */
#ifndef MONOCLE_CLR_HEAP_WALK_H
#define MONOCLE_CLR_HEAP_WALK_H

#include <mono/metadata/mono-gc.h>

/* The host operation gc_walk_heap. */
int monocle__heap_walk (void *host, MonoGCReferences callback, void *data);

#endif
