/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_eh_frame.c - any bytes as an .eh_frame section, as its header, as x64 UNWIND_INFO and as machine code. Rows must
 * come by ascending address, and what an offset finds must be the row before it.
 */
#include <stdlib.h>
#include <string.h>

#include "code/eh-frame.h"
#include "arch/arch.h"
#include "code/shape.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { ADDRESS = 0x70000000, BASE = 0x60000000 };

static void
require (bool good)
{
	if (!good)
		abort ();
}

static void
check_rows (const monocle__unwind_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		bool starts;
		uint32_t pc = rows->list[i].pc;
		require (!i || rows->list[i - 1].pc < pc);
		require (monocle__eh_frame_find (rows->list, rows->count, pc, &starts) == rows->list[i].rule && starts);
	}
}

static void
check_shape (const monocle__shape *shape)
{
	uint64_t word;
	require (shape->depth % 8 == 0 && shape->saved % 8 == 0);
	if (monocle__shape_pack (shape, &word)) {
		monocle__shape again = monocle__shape_unpack (word);
		require (again.kind == shape->kind && again.depth == shape->depth && again.saved == shape->saved);
	}
}

/* The same bytes as memory, of which the reader may know nothing. */
static const uint8_t *memory;
static size_t memory_size;

static bool
peek (uintptr_t address, void *to, size_t size)
{
	if (address < ADDRESS || address - ADDRESS > memory_size || memory_size - (address - ADDRESS) < size)
		return false;
	memcpy (to, memory + (address - ADDRESS), size);
	return true;
}

static void
check_single (const uint8_t *data, size_t size)
{
	monocle__unwind_rule rule;
	bool starts;
	uintptr_t table;
	memory = data;
	memory_size = size;
	uint32_t count = monocle__eh_frame_table (data, size, ADDRESS, &table);
	require (!count || (table >= ADDRESS && table + count * sizeof (monocle__eh_frame_pair) <= ADDRESS + size));
	for (size_t entry = 0; entry < size && entry < 64; entry += 4)
		for (uintptr_t pc = BASE; pc < BASE + 0x4000; pc += 0x1fff)
			monocle__eh_frame_at (peek, ADDRESS + entry, ADDRESS, ADDRESS + size, BASE, pc, &rule, &starts);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	monocle__unwind_rows rows = { NULL, 0, 0, false };
	monocle__shape shape;
	monocle__epilogue epilogue;
	size_t skipped;
	monocle__eh_frame_read (data, size, ADDRESS, BASE, &rows, &skipped);
	check_rows (&rows);
	free (rows.list);
	monocle__eh_frame_of_header (data, size, ADDRESS);
	check_single (data, size);
	for (size_t limit = 0; limit < 24; limit++) {
		if (monocle__arch_prologue (data, size, limit, &shape))
			check_shape (&shape);
		if (monocle__arch_unwind_data (data, size, limit, &shape))
			check_shape (&shape);
		if (limit < size && monocle__arch_epilogue (data, size, limit, 0, (intptr_t) size, &epilogue))
			require (epilogue.depth % 8 == 0 || epilogue.depth);
	}
	monocle__arch_ends_with_call (data, size);
	return 0;
}
