/*
 * SPDX-License-Identifier: MIT
 *
 * nested.h - hits on Mono that interrupt a walk of Mono's own.
 */
#ifndef MONOCLE_KIT_NESTED_H
#define MONOCLE_KIT_NESTED_H

#include <signal.h>

/* Normal context, before the first hit. */
void monocle__nested_init (void);
/* Calls Mono's handler of its sampler's signal. Async-safe, as is look. */
void monocle__nested_call (void (*handler) (int, siginfo_t *, void *), int number, siginfo_t *info, void *context);
/* Of each hit, inside Mono's handler. */
void monocle__nested_look (void);

#endif
