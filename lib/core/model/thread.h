/*
 * SPDX-License-Identifier: MIT
 *
 * thread.h - the thread's record, as the sampler's signal handler finds it.
 */
#ifndef MONOCLE_MODEL_THREAD_H
#define MONOCLE_MODEL_THREAD_H

#include <mono/metadata/object.h>
#include "sample/sampler.h"

/* Of the calling thread; NULL: it is not attached. Any context. */
monocle__sampled *monocle__thread_sampled (void);
/* Is the calling thread a module's own, which is never sampled? Any context. */
bool monocle__thread_is_tool (void);
/* NULL: it is not attached. Any context. */
MonoThread *monocle__thread_find (uintptr_t tid);

#endif
