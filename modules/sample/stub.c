/*
 * SPDX-License-Identifier: MIT
 *
 * stub.c - what a piece of glue that CoreCLR generated does, by its instructions.
 *
 * Nothing tells of these pieces: no event, no function of the profiler's interface, no symbol. Each kind is a few
 * instructions that are always the same but for the addresses and offsets in them. They are looked for where the
 * thread was, so a piece is known wherever in it that is. What matches nothing stays a stub: thunks of delegates, for
 * instance, which move arguments in as many ways as there are signatures.
 *
 * The code was running, so the page that it is on can be read; bytes on the pages beside it are not looked at.
 */
#include "sample.h"

#if defined __x86_64__

/* Bytes in hexadecimal; ".." is any. */
/* clang-format off */
static const struct {
	const char *bytes;
	uintptr_t frame;
} kinds[] = {
	/* mov rax,[rdi]; mov rax,[rax+chunk]; jmp [rax+slot] */
	{ "488b07488b40..ff60..",                   MONOCLE_KIT_FRAME_VIRTUAL },
	{ "488b07488b80........ff60..",             MONOCLE_KIT_FRAME_VIRTUAL },
	{ "488b07488b40..ffa0........",             MONOCLE_KIT_FRAME_VIRTUAL },
	{ "488b07488b80........ffa0........",       MONOCLE_KIT_FRAME_VIRTUAL },
	/* mov rax,EXPECTED; cmp [rdi],rax; nop; mov rax,TARGET; jne NEXT; jmp rax */
	{ "48b8................4839079048b8................0f85........ffe0", MONOCLE_KIT_FRAME_INTERFACE },
	/* mov rax,[rdi]; push rdx; mov r10,TOKEN; ... a look into the cache by class and token; pop rdx; jmp rax */
	{ "488b075249ba................488bd048c1e80c4803c24835........4825........4a8b041049ba................483b5000"
	  "75..4c3b500875..488b40105affe0",         MONOCLE_KIT_FRAME_INTERFACE },
	/* jmp [TARGET]; mov r10,[METHOD]; jmp [PREPARE]; and mov r10,[METHOD]; jmp [TARGET] */
	{ "ff25....00004c8b15....0000ff25....0000", MONOCLE_KIT_FRAME_PRECODE },
	{ "4c8b15....0000ff25....0000",             MONOCLE_KIT_FRAME_PRECODE },
	/* mov rax,[CELL]; dec word [rax]; je DONE; jmp [TARGET]; DONE: jmp [TIER UP] */
	{ "488b05....000066ff087406ff25....0000ff25....0000", MONOCLE_KIT_FRAME_COUNTING },
	/* mov rax,[rdi or rsi+DICTIONARY]; more of these; test rax,rax; je LOAD; ret; LOAD: ...; jmp HELPER */
	{ "488b4[67]..488b40..488b40..4885c07401c348", MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b40..488b80........4885c07401c348", MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b00488b40..4885c07401c348", MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b40..4885c07401c348",      MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b00..4885c07401c348",      MONOCLE_KIT_FRAME_GENERIC },
	{ "7401c348b[ef]................e9........", MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..4881b8................7e..488b40", MONOCLE_KIT_FRAME_GENERIC },
	/* mov rsi,TYPE ARGUMENTS; mov rax,TARGET; jmp rax */
	{ "48b[aef]................48b8................ffe0", MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b40..488b40..c3",          MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b00488b40..c3",            MONOCLE_KIT_FRAME_GENERIC },
	{ "488b4[67]..488b40..c3",                  MONOCLE_KIT_FRAME_GENERIC },
	/* mov rsi,rdi; mov rdi,ARGUMENT; jmp HELPER; and what only answers an address */
	{ "488bf748bf................e9........",   MONOCLE_KIT_FRAME_HELPER },
	{ "48b[89abef]................e9........",  MONOCLE_KIT_FRAME_HELPER },
	{ "48b8................4883c0..c3",         MONOCLE_KIT_FRAME_HELPER },
	{ "48b8................c3",                 MONOCLE_KIT_FRAME_HELPER },
	{ "48a1................4883c0..c3",         MONOCLE_KIT_FRAME_HELPER },
	{ "48a1................c3",                 MONOCLE_KIT_FRAME_HELPER },
};
/* clang-format on */

enum { PAGE = 4096, LONGEST = 96 };

static int
digit_of (char letter)
{
	return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

/* Steps over a half byte of the pattern: a digit, '.', or "[67]". */
static bool
half_matches (const char **pattern, int half)
{
	const char *at = *pattern;
	bool is_one = *at != '[', matches = *at == '.' || (is_one && digit_of (*at) == half);
	if (is_one) {
		*pattern = at + 1;
		return matches;
	}
	while (*++at != ']')
		matches |= digit_of (*at) == half;
	*pattern = at + 1;
	return matches;
}

/* The bytes that match from `at` on; 0: they do not. */
static size_t
match (const char *pattern, const uint8_t *at, const uint8_t *end)
{
	size_t length = 0;
	for (; *pattern; length++) {
		if (at + length >= end || !half_matches (&pattern, at[length] >> 4) ||
		    !half_matches (&pattern, at[length] & 15))
			return 0;
	}
	return length;
}

/*
 * Code that tells the collector of a stored reference is written by hand and has branches; nothing else returns with a
 * prefix in front, and it does so again and again.
 */
static bool
is_barrier (const uint8_t *ip, const uint8_t *begin, const uint8_t *end)
{
	enum { AROUND = 72 };
	const uint8_t *from = ip - begin > AROUND ? ip - AROUND : begin, *to = end - ip > AROUND ? ip + AROUND : end;
	unsigned returns = 0;
	for (const uint8_t *at = from; at + 1 < to; at++)
		returns += at[0] == 0xf3 && at[1] == 0xc3;
	return returns >= 2;
}

uintptr_t
stub_frame (uintptr_t address)
{
	const uint8_t *ip = (const uint8_t *) address, *begin = ip - address % PAGE, *end = begin + PAGE;
	const uint8_t *first = ip - begin > LONGEST ? ip - LONGEST : begin;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (const uint8_t *at = first; at <= ip; at++)
			if (at + match (kinds[i].bytes, at, end) > ip)
				return kinds[i].frame;
	return is_barrier (ip, begin, end) ? MONOCLE_KIT_FRAME_BARRIER : MONOCLE_KIT_FRAME_STUB;
}
#else
uintptr_t
stub_frame (uintptr_t address)
{
	return MONOCLE_KIT_FRAME_STUB;
}
#endif
