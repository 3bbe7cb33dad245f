/*
 * SPDX-License-Identifier: MIT
 *
 * context.c - what the core reads of a signal handler's context.
 */
#include "arch/arch.h"

#include <string.h>
#include <ucontext.h>

const mono_byte *
monocle__arch_context_ip (const void *context)
{
	return (const mono_byte *) ((const ucontext_t *) context)->uc_mcontext.gregs[REG_RIP];
}

bool
monocle__arch_context_make (ucontext_t *ret_context, uintptr_t pc, uintptr_t sp)
{
	memset (ret_context, 0, sizeof *ret_context);
	ret_context->uc_mcontext.gregs[REG_RIP] = (greg_t) pc;
	ret_context->uc_mcontext.gregs[REG_RSP] = (greg_t) sp;
	return true;
}
