/*
 * SPDX-License-Identifier: MIT
 *
 * il.c - decoding method bodies (ECMA-335 II.25.4, III).
 *
 * Two passes over the code. The first walks the instruction borders, counts what the arena must hold and notes which
 * offset is which instruction; the second decodes, and can therefore resolve every branch on the spot. A body costs one
 * allocation, two when its code is larger than MONOCLE__IL_SCRATCH. No global state: any thread, each with its own
 * body.
 */
#include <stdlib.h>
#include <string.h>

#include "il-priv.h"

typedef struct {
	const uint8_t *data; /* the header */
	size_t size;         /* bytes that may be read from there */
	const uint8_t *code;
	uint32_t header_size, code_size;
	bool more_sections;
	uint32_t *index_at; /* of an offset, MONOCLE__IL_NONE inside an instruction; [code_size] is the end */
	uint32_t instructions, switches, targets, clauses, sections;
	size_t end; /* of the whole body */
} reader;

typedef struct block {
	struct block *next;
	uint64_t align; /* keeps what follows aligned to 16 */
} block;

/* --- the arena -------------------------------------------------------------------------------------------------- */

void *
monocle__il_allocate_block (void **arena, size_t size)
{
	block *b = malloc (sizeof *b + size);
	if (!b)
		return NULL;
	b->next = *arena;
	*arena = b;
	return b + 1;
}

void
monocle__il_free (monocle__il_body *body)
{
	for (block *b = body->arena, *next; b; b = next) {
		next = b->next;
		free (b);
	}
	memset (body, 0, sizeof *body);
}

/* --- pass one: borders ------------------------------------------------------------------------------------------ */

static int
read_header (reader *r, monocle__il_body *body)
{
	if (r->size < MONOCLE__IL_TINY_HEADER)
		return MONOCLE__ECMA_E_TRUNCATED;
	if ((r->data[0] & 3) == 2) {
		body->was_tiny = true;
		body->max_stack = 8; /* II.25.4.2 */
		r->header_size = MONOCLE__IL_TINY_HEADER;
		r->code_size = r->data[0] >> 2;
	} else {
		if ((r->data[0] & 7) != 3)
			return MONOCLE__ECMA_E_FORMAT;
		if (r->size < MONOCLE__IL_FAT_HEADER)
			return MONOCLE__ECMA_E_TRUNCATED;
		if (r->data[1] >> 4 != MONOCLE__IL_FAT_HEADER / 4)
			return MONOCLE__ECMA_E_FORMAT;
		body->header_flags = monocle__le16 (r->data) & 0xFFF;
		body->init_locals = (body->header_flags & MONOCLE__IL_HEADER_INIT_LOCALS) != 0;
		body->max_stack = monocle__le16 (r->data + 2);
		body->local_signature_token = monocle__le32 (r->data + 8);
		r->more_sections = (body->header_flags & MONOCLE__IL_HEADER_MORE) != 0;
		r->header_size = MONOCLE__IL_FAT_HEADER;
		r->code_size = monocle__le32 (r->data + 4);
	}
	if (r->code_size > r->size - r->header_size)
		return MONOCLE__ECMA_E_TRUNCATED;
	if (r->code_size > MONOCLE__IL_CODE_MAX)
		return MONOCLE__ECMA_E_FORMAT;
	body->original_code_size = r->code_size;
	r->code = r->data + r->header_size;
	r->end = (size_t) r->header_size + r->code_size;
	return 0;
}

static int
count_instructions (reader *r)
{
	uint32_t at = 0;
	while (at < r->code_size) {
		uint32_t left = r->code_size - at, size;
		const monocle__il_facts *facts = &monocle__il_table[r->code[at]];
		if (r->code[at] == 0xFE && left > 1)
			facts = &monocle__il_table[0x100 + r->code[at + 1]];
		if (facts->operand == MONOCLE__IL_OPERAND_INVALID)
			return r->code[at] == 0xFE && left == 1 ? MONOCLE__ECMA_E_TRUNCATED : MONOCLE__ECMA_E_FORMAT;
		size = facts->size;
		if (size > left)
			return MONOCLE__ECMA_E_TRUNCATED;
		if (facts->operand == MONOCLE__IL_OPERAND_SWITCH) {
			uint32_t targets = monocle__le32 (r->code + at + 1);
			if (targets > (left - size) / 4)
				return MONOCLE__ECMA_E_TRUNCATED;
			size += targets * 4;
			r->targets += targets;
			r->switches++;
		}
		r->index_at[at] = r->instructions++;
		at += size;
	}
	r->index_at[at] = r->instructions;
	return 0;
}

