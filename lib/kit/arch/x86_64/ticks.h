/*
 * SPDX-License-Identifier: MIT
 *
 * ticks.h - the time stamp counter of x86-64.
 */
#ifndef MONOCLE_KIT_TICKS_H
#define MONOCLE_KIT_TICKS_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Not serialising on purpose: the reorder window is shorter than what a profile can show, the fence is not. The
 * compiler's own name for it: <x86intrin.h> is half a second of compiling for each file that includes it.
 */
static inline uint64_t
monocle__ticks_now (void)
{
	return __builtin_ia32_rdtsc ();
}

/* CPUID 8000_0007h EDX bit 8: one rate in every P-, C- and T-state (Intel SDM vol. 3, 18.17.1). */
static inline bool
monocle__ticks_are_invariant (void)
{
	unsigned a, b, c, d;
	return __get_cpuid (0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

#endif
