/*
 * SPDX-License-Identifier: MIT
 *
 * il-write.c - laying method bodies out again.
 *
 * Everything that can be refused is refused while measuring; after the caller's allocator has been asked, emitting
 * cannot fail. That matters because the runtime's allocator for bodies has no counterpart that frees.
 *
 * There are two forms. The *wide* one is what the runtime gets: fat header, long branches, one fat section. The
 * *original* one is encoded from the same decoded instructions with the forms they were read in, and gives back the
 * bytes read.
 */
#include <stdlib.h>
#include <string.h>

#include "il-priv.h"
#include "invariant.h"

typedef struct {
	const monocle__il_body *body;
	bool original; /* original forms, see above */
	bool tiny;
	uint32_t *offsets; /* of each instruction, and [count] = the end */
	uint32_t header_size, code_size, padding;
	size_t size;
} layout;

/* --- measuring -------------------------------------------------------------------------------------------------- */

/*
 * The opcode to write. An instruction that the caller has changed in place is not what original_opcode says any more,
 * and is written as it is now.
 */
static inline uint16_t
encoded_opcode (const layout *l, const monocle__il_instruction *instruction)
{
	const monocle__il_facts *facts = monocle__il_facts_of (instruction->opcode);
	if (l->original && monocle__il_facts_of (instruction->original_opcode)->wide == instruction->opcode)
		return instruction->original_opcode;
	return facts->operand == MONOCLE__IL_OPERAND_INVALID ? instruction->opcode : facts->wide;
}

/* Bytes of one instruction, 0 when it cannot be written: no such opcode, or a target that is not there. */
static inline uint64_t
measure_instruction (const layout *l, const monocle__il_instruction *instruction)
{
	const monocle__il_body *body = l->body;
	const monocle__il_facts *facts = monocle__il_facts_of (encoded_opcode (l, instruction));
	switch (facts->operand) {
	case MONOCLE__IL_OPERAND_INVALID: return 0;
	case MONOCLE__IL_OPERAND_BRANCH1:
	case MONOCLE__IL_OPERAND_BRANCH4: return instruction->operand.target <= body->count ? facts->size : 0;
	case MONOCLE__IL_OPERAND_SWITCH:
		if (instruction->operand.switch_index >= body->switch_count)
			return 0;
		return facts->size + 4 * (uint64_t) body->switches[instruction->operand.switch_index].count;
	default: return facts->size;
	}
}

static int
measure_code (layout *l)
{
	const monocle__il_body *body = l->body;
	uint64_t at = 0;
	for (uint32_t i = 0; i < body->count; i++) {
		uint64_t size = measure_instruction (l, &body->code[i]);
		l->offsets[i] = (uint32_t) at;
		at += size;
		if (size == 0 || at > MONOCLE__IL_CODE_MAX)
			return MONOCLE__ECMA_E_RANGE;
	}
	l->offsets[body->count] = (uint32_t) at;
	l->code_size = (uint32_t) at;
	return 0;
}

/* A short branch reaches no further than a byte; only a body that was changed in place can fail here. */
static int
check_short_branches (const layout *l)
{
	for (uint32_t i = 0; i < l->body->count; i++) {
		const monocle__il_instruction *instruction = &l->body->code[i];
		int64_t distance;
		if (monocle__il_facts_of (encoded_opcode (l, instruction))->operand != MONOCLE__IL_OPERAND_BRANCH1)
			continue;
		distance = (int64_t) l->offsets[instruction->operand.target] - l->offsets[i + 1];
		if (distance != (int8_t) distance)
			return MONOCLE__ECMA_E_RANGE;
	}
	return 0;
}

static bool
fits_tiny (const layout *l)
{
	const monocle__il_body *body = l->body;
	return l->original && body->was_tiny && body->max_stack <= 8 && !body->init_locals &&
	       !body->local_signature_token && body->clause_count == 0 && l->code_size < 64;
}

static bool
region_is_sane (uint32_t begin, uint32_t end, uint32_t count)
{
	return begin <= end && end <= count;
}

static int
check_clauses (const monocle__il_body *body)
{
	if (body->clause_count > MONOCLE__IL_CLAUSE_MAX)
		return MONOCLE__ECMA_E_RANGE;
	for (uint32_t i = 0; i < body->clause_count; i++) {
		const monocle__il_clause *c = &body->clauses[i];
		if (!region_is_sane (c->try_begin, c->try_end, body->count) ||
		    !region_is_sane (c->handler_begin, c->handler_end, body->count) || c->filter_begin > body->count)
			return MONOCLE__ECMA_E_RANGE;
	}
	return 0;
}

static size_t
measure_sections (const layout *l)
{
	const monocle__il_body *body = l->body;
	size_t size = 0;
	if (!l->original)
		return body->clause_count ? 4 + (size_t) body->clause_count * MONOCLE__IL_FAT_CLAUSE : 0;
	for (uint32_t i = 0; i < body->section_count; i++) {
		bool fat = (body->sections[i].kind & MONOCLE__IL_SECTION_FAT) != 0;
		size += 4 + (size_t) body->sections[i].clause_count * (fat ? MONOCLE__IL_FAT_CLAUSE : MONOCLE__IL_SMALL_CLAUSE);
	}
	return size;
}

