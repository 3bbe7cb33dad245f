/*
 * SPDX-License-Identifier: MIT
 *
 * context.c - for machines whose contexts are not read yet: the address is unknown, the context itself is given.
 */
#include "arch/arch.h"

#include <stddef.h>

const mono_byte *
monocle__arch_context_ip (const void *context)
{
	return NULL;
}

bool
monocle__arch_context_make (ucontext_t *ret_context, uintptr_t pc, uintptr_t sp)
{
	return false;
}
