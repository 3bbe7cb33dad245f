/*
 * SPDX-License-Identifier: MIT
 *
 * heap.h - the host operations of the heap.
 */
#ifndef MONOCLE_CLR_HEAP_H
#define MONOCLE_CLR_HEAP_H

#include <stdbool.h>
#include <monocle/host.h>

void monocle__clr_heap_ops (monocle_host_ops *ops);
/* From here on, or no more, the calling thread raises runtime_shutdown_begin: it may collect once more. */
void monocle__heap_ending (bool is_ending);

#endif
