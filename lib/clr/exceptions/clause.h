/*
 * SPDX-License-Identifier: MIT
 *
 * clause.h - the exception clauses of one function.
 */
#ifndef MONOCLE_CLR_CLAUSE_H
#define MONOCLE_CLR_CLAUSE_H

#include <stdbool.h>
#include "corprof.h"

/* Immutable, but for what is learnt of the function's code; lives for ever. */
typedef struct monocle__clauses monocle__clauses;
/* NULL: it has none, or no IL. Callbacks. */
monocle__clauses *monocle__clause_of (FunctionID function);
/* Has the function any? Keeps nothing. */
bool monocle__clause_any (FunctionID function);
uint32_t monocle__clause_flags (const monocle__clauses *clauses, uint32_t index);
/* Has it a catch block with a type? */
bool monocle__clause_typed (const monocle__clauses *clauses);
/* Do its handlers have probes? */
bool monocle__clause_probed (const monocle__clauses *clauses);
/* Which of the clauses begins at this machine code: its filter, or its handler. UINT32_MAX: it cannot be told. */
uint32_t monocle__clause_at (monocle__clauses *clauses, uintptr_t begin, bool is_filter);
/* Is a try around what was called from `return_address`, or around the whole handler of the clause `in`? */
bool monocle__clause_protect (const monocle__clauses *clauses, uintptr_t return_address);
bool monocle__clause_enclose (const monocle__clauses *clauses, uint32_t in);
/* Is the handler of `outer` around the clause `inner`? */
bool monocle__clause_nest (const monocle__clauses *clauses, uint32_t outer, uint32_t inner);

#endif
