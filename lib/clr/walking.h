/*
 * SPDX-License-Identifier: MIT
 *
 * walking.h - the host operation that makes stacks fit to be walked in a program that runs.
 */
#ifndef MONOCLE_CLR_WALKING_H
#define MONOCLE_CLR_WALKING_H

#include <monocle/host.h>

void monocle__walking_ops (monocle_host_ops *ops);

#endif
