/*
 * SPDX-License-Identifier: MIT
 *
 * header.c - method bodies: their IL, locals and exception clauses.
 *
 * A header is one allocation that belongs to the caller; its IL bytes are the image's, as on Mono. Types and classes
 * are as the method has them: of an instance, with its arguments in place. Making one: normal context. Reading one:
 * any context. ECMA-335 II.25.4.
 */
#include <stdlib.h>
#include <string.h>
#include "bytes.h"
#include "dispatch/host.h"
#include "error.h"
#include "image.h"
#include "metadata.h"
#include "signature.h"

enum {
	COUNT_LIMIT = 65536, /* II.22.36: no more locals can be named; no compiler emits as many clauses */
	FORMAT_MASK = 0x3,
	TINY = 0x2,
	FAT = 0x3,
	MORE_SECTIONS = 0x8,
	INIT_LOCALS = 0x10,
	FAT_SIZE = 12,
	TINY_STACK = 8,
	SECTION_CLAUSES = 0x1,
	SECTION_KIND_MASK = 0x3f,
	SECTION_FAT = 0x40,
	SECTION_MORE = 0x80,
	SMALL_CLAUSE = 12,
	FAT_CLAUSE = 24,
	SECTION_HEADER = 4,
	LOCALS_SIGNATURE = 0x7,
};

struct _MonoMethodHeader {
	const uint8_t *code;
	uint32_t code_size, max_stack, local_count, clause_count;
	bool init_locals;
	MonoExceptionClause *clauses; /* after the locals */
	MonoType *locals[];
};

static MonoMethodHeader *
header_new (uint32_t locals, uint32_t clauses)
{
	if (locals > COUNT_LIMIT || clauses > COUNT_LIMIT)
		return NULL;
	size_t list = sizeof (MonoType *) * locals;
	MonoMethodHeader *header = calloc (1, sizeof *header + list + sizeof (MonoExceptionClause) * clauses);
	if (!header)
		return NULL;
	header->local_count = locals;
	header->clause_count = clauses;
	header->clauses = (MonoExceptionClause *) (void *) (header->locals + locals);
	return header;
}

/* --- of a method -------------------------------------------------------------------------------------------------- */

static MonoMethodHeader *
header_from_info (const monocle_body_info *info)
{
	MonoMethodHeader *header = header_new (info->local_count, info->clause_count);
	MonoType *object = monocle_type (monocle_class_primitive (MONO_TYPE_OBJECT));
	if (!header)
		return NULL;
	header->code = info->code;
	header->code_size = info->code_size;
	header->max_stack = info->max_stack;
	header->init_locals = info->init_locals != 0;
	for (uint32_t i = 0; i < info->local_count; i++)
		header->locals[i] = info->locals && info->locals[i] ? info->locals[i] : object;
	return header;
}

static MonoExceptionClause
clause_from_info (const monocle_clause_info *info)
{
	MonoExceptionClause clause = {
		.flags = info->flags,
		.try_offset = info->try_offset,
		.try_len = info->try_length,
		.handler_offset = info->handler_offset,
		.handler_len = info->handler_length,
	};
	if (info->flags == MONO_EXCEPTION_CLAUSE_FILTER)
		clause.data.filter_offset = info->filter_offset;
	else if (info->flags == MONO_EXCEPTION_CLAUSE_NONE)
		clause.data.catch_class = info->catch_class;
	return clause;
}

/* Asks the host about the body of a definition. */
static MonoMethodHeader *
ask (MonoMethod *definition)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle_body_info info = { .size = sizeof info };
	if (!ops->describe_body || ops->describe_body (ops->host, definition, &info) || !info.code)
		return NULL;
	MonoMethodHeader *header = header_from_info (&info);
	for (uint32_t i = 0; header && i < header->clause_count; i++) {
		monocle_clause_info clause = { .size = sizeof clause };
		if (ops->describe_clause && ops->describe_clause (ops->host, definition, i, &clause) == 0)
			header->clauses[i] = clause_from_info (&clause);
	}
	return header;
}

static MonoType *
type_in (MonoMethod *method, MonoType *type)
{
	MonoType *own = monocle__signature_type_of (method, type);
	return own ? own : type;
}

