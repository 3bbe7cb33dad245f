/*
 * SPDX-License-Identifier: MIT
 *
 * thread-word.c - see thread-word.h.
 */
#include "thread-word.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include "hash.h"
#include "invariant.h"

enum { NOT_AT_ALL, BY_KEY, BY_PLACE };

/*
 * Of a process without keys. A place is its thread's until it is NULL again; a thread that ends without that leaves it
 * to the one that gets the same number. Only the thread itself looks at its value.
 */
struct monocle__thread_place {
	_Atomic (uintptr_t) thread; /* NEW, GIVEN_BACK, or pthread_self () */
	_Atomic (void *) value;
};
enum { NEW, GIVEN_BACK };
enum { PLACES = 1024, PLACES_SIZE = PLACES * sizeof (struct monocle__thread_place) };

/* --- making it ---------------------------------------------------------------------------------------------------- */

enum { WORD = sizeof (uintptr_t) };

/* Is the key's value there, behind a number that stays? */
static bool
is_place (pthread_key_t key, uintptr_t at)
{
	static char marks[2];
	void *const values[] = { &marks[0], &marks[1], NULL, &marks[0] };
	uintptr_t number = monocle__thread_pointer_read (at - WORD);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (pthread_setspecific (key, values[i]) || monocle__thread_pointer_read (at - WORD) != number ||
		    monocle__thread_pointer_read (at) != (uintptr_t) values[i])
			return false;
	return true;
}

/* 0: there is none. */
static uintptr_t
find_place (pthread_key_t key)
{
	static char mark;
	uintptr_t found = 0;
	for (uintptr_t at = 2 * WORD; !found && at + WORD <= MONOCLE__THREAD_POINTER_ROOM; at += WORD) {
		pthread_setspecific (key, &mark);
		if (monocle__thread_pointer_read (at) == (uintptr_t) &mark && is_place (key, at))
			found = at;
	}
	pthread_setspecific (key, NULL);
	return found;
}

/* A key; *ret_at: its place, where it has one in which no other key was before. False: there is no key at all. */
static bool
make_key (pthread_key_t *ret_key, uintptr_t *ret_at, void (*end) (void *value))
{
	enum { MOST = 32 }; /* of glibc's keys with a place */
	pthread_key_t keys[MOST];
	size_t count = 0, taken = 0;
	bool goes_on = true;
	for (; goes_on && count < MOST && pthread_key_create (&keys[count], end) == 0; count++) {
		uintptr_t at = find_place (keys[count]);
		bool is_first = at && monocle__thread_pointer_read (at - WORD) == 1;
		goes_on = at && !is_first;
		if (is_first) {
			*ret_at = at;
			taken = count;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (i != taken)
			pthread_key_delete (keys[i]);
	if (count)
		*ret_key = keys[taken];
	return count > 0;
}

bool
monocle__thread_word_make (monocle__thread_word *word, void (*end) (void *value))
{
	uintptr_t at = 0;
	MONOCLE__INVARIANT (!word->way && !word->at);
	if (make_key (&word->key, &at, end)) {
		atomic_store_explicit (&word->way, BY_KEY, memory_order_release);
		atomic_store_explicit (&word->at, at, memory_order_release);
		return true;
	}
	void *places = mmap (NULL, PLACES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (places == MAP_FAILED)
		return false;
	word->places = places;
	atomic_store_explicit (&word->way, BY_PLACE, memory_order_release);
	return true;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

/* The calling thread's. NULL: it has none; where one is wanted, none is left. */
static struct monocle__thread_place *
place_of_self (const monocle__thread_word *word, bool is_wanted)
{
	uintptr_t self = (uintptr_t) pthread_self (), is = GIVEN_BACK;
	uint64_t first = monocle__hash_spread (self) >> 32;
	struct monocle__thread_place *place = NULL, *free = NULL;
	uintptr_t was = NEW;
	for (uint64_t i = 0; i < PLACES && is != NEW; i++) {
		place = &word->places[(first + i) % PLACES];
		is = atomic_load_explicit (&place->thread, memory_order_relaxed);
		if (is == self)
			return place;
		if (!free && (is == NEW || is == GIVEN_BACK)) {
			free = place;
			was = is;
		}
	}
	if (!is_wanted || !free)
		return NULL;
	return atomic_compare_exchange_strong (&free->thread, &was, self) ? free : place_of_self (word, true);
}

static bool
put_in_place (const monocle__thread_word *word, void *value)
{
	struct monocle__thread_place *place = place_of_self (word, value != NULL);
	if (place)
		atomic_store_explicit (&place->value, value, memory_order_relaxed);
	if (place && !value)
		atomic_store_explicit (&place->thread, GIVEN_BACK, memory_order_relaxed);
	return place || !value;
}

static void *
take_from_place (const monocle__thread_word *word)
{
	struct monocle__thread_place *place = place_of_self (word, false);
	return place ? atomic_load_explicit (&place->value, memory_order_relaxed) : NULL;
}

/* --- using it ----------------------------------------------------------------------------------------------------- */

void *
monocle__thread_word_ask (const monocle__thread_word *word)
{
	switch (atomic_load_explicit (&word->way, memory_order_acquire)) {
	case BY_KEY: return pthread_getspecific (word->key);
	case BY_PLACE: return take_from_place (word);
	default: return NULL;
	}
}

static bool
put (const monocle__thread_word *word, void *value)
{
	switch (atomic_load_explicit (&word->way, memory_order_acquire)) {
	case BY_KEY: return pthread_setspecific (word->key, value) == 0;
	case BY_PLACE: return put_in_place (word, value);
	default: return !value;
	}
}

/* No handler comes while the C library's memory may be at work, or a place is half taken. */
bool
monocle__thread_word_exchange (const monocle__thread_word *word, void *value, void **ret_before)
{
	sigset_t all, mask;
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &mask);
	*ret_before = monocle__thread_word_ask (word);
	bool is_put = put (word, value);
	pthread_sigmask (SIG_SETMASK, &mask, NULL);
	return is_put;
}

bool
monocle__thread_word_set (const monocle__thread_word *word, void *value)
{
	void *before;
	return monocle__thread_word_exchange (word, value, &before);
}
