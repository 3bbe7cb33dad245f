/*
 * SPDX-License-Identifier: MIT
 *
 * stack.h - the host operation that walks the calling thread's stack.
 */
#ifndef MONOCLE_CLR_STACK_H
#define MONOCLE_CLR_STACK_H

#include <monocle/host.h>

void monocle__clr_stack_ops (monocle_host_ops *ops);

#endif