static void
inflate (MonoMethodHeader *header, MonoMethod *method)
{
	for (uint32_t i = 0; i < header->local_count; i++)
		header->locals[i] = type_in (method, header->locals[i]);
	for (uint32_t i = 0; i < header->clause_count; i++) {
		MonoExceptionClause *clause = &header->clauses[i];
		if (clause->flags == MONO_EXCEPTION_CLAUSE_NONE && clause->data.catch_class)
			clause->data.catch_class =
			    mono_class_from_mono_type (type_in (method, monocle_type (clause->data.catch_class)));
	}
}

MonoMethodHeader *
mono_method_get_header (MonoMethod *method)
{
	MonoMethod *definition = monocle_method_definition (method);
	if (!definition || !monocle__image_ask_begin (definition->image))
		return NULL;
	MonoMethodHeader *header = ask (definition);
	monocle__image_ask_end (definition->image);
	if (header && method != definition)
		inflate (header, method);
	return header;
}

MonoMethodHeader *
mono_method_get_header_checked (MonoMethod *method, MonoError *error)
{
	MonoMethodHeader *header = mono_method_get_header (method);
	if (error) {
		mono_error_init (error);
		if (!header)
			monocle__error_set (error, MONO_ERROR_BAD_IMAGE, "Method has no body");
	}
	return header;
}

void
mono_metadata_free_mh (MonoMethodHeader *mh)
{
	free (mh);
}

/* --- at an address ------------------------------------------------------------------------------------------------ */

/* One section of II.25.4.5; *at moves to the next, NULL after the last. Returns its clauses. */
static uint32_t
section_next (const uint8_t **at, const uint8_t **ret_clauses, bool *ret_is_fat)
{
	const uint8_t *section = *at;
	bool is_fat = section[0] & SECTION_FAT;
	uint32_t size = is_fat ? monocle__le32 (section) >> 8 : section[1];
	uint32_t body = size > SECTION_HEADER ? size - SECTION_HEADER : 0;
	*ret_clauses = section + SECTION_HEADER;
	*ret_is_fat = is_fat;
	/* The next one is at a multiple of four. */
	uintptr_t next = ((uintptr_t) section + SECTION_HEADER + body + 3) & ~(uintptr_t) 3;
	*at = section[0] & SECTION_MORE ? (const uint8_t *) next : NULL;
	if ((section[0] & SECTION_KIND_MASK) != SECTION_CLAUSES)
		return 0;
	return body / (is_fat ? FAT_CLAUSE : SMALL_CLAUSE);
}

static MonoExceptionClause
read_clause (MonoImage *image, const uint8_t *at, bool is_fat)
{
	MonoExceptionClause clause;
	uint32_t last;
	if (is_fat) {
		clause = (MonoExceptionClause) { monocle__le32 (at),      monocle__le32 (at + 4),  monocle__le32 (at + 8),
			                             monocle__le32 (at + 12), monocle__le32 (at + 16), { 0 } };
		last = monocle__le32 (at + 20);
	} else {
		clause = (MonoExceptionClause) {
			monocle__le16 (at), monocle__le16 (at + 2), at[4], monocle__le16 (at + 5), at[7], { 0 }
		};
		last = monocle__le32 (at + 8);
	}
	if (clause.flags == MONO_EXCEPTION_CLAUSE_FILTER)
		clause.data.filter_offset = last;
	else if (clause.flags == MONO_EXCEPTION_CLAUSE_NONE)
		clause.data.catch_class = mono_class_get (image, last);
	return clause;
}

/* How many clauses there are from the first section on; with a header they are read into it. */
static uint32_t
read_sections (MonoImage *image, const uint8_t *section, MonoMethodHeader *header)
{
	uint32_t count = 0;
	while (section) {
		const uint8_t *at;
		bool is_fat;
		uint32_t here = section_next (&section, &at, &is_fat);
		if (here > COUNT_LIMIT - count)
			return COUNT_LIMIT + 1;
		for (uint32_t i = 0; header && i < here; i++)
			header->clauses[count + i] = read_clause (image, at + i * (is_fat ? FAT_CLAUSE : SMALL_CLAUSE), is_fat);
		count += here;
	}
	return count;
}

