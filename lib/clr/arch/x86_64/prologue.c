/*
 * SPDX-License-Identifier: MIT
 *
 * prologue.c - decodes the few instructions with which compiled methods begin and end (Intel SDM, volume 2), and the
 * x64 UNWIND_INFO of those that were compiled ahead.
 *
 * What RyuJIT writes on Unix (seen in .NET 8 to 11), and what of it matters here:
 *
 *      55                    push rbp                  41 57 / 53        push r15 / rbx
 *      48 83 EC ib           sub rsp, n                48 81 EC id       the same
 *      50                    push rax, in place of sub rsp, 8
 *      4C 8D 9C 24 id        lea r11, [rsp-n]; call the page prober; 49 8B E3 mov rsp, r11: in place of a large sub
 *      48 85 84 24 id        test [rsp-n], rax: touches a page
 *      48 8D 6C 24 ib        lea rbp, [rsp+n], so that rbp points to where the caller's is saved
 *      C5 F8 77              vzeroupper
 *      48 8B 45 00 50        mov rax, [rbp]; push rax: a body that replaces a running one pushes the caller's rbp
 *      50 48 8B 45 00 50     push rax; mov rax, [rbp]; push rax: the same on .NET 11, where it is jumped to
 *      4C 89 7C 24 ib        mov [rsp+n], r15: and saves registers into the frame that it took over
 *
 * Pure functions over bytes; any context.
 */
#include <string.h>
#include "arch/arch.h"

enum { FP = 5, SP = 4, R11 = 11 };

typedef struct {
	const uint8_t *code;
	size_t size, at;
	int64_t depth;       /* bytes pushed and allocated */
	int64_t saved_depth; /* depth just after the push of the caller's fp; 0: not pushed */
	int64_t fp;          /* from fp to the return address */
	int64_t r11;         /* from r11 to the return address; 0: unknown */
	bool has_fp, is_osr, is_bare, is_native;
} decoder;

static bool
matches (const decoder *d, size_t offset, const uint8_t *bytes, size_t count)
{
	return d->at + offset + count <= d->size && memcmp (d->code + d->at + offset, bytes, count) == 0;
}

#define MATCHES(d, offset, ...) \
	matches (d, offset, (const uint8_t[]) { __VA_ARGS__ }, sizeof (const uint8_t[]) { __VA_ARGS__ })

/* A signed operand of 1 or 4 bytes at `offset`; 0 past the end, which no prologue has. */
static int64_t
operand (const decoder *d, size_t offset, size_t size)
{
	int32_t value = 0;
	if (d->at + offset + size > d->size)
		return 0;
	if (size == 1)
		return (int8_t) d->code[d->at + offset];
	memcpy (&value, d->code + d->at + offset, sizeof value);
	return value;
}

/* Instructions: each returns how many bytes it took, 0: it is another one. */

/* push or pop of a register; *ret_register: which. */
static size_t
move_register (decoder *d, uint8_t opcode, unsigned *ret_register)
{
	size_t prefix = MATCHES (d, 0, 0x41) ? 1 : 0;
	if (d->at + prefix >= d->size || (d->code[d->at + prefix] & 0xf8) != opcode)
		return 0;
	d->depth += 8;
	*ret_register = (d->code[d->at + prefix] & 7) | (prefix ? 8 : 0);
	return prefix + 1;
}

/* sub rsp or add rsp, of a constant. */
static size_t
move_sp (decoder *d, uint8_t modrm)
{
	size_t width = MATCHES (d, 0, 0x48, 0x83, modrm) ? 1 : MATCHES (d, 0, 0x48, 0x81, modrm) ? 4 : 0;
	if (!width)
		return 0;
	d->depth += operand (d, 3, width);
	return 3 + width;
}

static size_t
push (decoder *d)
{
	unsigned pushed;
	size_t size = move_register (d, 0x50, &pushed);
	if (size && pushed == FP && !d->saved_depth)
		d->saved_depth = d->depth;
	return size;
}

static size_t
sub_sp (decoder *d)
{
	return move_sp (d, 0xEC);
}

