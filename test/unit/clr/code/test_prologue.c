/*
 * SPDX-License-Identifier: MIT
 *
 * test_prologue.c - shapes of compiled methods: bytes as RyuJIT writes them, at every instruction of their prologues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/arch.h"
#include "code/shape.h"

#define CODE(...) \
	{ __VA_ARGS__ }, sizeof (const uint8_t[]) \
	{ \
		__VA_ARGS__ \
	}

static const struct {
	const char *name;
	uint8_t code[48];
	size_t size;
	monocle__shape shape;
} methods[] = {
	{ "push rbp; sub rsp, 16; lea rbp, [rsp+16]; mov [rbp-4], edi",
	  CODE (0x55, 0x48, 0x83, 0xEC, 0x10, 0x48, 0x8D, 0x6C, 0x24, 0x10, 0x89, 0x7D, 0xFC),
	  { MONOCLE__SHAPE_FP, 10, 8, 8, 24 } },
	{ "push rbp; mov rbp, rsp; mov eax, edi",
	  CODE (0x55, 0x48, 0x8B, 0xEC, 0x8B, 0xC7),
	  { MONOCLE__SHAPE_FP, 4, 8, 8, 8 } },
	{ "all registers saved, then lea rbp, [rsp+0x40]",
	  CODE (0x55, 0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x53, 0x48, 0x83, 0xEC, 0x18, 0x48, 0x8D, 0x6C, 0x24,
	        0x40, 0x44, 0x89, 0x4D, 0xD4),
	  { MONOCLE__SHAPE_FP, 19, 8, 8, 72 } },
	{ "push rax; call", CODE (0x50, 0xFF, 0x15, 0xB9, 0x3B, 0xFB, 0xFF), { MONOCLE__SHAPE_SP, 1, 8, 0, 8 } },
	{ "no frame: lea eax, [rdi+2*rdi]", CODE (0x8D, 0x04, 0x7F, 0xFF, 0xC0, 0xC3), { MONOCLE__SHAPE_SP, 0, 0, 0, 0 } },
	{ "rbp as any saved register: push r14; push rbp; push rbx",
	  CODE (0x41, 0x56, 0x55, 0x53, 0x8B, 0xDF),
	  { MONOCLE__SHAPE_SP, 4, 24, 16, 24 } },
	{ "pages: lea r11, [rsp-0x9C58]; call; mov rsp, r11",
	  CODE (0x4C, 0x8D, 0x9C, 0x24, 0xA8, 0x63, 0xFF, 0xFF, 0xE8, 0x59, 0xB7, 0x67, 0x7E, 0x49, 0x8B, 0xE3, 0x33, 0xC0),
	  { MONOCLE__SHAPE_SP, 16, 0x9C58, 0, 0x9C58 } },
	{ "push rbp; pages; lea rbp, [rsp+0x13890]",
	  CODE (0x55, 0x4C, 0x8D, 0x9C, 0x24, 0x70, 0xC7, 0xFE, 0xFF, 0xE8, 0x62, 0x9C, 0x59, 0x7E, 0x49, 0x8B, 0xE3, 0x48,
	        0x8D, 0xAC, 0x24, 0x90, 0x38, 0x01, 0x00, 0x33, 0xC0),
	  { MONOCLE__SHAPE_FP, 25, 8, 8, 0x13898 } },
	{ "a page touched: test [rsp-0x1000], rax; sub rsp, 0x1100",
	  CODE (0x48, 0x85, 0x84, 0x24, 0x00, 0xF0, 0xFF, 0xFF, 0x48, 0x81, 0xEC, 0x00, 0x11, 0x00, 0x00, 0x33, 0xC0),
	  { MONOCLE__SHAPE_SP, 15, 0x1100, 0, 0x1100 } },
	{ "vzeroupper between",
	  CODE (0x55, 0x48, 0x83, 0xEC, 0x10, 0xC5, 0xF8, 0x77, 0x48, 0x8D, 0x6C, 0x24, 0x10, 0x90),
	  { MONOCLE__SHAPE_FP, 13, 8, 8, 24 } },
	{ "on-stack replacement",
	  CODE (0x48, 0x8B, 0x45, 0x00, 0x50, 0x48, 0x83, 0xEC, 0x20, 0x4C, 0x89, 0x7C, 0x24, 0x68, 0x4C, 0x89, 0x74, 0x24,
	        0x60, 0x48, 0x89, 0x5C, 0x24, 0x58, 0x48, 0x8D, 0x6C, 0x24, 0x20, 0x8B, 0x5D, 0x24),
	  { MONOCLE__SHAPE_OSR, 29, 8, 8, 40 } },
	{ "rbp set to a place that is not its own",
	  CODE (0x55, 0x48, 0x83, 0xEC, 0x20, 0x48, 0x8D, 0x6C, 0x24, 0x10, 0xC3),
	  { MONOCLE__SHAPE_FP, 10, 24, 8, 40 } },
	{ "on-stack replacement that is jumped to",
	  CODE (0x50, 0x48, 0x8B, 0x45, 0x00, 0x50, 0x48, 0x83, 0xEC, 0x20, 0x4C, 0x89, 0x7C, 0x24, 0x78, 0x4C, 0x89, 0x74,
	        0x24, 0x70, 0x48, 0x89, 0x5C, 0x24, 0x68, 0x48, 0x8D, 0x6C, 0x24, 0x20, 0x8B, 0x5D, 0x34),
	  { MONOCLE__SHAPE_OSR_BARE, 30, 16, 16, 48 } },
};

enum { REPLACING = 10, REPLACING_BARE = 12 };

static void
assert_same_shape (const char *name, const monocle__shape *is, const monocle__shape *wanted)
{
	if (memcmp (is, wanted, sizeof *is))
		fail_msg ("%s: kind %d length %u depth %u saved %u frame %u", name, is->kind, is->length, is->depth, is->saved,
		          is->frame);
}

static void
bodies_have_their_shape (void **state)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		monocle__shape shape;
		assert_true (monocle__arch_prologue (methods[i].code, methods[i].size, SIZE_MAX, &shape));
		assert_same_shape (methods[i].name, &shape, &methods[i].shape);
	}
}

/* push rbp; mov rbp, rsp; push r15, r14, rbx; sub rsp, 24; test rsi, rsi */
static void
a_native_function_pushes_on_once_it_has_its_frame_pointer (void **state)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xE5, 0x41, 0x57, 0x41, 0x56,
		                            0x53, 0x48, 0x83, 0xEC, 0x18, 0x48, 0x85, 0xF6 };
	static const uint8_t without[] = { 0x41, 0x57, 0x53, 0x48, 0x83, 0xEC, 0x18, 0x48, 0x85, 0xF6 };
	const monocle__shape wanted = { MONOCLE__SHAPE_FP, 13, 8, 8, 56 };
	monocle__shape shape;
	assert_true (monocle__arch_native_prologue (code, sizeof code, &shape));
	assert_same_shape ("native", &shape, &wanted);
	assert_false (monocle__arch_native_prologue (without, sizeof without, &shape));
}

