/*
 * SPDX-License-Identifier: MIT
 *
 * eh-frame.c - reads .eh_frame (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4) into rows.
 *
 * A frame walker that only wants to know the callers needs three of the many things in the section: where
 * the caller's stack pointer is, whether fp was saved and where, and whether there is a caller. Rows keep these.
 * Everything here takes bytes as they come: no read leaves the section, no loop depends on a length alone.
 */
#include "eh-frame.h"
#include <stdlib.h>
#include <string.h>
#include "arch/arch.h"
#include "invariant.h"

enum { REG_FP = MONOCLE__ARCH_DWARF_FP, REG_SP = MONOCLE__ARCH_DWARF_SP, REG_RA = MONOCLE__ARCH_DWARF_RA };
enum { REMEMBER_MAX = 16 };

enum { PE_OMIT = 0xff, PE_INDIRECT = 0x80, PE_PCREL = 0x10, PE_DATAREL = 0x30 };

typedef struct {
	const uint8_t *at, *end;
	bool failed;
} reader;

/* A common information entry, as far as it matters. */
typedef struct {
	reader program;
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding;
	bool has_augmentation, is_signal;
} cie;

typedef enum { SAME, AT_CFA, AT_FP, ELSEWHERE, UNDEFINED } saved;

/* What the rules say at one place. */
typedef struct {
	monocle__cfa_kind cfa;
	int64_t offset;
	saved fp, ra;
	int64_t fp_offset;
} state;

typedef struct {
	const cie *common;
	state now, initial;
	state remembered[REMEMBER_MAX];
	unsigned depth;
	uint64_t pc, end, base;
	bool is_first;
	monocle__unwind_rows *rows; /* NULL: only the one that covers `wanted` */
	uint64_t wanted;
	monocle__unwind_rule found;
	bool starts; /* that row begins at `wanted`, and is the first of its function */
} machine;

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static uint64_t
read_fixed (reader *r, unsigned size)
{
	uint64_t value = 0;
	if ((size_t) (r->end - r->at) < size) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy (&value, r->at, size);
	r->at += size;
	return value;
}

/* Nearly all that there is to read. 0 after the end. */
static inline uint8_t
read_byte (reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->failed = true;
	return 0;
}

static uint64_t
read_uleb (reader *r)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = read_byte (r);
		if (shift < 64)
			value |= (uint64_t) (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

static int64_t
read_sleb (reader *r)
{
	uint64_t value = 0;
	for (unsigned shift = 0;;) {
		uint8_t byte = read_byte (r);
		if (shift < 64)
			value |= (uint64_t) (byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift < 64)
			value |= ~(uint64_t) 0 << shift;
		return (int64_t) value;
	}
}

static reader
read_block (reader *r, uint64_t size)
{
	reader block = { r->at, r->at, false };
	if (size > (uint64_t) (r->end - r->at)) {
		r->failed = true;
		size = 0;
		r->at = r->end;
	}
	block.end = block.at + size;
	r->at += size;
	return block;
}

/* A value of the encoding's format. */
static uint64_t
read_format (reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c: return read_fixed (r, 8);
	case 0x01: return read_uleb (r);
	case 0x02: return read_fixed (r, 2);
	case 0x03: return read_fixed (r, 4);
	case 0x09: return (uint64_t) read_sleb (r);
	case 0x0a: return (uint64_t) (int16_t) read_fixed (r, 2);
	case 0x0b: return (uint64_t) (int32_t) read_fixed (r, 4);
	default: r->failed = true; return 0;
	}
}

