/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - types and method signatures of metadata (ECMA-335 II.23.2) as records.
 */
#include "cli-priv.h"

enum { PARAMS_MAX = 65535 }; /* II.15.4.1.1 */

/* Where a type is read, and in whose scope. */
typedef struct {
	monocle__cli_image *image;
	monocle__ecma_cursor *cursor;
	MonoClass *owner;
	MonoMethod *method;
} place;

static MonoClass *read_class (const place *at);

static MonoClass *
read_array (const place *at)
{
	monocle__ecma_cursor *cursor = at->cursor;
	MonoClass *element = read_class (at);
	uint32_t rank = monocle__ecma_read_u (cursor);
	for (uint32_t sizes = monocle__ecma_read_u (cursor); sizes && !cursor->error; sizes--)
		monocle__ecma_read_u (cursor);
	for (uint32_t bounds = monocle__ecma_read_u (cursor); bounds && !cursor->error; bounds--)
		monocle__ecma_read_s (cursor);
	return element && rank && !cursor->error ? monocle_class_array (element, rank) : NULL;
}

/* `count` types, at the end of this thread's list. */
static bool
read_arguments (const place *at, monocle__cli_scratch *scratch, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!monocle__cli_list_add (scratch, monocle_type (read_class (at))))
			return false;
	return true;
}

static MonoClass *
read_instance (const place *at, monocle__cli_scratch *scratch)
{
	int valuetype = monocle__ecma_read_byte (at->cursor) == MONOCLE__ET_VALUETYPE;
	MonoClass *definition =
	    monocle__cli_class (at->image, monocle__ecma_read_type_token (at->cursor), at->owner, at->method, valuetype);
	uint32_t count = monocle__ecma_read_u (at->cursor), begin = monocle__cli_list_begin (scratch);
	bool whole = definition && count && read_arguments (at, scratch, count);
	MonoType **arguments = monocle__cli_list_end (scratch, begin);
	return whole ? monocle_class_inst (definition, count, arguments) : NULL;
}

static MonoClass *
read_function_pointer (const place *at)
{
	monocle__ecma_skip_method (at->cursor);
	return at->cursor->error ? NULL : monocle_class_fnptr ();
}

static MonoClass *
read_pointer (const place *at)
{
	MonoClass *element = read_class (at);
	return element ? monocle_class_pointer (element) : NULL;
}

static MonoClass *
read_vector (const place *at)
{
	MonoClass *element = read_class (at);
	return element ? monocle_class_array (element, 1) : NULL;
}

static MonoClass *
read_element (const place *at, monocle__cli_scratch *scratch)
{
	uint8_t element = monocle__ecma_read_byte (at->cursor);
	switch (element) {
	case MONOCLE__ET_CMOD_REQD:
	case MONOCLE__ET_CMOD_OPT:
		monocle__ecma_read_type_token (at->cursor);
		return read_class (at);
	case MONOCLE__ET_PINNED:
	case MONOCLE__ET_SENTINEL:
		return read_class (at);
	case MONOCLE__ET_CLASS:
	case MONOCLE__ET_VALUETYPE:
		return monocle__cli_class (at->image, monocle__ecma_read_type_token (at->cursor), at->owner, at->method,
		                           element == MONOCLE__ET_VALUETYPE);
	case MONOCLE__ET_VAR:
		return monocle_class_param (at->owner, NULL, monocle__ecma_read_u (at->cursor), 0);
	case MONOCLE__ET_MVAR:
		return monocle_class_param (NULL, at->method, monocle__ecma_read_u (at->cursor), 0);
	case MONOCLE__ET_GENERICINST:
		return read_instance (at, scratch);
	case MONOCLE__ET_ARRAY:
		return read_array (at);
	case MONOCLE__ET_SZARRAY:
		return read_vector (at);
	case MONOCLE__ET_PTR:
		return read_pointer (at);
	case MONOCLE__ET_FNPTR:
		return read_function_pointer (at);
	default:
		return at->cursor->error ? NULL : monocle_class_primitive (element);
	}
}

static MonoClass *
read_class (const place *at)
{
	monocle__cli_scratch *scratch = at->cursor->error ? NULL : monocle__cli_enter ();
	if (!scratch)
		return NULL;
	MonoClass *klass = read_element (at, scratch);
	monocle__cli_leave (scratch);
	return klass;
}

MonoType *
monocle__cli_read_type (monocle__cli_image *image, monocle__ecma_cursor *cursor, MonoClass *owner, MonoMethod *method)
{
	bool byref = false;
	for (;;) {
		uint8_t next = monocle__ecma_peek_byte (cursor);
		if (next == MONOCLE__ET_BYREF || next == MONOCLE__ET_PINNED) {
			byref |= next == MONOCLE__ET_BYREF;
			monocle__ecma_read_byte (cursor);
		} else if (next == MONOCLE__ET_CMOD_REQD || next == MONOCLE__ET_CMOD_OPT) {
			monocle__ecma_read_byte (cursor);
			monocle__ecma_read_type_token (cursor);
		} else {
			break;
		}
		if (cursor->error)
			return NULL;
	}
	MonoClass *klass = read_class (&(place) { image, cursor, owner, method });
	if (!klass)
		return NULL;
	return byref ? monocle_type_byref (klass) : monocle_type (klass);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static bool
read_params (const place *at, monocle__cli_scratch *scratch, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (monocle__ecma_peek_byte (at->cursor) == MONOCLE__ET_SENTINEL)
			monocle__ecma_read_byte (at->cursor);
		if (!monocle__cli_list_add (scratch, monocle__cli_read_type (at->image, at->cursor, at->owner, at->method)))
			return false;
	}
	return true;
}

static int
read_signature (const place *at, monocle__cli_scratch *scratch, monocle_signature_info *ret)
{
	uint8_t convention = monocle__ecma_read_byte (at->cursor);
	ret->call_convention = convention & MONOCLE__SIG_KIND_MASK;
	ret->has_this = (convention & MONOCLE__SIG_HASTHIS) != 0;
	ret->explicit_this = (convention & MONOCLE__SIG_EXPLICITTHIS) != 0;
	ret->generic_params = convention & MONOCLE__SIG_GENERIC ? monocle__ecma_read_u (at->cursor) : 0;
	ret->param_count = monocle__ecma_read_u (at->cursor);
	if (at->cursor->error || ret->param_count > PARAMS_MAX)
		return MONOCLE_E_UNKNOWN;
	ret->ret = monocle__cli_read_type (at->image, at->cursor, at->owner, at->method);
	uint32_t begin = monocle__cli_list_begin (scratch);
	bool whole = ret->ret && read_params (at, scratch, ret->param_count);
	ret->params = monocle__cli_list_end (scratch, begin);
	return whole ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

int
monocle__cli_read_signature (monocle__cli_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                             MonoMethod *method, monocle_signature_info *ret)
{
	monocle__cli_scratch *scratch = monocle__cli_enter ();
	if (!scratch)
		return MONOCLE_E_UNKNOWN;
	int result = read_signature (&(place) { image, cursor, owner, method }, scratch, ret);
	monocle__cli_leave (scratch);
	return result;
}
