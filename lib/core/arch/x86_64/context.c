/*
 * SPDX-License-Identifier: MIT
 *
 * context.c - what the core reads of a signal handler's context.
 */
#include "arch/arch.h"

#include <ucontext.h>

const mono_byte *
monocle__arch_context_ip (const void *context)
{
	return (const mono_byte *) ((const ucontext_t *) context)->uc_mcontext.gregs[REG_RIP];
}
