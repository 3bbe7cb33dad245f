/*
 * SPDX-License-Identifier: MIT
 *
 * describe.c - the core's questions: what metadata knows lib/describe answers, what only the runtime knows object.c,
 * layout.c and heap.c.
 */
#include "clr.h"

void
monocle__clr_fill_ops (monocle_host_ops *ops)
{
	monocle__describe_init (&monocle__clr_image_owner);
	monocle__describe_fill_ops (ops);
	monocle__clr_code_ops (ops);
	monocle__clr_stack_ops (ops);
	monocle__clr_object_ops (ops);
	monocle__clr_layout_ops (ops);
	monocle__clr_heap_ops (ops);
}
