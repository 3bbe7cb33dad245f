/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.h - the host operation that shows the stacks of all threads.
 */
#ifndef MONOCLE_CLR_STACKS_H
#define MONOCLE_CLR_STACKS_H

#include <monocle/host.h>

void monocle__clr_stacks_ops (monocle_host_ops *ops);

#endif