/*
 * One section header at r->end. The size should count the section's own four bytes (II.25.4.5), but some compilers left
 * them out and both runtimes tolerate it by dividing; so do we where nothing follows that the short size would
 * misplace.
 */
static int
read_section (const reader *r, size_t at, struct monocle__il_section *ret_section)
{
	struct monocle__il_section s = { 0 };
	uint32_t unit;
	if (at > r->size || r->size - at < 4)
		return MONOCLE__ECMA_E_TRUNCATED;
	s.kind = r->data[at];
	if ((s.kind & MONOCLE__IL_SECTION_KIND) != MONOCLE__IL_SECTION_EH)
		return MONOCLE__ECMA_E_FORMAT;
	if (s.kind & MONOCLE__IL_SECTION_FAT) {
		s.data_size = monocle__le32 (r->data + at) >> 8;
		unit = MONOCLE__IL_FAT_CLAUSE;
	} else {
		s.data_size = r->data[at + 1];
		s.reserved = monocle__le16 (r->data + at + 2);
		unit = MONOCLE__IL_SMALL_CLAUSE;
	}
	s.clause_count = s.data_size / unit;
	if (s.data_size % unit != 4 && (s.data_size % unit != 0 || s.data_size == 0 || (s.kind & MONOCLE__IL_SECTION_MORE)))
		return MONOCLE__ECMA_E_FORMAT;
	if (r->size - at - 4 < (size_t) s.clause_count * unit)
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_section = s;
	return 0;
}

static size_t
section_size (const struct monocle__il_section *section)
{
	bool fat = (section->kind & MONOCLE__IL_SECTION_FAT) != 0;
	return 4 + (size_t) section->clause_count * (fat ? MONOCLE__IL_FAT_CLAUSE : MONOCLE__IL_SMALL_CLAUSE);
}

/* Sections are aligned to 4 from the header, which is itself aligned to 4 in an image. */
static size_t
first_section (const reader *r)
{
	return ((size_t) r->header_size + r->code_size + 3) & ~(size_t) 3;
}

static int
count_clauses (reader *r)
{
	struct monocle__il_section section = { .kind = MONOCLE__IL_SECTION_MORE };
	size_t at = first_section (r);
	if (!r->more_sections)
		return 0;
	while (section.kind & MONOCLE__IL_SECTION_MORE) {
		int error = read_section (r, at, &section);
		if (error)
			return error;
		r->clauses += section.clause_count;
		if (r->clauses > MONOCLE__IL_CLAUSE_MAX)
			return MONOCLE__ECMA_E_FORMAT;
		r->sections++;
		at += section_size (&section);
	}
	r->end = at;
	return 0;
}

/* --- pass two: contents ----------------------------------------------------------------------------------------- */

static int
allocate_body (const reader *r, monocle__il_body *body)
{
	size_t size = r->instructions * sizeof *body->code + r->switches * sizeof *body->switches +
	              r->sections * sizeof *body->sections + r->clauses * sizeof *body->clauses +
	              r->targets * sizeof (uint32_t);
	char *at = monocle__il_allocate_block (&body->arena, size);
	if (!at)
		return MONOCLE__IL_E_NO_MEMORY;
	/* In falling order of alignment, so that no gaps are needed. */
	body->code = (monocle__il_instruction *) at;
	body->capacity = r->instructions;
	at += r->instructions * sizeof *body->code;
	body->switches = (monocle__il_switch *) at;
	at += r->switches * sizeof *body->switches;
	body->clauses = (monocle__il_clause *) at;
	body->clause_capacity = r->clauses;
	at += r->clauses * sizeof *body->clauses;
	body->sections = (struct monocle__il_section *) at;
	at += r->sections * sizeof *body->sections;
	if (r->switches)
		body->switches[0].targets = (uint32_t *) at;
	return 0;
}

