/*
 * SPDX-License-Identifier: MIT
 *
 * thread-word.h - a pointer that each thread has of its own, in a library without thread-local variables.
 *
 * Why none: glibc takes a library that it opens into the list of thread-local storage when the library has a segment
 * PT_TLS that is not empty, whatever the model of its variables is, and opening and closing it begins a new generation
 * of that list (elf/dl-open.c, elf/dl-close.c: `l_tls_blocksize > 0`; the flag DF_STATIC_TLS has no part in it). At its
 * next use of a variable of the general model each thread of the process brings its own list up to date. On x86-64 a
 * signal handler that does the same in the middle of that can leave the thread with a second, empty copy of a library's
 * variables (`__tls_get_addr_slow`), and a runtime dies of it. A library without that segment changes nothing.
 *
 * So the pointer is the value of a pthread key. The C library's own function would be a call where every nanosecond
 * shows. But glibc keeps the values of the first 32 keys inside the record of each thread, at the thread pointer, as
 * pairs of words, at one place in every thread of the process:
 *
 *      thread pointer --> | ... | number, value | number, value | ...
 *                                         ^ at
 *
 * The number says how often a key was made or deleted there until the thread last set its value. A word takes a key
 * whose number is 1: no thread can have the value of an older key there. The place is found when the word is made, by
 * setting values and looking for them. Where there is none, the C library is asked, and where the process has no key
 * left, a table of threads.
 *
 * A thread that ends has its pointer taken away, and `end` is called with it then, as with any key; setting it again
 * there makes the C library call `end` once more, a few times.
 */
#ifndef MONOCLE_BASE_THREAD_WORD_H
#define MONOCLE_BASE_THREAD_WORD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "thread-pointer.h"

/* In static storage, zeros. Written once, by the thread that makes it. */
typedef struct {
	_Atomic (uintptr_t) at; /* of the value; 0: not found */
	_Atomic (int) way;      /* how the C library is asked; written last */
	pthread_key_t key;
	struct monocle__thread_place *places;
} monocle__thread_word;

/* Once, in normal context. Before that, and when it fails (no key and no memory), all threads have NULL. */
bool monocle__thread_word_make (monocle__thread_word *word, void (*end) (void *value));
/*
 * The calling thread's pointer, NULL at first. Any context: a handler finds what was there before, or after, what it
 * interrupted.
 */
void *monocle__thread_word_ask (const monocle__thread_word *word);
/*
 * The same without a call, for hot paths. NULL also where the place was not found, or the thread has not set its
 * pointer yet: a path that finds NULL asks.
 */
static inline void *
monocle__thread_word_look (const monocle__thread_word *word)
{
	uintptr_t at = atomic_load_explicit (&word->at, memory_order_relaxed);
	return __builtin_expect (at != 0, 1) ? (void *) monocle__thread_pointer_read (at) : NULL;
}
/* The same as asking, quick where looking finds it. */
static inline void *
monocle__thread_word_get (const monocle__thread_word *word)
{
	void *value = monocle__thread_word_look (word);
	return __builtin_expect (value != NULL, 1) ? value : monocle__thread_word_ask (word);
}
/*
 * False: there is no memory for it, and it stays as it was. Any context where the place was found; elsewhere the C
 * library may allocate when the thread sets it for the first time.
 */
bool monocle__thread_word_set (const monocle__thread_word *word, void *value);
/* The same, and tells what was there before; no signal handler comes between the two. */
bool monocle__thread_word_exchange (const monocle__thread_word *word, void *value, void **ret_before);

#endif