static void
shapes_survive_a_word (void **state)
{
	uint64_t word = 0;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		assert_true (monocle__shape_pack (&methods[i].shape, &word));
		assert_int_not_equal (word, 0);
		monocle__shape shape = monocle__shape_unpack (word);
		assert_same_shape (methods[i].name, &shape, &methods[i].shape);
	}
	monocle__shape none = { MONOCLE__SHAPE_NONE, 0, 0, 0, 0 }, huge = { MONOCLE__SHAPE_SP, 1, 1u << 30, 0, 1u << 30 };
	assert_false (monocle__shape_pack (&none, &word));
	assert_false (monocle__shape_pack (&huge, &word));
}

/* Where the return address is before each instruction of the method with all registers: sp + 8 per push, then sp. */
static void
a_prologue_is_followed_instruction_by_instruction (void **state)
{
	/* clang-format off */
	static const struct { size_t limit; monocle__shape_kind kind; uint32_t depth, saved; } steps[] = {
		{ 0, MONOCLE__SHAPE_SP, 0, 0 },  { 1, MONOCLE__SHAPE_SP, 8, 8 },   { 3, MONOCLE__SHAPE_SP, 16, 8 },
		{ 5, MONOCLE__SHAPE_SP, 24, 8 }, { 7, MONOCLE__SHAPE_SP, 32, 8 },  { 9, MONOCLE__SHAPE_SP, 40, 8 },
		{ 10, MONOCLE__SHAPE_SP, 48, 8 }, { 14, MONOCLE__SHAPE_SP, 72, 8 }, { 19, MONOCLE__SHAPE_FP, 8, 8 },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		monocle__shape shape;
		assert_true (monocle__arch_prologue (methods[2].code, methods[2].size, steps[i].limit, &shape));
		assert_int_equal (shape.kind, steps[i].kind);
		assert_int_equal (shape.depth, steps[i].depth);
		assert_int_equal (shape.saved, steps[i].saved);
	}
}