/* `here` is the address of the next byte, `data` what data-relative pointers are relative to. */
static uint64_t
read_pointer (reader *r, uint8_t encoding, uint64_t here, uint64_t data)
{
	uint64_t value = encoding == PE_OMIT ? 0 : read_format (r, encoding);
	if (encoding == PE_OMIT || (encoding & PE_INDIRECT))
		r->failed = true;
	switch (encoding & 0x70) {
	case 0x00: return value;
	case PE_PCREL: return value + here;
	case PE_DATAREL: return value + data;
	default: r->failed = true; return 0;
	}
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static bool
in_words (int64_t offset, int64_t limit)
{
	return offset % 8 == 0 && offset / 8 <= limit && offset / 8 >= -limit;
}

/* An outermost frame needs no CFA; a signal's frame has its registers in the context, whatever else is said. */
static monocle__unwind_rule
rule_of (const machine *m)
{
	const state *s = &m->now;
	bool reads_fp = s->cfa == MONOCLE__CFA_FP_READ;
	uint32_t slot = 0;
	if (m->common->is_signal)
		return monocle__rule (MONOCLE__CFA_SIGNAL, m->is_first, 0, 0);
	if (s->ra == UNDEFINED)
		return monocle__rule (MONOCLE__CFA_ROOT, m->is_first, 0, 0);
	bool odd = s->cfa == MONOCLE__CFA_UNKNOWN || s->ra != AT_CFA || !in_words (s->offset, MONOCLE__OFFSET_MAX) ||
	           (reads_fp && s->fp != AT_FP) || (!reads_fp && (s->fp == AT_FP || s->fp == ELSEWHERE));
	if (s->fp == AT_CFA && s->fp_offset < 0 && in_words (s->fp_offset, MONOCLE__SAVED_MAX))
		slot = (uint32_t) (-s->fp_offset / 8);
	else if (s->fp == AT_CFA)
		odd = true;
	return odd ? monocle__rule (MONOCLE__CFA_UNKNOWN, m->is_first, 0, 0)
	           : monocle__rule (s->cfa, m->is_first, (int32_t) (s->offset / 8), slot);
}

static void
add_row (monocle__unwind_rows *rows, uint64_t pc, monocle__unwind_rule rule)
{
	if (pc > UINT32_MAX || rows->no_memory)
		return;
	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity ? rows->capacity * 2 : 4096;
		monocle__unwind_row *more = realloc (rows->list, capacity * sizeof *more);
		if (!more) {
			rows->no_memory = true;
			return;
		}
		rows->list = more;
		rows->capacity = capacity;
	}
	rows->list[rows->count++] = (monocle__unwind_row) { (uint32_t) pc, rule };
}

/* The row that ends here; code below the base belongs to no function. */
static void
put (machine *m)
{
	if (m->pc < m->base || m->pc >= m->end)
		return;
	if (m->rows) {
		add_row (m->rows, m->pc - m->base, rule_of (m));
	} else if (m->pc <= m->wanted) {
		m->found = rule_of (m);
		m->starts = m->is_first && m->pc == m->wanted;
	}
	m->is_first = false;
}

static void
advance (machine *m, uint64_t pc)
{
	if (pc == m->pc)
		return;
	put (m);
	m->pc = pc;
}

/* --- expressions -------------------------------------------------------------------------------------------------- */

enum { OP_DEREF = 0x06, OP_PLUS_CONST = 0x23, OP_REG0_PLUS = 0x70 };

/* [fp + n] of a realigned stack, [sp + n] + 8 of hand-written code. */
static void
cfa_expression (state *s, reader e)
{
	s->offset = 0;
	s->cfa = MONOCLE__CFA_UNKNOWN;
	if (monocle__arch_is_plt (e.at, (size_t) (e.end - e.at))) {
		s->cfa = MONOCLE__CFA_PLT;
		return;
	}
	uint8_t base = read_byte (&e);
	int64_t offset = read_sleb (&e);
	if (read_byte (&e) != OP_DEREF || e.failed)
		return;
	if (base == OP_REG0_PLUS + REG_FP && e.at == e.end)
		s->cfa = MONOCLE__CFA_FP_READ;
	else if (base == OP_REG0_PLUS + REG_SP && read_byte (&e) == OP_PLUS_CONST && read_uleb (&e) == 8 && e.at == e.end)
		s->cfa = MONOCLE__CFA_SP_READ;
	s->offset = s->cfa == MONOCLE__CFA_UNKNOWN ? 0 : offset;
}

static saved
register_expression (reader e)
{
	bool at_fp = read_byte (&e) == OP_REG0_PLUS + REG_FP && read_sleb (&e) == 0 && e.at == e.end;
	return at_fp && !e.failed ? AT_FP : ELSEWHERE;
}

/* --- call frame instructions -------------------------------------------------------------------------------------- */

static void
set_rule (state *s, uint64_t reg, saved how, int64_t offset)
{
	if (reg == REG_FP) {
		s->fp = how;
		s->fp_offset = offset;
	} else if (reg == REG_RA) {
		s->ra = how == AT_CFA && offset != -8 ? ELSEWHERE : how;
	}
}

