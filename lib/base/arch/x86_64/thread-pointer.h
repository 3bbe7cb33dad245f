/*
 * SPDX-License-Identifier: MIT
 *
 * thread-pointer.h - what lies at the thread pointer of x86-64, which is the base of the segment fs.
 *
 * There is the C library's record of the thread. Its first word is its own address (System V psABI, thread-local
 * storage, variant II), which is never 0. Of glibc's at least MONOCLE__THREAD_POINTER_ROOM bytes may be read: from 2.23
 * on it has 2,304 or more. Of other C libraries nothing is known.
 */
#ifndef MONOCLE_BASE_THREAD_POINTER_H
#define MONOCLE_BASE_THREAD_POINTER_H

#include <features.h>
#include <stdint.h>

#ifdef __GLIBC__
enum { MONOCLE__THREAD_POINTER_ROOM = 2048 };
#else
enum { MONOCLE__THREAD_POINTER_ROOM = 0 };
#endif

/*
 * The calling thread's word, so many bytes behind its thread pointer. A sanitizer sees nothing of it: its shadow has no
 * place for such addresses.
 */
static inline uintptr_t
monocle__thread_pointer_read (uintptr_t at)
{
	uintptr_t word;
	__asm__ volatile("movq %%fs:%1, %0" : "=r"(word) : "m"(*(const uintptr_t *) at));
	return word;
}

#endif
