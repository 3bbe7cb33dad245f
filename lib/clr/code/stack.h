/*
 * SPDX-License-Identifier: MIT
 *
 * stack.h - the host operation that walks the calling thread's stack.
 */
#ifndef MONOCLE_CLR_STACK_H
#define MONOCLE_CLR_STACK_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

void monocle__clr_stack_ops (monocle_host_ops *ops);
/* Fills in where the frame is in its function's code. `is_innermost`: nothing was called there. Normal context. */
void monocle__clr_stack_place (monocle_frame *frame, FunctionID function, bool is_innermost);

/*
 * From now on the stack can be walked where the runtime does not show it: in call probes, and in what an exception
 * does to a method. Code is heard of, and how native code is unwound is read. In the init window.
 */
void monocle__stack_walks_alone (void);

#endif
