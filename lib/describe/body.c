/*
 * SPDX-License-Identifier: MIT
 *
 * body.c - method bodies as they are in the image (ECMA-335 II.25.4), whatever the runtime executes instead.
 */
#include "describe-priv.h"
#include "il.h"

enum {
	CODE_TYPE_MASK = 0x3,    /* II.23.1.11; 0 is IL */
	METHOD_PINVOKE = 0x2000, /* II.23.1.10: the RVA is none of IL then */
	LOCALS_MAX = 65535,      /* indexes have 16 bits */
};

const uint8_t *
monocle__describe_body_bytes (monocle__describe_image *image, MonoMethod *method, size_t *ret_size)
{
	monocle__ecma_methoddef row;
	if (!image || monocle__ecma_get_methoddef (&image->ecma, monocle_method_token (method), &row) || !row.rva ||
	    row.iflags & CODE_TYPE_MASK || row.flags & METHOD_PINVOKE)
		return NULL;
	return monocle__ecma_rva (&image->ecma, row.rva, ret_size);
}

static bool
read_locals (monocle__describe_image *image, monocle__ecma_cursor *cursor, MonoMethod *method,
             monocle__describe_scratch *scratch, uint32_t count)
{
	MonoClass *owner = mono_method_get_class (method);
	for (uint32_t i = 0; i < count; i++)
		if (!monocle__describe_list_add (scratch, monocle__describe_read_type (image, cursor, owner, method)))
			return false;
	return true;
}

/* II.23.2.6. False: the signature cannot be read whole. */
static bool
describe_locals (monocle__describe_image *image, MonoMethod *method, monocle_body_info *ret)
{
	monocle__ecma_cursor cursor;
	if (ret->locals_token >> 24 != MONOCLE__TABLE_StandAloneSig ||
	    !monocle__describe_blob (image, MONOCLE__TABLE_StandAloneSig, ret->locals_token & 0xFFFFFF,
	                             MONOCLE__COL_StandAloneSig_Signature, &cursor) ||
	    monocle__ecma_read_byte (&cursor) != MONOCLE__SIG_LOCALS)
		return false;
	uint32_t count = monocle__ecma_read_u (&cursor);
	monocle__describe_scratch *scratch = count > LOCALS_MAX ? NULL : monocle__describe_enter ();
	if (!scratch)
		return false;
	uint32_t begin = monocle__describe_list_begin (scratch);
	bool whole = read_locals (image, &cursor, method, scratch, count);
	ret->locals = monocle__describe_list (scratch, begin);
	ret->local_count = whole ? count : 0;
	monocle__describe_leave (scratch);
	return whole;
}

static int
describe_body (void *host, MonoMethod *method, monocle_body_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	monocle__il_header header;
	size_t size;
	const uint8_t *data = monocle__describe_body_bytes (image, method, &size);
	if (!data || monocle__il_read_header (data, size, &header))
		return MONOCLE_E_UNKNOWN;
	ret->code = header.code;
	ret->code_size = header.code_size;
	ret->max_stack = header.max_stack;
	ret->init_locals = header.init_locals;
	ret->locals_token = header.local_signature_token;
	ret->clause_count = header.clause_count;
	if (ret->locals_token && !describe_locals (image, method, ret))
		return MONOCLE_E_UNKNOWN;
	return MONOCLE_OK;
}

static int
describe_clause (void *host, MonoMethod *method, uint32_t index, monocle_clause_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	monocle__il_raw_clause clause;
	size_t size;
	const uint8_t *data = monocle__describe_body_bytes (image, method, &size);
	if (!data || monocle__il_read_clause (data, size, index, &clause))
		return MONOCLE_E_UNKNOWN;
	ret->flags = clause.flags;
	ret->try_offset = clause.try_offset;
	ret->try_length = clause.try_length;
	ret->handler_offset = clause.handler_offset;
	ret->handler_length = clause.handler_length;
	if (clause.flags == MONOCLE__IL_CLAUSE_FILTER)
		ret->filter_offset = clause.token_or_filter;
	else if (clause.flags == MONOCLE__IL_CLAUSE_CATCH)
		ret->catch_class =
		    monocle__describe_class_of_token (image, clause.token_or_filter, mono_method_get_class (method), method);
	return MONOCLE_OK;
}

void
monocle__describe_body_ops (monocle_host_ops *ops)
{
	ops->describe_body = describe_body;
	ops->describe_clause = describe_clause;
}
