/*
 * SPDX-License-Identifier: MIT
 *
 * dynamic-method.h - methods without metadata: functions that no image lists, of a DynamicMethod, or stubs of the
 * runtime.
 */
#ifndef MONOCLE_CLR_DYNAMIC_METHOD_H
#define MONOCLE_CLR_DYNAMIC_METHOD_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

/* Is it such a function? Normal context. */
bool monocle__dynamic_method_is (FunctionID function);
/*
 * The record of such a function that was met on a stack: it says what it is, even where no module listens for its end.
 * *ret_is_stub: is it one of the runtime's stubs? NULL: no memory, or gone. Normal context.
 */
MonoMethod *monocle__dynamic_method_glance (FunctionID function, BOOL *ret_is_stub);
/*
 * The code of a function that no image lists, which is found by its address from then on; its record is given back when
 * the runtime frees the function. NULL: it was not compiled yet, or it is not such a function. Normal context.
 */
MonoJitInfo *monocle__dynamic_method_code (FunctionID function);
/* The adapter leaves, and will not hear when they go: they are gone. No other thread is in the adapter. */
void monocle__dynamic_methods_leave (void);

#endif