/* Until it has set rbp, a body that replaces another runs with that one's. */
static void
a_replacing_body_begins_with_the_replaced_frame (void **state)
{
	static const struct {
		int method;
		size_t limit;
	} at[] = {
		{ REPLACING, 0 },       { REPLACING, 4 },       { REPLACING, 5 },      { REPLACING, 9 },
		{ REPLACING, 24 },      { REPLACING_BARE, 0 },  { REPLACING_BARE, 1 }, { REPLACING_BARE, 6 },
		{ REPLACING_BARE, 10 }, { REPLACING_BARE, 25 },
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		monocle__shape shape;
		assert_true (
		    monocle__arch_prologue (methods[at[i].method].code, methods[at[i].method].size, at[i].limit, &shape));
		assert_int_equal (shape.kind, MONOCLE__SHAPE_FP);
		assert_int_equal (shape.depth, 8);
		assert_int_equal (shape.saved, 8);
	}
}

/* UNWIND_INFO of: push rbp; push r15; push rbx; sub rsp, 0x18; lea rbp, [rsp+0x20]. */
static void
unwind_codes_say_the_same (void **state)
{
	static const uint8_t info[] = { 0x01, 0x0D, 5, 0x25, 0x0D, 0x03, 0x08, 0x22, 0x04, 0x30, 0x03, 0xF0, 0x01, 0x50 };
	static const uint8_t code[] = {
		0x55, 0x41, 0x57, 0x53, 0x48, 0x83, 0xEC, 0x18, 0x48, 0x8D, 0x6C, 0x24, 0x20, 0x90
	};
	monocle__shape from_codes, from_code;
	static const size_t limits[] = { 0, 1, 3, 4, 8, 13, SIZE_MAX };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		assert_true (monocle__arch_unwind_data (info, sizeof info, limits[i], &from_codes));
		assert_true (monocle__arch_prologue (code, sizeof code, limits[i], &from_code));
		from_code.length = from_codes.length;
		assert_same_shape ("codes", &from_codes, &from_code);
	}
}

static void
bad_unwind_codes_are_refused (void **state)
{
	monocle__shape shape;
	static const uint8_t version[] = { 0x02, 0, 0, 0 }, chained[] = { 0x21, 0, 0, 0 };
	static const uint8_t unknown[] = { 0x01, 4, 1, 0, 4, 0x07 };
	static const uint8_t cut[] = { 0x01, 4, 2, 0, 4, 0x11, 0, 0 };
	assert_false (monocle__arch_unwind_data (version, sizeof version, SIZE_MAX, &shape));
	assert_false (monocle__arch_unwind_data (chained, sizeof chained, SIZE_MAX, &shape));
	assert_false (monocle__arch_unwind_data (unknown, sizeof unknown, SIZE_MAX, &shape));
	assert_false (monocle__arch_unwind_data (cut, sizeof cut, SIZE_MAX, &shape));
	assert_false (monocle__arch_unwind_data (cut, 3, SIZE_MAX, &shape));
	assert_false (monocle__arch_unwind_data (cut, 5, SIZE_MAX, &shape));
}

/* add rsp, 24; pop rbx; pop r12; pop r15; pop rbp; ret */
static const uint8_t epilogue[] = { 0x90, 0x48, 0x83, 0xC4, 0x18, 0x5B, 0x41, 0x5C, 0x41, 0x5F, 0x5D, 0xC3 };

static void
an_epilogue_is_followed_instruction_by_instruction (void **state)
{
	static const struct {
		size_t at;
		uint32_t depth, saved;
		bool is_restored;
	} steps[] = {
		{ 1, 56, 8, false }, { 5, 32, 8, false }, { 6, 24, 8, false },
		{ 8, 16, 8, false }, { 10, 8, 8, false }, { 11, 0, 0, true },
	};
	monocle__epilogue e;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		assert_true (monocle__arch_epilogue (epilogue, sizeof epilogue, steps[i].at, 0, sizeof epilogue, &e));
		assert_int_equal (e.depth, steps[i].depth);
		assert_int_equal (e.saved, steps[i].saved);
		assert_int_equal (e.is_restored, steps[i].is_restored);
	}
	assert_false (monocle__arch_epilogue (epilogue, sizeof epilogue, 0, 0, sizeof epilogue, &e));
}