/* The instruction at `from + distance`; false when that is outside the code or inside an instruction. */
static inline bool
try_resolve (const reader *r, uint32_t from, int32_t distance, uint32_t *ret_index)
{
	int64_t to = (int64_t) from + distance;
	if (to < 0 || to > r->code_size || r->index_at[to] == MONOCLE__IL_NONE)
		return false;
	*ret_index = r->index_at[to];
	return true;
}

/* Reads a switch at `operand` and returns how many bytes its targets take, or a negative code. */
static int64_t
decode_switch (const reader *r, monocle__il_body *body, monocle__il_instruction *instruction, const uint8_t *operand)
{
	uint32_t index = body->switch_count++, count = monocle__le32 (operand);
	uint32_t after = (uint32_t) (operand - r->code) + 4 + 4 * count;
	monocle__il_switch *s = &body->switches[index];
	if (index > 0)
		s->targets = s[-1].targets + s[-1].count;
	s->count = count;
	for (uint32_t i = 0; i < count; i++) {
		if (!try_resolve (r, after, (int32_t) monocle__le32 (operand + 4 + 4 * i), &s->targets[i]))
			return MONOCLE__ECMA_E_FORMAT;
	}
	instruction->operand.switch_index = index;
	return 4 * (int64_t) count;
}

/* An operand that names no instruction. */
static inline int64_t
plain_operand (uint8_t kind, const uint8_t *operand)
{
	/* clang-format off */
	switch (kind) {
	case MONOCLE__IL_OPERAND_I1:    return (int8_t)operand[0];
	case MONOCLE__IL_OPERAND_U1:    return operand[0];
	case MONOCLE__IL_OPERAND_U2:    return monocle__le16 (operand);
	case MONOCLE__IL_OPERAND_I4:    return (int32_t)monocle__le32 (operand);
	case MONOCLE__IL_OPERAND_R4:
	case MONOCLE__IL_OPERAND_TOKEN: return monocle__le32 (operand);
	case MONOCLE__IL_OPERAND_I8:
	case MONOCLE__IL_OPERAND_R8:    return (int64_t)monocle__le64 (operand);
	default:                        return 0;
	}
	/* clang-format on */
}

static int
decode_code (const reader *r, monocle__il_body *body)
{
	monocle__il_instruction *instruction = body->code;
	for (uint32_t at = 0; at < r->code_size; instruction++) {
		uint16_t opcode = r->code[at] == 0xFE ? (uint16_t) (0xFE00 | r->code[at + 1]) : r->code[at];
		const monocle__il_facts *facts = monocle__il_facts_of (opcode);
		const uint8_t *operand = r->code + at + facts->opcode_size;
		uint32_t next = at + facts->size;
		bool resolved = true;
		int64_t more;
		instruction->opcode = facts->wide;
		instruction->original_opcode = opcode;
		instruction->offset = at;
		instruction->operand.i = 0;
		switch (facts->operand) {
		case MONOCLE__IL_OPERAND_BRANCH1:
			resolved = try_resolve (r, next, (int8_t) operand[0], &instruction->operand.target);
			break;
		case MONOCLE__IL_OPERAND_BRANCH4:
			resolved = try_resolve (r, next, (int32_t) monocle__le32 (operand), &instruction->operand.target);
			break;
		case MONOCLE__IL_OPERAND_SWITCH:
			more = decode_switch (r, body, instruction, operand);
			resolved = more >= 0;
			next += resolved ? (uint32_t) more : 0;
			break;
		default: instruction->operand.i = plain_operand (facts->operand, operand); break;
		}
		if (!resolved)
			return MONOCLE__ECMA_E_FORMAT;
		at = next;
	}
	body->count = r->instructions;
	return 0;
}

/* A region of a clause as instruction indexes. Its end may be the end of the code, its begin may not. */
static bool
try_region (const reader *r, uint32_t offset, uint32_t length, uint32_t *ret_begin, uint32_t *ret_end)
{
	if (offset >= r->code_size || length > r->code_size - offset)
		return false;
	*ret_begin = r->index_at[offset];
	*ret_end = r->index_at[offset + length];
	return *ret_begin != MONOCLE__IL_NONE && *ret_end != MONOCLE__IL_NONE;
}

