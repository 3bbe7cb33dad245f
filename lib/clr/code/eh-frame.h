/*
 * SPDX-License-Identifier: MIT
 *
 * eh-frame.h - how the frames of native code are unwound, as rows that a signal handler can look up.
 */
#ifndef MONOCLE_CLR_EH_FRAME_H
#define MONOCLE_CLR_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the caller's stack pointer is; the return address lies below it. */
typedef enum {
	MONOCLE__CFA_UNKNOWN, /* no row covers it, or one that needs other registers */
	MONOCLE__CFA_SP,      /* sp + offset */
	MONOCLE__CFA_FP,      /* fp + offset */
	MONOCLE__CFA_PLT,     /* sp + 8, and what the entry of a PLT has pushed (arch/arch.h) */
	MONOCLE__CFA_FP_READ, /* what is at fp + offset; fp itself was saved at [fp] */
	MONOCLE__CFA_SP_READ, /* what is at sp + offset, and 8 */
	MONOCLE__CFA_SIGNAL,  /* a signal's frame: a ucontext_t begins at sp */
	MONOCLE__CFA_ROOT,    /* this has no caller */
} monocle__cfa_kind;

/*
 * A rule in 32 bits: kind (3), is the row the first of its function (1), offset / 8, signed (15), and where fp was
 * saved: so many words below the CFA (13; 0: it was not).
 */
typedef uint32_t monocle__unwind_rule;

enum { MONOCLE__SAVED_MAX = (1 << 13) - 1, MONOCLE__OFFSET_MAX = (1 << 14) - 1 };

static inline monocle__unwind_rule
monocle__rule (monocle__cfa_kind kind, bool is_first, int32_t words, uint32_t saved)
{
	return (uint32_t) kind | (uint32_t) is_first << 3 | ((uint32_t) words & 0x7fff) << 4 | saved << 19;
}

static inline monocle__cfa_kind
monocle__rule_kind (monocle__unwind_rule rule)
{
	return (monocle__cfa_kind) (rule & 7);
}

static inline bool
monocle__rule_is_first (monocle__unwind_rule rule)
{
	return (rule >> 3 & 1) != 0;
}

/* In bytes. */
static inline intptr_t
monocle__rule_offset (monocle__unwind_rule rule)
{
	return (intptr_t) ((int32_t) (rule << 13) >> 17) * 8;
}

/* In bytes below the CFA; 0: fp still is what it was in the caller. */
static inline uintptr_t
monocle__rule_saved (monocle__unwind_rule rule)
{
	return (uintptr_t) (rule >> 19) * 8;
}

/* From here to the next row. */
typedef struct {
	uint32_t pc; /* less the base of its object */
	monocle__unwind_rule rule;
} monocle__unwind_row;

/* Grows with malloc; the reader frees `list`. */
typedef struct {
	monocle__unwind_row *list;
	size_t count, capacity;
	bool no_memory;
} monocle__unwind_rows;

/*
 * The rows of a whole .eh_frame section, sorted by pc, neighbours of equal rule merged. `address` is where the section
 * lies at run time (what pc-relative pointers are relative to), `base` what rows are relative to: code below it or
 * 4 GiB above it is left out. What is corrupt ends the reading of its entry, what has no end ends all. Returns how many
 * function entries were read; *ret_skipped: and how many could not be. Normal context.
 */
size_t monocle__eh_frame_read (const uint8_t *section, size_t size, uintptr_t address, uintptr_t base,
                               monocle__unwind_rows *rows, size_t *ret_skipped);

/*
 * Where .eh_frame begins, as its header says; 0: the header is of a kind that no linker writes. `address`: of the
 * header.
 */
uintptr_t monocle__eh_frame_of_header (const uint8_t *header, size_t size, uintptr_t address);

/*
 * One function's entry alone, without memory of its own and in any context, where the header has a table of entries
 * sorted by function, as linkers write it. Both of a pair are relative to the header.
 */
typedef struct {
	int32_t function, entry;
} monocle__eh_frame_pair;
enum { MONOCLE__EH_FRAME_ENTRY_MAX = 2048 };

/* How many pairs there are, and where; 0: there is no such table within `size` bytes. */
uint32_t monocle__eh_frame_table (const uint8_t *header, size_t size, uintptr_t address, uintptr_t *ret_table);

/* Copies bytes of this process that may have gone; false: they have. */
typedef bool (*monocle__eh_frame_peek) (uintptr_t address, void *to, size_t size);

/*
 * The rule for `pc` by the entry of the function that begins at or before it. Everything lies from `begin`, where the
 * section does, to `end`; `base` is as above. False: the entry is longer than MONOCLE__EH_FRAME_ENTRY_MAX, corrupt or
 * gone. *ret_starts: the function begins exactly there.
 */
bool monocle__eh_frame_at (monocle__eh_frame_peek peek, uintptr_t entry, uintptr_t begin, uintptr_t end, uintptr_t base,
                           uintptr_t pc, monocle__unwind_rule *ret, bool *ret_starts);

/* The rule for an offset from the base; MONOCLE__CFA_UNKNOWN when there is none. *ret_starts: a row begins there. */
monocle__unwind_rule monocle__eh_frame_find (const monocle__unwind_row *rows, size_t count, uint32_t pc,
                                             bool *ret_starts);

#endif
