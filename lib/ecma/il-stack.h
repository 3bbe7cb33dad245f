/*
 * SPDX-License-Identifier: MIT
 *
 * il-stack.h - where in a method the evaluation stack is empty.
 */
#ifndef MONOCLE_IL_STACK_H
#define MONOCLE_IL_STACK_H

#include "ecma.h"
#include "il.h"

/*
 * Writes for each instruction of a body of `image` whether the stack is empty before it, by one walk forwards
 * (ECMA-335 III.1.7.5): behind what never goes on it is empty, unless a branch from before says otherwise or a handler
 * that is given an object begins there. 0; FORMAT: the code takes what is not there, or calls what has no signature;
 * MONOCLE__IL_E_NO_MEMORY.
 */
int monocle__il_stack_empty (const monocle__ecma_image *image, const monocle__il_body *body, bool *ret_empty);

#endif
