/*
 * SPDX-License-Identifier: MIT
 *
 * late-sampler.h - threads are hit for a module that comes late, with a signal that no program dies of.
 *
 * Mono's own sampler sends a real-time signal. Where a program replaces itself by another one (exec) while a signal is
 * on its way to it, the new one has no handler, and dies of it: which is bad enough for a program that was started to
 * be sampled, and not to be had in one that was not. So Mono's sampler works once, for a moment, to learn its signal
 * and its handler. From then on a thread of ours paces and sends SIGURG, which is ignored where it has no handler, and
 * in whose handler ours calls Mono's.
 *
 * In mode PROCESS only threads are hit that have used the CPU since they were hit last. Mono would wake up all others
 * as well.
 */
#ifndef MONOCLE_LATE_SAMPLER_H
#define MONOCLE_LATE_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <mono/metadata/profiler.h>

/* In a hit of Mono's sampler, with its context. Async-safe. */
void monocle__late_sampler_learn (const void *context);
/* Is it known how Mono does it? */
bool monocle__late_sampler_has_learnt (void);

/* Makes the thread, in mode NONE. False: it is not known how, or the program has a use for SIGURG. Normal context. */
bool monocle__late_sampler_begin (void);
/* Nothing is hit any more, and the signal is as it was. Idempotent; normal context. */
void monocle__late_sampler_end (void);

/* Is it this one's handler of the signal? */
bool monocle__late_sampler_is (void (*handler) (int, siginfo_t *, void *));
/* As Mono's functions; false outside of begin and end. Async-safe. */
bool monocle__late_sampler_set_mode (MonoProfilerSampleMode mode, uint32_t frequency);
bool monocle__late_sampler_get_mode (MonoProfilerSampleMode *ret_mode, uint32_t *ret_frequency);

#endif