/* The small form has the same six fields in fewer bytes. */
static monocle__il_raw_clause
load_clause (const uint8_t *at, bool fat)
{
	monocle__il_raw_clause c;
	if (fat) {
		c.flags = monocle__le32 (at);
		c.try_offset = monocle__le32 (at + 4);
		c.try_length = monocle__le32 (at + 8);
		c.handler_offset = monocle__le32 (at + 12);
		c.handler_length = monocle__le32 (at + 16);
		c.token_or_filter = monocle__le32 (at + 20);
	} else {
		c.flags = monocle__le16 (at);
		c.try_offset = monocle__le16 (at + 2);
		c.try_length = at[4];
		c.handler_offset = monocle__le16 (at + 5);
		c.handler_length = at[7];
		c.token_or_filter = monocle__le32 (at + 8);
	}
	return c;
}

static int
decode_clause (const reader *r, const uint8_t *at, bool fat, monocle__il_clause *ret_clause)
{
	monocle__il_raw_clause raw = load_clause (at, fat);
	monocle__il_clause c = { .flags = raw.flags };
	if (raw.flags != MONOCLE__IL_CLAUSE_CATCH && raw.flags != MONOCLE__IL_CLAUSE_FILTER &&
	    raw.flags != MONOCLE__IL_CLAUSE_FINALLY && raw.flags != MONOCLE__IL_CLAUSE_FAULT)
		return MONOCLE__ECMA_E_FORMAT;
	if (!try_region (r, raw.try_offset, raw.try_length, &c.try_begin, &c.try_end) ||
	    !try_region (r, raw.handler_offset, raw.handler_length, &c.handler_begin, &c.handler_end))
		return MONOCLE__ECMA_E_FORMAT;
	if (raw.flags == MONOCLE__IL_CLAUSE_FILTER) {
		uint32_t end;
		if (!try_region (r, raw.token_or_filter, 0, &c.filter_begin, &end))
			return MONOCLE__ECMA_E_FORMAT;
	} else {
		c.class_token = raw.token_or_filter; /* finally and fault: not used, kept as it is */
	}
	*ret_clause = c;
	return 0;
}

static int
decode_sections (const reader *r, monocle__il_body *body)
{
	size_t at = first_section (r);
	if (r->sections)
		memcpy (body->padding, r->code + r->code_size, at - r->header_size - r->code_size);
	for (uint32_t i = 0; i < r->sections; i++) {
		struct monocle__il_section *section = &body->sections[body->section_count++];
		int error = read_section (r, at, section);
		bool fat = (section->kind & MONOCLE__IL_SECTION_FAT) != 0;
		uint32_t unit = fat ? MONOCLE__IL_FAT_CLAUSE : MONOCLE__IL_SMALL_CLAUSE;
		for (uint32_t j = 0; !error && j < section->clause_count; j++)
			error = decode_clause (r, r->data + at + 4 + j * unit, fat, &body->clauses[body->clause_count++]);
		if (error)
			return error;
		at += section_size (section);
	}
	return 0;
}

static int
read_body (reader *r, monocle__il_body *body)
{
	int error = count_instructions (r);
	if (!error)
		error = count_clauses (r);
	if (!error)
		error = allocate_body (r, body);
	if (!error)
		error = decode_code (r, body);
	if (!error)
		error = decode_sections (r, body);
	return error;
}

int
monocle__il_read (monocle__il_body *ret_body, const uint8_t *data, size_t size, size_t *ret_size)
{
	uint32_t scratch[MONOCLE__IL_SCRATCH];
	reader r = { .data = data, .size = size, .index_at = scratch };
	monocle__il_body body = { 0 };
	size_t bytes;
	int error = read_header (&r, &body);
	if (error)
		return error;
	bytes = ((size_t) r.code_size + 1) * sizeof *scratch;
	if (bytes > sizeof scratch && !(r.index_at = malloc (bytes)))
		return MONOCLE__IL_E_NO_MEMORY;
	memset (r.index_at, 0xFF, bytes);
	error = read_body (&r, &body);
	if (r.index_at != scratch)
		free (r.index_at);
	if (error) {
		monocle__il_free (&body);
		return error;
	}
	*ret_body = body;
	if (ret_size)
		*ret_size = r.end;
	return 0;
}