static size_t
set_fp (decoder *d)
{
	int64_t offset = 0;
	size_t size = 0;
	if (MATCHES (d, 0, 0x48, 0x8D, 0x6C, 0x24)) {
		offset = operand (d, 4, 1);
		size = 5;
	} else if (MATCHES (d, 0, 0x48, 0x8D, 0xAC, 0x24)) {
		offset = operand (d, 4, 4);
		size = 8;
	} else if (MATCHES (d, 0, 0x48, 0x8B, 0xEC) || MATCHES (d, 0, 0x48, 0x89, 0xE5)) {
		size = 3;
	}
	if (size && d->saved_depth && !d->has_fp) {
		d->has_fp = true;
		d->fp = d->depth - offset;
		return size;
	}
	return 0;
}

/* lea r11, [rsp-n]; a call, direct or not; mov rsp, r11. */
static size_t
probe (decoder *d)
{
	if (MATCHES (d, 0, 0x4C, 0x8D, 0x9C, 0x24)) {
		d->r11 = d->depth - operand (d, 4, 4);
		return 8;
	}
	if (!d->r11)
		return 0;
	if (MATCHES (d, 0, 0xE8))
		return 5;
	if (MATCHES (d, 0, 0xFF, 0x15))
		return 6;
	if (MATCHES (d, 0, 0x49, 0x8B, 0xE3) || MATCHES (d, 0, 0x4C, 0x89, 0xDC)) {
		d->depth = d->r11;
		return 3;
	}
	return 0;
}

/* What may come between those that matter. */
static size_t
harmless (const decoder *d)
{
	if (MATCHES (d, 0, 0xC5, 0xF8, 0x77))
		return 3;
	if (MATCHES (d, 0, 0x48, 0x85, 0x84, 0x24) || MATCHES (d, 0, 0x85, 0x84, 0x24))
		return d->code[d->at] == 0x48 ? 8 : 7;
	bool stores = MATCHES (d, 0, 0x48, 0x89) || MATCHES (d, 0, 0x4C, 0x89);
	if (stores && d->is_osr && d->at + 4 <= d->size && d->code[d->at + 3] == 0x24 && (d->code[d->at + 2] & 7) == SP)
		return d->code[d->at + 2] >> 6 == 1 ? 5 : d->code[d->at + 2] >> 6 == 2 ? 8 : 0;
	return 0;
}

/* rax takes the caller's fp, which is pushed next; a word that fills the place of a return address may come before. */
static void
enter_osr (decoder *d)
{
	d->is_bare = MATCHES (d, 0, 0x50, 0x48, 0x8B, 0x45, 0x00, 0x50);
	d->is_osr = d->is_bare || MATCHES (d, 0, 0x48, 0x8B, 0x45, 0x00, 0x50);
	if (d->is_osr) {
		d->at = d->is_bare ? 5 : 4;
		d->depth = d->is_bare ? 8 : 0;
		d->saved_depth = d->depth + 8;
	}
}

static size_t
instruction (decoder *d)
{
	size_t size = d->has_fp && !d->is_native ? 0 : push (d);
	if (!size)
		size = sub_sp (d);
	if (!size)
		size = set_fp (d);
	if (!size)
		size = probe (d);
	return size;
}

/*
 * Until an OSR body has set fp, it is that of the tier-0 body, which points to where the caller's is saved. A frame
 * pointer that lies outside of its frame is none.
 */
static bool
shape_of (const decoder *d, monocle__shape *ret)
{
	ret->frame = (uint32_t) d->depth;
	ret->saved = d->saved_depth ? (uint32_t) d->saved_depth : 0;
	ret->depth = (uint32_t) (d->has_fp ? d->fp : d->depth);
	ret->kind = d->has_fp ? MONOCLE__SHAPE_FP : MONOCLE__SHAPE_SP;
	if (d->is_osr && d->has_fp) {
		ret->kind = d->is_bare ? MONOCLE__SHAPE_OSR_BARE : MONOCLE__SHAPE_OSR;
	} else if (d->is_osr) {
		ret->kind = MONOCLE__SHAPE_FP;
		ret->depth = ret->saved = 8;
	}
	return d->depth >= 0 && d->depth <= INT32_MAX && d->depth % 8 == 0 &&
	       (!d->has_fp || (d->fp >= 0 && d->fp <= INT32_MAX && d->fp % 8 == 0));
}

