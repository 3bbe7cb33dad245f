/*
 * SPDX-License-Identifier: MIT
 *
 * test_thread_word.c - a pointer of each thread's own: found at the thread pointer, asked of the C library, or kept in
 * a table where the process has no key left.
 */
#include "thread-word.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { INLINE_KEYS = 32, KEYS_MOST = PTHREAD_KEYS_MAX };

static char a, b;
static bool has_memory = true;

void *__real_mmap (void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap (void *at, size_t size, int protection, int flags, int fd, off_t offset);
/* What mmap () is with offsets of 64 bits. */
void *__wrap_mmap64 (void *at, size_t size, int protection, int flags, int fd, off_t offset)
    __attribute__ ((alias ("__wrap_mmap")));

/* cmocka's assertions jump, and only the thread of the test may. */
#define CHECK(condition) ((condition) ? (void) 0 : abort ())

void *
__wrap_mmap (void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return has_memory ? __real_mmap (at, size, protection, flags, fd, offset) : MAP_FAILED;
}

/* --- keys of other people ----------------------------------------------------------------------------------------- */

static pthread_key_t others[KEYS_MOST];
static size_t other_count;

/* So many more, or all that there are. */
static void
take_keys (size_t count)
{
	for (; count && pthread_key_create (&others[other_count], NULL) == 0; count--)
		other_count++;
}

static int
give_keys_back (void **state)
{
	while (other_count)
		pthread_key_delete (others[--other_count]);
	has_memory = true;
	return 0;
}

/* Words are for ever; here they are over. */
static void
forget (monocle__thread_word *word)
{
	if (!word->places)
		pthread_key_delete (word->key);
}

/* --- on another thread -------------------------------------------------------------------------------------------- */

static monocle__thread_word *shared;

static void *
on_thread (void *(*run) (void *), void *data)
{
	pthread_t thread;
	void *result;
	assert_int_equal (pthread_create (&thread, NULL, run, data), 0);
	pthread_join (thread, &result);
	return result;
}

static void *
get_set_get (void *value)
{
	void *before = monocle__thread_word_get (shared);
	CHECK (monocle__thread_word_set (shared, value));
	CHECK (monocle__thread_word_get (shared) == value);
	return before;
}

static void *
make_shared (void *data)
{
	CHECK (monocle__thread_word_make (shared, NULL));
	return data;
}

static void *ended[8];
static size_t end_count;
static void *seen_in_end;
static bool sets_again;

static void
end (void *value)
{
	ended[end_count++] = value;
	seen_in_end = monocle__thread_word_get (shared);
	if (sets_again && end_count == 1)
		monocle__thread_word_set (shared, &b);
}

static int
begin (void **state)
{
	end_count = 0;
	sets_again = false;
	return 0;
}

/* --- what holds wherever it is kept ------------------------------------------------------------------------------- */

static void
check_threads (monocle__thread_word *word)
{
	void *before = &b;
	shared = word;
	assert_null (monocle__thread_word_get (word));
	assert_true (monocle__thread_word_set (word, &a));
	assert_ptr_equal (monocle__thread_word_get (word), &a);
	assert_null (on_thread (get_set_get, &b));
	assert_ptr_equal (monocle__thread_word_get (word), &a);
	assert_true (monocle__thread_word_exchange (word, &b, &before));
	assert_ptr_equal (before, &a);
	assert_ptr_equal (monocle__thread_word_get (word), &b);
	assert_true (monocle__thread_word_set (word, NULL));
	assert_null (monocle__thread_word_get (word));
}

static void *interrupted_at;

static void
on_signal (int number)
{
	interrupted_at = monocle__thread_word_get (shared);
	monocle__thread_word_set (shared, &b);
}

static void
check_signals (monocle__thread_word *word)
{
	struct sigaction action = { .sa_handler = on_signal }, before;
	sigset_t mask;
	shared = word;
	sigaction (SIGUSR1, &action, &before);
	raise (SIGUSR1);
	assert_null (interrupted_at);
	assert_ptr_equal (monocle__thread_word_get (word), &b);
	assert_true (monocle__thread_word_set (word, &a));
	raise (SIGUSR1);
	assert_ptr_equal (interrupted_at, &a);
	assert_ptr_equal (monocle__thread_word_get (word), &b);
	assert_true (monocle__thread_word_set (word, NULL));
	pthread_sigmask (SIG_BLOCK, NULL, &mask);
	assert_false (sigismember (&mask, SIGUSR1));
	sigaction (SIGUSR1, &before, NULL);
}

static void
check_fork (monocle__thread_word *word)
{
	int status;
	assert_true (monocle__thread_word_set (word, &a));
	pid_t child = fork ();
	if (child == 0)
		_exit (monocle__thread_word_get (word) != &a || !monocle__thread_word_set (word, &b) ||
		       monocle__thread_word_get (word) != &b);
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
	assert_ptr_equal (monocle__thread_word_get (word), &a);
	assert_true (monocle__thread_word_set (word, NULL));
}

static void
check_all (monocle__thread_word *word)
{
	check_threads (word);
	check_signals (word);
	check_fork (word);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void
before_it_is_made_a_word_is_null_and_cannot_be_set (void **state)
{
	static monocle__thread_word word;
	void *before = &a;
	assert_null (monocle__thread_word_get (&word));
	assert_false (monocle__thread_word_set (&word, &a));
	assert_false (monocle__thread_word_exchange (&word, &a, &before));
	assert_null (before);
	assert_null (monocle__thread_word_get (&word));
}

static void
it_is_read_where_the_c_library_keeps_it (void **state)
{
	static monocle__thread_word word;
	assert_true (monocle__thread_word_make (&word, NULL));
	assert_in_range (word.key, 0, INLINE_KEYS - 1);
	assert_int_equal (word.at != 0, MONOCLE__THREAD_POINTER_ROOM != 0);
	assert_true (monocle__thread_word_set (&word, &a));
	assert_ptr_equal (pthread_getspecific (word.key), &a);
	if (word.at)
		assert_int_equal (monocle__thread_pointer_read (word.at), &a);
	pthread_setspecific (word.key, &b);
	assert_ptr_equal (monocle__thread_word_get (&word), &b);
	monocle__thread_word_set (&word, NULL);
	check_all (&word);
	forget (&word);
}

static void
words_are_apart (void **state)
{
	static monocle__thread_word one, other;
	assert_true (monocle__thread_word_make (&one, NULL));
	assert_true (monocle__thread_word_make (&other, NULL));
	assert_true (monocle__thread_word_set (&one, &a));
	assert_null (monocle__thread_word_get (&other));
	assert_true (monocle__thread_word_set (&other, &b));
	assert_ptr_equal (monocle__thread_word_get (&one), &a);
	forget (&one);
	forget (&other);
}

/* The thread has values of so many keys that are deleted, and another thread makes the word. */
static void
check_old_values (size_t count)
{
	static monocle__thread_word words[2];
	monocle__thread_word *word = &words[count == 1];
	void *before = &b;
	pthread_key_t old[INLINE_KEYS];
	for (size_t i = 0; i < count; i++) {
		assert_int_equal (pthread_key_create (&old[i], NULL), 0);
		pthread_setspecific (old[i], &a);
	}
	for (size_t i = 0; i < count; i++)
		pthread_key_delete (old[i]);
	shared = word;
	on_thread (make_shared, NULL);
	assert_int_equal (word->at != 0, MONOCLE__THREAD_POINTER_ROOM != 0 && count == 1);
	assert_null (monocle__thread_word_get (word));
	assert_true (monocle__thread_word_exchange (word, &b, &before));
	assert_null (before);
	assert_ptr_equal (monocle__thread_word_get (word), &b);
	forget (word);
}

static void
a_value_of_a_deleted_key_is_not_taken_for_its_own (void **state)
{
	check_old_values (1);
	check_old_values (INLINE_KEYS);
}

static void
the_end_of_a_thread_is_told_with_its_value (void **state)
{
	static monocle__thread_word word;
	assert_true (monocle__thread_word_make (&word, end));
	shared = &word;
	on_thread (get_set_get, &a);
	assert_int_equal (end_count, 1);
	assert_ptr_equal (ended[0], &a);
	assert_null (seen_in_end);
	on_thread (get_set_get, NULL);
	assert_int_equal (end_count, 1);
	forget (&word);
}

static void
a_value_that_the_end_sets_is_told_of_again (void **state)
{
	static monocle__thread_word word;
	assert_true (monocle__thread_word_make (&word, end));
	shared = &word;
	sets_again = true;
	on_thread (get_set_get, &a);
	assert_int_equal (end_count, 2);
	assert_ptr_equal (ended[1], &b);
	forget (&word);
}

static void
the_c_library_is_asked_where_a_key_has_no_place (void **state)
{
	static monocle__thread_word word;
	take_keys (INLINE_KEYS);
	assert_true (monocle__thread_word_make (&word, end));
	assert_true (word.key >= INLINE_KEYS);
	assert_int_equal (word.at, 0);
	check_all (&word);
	assert_int_equal (end_count, 1); /* that of check_threads () */
	forget (&word);
}

/* --- without a key ------------------------------------------------------------------------------------------------ */

static void
a_process_without_keys_has_words_all_the_same (void **state)
{
	static monocle__thread_word word;
	take_keys (SIZE_MAX);
	assert_true (monocle__thread_word_make (&word, end));
	assert_non_null (word.places);
	check_all (&word);
	assert_int_equal (end_count, 0);
	forget (&word);
}

static pthread_barrier_t all_have_one;

static void *
set_beside_others (void *value)
{
	bool is_set = monocle__thread_word_set (shared, value);
	pthread_barrier_wait (&all_have_one);
	CHECK (monocle__thread_word_get (shared) == (is_set ? value : NULL));
	if (is_set)
		monocle__thread_word_set (shared, NULL);
	return is_set ? value : NULL;
}

static size_t
set_on_threads (pthread_t *threads, size_t count)
{
	static char values[2048];
	pthread_attr_t attributes;
	size_t set = 0;
	void *result;
	pthread_attr_init (&attributes);
	pthread_attr_setstacksize (&attributes, 256 << 10);
	pthread_barrier_init (&all_have_one, NULL, (unsigned) count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal (pthread_create (&threads[i], &attributes, set_beside_others, &values[i]), 0);
	for (size_t i = 0; i < count; i++) {
		pthread_join (threads[i], &result);
		assert_true (!result || result == &values[i]);
		set += result != NULL;
	}
	pthread_barrier_destroy (&all_have_one);
	pthread_attr_destroy (&attributes);
	return set;
}

static void
places_are_given_back_and_run_out (void **state)
{
	enum { PLACES = 1024, MORE = 20 };
	static monocle__thread_word word;
	static pthread_t threads[PLACES + MORE];
	take_keys (SIZE_MAX);
	assert_true (monocle__thread_word_make (&word, NULL));
	shared = &word;
	assert_int_equal (set_on_threads (threads, 200), 200);
	assert_int_equal (set_on_threads (threads, PLACES + MORE), PLACES);
	assert_int_equal (set_on_threads (threads, PLACES), PLACES);
	assert_null (monocle__thread_word_get (&word));
	forget (&word);
}

static void
without_keys_and_memory_it_is_not_made (void **state)
{
	static monocle__thread_word word;
	take_keys (SIZE_MAX);
	has_memory = false;
	assert_false (monocle__thread_word_make (&word, NULL));
	assert_null (monocle__thread_word_get (&word));
	assert_false (monocle__thread_word_set (&word, &a));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, begin, give_keys_back)
		TEST (before_it_is_made_a_word_is_null_and_cannot_be_set),
		TEST (it_is_read_where_the_c_library_keeps_it),
		TEST (words_are_apart),
		TEST (a_value_of_a_deleted_key_is_not_taken_for_its_own),
		TEST (the_end_of_a_thread_is_told_with_its_value),
		TEST (a_value_that_the_end_sets_is_told_of_again),
		TEST (the_c_library_is_asked_where_a_key_has_no_place),
		TEST (a_process_without_keys_has_words_all_the_same),
		TEST (places_are_given_back_and_run_out),
		TEST (without_keys_and_memory_it_is_not_made),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
