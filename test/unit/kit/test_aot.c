/*
 * SPDX-License-Identifier: MIT
 *
 * test_aot.c - which code the kit takes for compiled ahead of time, and what it finds on a stack.
 *
 * What is loaded stays known, so each test has libraries of its own. The stack that is searched is the test's own, too:
 * an address is computed when it may be found.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include <monocle/kit.h>

static void *
load (const char *name)
{
	char path[4096];
	snprintf (path, sizeof path, AOT_LIBRARIES "/lib%s.so", name);
	void *library = dlopen (path, RTLD_NOW);
	if (!library)
		fail_msg ("%s", dlerror ());
	return library;
}

/* An instruction after a call in `library`. */
static uintptr_t
return_address (void *library)
{
	const uint8_t *code = dlsym (library, "aot_library_call");
	assert_non_null (code);
	for (int i = 2; i < 64; i++)
		if (code[i - 2] == 0xff && code[i - 1] >> 3 == 0x1a)
			return (uintptr_t) code + (uintptr_t) i;
	fail_msg ("no call");
	return 0;
}

/* What the handler says of a thread that has `address` on its stack. */
static uintptr_t
unprepared_with (uintptr_t address, uintptr_t ip)
{
	ucontext_t context;
	volatile uintptr_t word[64];
	for (int i = 0; i < 64; i++)
		word[i] = address;
	getcontext (&context);
	uintptr_t found = monocle_kit_aot_unprepared (ip, &context);
	assert_true (word[0] == address);
	return found;
}

static void
code_of_monos_files_is_found_until_mono_was_asked (void **state)
{
	void *library = load ("aot-one");
	monocle_kit_aot_look ();
	assert_int_equal (unprepared_with ((uintptr_t) dlsym (library, "aot_library_call"), 1), 0);
	uintptr_t address = return_address (library);
	assert_int_equal (unprepared_with (address, 1), address - 1);
	assert_int_equal (unprepared_with (0, address), address);
	monocle_kit_aot_prepared (address);
	assert_int_equal (unprepared_with (address, 1), 0);
	assert_true (monocle_kit_aot_has (address));
}

static void
files_that_are_not_monos_do_not_count (void **state)
{
	void *other = load ("aot-other"), *needs = load ("aot-needs"), *is_needed = load ("aot-needed");
	monocle_kit_aot_look ();
	assert_int_equal (unprepared_with (return_address (other), 1), 0);
	assert_int_equal (unprepared_with (return_address (needs), 1), 0);
	uintptr_t needed = return_address (is_needed);
	assert_int_equal (unprepared_with (needed, 1), needed - 1);
	monocle_kit_aot_prepared (needed);
}

static void
a_file_that_was_closed_can_be_compared_with (void **state)
{
	void *library = load ("aot-closed");
	uintptr_t address = return_address (library);
	monocle_kit_aot_look ();
	assert_int_equal (dlclose (library), 0);
	assert_int_equal (unprepared_with (address, 1), address - 1);
	monocle_kit_aot_prepared (address);
}

static void
a_stack_is_not_searched_for_ever (void **state)
{
	enum { DEEP = 2 << 20, IP = 77 };
	void *library = load ("aot-far");
	monocle_kit_aot_look ();
	assert_int_equal (unprepared_with (0, IP), 0);
	char *volatile frame = alloca (DEEP);
	memset (frame, 0, DEEP);
	assert_int_equal (unprepared_with (0, IP), IP);
	uintptr_t address = return_address (library);
	assert_int_equal (unprepared_with (address, IP), address - 1);
	monocle_kit_aot_prepared (address);
}

/* --- a library that is being loaded ------------------------------------------------------------------------------- */

static _Atomic pid_t looker;
static atomic_bool is_constructed;

static void *
look (void *data)
{
	looker = gettid ();
	monocle_kit_aot_look ();
	return NULL;
}

static char
state_of_looker (void)
{
	char path[64], line[256] = "", *state;
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", (int) looker);
	FILE *file = fopen (path, "re");
	if (file) {
		state = fgets (line, sizeof line, file) ? strrchr (line, ')') : NULL;
		fclose (file);
		return state && state[1] ? state[2] : 0;
	}
	return 'X';
}

/* In a constructor, when the loader has one of its locks: as soon as the other thread waits for that, takes another. */
static void
construct (void)
{
	static pthread_t thread;
	if (pthread_create (&thread, NULL, look, NULL))
		return;
	pthread_detach (thread);
	while (!looker || !strchr ("SX", state_of_looker ()))
		nanosleep (&(struct timespec) { .tv_nsec = 1000000 }, NULL);
	is_constructed = dlopen (AOT_LIBRARIES "/libaot-inner.so", RTLD_NOW) != NULL;
}

static void
a_library_that_is_being_loaded_is_not_waited_for (void **state)
{
	char address[32];
	snprintf (address, sizeof address, "%p", (void *) construct);
	setenv ("AOT_LIBRARY_CALLS", address, 1);
	alarm (20); /* Ends the process where the two wait for each other. */
	load ("aot-outer");
	alarm (0);
	assert_true (is_constructed);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (code_of_monos_files_is_found_until_mono_was_asked),
		cmocka_unit_test (files_that_are_not_monos_do_not_count),
		cmocka_unit_test (a_file_that_was_closed_can_be_compared_with),
		cmocka_unit_test (a_stack_is_not_searched_for_ever),
		cmocka_unit_test (a_library_that_is_being_loaded_is_not_waited_for),
	};
	monocle_kit_aot_thread_begin ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}
