/*
 * SPDX-License-Identifier: MIT
 *
 * arch.h - what the core asks of a CPU. The folder of each has all of it; `none` serves the others.
 */
#ifndef MONOCLE_CORE_ARCH_H
#define MONOCLE_CORE_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include <mono/utils/mono-publib.h>

/* --- context.c ---------------------------------------------------------------------------------------------------- */

/* Where the thread was that a signal handler's context tells of. */
const mono_byte *monocle__arch_context_ip (const void *context);
/* The context of a thread of which no more is known than its pc and sp: fp is 0. False: this CPU is not known. */
bool monocle__arch_context_make (ucontext_t *ret_context, uintptr_t pc, uintptr_t sp);

/* --- thunk.c, thunk.S --------------------------------------------------------------------------------------------- */

enum { MONOCLE__THUNK_SIZE = 32 };

/* Is this machine served? */
bool monocle__arch_has_thunks (void);
/* Does a relocation of this type make a word that is the address of its symbol? */
bool monocle__arch_is_address (unsigned relocation_type);
/*
 * Writes code that jumps to the address in the first word of `import`, with `import` where the code there finds it.
 * Returns that address: of the code that asks monocle__check_call () about the import and does as it says.
 */
void *monocle__arch_write_thunk (uint8_t code[MONOCLE__THUNK_SIZE], const void *import);

#endif
