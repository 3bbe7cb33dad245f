/*
 * SPDX-License-Identifier: MIT
 *
 * failing-memory.h - one allocation fails: malloc, calloc, realloc, strdup or strndup, whichever comes.
 *
 * A test that links this has its own allocations and those of every library that is linked statically come by here (the
 * linker's --wrap); those of shared libraries do not. One thread at a time.
 */
#ifndef MONOCLE_TEST_FAILING_MEMORY_H
#define MONOCLE_TEST_FAILING_MEMORY_H

/*
 * How many allocations still succeed before the one that fails; negative: none fails. It is negative again after that
 * one, so that a test can see whether there was one.
 */
extern long failing_memory_allowed;

/* Counts all allocations. */
extern long failing_memory_count;

#endif
