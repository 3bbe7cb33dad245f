/*
 * SPDX-License-Identifier: MIT
 *
 * stub.h - the runtime's stubs that stand between probes and code which is not optimised.
 */
#ifndef MONOCLE_CLR_STUB_H
#define MONOCLE_CLR_STUB_H

#include <stdbool.h>
#include <stdint.h>
#include "corprof.h"

/* The function whose code a return address is in; 0: it is no method's. In any callback and any probe. */
FunctionID monocle__stub_caller (uintptr_t return_address);

/*
 * How many bytes are between the stack pointer that a probe was called with and that of the frame which called it,
 * known by where the probe returns to: 0 where no stub is between. False: it cannot be told. In a callback that may let
 * the collector run.
 */
bool monocle__stub_size (uintptr_t return_address, uint32_t *ret_size);

#endif
