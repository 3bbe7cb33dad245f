/*
 * SPDX-License-Identifier: MIT
 *
 * thread-memory.c - makes each thread's block, and frees it when the thread ends.
 */
#include "thread-memory.h"
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include "describe.h"
#include "invariant.h"
#include "pause.h"

monocle__thread_word monocle__thread_memory_word;
static pthread_once_t word_once = PTHREAD_ONCE_INIT;

static monocle__thread_memory *all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER; /* probes take it: nothing is waited for under it */

static void
add (monocle__thread_memory *own)
{
	pthread_mutex_lock (&all_lock);
	own->next = all;
	if (all)
		all->before = own;
	all = own;
	pthread_mutex_unlock (&all_lock);
}

static void
take_out (const monocle__thread_memory *own)
{
	pthread_mutex_lock (&all_lock);
	if (own->next)
		own->next->before = own->before;
	if (own->before)
		own->before->next = own->next;
	else
		all = own->next;
	pthread_mutex_unlock (&all_lock);
}

void
monocle__thread_memory_each (void (*visit) (monocle__thread_memory *memory))
{
	pthread_mutex_lock (&all_lock);
	for (monocle__thread_memory *memory = all; memory; memory = memory->next)
		visit (memory);
	pthread_mutex_unlock (&all_lock);
}

static void
free_block (void *block)
{
	take_out (block);
	MONOCLE__PAUSE (thread_memory_taken_out);
	munmap (block, sizeof (monocle__thread_memory));
}

static void
make_word (void)
{
	monocle__thread_word_make (&monocle__thread_memory_word, free_block);
}

__attribute__ ((cold)) monocle__thread_memory *
monocle__thread_memory_new (void)
{
	monocle__thread_memory *own = monocle__thread_memory_own ();
	int saved_errno = errno;
	if (own)
		return own;
	void *block = mmap (NULL, sizeof (monocle__thread_memory), PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED) {
		errno = saved_errno;
		return NULL;
	}
	own = block;
	own->top = own->base;
	own->limit = own->base + MONOCLE__SHADOW_ENTRIES;
	own->bottom.sp_flags = UINTPTR_MAX;
	MONOCLE__INVARIANT (&own->bottom + 1 == own->base && !own->scratch.depth && !own->under_way.count);
	pthread_once (&word_once, make_word);
	add (own);
	if (!monocle__thread_word_set (&monocle__thread_memory_word, own)) {
		free_block (own);
		own = NULL;
	}
	errno = saved_errno;
	return own;
}

bool
monocle__thread_memory_exists (void)
{
	return monocle__thread_memory_own () != NULL;
}

monocle__describe_scratch *
monocle__thread_memory_scratch (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->scratch : NULL;
}

monocle__under_way_list *
monocle__thread_memory_under_way (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->under_way : NULL;
}

monocle__pins *
monocle__thread_memory_pins (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->pins : NULL;
}

monocle__waiting *
monocle__thread_memory_waiting (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->waiting : NULL;
}

monocle__going *
monocle__thread_memory_going (void)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->going : NULL;
}

monocle__emitted_capture **
monocle__thread_memory_capture (void)
{
	static monocle__emitted_capture *nobody;
	monocle__thread_memory *own = monocle__thread_memory_get ();
	return own ? &own->capture : &nobody;
}

monocle__unwinding *
monocle__thread_memory_unwinding (void)
{
	monocle__thread_memory *own = monocle__thread_memory_own ();
	return own ? &own->unwinding : NULL;
}

const monocle__thread_stack *
monocle__thread_memory_stack (void)
{
	const monocle__thread_memory *own = monocle__thread_memory_own ();
	return own && own->stack.high ? &own->stack : NULL;
}

void
monocle__thread_memory_set_stack (uintptr_t low, uintptr_t high)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	if (own)
		own->stack = (monocle__thread_stack) { low, high };
}

uintptr_t
monocle__thread_memory_callback (void)
{
	const monocle__thread_memory *own = monocle__thread_memory_own ();
	return own ? own->callback : 0;
}

uintptr_t
monocle__thread_memory_set_callback (uintptr_t frame)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	uintptr_t before = own ? own->callback : 0;
	if (own)
		own->callback = frame;
	return before;
}
