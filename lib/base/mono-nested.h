/*
 * SPDX-License-Identifier: MIT
 *
 * mono-nested.h - hits on Mono that interrupt a walk of Mono's own.
 */
#ifndef MONOCLE_BASE_MONO_NESTED_H
#define MONOCLE_BASE_MONO_NESTED_H

#include <signal.h>

/* Normal context, before the first hit. Idempotent. */
void monocle__mono_nested_init (void);
/* Calls Mono's handler of its sampler's signal. Async-safe, as is look. */
void monocle__mono_nested_call (void (*handler) (int, siginfo_t *, void *), int number, siginfo_t *info, void *context);
/* Of each hit, inside Mono's handler. */
void monocle__mono_nested_look (void);

#endif
