/*
 * SPDX-License-Identifier: MIT
 *
 * resolve.h - the records that runtime ids mean. A NULL: no metadata, or no memory.
 */
#ifndef MONOCLE_CLR_RESOLVE_H
#define MONOCLE_CLR_RESOLVE_H

#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"

MonoClass *monocle__resolve_class (ClassID id);
/*
 * The same for all classes that an object's class inherits from: without their ids the offsets of their fields are not
 * known.
 */
void monocle__resolve_bases (ClassID id);
/*
 * The record of a function as Mono would name it: instances over reference types are the shared one. NULL: no metadata.
 */
MonoMethod *monocle__resolve_method (FunctionID id);
/*
 * The instance that a frame runs, exact as far as the frame knows: as Mono tells it in walks of stacks. 0: no frame.
 */
MonoMethod *monocle__resolve_method_in_frame (FunctionID id, COR_PRF_FRAME_INFO frame);
bool monocle__resolve_function (FunctionID id, ModuleID *ret_module, mdToken *ret_token);
/* The method for a definition and the type handles that its probe passed: class first when the class is generic. */
MonoMethod *monocle__resolve_method_of_keys (MonoMethod *definition, const uintptr_t *keys, uint32_t count,
                                             bool class_key);

#endif
