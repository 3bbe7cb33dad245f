/*
 * SPDX-License-Identifier: MIT
 *
 * layout.h - how the runtime laid classes out.
 */
#ifndef MONOCLE_CLR_LAYOUT_H
#define MONOCLE_CLR_LAYOUT_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

void monocle__clr_layout_ops (monocle_host_ops *ops);
/* The object's type handle. The low bits of the first word are the collector's. Where the object may be looked at. */
static inline ClassID
monocle__clr_layout_class_id (MonoObject *object)
{
	return *(const uintptr_t *) object & ~(uintptr_t) 7;
}
/* The id that the runtime uses for this class today. Any context. */
void monocle__clr_layout_remember_class (MonoClass *klass, ClassID id);
/* Was it met, and is not gone? Any context. */
bool monocle__clr_layout_knows_class (MonoClass *klass);
/* Was that the id which it was met under last? Any context. */
bool monocle__clr_layout_is_class (MonoClass *klass, ClassID id);
/* Of an array class with one dimension: no vector, but one with bounds, T[*]? Any context. */
bool monocle__clr_layout_is_general_vector (ClassID id);
/* Where a string's characters begin; its length is after the type handle. 0: not known yet. Any context. */
uint32_t monocle__clr_layout_characters_offset (void);

/*
 * Looks up the method's own class, the structs that it takes and returns, by value and by reference, and those inside
 * of them: in its probes, where nothing can be looked up, modules ask for their sizes. On a thread of the runtime, in
 * normal context.
 */
void monocle__clr_layout_meet (MonoMethod *method);
/* Its own class only. */
void monocle__clr_layout_meet_class (MonoMethod *method);

#endif