static void
restore_rule (machine *m, uint64_t reg)
{
	if (reg == REG_FP) {
		m->now.fp = m->initial.fp;
		m->now.fp_offset = m->initial.fp_offset;
	} else if (reg == REG_RA) {
		m->now.ra = m->initial.ra;
	}
}

static void
set_cfa (state *s, uint64_t reg)
{
	s->cfa = reg == REG_SP ? MONOCLE__CFA_SP : reg == REG_FP ? MONOCLE__CFA_FP : MONOCLE__CFA_UNKNOWN;
}

/* Multiplication of what a file says must not overflow. */
static int64_t
scaled (int64_t value, int64_t factor)
{
	int64_t product;
	return __builtin_mul_overflow (value, factor, &product) ? INT64_MAX : product;
}

static void
remember (machine *m, reader *r)
{
	if (m->depth == REMEMBER_MAX)
		r->failed = true;
	else
		m->remembered[m->depth++] = m->now;
}

static void
recall (machine *m, reader *r)
{
	if (!m->depth)
		r->failed = true;
	else
		m->now = m->remembered[--m->depth];
}

static void
step_forward (machine *m, uint64_t delta)
{
	advance (m, m->pc + delta * m->common->code_factor);
}

/* Those that set where a register is, by number of the instruction. */
static void
register_instruction (machine *m, reader *r, uint8_t op)
{
	uint64_t reg = read_uleb (r);
	switch (op) {
	case 0x05: /* offset_extended */
		set_rule (&m->now, reg, AT_CFA, scaled ((int64_t) read_uleb (r), m->common->data_factor));
		break;
	case 0x11: /* offset_extended_sf */
		set_rule (&m->now, reg, AT_CFA, scaled (read_sleb (r), m->common->data_factor));
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		set_rule (&m->now, reg, AT_CFA, scaled (scaled ((int64_t) read_uleb (r), m->common->data_factor), -1));
		break;
	case 0x06: /* restore_extended */ restore_rule (m, reg); break;
	case 0x07: /* undefined */ set_rule (&m->now, reg, UNDEFINED, 0); break;
	case 0x08: /* same_value */ set_rule (&m->now, reg, SAME, 0); break;
	case 0x10: /* expression */ set_rule (&m->now, reg, register_expression (read_block (r, read_uleb (r))), 0); break;
	case 0x16: /* val_expression */
		read_block (r, read_uleb (r));
		set_rule (&m->now, reg, ELSEWHERE, 0);
		break;
	default: /* register, val_offset, val_offset_sf */
		read_uleb (r);
		set_rule (&m->now, reg, ELSEWHERE, 0);
		break;
	}
}

/* Those that set what the CFA is. */
static void
cfa_instruction (machine *m, reader *r, uint8_t op)
{
	switch (op) {
	case 0x0c: /* def_cfa */
		set_cfa (&m->now, read_uleb (r));
		m->now.offset = (int64_t) read_uleb (r);
		break;
	case 0x12: /* def_cfa_sf */
		set_cfa (&m->now, read_uleb (r));
		m->now.offset = scaled (read_sleb (r), m->common->data_factor);
		break;
	case 0x0d: /* def_cfa_register */ set_cfa (&m->now, read_uleb (r)); break;
	case 0x0e: /* def_cfa_offset */ m->now.offset = (int64_t) read_uleb (r); break;
	case 0x13: /* def_cfa_offset_sf */ m->now.offset = scaled (read_sleb (r), m->common->data_factor); break;
	default: /* def_cfa_expression */ cfa_expression (&m->now, read_block (r, read_uleb (r))); break;
	}
}

static void
extended_instruction (machine *m, reader *r, uint8_t op)
{
	switch (op) {
	case 0x00: /* nop */ break;
	case 0x02:
	case 0x03:
	case 0x04: /* advance_loc1, 2, 4 */ step_forward (m, read_fixed (r, 1u << (op - 2))); break;
	case 0x0a: remember (m, r); break;
	case 0x0b: recall (m, r); break;
	case 0x2e: /* GNU_args_size */ read_uleb (r); break;
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x10:
	case 0x11:
	case 0x14:
	case 0x15:
	case 0x16:
	case 0x2f: register_instruction (m, r, op); break;
	case 0x0c:
	case 0x0d:
	case 0x0e:
	case 0x0f:
	case 0x12:
	case 0x13: cfa_instruction (m, r, op); break;
	default: /* set_loc too, which nobody writes */ r->failed = true; break;
	}
}