static bool
decode (decoder *d, size_t limit, monocle__shape *ret)
{
	ret->length = 0;
	while (d->at < d->size && d->at < limit && d->depth <= INT32_MAX) {
		decoder before = *d;
		size_t took = instruction (d);
		bool matters = took != 0;
		if (!matters)
			took = harmless (d);
		if (!took || took > d->size - d->at) {
			*d = before;
			break;
		}
		d->at += took;
		if (matters)
			ret->length = (uint32_t) d->at;
	}
	return shape_of (d, ret);
}

bool
monocle__arch_prologue (const uint8_t *code, size_t size, size_t limit, monocle__shape *ret)
{
	decoder d = { .code = code, .size = size };
	enter_osr (&d);
	return decode (&d, limit, ret);
}

bool
monocle__arch_native_prologue (const uint8_t *code, size_t size, monocle__shape *ret)
{
	decoder d = { .code = code, .size = size, .is_native = true };
	return decode (&d, SIZE_MAX, ret) && d.has_fp;
}

/* --- unwind codes ------------------------------------------------------------------------------------------------- */

enum {
	CODE_PUSH = 0,
	CODE_ALLOC_LARGE = 1,
	CODE_ALLOC_SMALL = 2,
	CODE_SET_FP = 3,
	CODE_SAVE = 4,
	CODE_SAVE_FAR = 5,
	CODE_SAVE_XMM = 8,
	CODE_SAVE_XMM_FAR = 9,
	CODE_SET_FP_LARGE = 11, /* the runtime's own, on Unix: the next two words hold the offset / 16 */
};

/* How many 16-bit units a code takes; 0: unknown. */
static unsigned
units_of (unsigned op, unsigned info)
{
	switch (op) {
	case CODE_PUSH:
	case CODE_ALLOC_SMALL:
	case CODE_SET_FP: return 1;
	case CODE_SAVE:
	case CODE_SAVE_XMM: return 2;
	case CODE_SAVE_FAR:
	case CODE_SAVE_XMM_FAR:
	case CODE_SET_FP_LARGE: return 3;
	case CODE_ALLOC_LARGE: return info == 0 ? 2 : info == 1 ? 3 : 0;
	default: return 0;
	}
}

static uint32_t
unit_at (const uint8_t *codes, unsigned index)
{
	return codes[2 * index] | (uint32_t) codes[2 * index + 1] << 8;
}

/* Takes one code's effect; `fp_offset` is the header's. */
static void
apply (decoder *d, const uint8_t *codes, unsigned at, unsigned fp_offset)
{
	unsigned op = codes[2 * at + 1] & 15, info = codes[2 * at + 1] >> 4;
	uint32_t low = op == CODE_ALLOC_LARGE || op == CODE_SET_FP_LARGE ? unit_at (codes, at + 1) : 0;
	uint32_t wide =
	    op == CODE_SET_FP_LARGE || (op == CODE_ALLOC_LARGE && info == 1) ? low | unit_at (codes, at + 2) << 16 : 0;
	switch (op) {
	case CODE_PUSH:
		d->depth += 8;
		if (info == FP)
			d->saved_depth = d->depth;
		break;
	case CODE_ALLOC_SMALL: d->depth += info * 8 + 8; break;
	case CODE_ALLOC_LARGE: d->depth += info ? (int64_t) wide : (int64_t) low * 8; break;
	case CODE_SET_FP:
	case CODE_SET_FP_LARGE:
		d->has_fp = true;
		d->fp = d->depth - (int64_t) (op == CODE_SET_FP ? fp_offset : wide) * 16;
		break;
	}
}

