/*
 * SPDX-License-Identifier: MIT
 *
 * own-frame.h - which methods are to keep a frame of their own, so that stacks show them.
 */
#ifndef MONOCLE_CLR_OWN_FRAME_H
#define MONOCLE_CLR_OWN_FRAME_H

#include <stdbool.h>
#include "corprof.h"

/*
 * Would stacks that modules want lose a method of the program, if `callee` became a part of `caller`? Normal context.
 */
bool monocle__own_frame_is_needed (FunctionID caller, FunctionID callee);

#endif
