/*
 * SPDX-License-Identifier: MIT
 *
 * heap.h - the host operations of the heap.
 */
#ifndef MONOCLE_CLR_HEAP_H
#define MONOCLE_CLR_HEAP_H

#include <monocle/host.h>

void monocle__clr_heap_ops (monocle_host_ops *ops);

#endif