/* The locals of a StandAloneSig begin at the result and end at *ret_end; *ret_count of them. NULL: there are none. */
static const uint8_t *
locals_blob (MonoImage *image, uint32_t token, uint32_t *ret_count, const uint8_t **ret_end)
{
	uint32_t row = mono_metadata_token_index (token), size = 0;
	const uint8_t *blob = NULL;
	if (row)
		blob = monocle__metadata_heap (
		    image, MONOCLE_HEAP_BLOB,
		    monocle__metadata_cell (image, MONO_TABLE_STANDALONESIG, row, MONO_STAND_ALONE_SIGNATURE), &size);
	/* The count takes four bytes at most; what is shorter holds no more than one local. */
	if (!blob || size < 2 || *blob != LOCALS_SIGNATURE || (blob[1] & 0x80 && size < 5))
		return NULL;
	const char *at = (const char *) blob + 1;
	*ret_count = mono_metadata_decode_value (at, &at);
	*ret_end = blob + size;
	return (const uint8_t *) at;
}

static MonoMethodHeader *
parse_fat (MonoImage *image, const uint8_t *body)
{
	uint32_t flags = monocle__le16 (body), size = monocle__le32 (body + 4), locals = 0;
	const uint8_t *section = NULL;
	if (flags >> 12 != FAT_SIZE / 4)
		return NULL;
	if (flags & MORE_SECTIONS)
		section = (const uint8_t *) (((uintptr_t) body + FAT_SIZE + size + 3) & ~(uintptr_t) 3);
	const uint8_t *end = NULL, *at = locals_blob (image, monocle__le32 (body + 8), &locals, &end);
	MonoMethodHeader *header = header_new (locals, read_sections (image, section, NULL));
	if (!header)
		return NULL;
	header->code = body + FAT_SIZE;
	header->code_size = size;
	header->max_stack = monocle__le16 (body + 2);
	header->init_locals = flags & INIT_LOCALS;
	read_sections (image, section, header);
	for (uint32_t i = 0; i < locals; i++)
		if (!(header->locals[i] = monocle__metadata_type (image, &at, end))) {
			free (header);
			return NULL;
		}
	return header;
}

MonoMethodHeader *
mono_metadata_parse_mh (MonoImage *m, const char *ptr)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (m);
	const uint8_t *body = (const uint8_t *) ptr;
	if (!held || !body)
		return NULL;
	if ((*body & FORMAT_MASK) == FAT)
		return parse_fat (m, body);
	MonoMethodHeader *header = (*body & FORMAT_MASK) == TINY ? header_new (0, 0) : NULL;
	if (!header)
		return NULL;
	header->code = body + 1;
	header->code_size = *body >> 2;
	header->max_stack = TINY_STACK;
	return header;
}

/* --- reading one -------------------------------------------------------------------------------------------------- */

const unsigned char *
mono_method_header_get_code (MonoMethodHeader *header, uint32_t *code_size, uint32_t *max_stack)
{
	if (code_size)
		*code_size = header ? header->code_size : 0;
	if (max_stack)
		*max_stack = header ? header->max_stack : 0;
	return header ? header->code : NULL;
}

MonoType **
mono_method_header_get_locals (MonoMethodHeader *header, uint32_t *num_locals, mono_bool *init_locals)
{
	if (num_locals)
		*num_locals = header ? header->local_count : 0;
	if (init_locals)
		*init_locals = header && header->init_locals;
	return header ? header->locals : NULL;
}

int
mono_method_header_get_num_clauses (MonoMethodHeader *header)
{
	return header ? (int) header->clause_count : 0;
}

/* The iterator points at the clause returned last. */
int
mono_method_header_get_clauses (MonoMethodHeader *header, MonoMethod *method, void **iter, MonoExceptionClause *clause)
{
	if (!header || !iter || !clause || !header->clause_count)
		return 0;
	MonoExceptionClause *next = *iter ? (MonoExceptionClause *) *iter + 1 : header->clauses;
	if (next >= header->clauses + header->clause_count)
		return 0;
	*iter = next;
	*clause = *next;
	return 1;
}