static int
measure (layout *l)
{
	size_t sections = measure_sections (l);
	int error = l->body->max_stack > UINT16_MAX ? MONOCLE__ECMA_E_RANGE : measure_code (l);
	if (!error && l->original)
		error = check_short_branches (l);
	if (!error)
		error = check_clauses (l->body);
	if (error)
		return error;
	l->tiny = fits_tiny (l);
	l->header_size = l->tiny ? MONOCLE__IL_TINY_HEADER : MONOCLE__IL_FAT_HEADER;
	l->padding = sections ? -(l->header_size + l->code_size) & 3 : 0;
	l->size = (size_t) l->header_size + l->code_size + l->padding + sections;
	MONOCLE__INVARIANT (l->padding < 4 && (!sections || (l->header_size + l->code_size + l->padding) % 4 == 0));
	return 0;
}

/* --- emitting --------------------------------------------------------------------------------------------------- */

static uint8_t *
emit_header (const layout *l, uint8_t *out)
{
	const monocle__il_body *body = l->body;
	uint32_t flags = body->header_flags & ~(uint32_t) (7 | MONOCLE__IL_HEADER_MORE | MONOCLE__IL_HEADER_INIT_LOCALS);
	if (l->tiny) {
		out[0] = (uint8_t) (l->code_size << 2 | 2);
		return out + MONOCLE__IL_TINY_HEADER;
	}
	flags |= 3 | (MONOCLE__IL_FAT_HEADER / 4) << 12;
	if (body->init_locals)
		flags |= MONOCLE__IL_HEADER_INIT_LOCALS;
	if (l->original ? body->section_count : body->clause_count)
		flags |= MONOCLE__IL_HEADER_MORE;
	monocle__put_le16 (out, flags);
	monocle__put_le16 (out + 2, body->max_stack);
	monocle__put_le32 (out + 4, l->code_size);
	monocle__put_le32 (out + 8, body->local_signature_token);
	return out + MONOCLE__IL_FAT_HEADER;
}

