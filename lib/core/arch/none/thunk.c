/*
 * SPDX-License-Identifier: MIT
 *
 * thunk.c - for machines that have no thunks yet: modules run unchecked there, and a line says so.
 */
#include "arch/arch.h"

#include <stddef.h>

bool
monocle__arch_has_thunks (void)
{
	return false;
}

bool
monocle__arch_is_address (unsigned type)
{
	return false;
}

void *
monocle__arch_write_thunk (uint8_t code[MONOCLE__THUNK_SIZE], const void *import)
{
	return NULL;
}