static void
run (machine *m, reader program)
{
	while (program.at < program.end && !program.failed && m->pc < m->end) {
		uint8_t op = read_byte (&program);
		switch (op >> 6) {
		case 1: /* advance_loc */ step_forward (m, op & 0x3f); break;
		case 2: /* offset */
			set_rule (&m->now, op & 0x3f, AT_CFA, scaled ((int64_t) read_uleb (&program), m->common->data_factor));
			break;
		case 3: /* restore */ restore_rule (m, op & 0x3f); break;
		default: extended_instruction (m, &program, op); break;
		}
	}
	if (program.failed)
		m->now = (state) { .cfa = MONOCLE__CFA_UNKNOWN };
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

typedef struct {
	const uint8_t *section;
	size_t size;
	uint64_t address, base;
} frame_section;

static uint64_t
address_of (const frame_section *s, const uint8_t *at)
{
	return s->address + (uint64_t) (at - s->section);
}

/* The entry at `offset` without its length; false: none, or the end. *ret_next: what follows it. */
static bool
open_entry (const frame_section *s, size_t offset, reader *ret, size_t *ret_next)
{
	if (offset > s->size || s->size - offset < 4)
		return false;
	reader r = { s->section + offset, s->section + s->size, false };
	uint64_t length = read_fixed (&r, 4);
	if (length == 0xffffffff)
		length = read_fixed (&r, 8);
	if (!length || r.failed || length > (uint64_t) (r.end - r.at))
		return false;
	r.end = r.at + length;
	*ret_next = (size_t) (r.end - s->section);
	*ret = r;
	return true;
}

/* 'z' comes first and says how long the rest is. */
static void
read_augmentation (cie *c, reader *r, const char *letters, uint64_t address)
{
	reader data = read_block (r, read_uleb (r));
	const uint8_t *start = data.at;
	for (letters++; *letters && !data.failed; letters++) {
		uint8_t encoding;
		switch (*letters) {
		case 'R': c->encoding = read_byte (&data); break;
		case 'P':
			encoding = read_byte (&data);
			read_pointer (&data, encoding & (uint8_t) ~PE_INDIRECT, address + (uint64_t) (data.at - start), 0);
			break;
		case 'L': read_byte (&data); break;
		case 'S': c->is_signal = true; break;
		default: /* 'B' is of another CPU; what is unknown has unknown data */ return;
		}
	}
}

static bool
read_cie (const frame_section *s, size_t offset, cie *ret)
{
	reader r;
	size_t next;
	*ret = (cie) { .encoding = 0 };
	if (!open_entry (s, offset, &r, &next) || read_fixed (&r, 4) != 0)
		return false;
	uint8_t version = read_byte (&r);
	const char *letters = (const char *) r.at;
	const uint8_t *zero = memchr (r.at, 0, (size_t) (r.end - r.at));
	if (!zero || (version != 1 && version != 3))
		return false;
	r.at = zero + 1;
	ret->code_factor = read_uleb (&r);
	ret->data_factor = read_sleb (&r);
	if (version == 1)
		read_byte (&r);
	else
		read_uleb (&r);
	ret->has_augmentation = *letters == 'z';
	if (ret->has_augmentation)
		read_augmentation (ret, &r, letters, address_of (s, r.at));
	else if (*letters)
		return false;
	ret->program = r;
	return !r.failed;
}

/*
 * The entry of a function; `r` is after the pointer to its common entry. The machine is new and says what is to be
 * found.
 */
static bool
run_fde (machine *m, const frame_section *s, reader r)
{
	const cie *common = m->common;
	uint64_t start = read_pointer (&r, common->encoding, address_of (s, r.at), 0);
	uint64_t length = read_format (&r, common->encoding & 0x0f);
	if (common->has_augmentation)
		read_block (&r, read_uleb (&r));
	if (r.failed || !length || start + length < start || start + length - s->base > UINT32_MAX || start < s->base)
		return false;
	m->base = s->base;
	m->is_first = true;
	m->now = (state) { .cfa = MONOCLE__CFA_UNKNOWN, .ra = ELSEWHERE };
	m->pc = start;
	m->end = start + length;
	run (m, common->program);
	m->initial = m->now;
	m->pc = start;
	run (m, r);
	put (m);
	return true;
}

static bool
read_fde (const frame_section *s, const cie *common, reader r, monocle__unwind_rows *rows)
{
	machine m = { .common = common, .rows = rows };
	if (!run_fde (&m, s, r))
		return false;
	add_row (rows, m.end - s->base, monocle__rule (MONOCLE__CFA_UNKNOWN, false, 0, 0));
	return true;
}

static bool
is_gap (const monocle__unwind_row *row)
{
	return row->rule == 0;
}

/* Of two rows at one place the one that says something comes last, and stays. */
static int
by_pc (const void *a, const void *b)
{
	const monocle__unwind_row *x = a, *y = b;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return is_gap (y) - is_gap (x);
}

static bool
is_sorted (const monocle__unwind_rows *rows)
{
	for (size_t i = 1; i < rows->count; i++)
		if (by_pc (&rows->list[i - 1], &rows->list[i]) > 0)
			return false;
	return true;
}

/* The rows of one function, as they were read. */
typedef struct {
	uint32_t pc, first;
	size_t count;
} run_of_rows;

static int
by_first_pc (const void *a, const void *b)
{
	const run_of_rows *x = a, *y = b;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static size_t
find_runs (const monocle__unwind_rows *rows, run_of_rows *runs)
{
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		if (!i || monocle__rule_is_first (rows->list[i].rule))
			runs[count++] = (run_of_rows) { rows->list[i].pc, (uint32_t) i, 0 };
		runs[count - 1].count++;
	}
	return count;
}

/*
 * Linkers put functions in another order than their entries, but do not interleave them: moving them as a whole is six
 * times as fast as sorting rows. What remains out of order is sorted afterwards.
 */
static void
sort_functions (monocle__unwind_rows *rows, size_t functions)
{
	run_of_rows *runs = malloc ((functions + 1) * sizeof *runs);
	monocle__unwind_row *sorted = malloc (rows->count * sizeof *sorted), *at = sorted;
	if (runs && sorted && rows->count <= UINT32_MAX) {
		size_t count = find_runs (rows, runs);
		qsort (runs, count, sizeof *runs, by_first_pc);
		for (size_t i = 0; i < count; at += runs[i++].count)
			memcpy (at, rows->list + runs[i].first, runs[i].count * sizeof *sorted);
		free (rows->list);
		rows->list = sorted;
		rows->capacity = rows->count;
	} else {
		free (sorted);
	}
	free (runs);
}

static void
tidy (monocle__unwind_rows *rows, size_t functions)
{
	size_t kept = 0;
	if (!is_sorted (rows))
		sort_functions (rows, functions);
	if (!is_sorted (rows))
		qsort (rows->list, rows->count, sizeof *rows->list, by_pc);
	for (size_t i = 0; i < rows->count; i++) {
		if (kept && rows->list[kept - 1].pc == rows->list[i].pc)
			kept--;
		MONOCLE__INVARIANT (!kept || rows->list[kept - 1].pc < rows->list[i].pc); /* sorted, one for each place */
		if (!kept || rows->list[kept - 1].rule != rows->list[i].rule || monocle__rule_is_first (rows->list[i].rule))
			rows->list[kept++] = rows->list[i];
	}
	MONOCLE__INVARIANT (kept <= rows->count && rows->count <= rows->capacity);
	rows->count = kept;
}

size_t
monocle__eh_frame_read (const uint8_t *section, size_t size, uintptr_t address, uintptr_t base,
                        monocle__unwind_rows *rows, size_t *ret_skipped)
{
	frame_section s = { section, size, address, base };
	size_t count = 0, skipped = 0, common_at = SIZE_MAX;
	bool has_common = false;
	cie common;
	reader r;
	for (size_t offset = 0, next; open_entry (&s, offset, &r, &next); offset = next) {
		const uint8_t *field = r.at;
		uint32_t distance = (uint32_t) read_fixed (&r, 4);
		if (!distance)
			continue;
		size_t at = (size_t) (field - section) - distance;
		if (distance > (size_t) (field - section) || r.failed) {
			skipped++;
			continue;
		}
		if (at != common_at)
			has_common = read_cie (&s, at, &common);
		common_at = at;
		if (has_common && read_fde (&s, &common, r, rows))
			count++;
		else
			skipped++;
	}
	tidy (rows, count);
	*ret_skipped = skipped;
	return count;
}

uintptr_t
monocle__eh_frame_of_header (const uint8_t *header, size_t size, uintptr_t address)
{
	reader r = { header, header + size, false };
	uint8_t version = read_byte (&r), encoding = read_byte (&r);
	read_fixed (&r, 2);
	uint64_t start = read_pointer (&r, encoding, address + 4, address);
	return version == 1 && !r.failed ? (uintptr_t) start : 0;
}

/* --- one entry ---------------------------------------------------------------------------------------------------- */

uint32_t
monocle__eh_frame_table (const uint8_t *header, size_t size, uintptr_t address, uintptr_t *ret_table)
{
	enum { COUNT_ENCODING = 2, TABLE_ENCODING = 3, FIRST = 4, SORTED_PAIRS = 0x3b };
	reader r = { header, header + size, false };
	if (size < FIRST || header[TABLE_ENCODING] != SORTED_PAIRS)
		return 0;
	r.at += FIRST;
	read_pointer (&r, header[1], address + FIRST, address);
	uint64_t count = read_pointer (&r, header[COUNT_ENCODING], address + (uint64_t) (r.at - header), address);
	size_t room = (size_t) (r.end - r.at) / sizeof (monocle__eh_frame_pair);
	if (r.failed || count > room || count > UINT32_MAX)
		return 0;
	*ret_table = address + (uintptr_t) (r.at - header);
	return (uint32_t) count;
}

/* The bytes of the entry at `at`, none of them at or after `end`. False: it is longer than there is room for, too. */
static bool
load_entry (monocle__eh_frame_peek peek, uintptr_t at, uintptr_t end, uint8_t *bytes, size_t room, size_t *ret_size)
{
	enum { FIRST = 128 };
	uint32_t length;
	if (at >= end || end - at < sizeof length)
		return false;
	size_t size = end - at < FIRST ? end - at : FIRST;
	if (size > room || !peek (at, bytes, size))
		return false;
	memcpy (&length, bytes, sizeof length);
	size_t whole = (size_t) length + sizeof length;
	if (!length || whole > room || whole > end - at || (whole > size && !peek (at + size, bytes + size, whole - size)))
		return false;
	*ret_size = whole;
	return true;
}

bool
monocle__eh_frame_at (monocle__eh_frame_peek peek, uintptr_t entry, uintptr_t begin, uintptr_t end, uintptr_t base,
                      uintptr_t pc, monocle__unwind_rule *ret, bool *ret_starts)
{
	enum { POINTER = 4 };
	uint8_t bytes[MONOCLE__EH_FRAME_ENTRY_MAX], common_bytes[256];
	frame_section own = { bytes, 0, entry, base }, commons = { common_bytes, 0, 0, base };
	size_t next;
	cie common;
	reader r;
	if (!load_entry (peek, entry, end, bytes, sizeof bytes, &own.size) || !open_entry (&own, 0, &r, &next))
		return false;
	uintptr_t field = entry + (uintptr_t) (r.at - bytes);
	uint32_t distance = (uint32_t) read_fixed (&r, POINTER);
	if (!distance || entry < begin || distance > field - begin)
		return false;
	commons.address = field - distance;
	if (!load_entry (peek, commons.address, end, common_bytes, sizeof common_bytes, &commons.size) ||
	    !read_cie (&commons, 0, &common))
		return false;
	machine m = { .common = &common, .wanted = pc };
	if (!run_fde (&m, &own, r))
		return false;
	bool is_inside = pc < m.end;
	*ret = is_inside ? m.found : monocle__rule (MONOCLE__CFA_UNKNOWN, false, 0, 0);
	*ret_starts = is_inside && m.starts;
	return true;
}

monocle__unwind_rule
monocle__eh_frame_find (const monocle__unwind_row *rows, size_t count, uint32_t pc, bool *ret_starts)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (rows[middle].pc <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	MONOCLE__INVARIANT (!low || rows[low - 1].pc <= pc);
	MONOCLE__INVARIANT (low == count || rows[low].pc > pc);
	*ret_starts = low && rows[low - 1].pc == pc;
	return low ? rows[low - 1].rule : 0;
}
