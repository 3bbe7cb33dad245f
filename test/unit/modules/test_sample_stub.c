/*
 * SPDX-License-Identifier: MIT
 *
 * test_sample_stub.c - glue of CoreCLR 10, as it was in memory: each piece is known wherever a thread is in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "sample.h"

enum { PAGE = 4096 };

static uint8_t *page; /* with nothing on either side */

static int
setup (void **state)
{
	uint8_t *pages = mmap (NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page = pages + PAGE;
	return pages == MAP_FAILED || mprotect (page, PAGE, PROT_READ | PROT_WRITE);
}

/* Puts the code there, between other bytes. How long it is. */
static size_t
put (const char *code, size_t offset)
{
	size_t length = strlen (code) / 2;
	memset (page, 0xcc, PAGE);
	for (size_t i = 0; i < length && offset + i < PAGE; i++) {
		unsigned byte;
		assert_int_equal (sscanf (code + 2 * i, "%2x", &byte), 1);
		page[offset + i] = (uint8_t) byte;
	}
	return length;
}

static void
check (const char *code, uintptr_t frame)
{
	const size_t length = strlen (code) / 2, offsets[] = { 0, 1000, PAGE - length };
	for (size_t k = 0; k < 3; k++) {
		put (code, offsets[k]);
		for (size_t i = 0; i < length; i++)
			assert_int_equal (stub_frame ((uintptr_t) page + offsets[k] + i), frame);
	}
}

static void
each_kind_is_known_by_its_instructions (void **state)
{
	check ("488b07488b4040ff6030", MONOCLE_KIT_FRAME_VIRTUAL);
	check ("488b07488b80a8000000ff6008", MONOCLE_KIT_FRAME_VIRTUAL);
	check ("48b8a05f0a50777f00004839079048b800e39b4c777f00000f8567100000ffe0", MONOCLE_KIT_FRAME_INTERFACE);
	check ("488b075249ba083157c54f560000488bd048c1e80c4803c248356073000048"
	       "25f87f00004a8b041049ba0000000006000000483b5000752b4c3b50087525488b40105affe0",
	       MONOCLE_KIT_FRAME_INTERFACE);
	check ("ff25fa3f00004c8b15fb3f0000ff25fd3f0000", MONOCLE_KIT_FRAME_PRECODE);
	check ("4c8b15f93f0000ff25fb3f0000", MONOCLE_KIT_FRAME_PRECODE);
	check ("488b05f93f000066ff087406ff25f63f0000ff25f83f0000", MONOCLE_KIT_FRAME_COUNTING);
	check ("488b4730488b4008488b40184885c07401c348be78196e4c777f0000e9f701f7ff", MONOCLE_KIT_FRAME_GENERIC);
	check ("48be90abb74f777f000048b83834624f777f0000ffe0", MONOCLE_KIT_FRAME_GENERIC);
	check ("488bf748bfa823534f777f0000e97e70ecfc", MONOCLE_KIT_FRAME_HELPER);
	check ("48b8901c0024337f0000c3", MONOCLE_KIT_FRAME_HELPER);
	check ("48a1b81b0024337f00004883c008c3", MONOCLE_KIT_FRAME_HELPER);
}

static void
a_barrier_is_known_in_all_its_branches (void **state)
{
	check (
	    "4889374989f848b8b0234aa1327f000048c1ef16803c07007504f3c3669049b900000024337f00004c39ce7301c349b900000024737f"
	    "00004c39ce7202f3c348c1ee168a14063a14077203f3c39048b84070e0a8227f00004489c149c1e80bc1e90883e107b201d2e2418414"
	    "007402f3c3f04108140048b820574b9b327f000049c1e80a41803c00ff7502f3c341c60400ffc3",
	    MONOCLE_KIT_FRAME_BARRIER);
}

static void
what_is_not_known_or_is_cut_stays_a_stub (void **state)
{
	size_t length = put ("488bc2488bf2488bd1ff6018", 1000);
	for (size_t i = 0; i < length; i++)
		assert_int_equal (stub_frame ((uintptr_t) page + 1000 + i), MONOCLE_KIT_FRAME_STUB);
	put ("488b07488b4040ff6030", PAGE - 4);
	assert_int_equal (stub_frame ((uintptr_t) page + PAGE - 4), MONOCLE_KIT_FRAME_STUB);
	put ("48b8901c0024337f0000c3", 1000);
	assert_int_equal (stub_frame ((uintptr_t) page + 999), MONOCLE_KIT_FRAME_STUB);
	assert_int_equal (stub_frame ((uintptr_t) page + 1011), MONOCLE_KIT_FRAME_STUB);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (each_kind_is_known_by_its_instructions),
		cmocka_unit_test (a_barrier_is_known_in_all_its_branches),
		cmocka_unit_test (what_is_not_known_or_is_cut_stays_a_stub),
	};
	return cmocka_run_group_tests (tests, setup, NULL);
}
