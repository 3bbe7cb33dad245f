/*
 * SPDX-License-Identifier: MIT
 *
 * mono-nested.c - on Mono, a hit may interrupt a walk that Mono itself is making.
 *
 * Thread.Abort () walks the stack of the other thread. Meanwhile the calling thread has a mark, "is in an async
 * context", so that the walk takes no lock. Mono's sampler sets the mark for its hits, and takes for granted that it is
 * not set (6.8 asserts `!async_context || !info->is_async_context`): a program that aborts threads while it is sampled
 * dies by SIGABRT. The walk itself does not mind: a hit puts the thread's hazard pointers back, which is all that the
 * two share. So Mono's handler finds the mark cleared, and it is set again afterwards.
 *
 * Where the mark is in Mono's record of the thread is learned: it is the one word that is 0 before a hit, 1 while Mono
 * handles it and 0 afterwards, each time. As long as that is not certain nothing is changed. One hit at a time is
 * looked at, by the thread that is hit.
 *
 * Everything here is async-safe.
 */
#include "mono-nested.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOST_WORDS = 1024, ENOUGH = 3, MOST_LOOKS = 100 };

static void *(*current_thread) (void); /* Mono's record of the calling thread; NULL: this Mono does not tell */

/* What is being learned: its owner's alone. */
static _Atomic pthread_t owner; /* 0: nobody looks */
static int32_t before[MOST_WORDS];
static bool is_candidate[MOST_WORDS];
static size_t word_count;
static unsigned seen, looks;
static bool is_inside;

static atomic_size_t known; /* the mark's word, from 1 on; 0: not known (yet) */
static atomic_bool is_over; /* it will not be known */

void
monocle__mono_nested_init (void)
{
	if (current_thread)
		return;
	current_thread = (void *(*) (void) ) dlsym (RTLD_DEFAULT, "mono_thread_info_current_unchecked");
	memset (is_candidate, true, sizeof is_candidate);
}

static size_t
words_of (void *record)
{
	size_t count = malloc_usable_size (record) / sizeof (int32_t);
	return count < MOST_WORDS ? count : MOST_WORDS;
}

static bool
take_turn (void)
{
	pthread_t nobody = 0;
	return !known && !is_over && atomic_compare_exchange_strong (&owner, &nobody, pthread_self ());
}

static void
begin_look (int32_t *record)
{
	word_count = words_of (record);
	memcpy (before, record, word_count * sizeof *before);
	is_inside = false;
}

/* Mono refuses some hits; of those there is nothing to learn. */
static void
end_look (const int32_t *record)
{
	size_t left = 0, last = 0;
	for (size_t i = 0; is_inside && i < MOST_WORDS; i++) {
		is_candidate[i] = is_candidate[i] && i < word_count && record[i] == 0;
		if (is_candidate[i]) {
			left++;
			last = i + 1;
		}
	}
	seen += is_inside;
	if (is_inside && seen >= ENOUGH && left == 1)
		known = last;
	is_over = ++looks == MOST_LOOKS || (is_inside && !left);
	owner = 0;
}

void
monocle__mono_nested_look (void)
{
	const int32_t *record = current_thread && owner == pthread_self () ? current_thread () : NULL;
	if (!record)
		return;
	for (size_t i = 0; i < word_count; i++)
		is_candidate[i] = is_candidate[i] && before[i] == 0 && record[i] == 1;
	is_inside = true;
}

void
monocle__mono_nested_call (void (*handler) (int, siginfo_t *, void *), int number, siginfo_t *info, void *context)
{
	int32_t *record = current_thread ? current_thread () : NULL;
	int32_t *mark = record && known ? &record[known - 1] : NULL;
	bool was_set = mark && *mark == 1, looks_on = record && take_turn ();
	if (was_set)
		*mark = 0;
	if (looks_on)
		begin_look (record);
	handler (number, info, context);
	if (looks_on)
		end_look (record);
	if (was_set)
		*mark = 1;
}
