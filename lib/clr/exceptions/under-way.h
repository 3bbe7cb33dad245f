/*
 * SPDX-License-Identifier: MIT
 *
 * under-way.h - the exceptions that are under way on the calling thread.
 */
#ifndef MONOCLE_CLR_UNDER_WAY_H
#define MONOCLE_CLR_UNDER_WAY_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

/*
 * The frame of `function` whose handler the runtime announces in this very callback; 0: it does not say, as before .NET
 * 9 after an attach.
 */
uintptr_t monocle__under_way_frame (FunctionID function);

/* In the callbacks of these names, after what they do to the shadow stack. */
void monocle__under_way_thrown (ObjectID object);
void monocle__under_way_search_enter (FunctionID function);
void monocle__under_way_found (void);
void monocle__under_way_search_leave (void);
void monocle__under_way_unwind_enter (FunctionID function);
/* A filter, finally or fault block begins, or a catch block with its exception. */
void monocle__under_way_filter_enter (FunctionID function);
void monocle__under_way_finally_enter (FunctionID function);
void monocle__under_way_catcher_enter (FunctionID function, ObjectID object);
/* Any of them ends. */
void monocle__under_way_handler_leave (void);

/* The `exception` of method_exception_leave for a frame that leaves now. */
MonoObject *monocle__under_way_left (void);

/*
 * Takes back what was announced, when it is of this definition and type; *ret_held is released then, when it was told.
 * False: nothing was announced. In a probe.
 */
bool monocle__under_way_take (MonoMethod *definition, uint32_t type, MonoObject **ret_object, void **ret_held);

#endif