static void
only_jumps_out_of_the_method_end_it (void **state)
{
	static const uint8_t code[] = { 0x48, 0x83, 0xC4, 0x08, 0xE9, 0x10, 0, 0, 0, 0x48, 0xFF, 0xE0, 0xEB, 0xF0 };
	monocle__epilogue e;
	assert_true (monocle__arch_epilogue (code, sizeof code, 4, 0, 20, &e));
	assert_int_equal (e.depth, 0);
	assert_false (monocle__arch_epilogue (code, sizeof code, 4, 0, 100, &e));
	assert_false (monocle__arch_epilogue (code, sizeof code, 9, 0, 100, &e)); /* a switch: nothing was undone */
	assert_false (monocle__arch_epilogue (code, sizeof code, 12, -100, 100, &e));
}

static void
nothing_is_read_past_the_end (void **state)
{
	monocle__epilogue e;
	for (size_t size = 1; size < sizeof epilogue - 1; size++)
		assert_false (monocle__arch_epilogue (epilogue, size, 1, 0, sizeof epilogue, &e));
	for (size_t size = 0; size < methods[2].size; size++) {
		monocle__shape shape;
		uint8_t copy[48];
		memset (copy, 0x55, sizeof copy); /* what is not to be read would be pushes */
		memcpy (copy, methods[2].code, size);
		assert_true (monocle__arch_prologue (copy, size, SIZE_MAX, &shape));
		assert_true (shape.length <= size);
	}
}

static void
calls_are_known_by_their_ends (void **state)
{
	/* clang-format off */
	static const struct { uint8_t bytes[8]; bool is_call; } ends[] = {
		{ { 0, 0, 0, 0xE8, 1, 2, 3, 4 }, true },             /* call rel32 */
		{ { 0, 0, 0xFF, 0x15, 1, 2, 3, 4 }, true },          /* call [rip+n] */
		{ { 0, 0, 0, 0, 0, 0, 0xFF, 0xD0 }, true },          /* call rax */
		{ { 0, 0, 0, 0, 0, 0x41, 0xFF, 0xD3 }, true },       /* call r11 */
		{ { 0, 0, 0, 0, 0, 0xFF, 0x50, 0x20 }, true },       /* call [rax+0x20] */
		{ { 0, 0, 0xFF, 0x90, 1, 2, 0, 0 }, true },          /* call [rax+n] */
		{ { 0, 0, 0, 0, 0xFF, 0x54, 0x24, 0x08 }, true },    /* call [rsp+8] */
		{ { 0, 0, 0, 0, 0, 0xFF, 0x14, 0xD8 }, true },       /* call [rax+8*rbx] */
		{ { 0, 0xFF, 0x14, 0xDD, 1, 2, 0, 0 }, true },       /* call [8*rbx+n] */
		{ { 0, 0, 0, 0, 0, 0xFF, 0x14, 0xDD }, false },      /* its beginning */
		{ { 0, 0, 0, 0, 0, 0, 0xFF, 0x15 }, false },         /* the beginning of call [rip+n] */
		{ { 0, 0, 0, 0, 0xFF, 0xD0, 0x31, 0xC0 }, false },   /* call rax; xor eax, eax */
		{ { 0, 0, 0, 0, 0, 0, 0xFF, 0xE0 }, false },         /* jmp rax */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x89, 0xC7 }, false },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		assert_int_equal (monocle__arch_ends_with_call (ends[i].bytes, 8), ends[i].is_call);
	assert_false (monocle__arch_ends_with_call (ends[0].bytes, 0));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (bodies_have_their_shape),
		cmocka_unit_test (a_native_function_pushes_on_once_it_has_its_frame_pointer),
		cmocka_unit_test (shapes_survive_a_word),
		cmocka_unit_test (a_prologue_is_followed_instruction_by_instruction),
		cmocka_unit_test (a_replacing_body_begins_with_the_replaced_frame),
		cmocka_unit_test (unwind_codes_say_the_same),
		cmocka_unit_test (bad_unwind_codes_are_refused),
		cmocka_unit_test (an_epilogue_is_followed_instruction_by_instruction),
		cmocka_unit_test (only_jumps_out_of_the_method_end_it),
		cmocka_unit_test (nothing_is_read_past_the_end),
		cmocka_unit_test (calls_are_known_by_their_ends),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
