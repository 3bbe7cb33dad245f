/*
 * SPDX-License-Identifier: MIT
 *
 * il-priv.h - what il.c, il-edit.c, il-write.c and the generated opcode table share.
 */
#ifndef MONOCLE_IL_PRIV_H
#define MONOCLE_IL_PRIV_H

#include "bytes.h"
#include "ecma.h"
#include "il.h"

/* How an operand is encoded; tokens and float bits are both four plain bytes but mean different things to readers. */
enum {
	MONOCLE__IL_OPERAND_INVALID, /* no such opcode */
	MONOCLE__IL_OPERAND_NONE,
	MONOCLE__IL_OPERAND_I1,
	MONOCLE__IL_OPERAND_U1,
	MONOCLE__IL_OPERAND_U2,
	MONOCLE__IL_OPERAND_I4,
	MONOCLE__IL_OPERAND_I8,
	MONOCLE__IL_OPERAND_R4,
	MONOCLE__IL_OPERAND_R8,
	MONOCLE__IL_OPERAND_TOKEN,
	MONOCLE__IL_OPERAND_BRANCH1,
	MONOCLE__IL_OPERAND_BRANCH4,
	MONOCLE__IL_OPERAND_SWITCH,
};

/* One row of the opcode table. Eight bytes, so that the whole table is 64 cache lines and a hot body touches few. */
typedef struct {
	uint16_t wide;       /* the same instruction with a long branch; itself for all others */
	uint8_t operand;     /* MONOCLE__IL_OPERAND_* */
	uint8_t opcode_size; /* 1 or 2 */
	uint8_t size;        /* opcode and operand; of a switch: without its targets */
	uint8_t flow : 7;    /* monocle__il_flow */
	uint8_t is_prefix : 1;
	int8_t pops, pushes; /* stack slots, -1: the signature decides */
} monocle__il_facts;

_Static_assert(sizeof (monocle__il_facts) == 8, "one row is eight bytes");

enum { MONOCLE__IL_TABLE_SIZE = 0x200 };
extern const monocle__il_facts monocle__il_table[MONOCLE__IL_TABLE_SIZE];
extern const char *const monocle__il_names[MONOCLE__IL_TABLE_SIZE];

enum {
	MONOCLE__IL_TINY_HEADER = 1,
	MONOCLE__IL_FAT_HEADER = 12,
	MONOCLE__IL_HEADER_MORE = 0x08,
	MONOCLE__IL_HEADER_INIT_LOCALS = 0x10,
	MONOCLE__IL_SECTION_KIND = 0x3F,
	MONOCLE__IL_SECTION_EH = 0x01,
	MONOCLE__IL_SECTION_FAT = 0x40,
	MONOCLE__IL_SECTION_MORE = 0x80,
	MONOCLE__IL_SMALL_CLAUSE = 12,
	MONOCLE__IL_FAT_CLAUSE = 24,
	MONOCLE__IL_CLAUSE_MAX = (0xFFFFFF - 4) / MONOCLE__IL_FAT_CLAUSE, /* a fat section has a 24-bit size */
	MONOCLE__IL_CODE_MAX = INT32_MAX,                                 /* branch distances are signed 32-bit */
};

/* An exception section as it was in the file. Only an unedited body is written with it. */
struct monocle__il_section {
	uint32_t data_size, clause_count;
	uint16_t reserved;
	uint8_t kind;
};

/* An offset table that lives on the stack for nearly every body. */
enum { MONOCLE__IL_SCRATCH = 1024 };

static inline const monocle__il_facts *
monocle__il_facts_of (uint16_t opcode)
{
	if (opcode >> 8 == 0xFE)
		return &monocle__il_table[0x100 + (opcode & 0xFF)];
	/* Row 0xFE is never valid: it is the first byte of the two-byte opcodes. */
	return &monocle__il_table[opcode >> 8 == 0 ? opcode : 0xFE];
}

/* A block of the body's arena, `size` bytes, zeroed; NULL without memory. */
void *monocle__il_allocate_block (void **arena, size_t size);

#endif
