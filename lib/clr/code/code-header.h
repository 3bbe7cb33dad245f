/*
 * SPDX-License-Identifier: MIT
 *
 * code-header.h - what the runtime keeps of a body that it compiles while the program runs.
 *
 * Its address lies in the word before the body. So it is in .NET 8 to 11; who reads it has to expect that another
 * version keeps something else there, and that the word before what is no such body leads nowhere.
 */
#ifndef MONOCLE_CLR_CODE_HEADER_H
#define MONOCLE_CLR_CODE_HEADER_H

#include <stdint.h>

typedef struct {
	uintptr_t debuggers; /* what is kept for them: inline-tree.c */
	uintptr_t clauses, collector;
	uintptr_t function;      /* as the profiling interface names it */
	uint32_t function_count; /* the body and its funclets */
	struct {
		uint32_t begin, end, unwind; /* from one base: the code, and the unwind data of it */
	} first;                         /* the body; the others follow */
} monocle__code_header;

#endif
