/*
 * SPDX-License-Identifier: MIT
 *
 * test_codemap_storm.c - managed code by address, while code and images come and go on other threads. Which threads
 * meet is chance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mono/metadata/profiler.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "../../seed.h"
#include "fake-runtime.h"
#include "house.h"

enum { BODIES = 64, ROUNDS = 20000 };

static fake_module house = { .path = u"/srv/house.exe", .is_mapped = true };

MONO_API void mono_profiler_init_codemap (const char *desc);

void
mono_profiler_init_codemap (const char *desc)
{
	mono_profiler_create (NULL);
}

/* As granting samples does: before the runtime's first image. */
static int
start (void **state)
{
	house.data = house_data ();
	setenv ("MONOCLE_PROFILE", "codemap", 1);
	monocle__codemap_begin ();
	if (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) != S_OK)
		return -1;
	fake_load (&house);
	return 0;
}

static atomic_bool over;
static MonoMethod *methods[BODIES];

/* Body i is `methods[i]`'s whenever there is one: 32 bytes, or 48 that reach into the next one's place. */
static uintptr_t
place (unsigned i)
{
	return 0x70000000 + (uintptr_t) i * 32;
}

static void *
come_and_go (void *seed)
{
	unsigned random = (unsigned) seed_of ((uintptr_t) seed);
	for (int round = 0; round < ROUNDS; round++) {
		unsigned i = (random = random * 1103515245 + 12345) >> 16 & (BODIES - 1);
		monocle_jit_info_new (methods[i], (void *) place (i), round & 1 ? 32 : 48);
		if (round % 3 == 0)
			monocle_jit_info_free_code ((void *) place (random >> 8 & (BODIES - 1)));
	}
	return NULL;
}

static void *
look_around (void *result)
{
	unsigned random = (unsigned) seed_of (1);
	monocle__code code;
	while (!atomic_load (&over)) {
		random = random * 1103515245 + 12345;
		uintptr_t ip = place (random >> 16 & (BODIES - 1)) + (random >> 8 & 31);
		if (monocle__codemap_find (ip, &code)) {
			unsigned i = (unsigned) (code.start - place (0)) / 32;
			*(unsigned *) result += ip - code.start >= code.size || code.method != methods[i];
			atomic_fetch_add (code.frame, 1);
		} else if (random % 64 == 0)
			monocle__codemap_learn (ip);
		*(unsigned *) result += house_name_at (house_function (&house, 0)) != methods[0];
	}
	return NULL;
}

static void
threads_find_what_is_there_while_it_changes (void **state)
{
	pthread_t changers[2], lookers[2];
	unsigned wrong[2] = { 0, 0 };
	for (uint32_t i = 0; i < BODIES; i++)
		methods[i] = monocle_method_def (house_record (&house), 0x06000001 + i);
	for (uintptr_t i = 0; i < 2; i++) {
		pthread_create (&lookers[i], NULL, look_around, &wrong[i]);
		pthread_create (&changers[i], NULL, come_and_go, (void *) (i + 7));
	}
	for (int i = 0; i < 2; i++)
		pthread_join (changers[i], NULL);
	atomic_store (&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join (lookers[i], NULL);
	assert_int_equal (wrong[0] + wrong[1], 0);
}

/* Modules come while others look: names appear, none is ever another's. */
static void *
look_for_guests (void *result)
{
	monocle__code code;
	while (!atomic_load (&over))
		for (uint32_t i = 0; i < HOUSE_FUNCTIONS; i++)
			if (monocle__codemap_find (house_function (&house, i), &code) && code.method)
				*(unsigned *) result += code.start != house_function (&house, i);
	return NULL;
}

static void
images_come_while_others_look (void **state)
{
	static fake_module more[40];
	pthread_t looker;
	unsigned wrong = 0;
	atomic_store (&over, false);
	pthread_create (&looker, NULL, look_for_guests, &wrong);
	for (int i = 0; i < 40; i++) {
		more[i] = (fake_module) { .data = house_data (), .path = u"/srv/more.exe", .is_mapped = true };
		fake_load (&more[i]);
	}
	for (int i = 0; i < 40; i++) {
		FAKE_AWAIT (house_name_at (house_function (&more[i], 5)));
		MonoMethod *main_of = monocle_method_def (house_record (&more[i]), HOUSE_MAIN);
		assert_ptr_equal (house_name_at (house_function (&more[i], 2)), main_of);
	}
	atomic_store (&over, true);
	pthread_join (looker, NULL);
	assert_int_equal (wrong, 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (threads_find_what_is_there_while_it_changes),
		cmocka_unit_test (images_come_while_others_look),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
