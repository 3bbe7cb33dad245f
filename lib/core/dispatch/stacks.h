/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.h - the stacks of all threads, for who asks over the control socket.
 */
#ifndef MONOCLE_DISPATCH_STACKS_H
#define MONOCLE_DISPATCH_STACKS_H

#include <monocle/stacks.h>

/* As monocle__control_host's `stacks`. */
const char *monocle__stacks_take (MonocleStacks *request);

#endif