static void
emit_switch (const layout *l, const monocle__il_switch *s, uint8_t *operand, uint32_t after)
{
	monocle__put_le32 (operand, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		monocle__put_le32 (operand + 4 + 4 * i, l->offsets[s->targets[i]] - after);
}

static inline void
emit_operand (const layout *l, const monocle__il_instruction *instruction, uint8_t kind, uint8_t *operand,
              uint32_t after)
{
	uint64_t i = (uint64_t) instruction->operand.i;
	switch (kind) {
	case MONOCLE__IL_OPERAND_I1:
	case MONOCLE__IL_OPERAND_U1: operand[0] = (uint8_t) i; break;
	case MONOCLE__IL_OPERAND_U2: monocle__put_le16 (operand, (uint32_t) i); break;
	case MONOCLE__IL_OPERAND_I4:
	case MONOCLE__IL_OPERAND_R4:
	case MONOCLE__IL_OPERAND_TOKEN: monocle__put_le32 (operand, (uint32_t) i); break;
	case MONOCLE__IL_OPERAND_I8:
	case MONOCLE__IL_OPERAND_R8: monocle__put_le64 (operand, i); break;
	case MONOCLE__IL_OPERAND_BRANCH1: operand[0] = (uint8_t) (l->offsets[instruction->operand.target] - after); break;
	case MONOCLE__IL_OPERAND_BRANCH4:
		monocle__put_le32 (operand, l->offsets[instruction->operand.target] - after);
		break;
	case MONOCLE__IL_OPERAND_SWITCH:
		emit_switch (l, &l->body->switches[instruction->operand.switch_index], operand, after);
		break;
	}
}

static uint8_t *
emit_code (const layout *l, uint8_t *out)
{
	const monocle__il_body *body = l->body;
	for (uint32_t i = 0; i < body->count; i++) {
		const monocle__il_instruction *instruction = &body->code[i];
		uint16_t opcode = encoded_opcode (l, instruction);
		const monocle__il_facts *facts = monocle__il_facts_of (opcode);
		uint8_t *at = out + l->offsets[i];
		if (facts->opcode_size == 2)
			*at++ = 0xFE;
		*at++ = (uint8_t) opcode;
		MONOCLE__INVARIANT (at > out + l->offsets[i] && at <= out + l->offsets[i + 1]);
		emit_operand (l, instruction, facts->operand, at, l->offsets[i + 1]);
	}
	return out + l->code_size;
}

static void
emit_clause (const layout *l, const monocle__il_clause *c, bool fat, uint8_t *out)
{
	uint32_t try_offset = l->offsets[c->try_begin], try_length = l->offsets[c->try_end] - try_offset;
	uint32_t handler_offset = l->offsets[c->handler_begin];
	uint32_t handler_length = l->offsets[c->handler_end] - handler_offset;
	uint32_t last = c->flags == MONOCLE__IL_CLAUSE_FILTER ? l->offsets[c->filter_begin] : c->class_token;
	if (fat) {
		monocle__put_le32 (out, c->flags);
		monocle__put_le32 (out + 4, try_offset);
		monocle__put_le32 (out + 8, try_length);
		monocle__put_le32 (out + 12, handler_offset);
		monocle__put_le32 (out + 16, handler_length);
		monocle__put_le32 (out + 20, last);
	} else {
		monocle__put_le16 (out, c->flags);
		monocle__put_le16 (out + 2, try_offset);
		out[4] = (uint8_t) try_length;
		monocle__put_le16 (out + 5, handler_offset);
		out[7] = (uint8_t) handler_length;
		monocle__put_le32 (out + 8, last);
	}
}

static uint8_t *
emit_section (const layout *l, const struct monocle__il_section *section, const monocle__il_clause *clauses,
              uint8_t *out)
{
	bool fat = (section->kind & MONOCLE__IL_SECTION_FAT) != 0;
	uint32_t unit = fat ? MONOCLE__IL_FAT_CLAUSE : MONOCLE__IL_SMALL_CLAUSE;
	if (fat)
		monocle__put_le32 (out, section->kind | section->data_size << 8);
	else
		monocle__put_le32 (out, section->kind | section->data_size << 8 | (uint32_t) section->reserved << 16);
	out += 4;
	for (uint32_t i = 0; i < section->clause_count; i++, out += unit)
		emit_clause (l, &clauses[i], fat, out);
	return out;
}

static uint8_t *
emit_sections (const layout *l, uint8_t *out)
{
	const monocle__il_body *body = l->body;
	const monocle__il_clause *clauses = body->clauses;
	struct monocle__il_section wide = {
		.kind = MONOCLE__IL_SECTION_EH | MONOCLE__IL_SECTION_FAT,
		.data_size = 4 + body->clause_count * MONOCLE__IL_FAT_CLAUSE,
		.clause_count = body->clause_count,
	};
	for (uint32_t i = 0; i < l->padding; i++)
		*out++ = l->original ? body->padding[i] : 0;
	if (!l->original)
		return body->clause_count ? emit_section (l, &wide, clauses, out) : out;
	for (uint32_t i = 0; i < body->section_count; i++) {
		out = emit_section (l, &body->sections[i], clauses, out);
		clauses += body->sections[i].clause_count;
	}
	return out;
}

/* --- the map ---------------------------------------------------------------------------------------------------- */

static int
make_map (const layout *l, monocle__il_map **ret_map, uint32_t *ret_count)
{
	const monocle__il_body *body = l->body;
	/* At least one, so that a body without instructions is not taken for a lack of memory. */
	monocle__il_map *map = malloc (((size_t) body->count + 1) * sizeof *map);
	uint32_t count = 0, entry = MONOCLE__IL_NONE;

	if (!map)
		return MONOCLE__IL_E_NO_MEMORY;
	for (uint32_t i = 0; i < body->count; i++) {
		if (body->code[i].offset == MONOCLE__IL_NONE) {
			entry = monocle__il_begins_handler (body, i) ? i : entry;
			continue;
		}
		map[count++] = (monocle__il_map) { body->code[i].offset, l->offsets[entry == MONOCLE__IL_NONE ? i : entry] };
		entry = MONOCLE__IL_NONE;
	}
	MONOCLE__INVARIANT (count <= body->count && (!count || map[count - 1].new_offset <= l->code_size));
	*ret_map = map;
	*ret_count = count;
	return 0;
}

static int
write_layout (layout *l, monocle__il_allocate allocate, void *context, uint8_t **ret_data, monocle__il_map **ret_map,
              uint32_t *ret_map_count)
{
	monocle__il_map *map = NULL;
	uint32_t map_count = 0;
	uint8_t *data, *end;
	int error = measure (l);
	if (!error && ret_map)
		error = make_map (l, &map, &map_count);
	if (error)
		return error;
	data = allocate (context, l->size);
	if (!data) {
		free (map);
		return MONOCLE__IL_E_NO_MEMORY;
	}
	end = emit_sections (l, emit_code (l, emit_header (l, data)));
	MONOCLE__INVARIANT (end == data + l->size); /* what was measured was written */
	*ret_data = data;
	if (ret_map) {
		*ret_map = map;
		*ret_map_count = map_count;
	}
	return 0;
}

int
monocle__il_write (const monocle__il_body *body, bool verbatim, monocle__il_allocate allocate, void *context,
                   uint8_t **ret_data, size_t *ret_size, monocle__il_map **ret_map, uint32_t *ret_map_count)
{
	uint32_t scratch[MONOCLE__IL_SCRATCH];
	layout l = { .body = body, .original = verbatim && !body->edited, .offsets = scratch };
	size_t bytes = ((size_t) body->count + 1) * sizeof *scratch;
	int error;
	if (bytes > sizeof scratch && !(l.offsets = malloc (bytes)))
		return MONOCLE__IL_E_NO_MEMORY;
	error = write_layout (&l, allocate, context, ret_data, ret_map, ret_map_count);
	if (l.offsets != scratch)
		free (l.offsets);
	if (!error)
		*ret_size = l.size;
	return error;
}
