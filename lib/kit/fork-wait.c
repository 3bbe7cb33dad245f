/*
 * SPDX-License-Identifier: MIT
 *
 * fork-wait.c - a fork waits while one of our threads asks the runtime, whose locks would stay locked in the child.
 *
 * It is not a module's: a thread that forks may be in here while modules are closed. Nobody waits for ever: on Mono a
 * collection may have stopped the thread that has the lock which the question is for, and wait itself for the thread
 * that forks.
 */
#include <monocle/kit.h>

#include "forks.h"

void
monocle_kit_runtime_ask (void)
{
	monocle__forks_begin ();
	monocle__forks_hold ();
}

void
monocle_kit_runtime_asked (void)
{
	monocle__forks_release ();
}