/* --- without memory --------------------------------------------------------------------------------------------- */

int
monocle__il_read_header (const uint8_t *data, size_t size, monocle__il_header *ret_header)
{
	reader r = { .data = data, .size = size };
	monocle__il_body body = { 0 };
	int error = read_header (&r, &body);
	if (!error)
		error = count_clauses (&r);
	if (error)
		return error;
	*ret_header = (monocle__il_header) {
		.code = r.code,
		.code_size = r.code_size,
		.max_stack = body.max_stack,
		.local_signature_token = body.local_signature_token,
		.init_locals = body.init_locals,
		.clause_count = r.clauses,
		.size = r.end,
	};
	return 0;
}

int
monocle__il_read_clause (const uint8_t *data, size_t size, uint32_t index, monocle__il_raw_clause *ret_clause)
{
	reader r = { .data = data, .size = size };
	monocle__il_body body = { 0 };
	struct monocle__il_section section = { .kind = MONOCLE__IL_SECTION_MORE };
	int error = read_header (&r, &body);
	size_t at = first_section (&r);
	if (!error && !r.more_sections)
		return MONOCLE__ECMA_E_RANGE;
	for (; !error && section.kind & MONOCLE__IL_SECTION_MORE; at += section_size (&section)) {
		bool fat;
		if ((error = read_section (&r, at, &section)))
			return error;
		fat = (section.kind & MONOCLE__IL_SECTION_FAT) != 0;
		if (index < section.clause_count) {
			uint32_t unit = fat ? MONOCLE__IL_FAT_CLAUSE : MONOCLE__IL_SMALL_CLAUSE;
			*ret_clause = load_clause (data + at + 4 + (size_t) index * unit, fat);
			return 0;
		}
		index -= section.clause_count;
	}
	return error ? error : MONOCLE__ECMA_E_RANGE;
}

/* --- facts ------------------------------------------------------------------------------------------------------ */

const char *
monocle__il_name (uint16_t opcode)
{
	const char *name = monocle__il_names[monocle__il_facts_of (opcode) - monocle__il_table];
	return name ? name : "unknown";
}

bool
monocle__il_is_branch (uint16_t opcode)
{
	uint8_t operand = monocle__il_facts_of (opcode)->operand;
	return operand == MONOCLE__IL_OPERAND_BRANCH4 || operand == MONOCLE__IL_OPERAND_BRANCH1;
}

bool
monocle__il_is_prefix (uint16_t opcode)
{
	return monocle__il_facts_of (opcode)->is_prefix;
}

monocle__il_flow
monocle__il_flow_of (uint16_t opcode)
{
	return monocle__il_facts_of (opcode)->flow;
}

int
monocle__il_pops (uint16_t opcode)
{
	return monocle__il_facts_of (opcode)->pops;
}

int
monocle__il_pushes (uint16_t opcode)
{
	return monocle__il_facts_of (opcode)->pushes;
}

uint32_t
monocle__il_jump_count (const monocle__il_body *body, uint32_t index)
{
	const monocle__il_instruction *at = &body->code[index];
	if (at->opcode == MONOCLE__IL_SWITCH)
		return body->switches[at->operand.switch_index].count;
	return monocle__il_is_branch (at->opcode);
}

uint32_t
monocle__il_jump_target (const monocle__il_body *body, uint32_t index, uint32_t jump)
{
	const monocle__il_instruction *at = &body->code[index];
	return at->opcode == MONOCLE__IL_SWITCH ? body->switches[at->operand.switch_index].targets[jump]
	                                        : at->operand.target;
}

uint32_t
monocle__il_first_prefix (const monocle__il_body *body, uint32_t index)
{
	while (index > 0 && monocle__il_is_prefix (body->code[index - 1].opcode))
		index--;
	return index;
}
