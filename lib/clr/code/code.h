/*
 * SPDX-License-Identifier: MIT
 *
 * code.h - what the runtime says of machine code: bodies of functions, and the IL that their instructions come from.
 */
#ifndef MONOCLE_CLR_CODE_H
#define MONOCLE_CLR_CODE_H

#include <stdbool.h>
#include <monocle/host.h>
#include <mono/metadata/debug-helpers.h>
#include "corprof.h"

void monocle__clr_code_ops (monocle_host_ops *ops);
/* The runtime knows the method by this id, among others; which is how its code is found. Any context. */
void monocle__clr_code_seen (FunctionID function, MonoMethod *method);
/* The IL that an instruction of any body of the function comes from. UINT32_MAX: nothing says. Callbacks. */
uint32_t monocle__clr_code_il_offset (FunctionID function, uintptr_t ip);
/* Code of one handler or filter: which of the body's `count` pieces it is, and its first IL (UINT32_MAX: none). */
typedef struct {
	uint32_t place, count, il_offset;
} monocle__clr_code_handler;
/* False: no handler's code begins there. */
bool monocle__clr_code_handler_at (FunctionID function, uintptr_t begin, monocle__clr_code_handler *ret);
/* The body of a function that holds the address. NULL: the runtime shows none. Normal context. */
MonoJitInfo *monocle__clr_code_at (FunctionID function, uintptr_t address);

#endif