/*
 * The codes are in the order of undoing. `starts` are the units of those that are known to be good; from the last one
 * back they run in the order of doing.
 */
bool
monocle__arch_unwind_data (const uint8_t *info, size_t size, size_t limit, monocle__shape *ret)
{
	uint8_t starts[256];
	unsigned count, known = 0, i = 0;
	decoder d = { .code = info, .size = size };
	if (size < 4 || (info[0] & 7) != 1 || (info[0] >> 3 & 4) || size < 4 + 2 * (size_t) info[2])
		return false;
	for (count = info[2]; i < count; known++) {
		unsigned units = units_of (info[4 + 2 * i + 1] & 15, info[4 + 2 * i + 1] >> 4);
		if (!units || units > count - i)
			return false;
		starts[known] = (uint8_t) i;
		i += units;
	}
	while (known-- && info[4 + 2 * starts[known]] <= limit)
		apply (&d, info + 4, starts[known], info[3] >> 4);
	ret->length = info[1];
	return shape_of (&d, ret);
}

/* --- epilogues ---------------------------------------------------------------------------------------------------- */

static size_t
add_sp (decoder *d)
{
	return move_sp (d, 0xC4);
}

static size_t
pop (decoder *d)
{
	unsigned popped;
	size_t size = move_register (d, 0x58, &popped);
	if (size && popped == FP)
		d->saved_depth = d->depth;
	return size;
}

static bool
is_return (const decoder *d)
{
	return MATCHES (d, 0, 0xC3) || MATCHES (d, 0, 0xF3, 0xC3) || MATCHES (d, 0, 0xC2);
}

/* Through a register or memory. Switches jump so as well, but not out of an epilogue. */
static bool
is_indirect_jump (const decoder *d)
{
	size_t prefix = MATCHES (d, 0, 0x48) || MATCHES (d, 0, 0x41) || MATCHES (d, 0, 0x49) ? 1 : 0;
	const uint8_t *code = d->code + d->at + prefix;
	return d->at + prefix + 1 < d->size && code[0] == 0xFF && (code[1] >> 3 & 7) == 4;
}

static bool
is_jump_outside (const decoder *d, intptr_t start, intptr_t end)
{
	size_t width = MATCHES (d, 0, 0xE9) ? 4 : MATCHES (d, 0, 0xEB) ? 1 : 0;
	if (!width || d->at + 1 + width > d->size)
		return false;
	intptr_t target = (intptr_t) (d->at + 1 + width) + (intptr_t) operand (d, 1, width);
	return target < start || target >= end;
}

/* Does the instruction before this one undo a part of the frame? */
static bool
is_undone_before (const uint8_t *code, size_t at)
{
	return (at >= 1 && (code[at - 1] & 0xf8) == 0x58) || (at >= 4 && memcmp (code + at - 4, "\x48\x83\xC4", 3) == 0) ||
	       (at >= 7 && memcmp (code + at - 7, "\x48\x81\xC4", 3) == 0);
}

bool
monocle__arch_epilogue (const uint8_t *code, size_t size, size_t at, intptr_t start, intptr_t end,
                        monocle__epilogue *ret)
{
	decoder d = { .code = code, .size = size, .at = at };
	bool undoes = is_undone_before (code, at);
	size_t took = 0;
	if (MATCHES (&d, 0, 0xC5, 0xF8, 0x77))
		d.at += 3;
	took = add_sp (&d);
	for (; took || (took = pop (&d)); took = 0) {
		d.at += took;
		undoes = true;
	}
	if (!is_return (&d) && !is_jump_outside (&d, start, end) && !is_indirect_jump (&d))
		return false;
	if (!is_return (&d) && !undoes)
		return false;
	if (d.depth < 0 || d.depth > INT32_MAX)
		return false;
	ret->depth = (uint32_t) d.depth;
	ret->saved = d.saved_depth ? (uint32_t) (d.depth - d.saved_depth) + 8 : 0;
	ret->is_restored = at >= 1 && code[at - 1] == 0x58 + FP && (at < 2 || code[at - 2] != 0x41);
	return true;
}
