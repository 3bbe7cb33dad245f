/*
 * SPDX-License-Identifier: MIT
 *
 * type.c - types and method signatures of metadata (ECMA-335 II.23.2) as records.
 */
#include "describe-priv.h"

enum {
	PARAMS_MAX = 65535,   /* II.15.4.1.1 */
	SHAPED_RANK_MAX = 32, /* more dimensions than any runtime allows: their sizes and bounds are read, not kept */
	MODIFIERS_MAX = 64,
};

/* Where a type is read, and in whose scope. */
typedef struct {
	monocle__describe_image *image;
	monocle__ecma_cursor *cursor;
	MonoClass *owner;
	MonoMethod *method;
	bool has_handles; /* the runtime made it: types may be given by their handles */
} place;

static MonoType *read_type (const place *at);
static int read_signature (const place *at, monocle__describe_scratch *scratch, monocle_signature_info *ret);

/* What may be inside another type: not by reference. */
static MonoType *
read_part (const place *at)
{
	MonoType *type = read_type (at);
	return type && !mono_type_is_byref (type) ? type : NULL;
}

/* Sizes or lower bounds of an array: how many were kept. */
static uint32_t
read_numbers (monocle__ecma_cursor *cursor, bool is_signed, int32_t kept[SHAPED_RANK_MAX])
{
	uint32_t count = monocle__ecma_read_u (cursor);
	for (uint32_t i = 0; i < count && !cursor->error; i++) {
		int32_t number = is_signed ? monocle__ecma_read_s (cursor) : (int32_t) monocle__ecma_read_u (cursor);
		if (i < SHAPED_RANK_MAX)
			kept[i] = number;
	}
	return count;
}

static MonoType *
read_array (const place *at)
{
	int32_t sizes[SHAPED_RANK_MAX], bounds[SHAPED_RANK_MAX];
	monocle_array_info info = { .size = sizeof info, .is_general = 1, .sizes = sizes, .bounds = bounds };
	MonoType *element = read_part (at);
	if (!element)
		return NULL;
	info.rank = monocle__ecma_read_u (at->cursor);
	info.size_count = read_numbers (at->cursor, false, sizes);
	info.bound_count = read_numbers (at->cursor, true, bounds);
	if (!info.rank || at->cursor->error || info.size_count > info.rank || info.bound_count > info.rank)
		return NULL;
	if (info.rank > SHAPED_RANK_MAX)
		info.size_count = info.bound_count = 0;
	return monocle_type_array (element, &info);
}

/* `count` types, at the end of this thread's list. */
static bool
read_arguments (const place *at, monocle__describe_scratch *scratch, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!monocle__describe_list_add (scratch, read_part (at)))
			return false;
	return true;
}

static MonoClass *
read_handle (const place *at)
{
	uintptr_t handle = 0;
	for (unsigned i = 0; i < sizeof handle; i++)
		handle |= (uintptr_t) monocle__ecma_read_byte (at->cursor) << 8 * i;
	const monocle__describe_owner *owner = monocle__describe_owner_now;
	bool may = at->has_handles && owner->class_of_handle && handle && !at->cursor->error;
	return may ? owner->class_of_handle (handle) : NULL;
}

static MonoType *
read_instance (const place *at, monocle__describe_scratch *scratch)
{
	uint8_t element = monocle__ecma_read_byte (at->cursor);
	MonoClass *definition = element == MONOCLE__ET_INTERNAL
	                          ? monocle_class_definition (read_handle (at))
	                          : monocle__describe_class (at->image, monocle__ecma_read_type_token (at->cursor),
	                                                     at->owner, at->method, element == MONOCLE__ET_VALUETYPE);
	uint32_t count = monocle__ecma_read_u (at->cursor), begin = monocle__describe_list_begin (scratch);
	bool whole = definition && count && read_arguments (at, scratch, count);
	return whole ? monocle_type (monocle_class_inst (definition, count, monocle__describe_list (scratch, begin)))
	             : NULL;
}

static MonoType *
read_function_pointer (const place *at, monocle__describe_scratch *scratch)
{
	monocle_signature_info info = { .size = sizeof info };
	return read_signature (at, scratch, &info) ? NULL : monocle_type_fnptr (&info);
}

static MonoType *
read_vector (const place *at)
{
	static const monocle_array_info vector = { .size = sizeof vector, .rank = 1 };
	return monocle_type_array (read_part (at), &vector);
}

static MonoType *
read_element (const place *at, monocle__describe_scratch *scratch)
{
	uint8_t element = monocle__ecma_read_byte (at->cursor);
	switch (element) {
	case MONOCLE__ET_CLASS:
	case MONOCLE__ET_VALUETYPE:
		return monocle_type (monocle__describe_class (at->image, monocle__ecma_read_type_token (at->cursor), at->owner,
		                                              at->method, element == MONOCLE__ET_VALUETYPE));
	case MONOCLE__ET_VAR:
		return monocle_type (monocle_class_param (at->owner, NULL, monocle__ecma_read_u (at->cursor), 0));
	case MONOCLE__ET_MVAR:
		return monocle_type (monocle_class_param (NULL, at->method, monocle__ecma_read_u (at->cursor), 0));
	case MONOCLE__ET_GENERICINST: return read_instance (at, scratch);
	case MONOCLE__ET_ARRAY: return read_array (at);
	case MONOCLE__ET_SZARRAY: return read_vector (at);
	case MONOCLE__ET_PTR: return monocle_type_pointer (read_part (at));
	case MONOCLE__ET_FNPTR: return read_function_pointer (at, scratch);
	case MONOCLE__ET_INTERNAL: return monocle_type (read_handle (at));
	default: return at->cursor->error ? NULL : monocle_type (monocle_class_primitive (element));
	}
}

/* What comes before a type: custom modifiers, `pinned`, and that it is by reference, in any order. */
typedef struct {
	bool byref;
	uint32_t modifiers;
	uint64_t required;
} prefix;

static bool
read_modifier (const place *at, monocle__describe_scratch *scratch, bool required, prefix *p)
{
	MonoClass *klass =
	    monocle__describe_class (at->image, monocle__ecma_read_type_token (at->cursor), at->owner, at->method, 0);
	if (p->modifiers == MODIFIERS_MAX || !monocle__describe_list_add (scratch, monocle_type (klass)))
		return false;
	p->required |= (uint64_t) required << p->modifiers++;
	return true;
}

static bool
read_prefix (const place *at, monocle__describe_scratch *scratch, prefix *p)
{
	for (;;) {
		uint8_t next = monocle__ecma_peek_byte (at->cursor);
		if (next != MONOCLE__ET_BYREF && next != MONOCLE__ET_PINNED && next != MONOCLE__ET_CMOD_REQD &&
		    next != MONOCLE__ET_CMOD_OPT)
			return !at->cursor->error;
		monocle__ecma_read_byte (at->cursor);
		p->byref |= next == MONOCLE__ET_BYREF;
		if ((next == MONOCLE__ET_CMOD_REQD || next == MONOCLE__ET_CMOD_OPT) &&
		    !read_modifier (at, scratch, next == MONOCLE__ET_CMOD_REQD, p))
			return false;
	}
}

static MonoType *
read_whole (const place *at, monocle__describe_scratch *scratch)
{
	prefix p = { .byref = false };
	uint32_t begin = monocle__describe_list_begin (scratch);
	MonoType *type = read_prefix (at, scratch, &p) ? read_element (at, scratch) : NULL;
	if (p.byref || p.modifiers)
		type = monocle_type_with (type, p.byref, p.modifiers, monocle__describe_list (scratch, begin), p.required);
	monocle__describe_list_drop (scratch, begin);
	return type;
}

static MonoType *
read_type (const place *at)
{
	monocle__describe_scratch *scratch = at->cursor->error ? NULL : monocle__describe_enter ();
	if (!scratch)
		return NULL;
	MonoType *type = read_whole (at, scratch);
	monocle__describe_leave (scratch);
	return type;
}

MonoType *
monocle__describe_read_type (monocle__describe_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                             MonoMethod *method)
{
	return read_type (&(place) { image, cursor, owner, method, false });
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static bool
read_params (const place *at, monocle__describe_scratch *scratch, monocle_signature_info *info)
{
	for (uint32_t i = 0; i < info->param_count; i++) {
		if (monocle__ecma_peek_byte (at->cursor) == MONOCLE__ET_SENTINEL) {
			monocle__ecma_read_byte (at->cursor);
			info->sentinel = i + 1;
		}
		if (!monocle__describe_list_add (scratch, read_type (at)))
			return false;
	}
	return true;
}

static int
read_signature (const place *at, monocle__describe_scratch *scratch, monocle_signature_info *ret)
{
	uint8_t convention = monocle__ecma_read_byte (at->cursor);
	ret->call_convention = convention & MONOCLE__SIG_KIND_MASK;
	ret->has_this = (convention & MONOCLE__SIG_HASTHIS) != 0;
	ret->explicit_this = (convention & MONOCLE__SIG_EXPLICITTHIS) != 0;
	ret->generic_params = convention & MONOCLE__SIG_GENERIC ? monocle__ecma_read_u (at->cursor) : 0;
	ret->param_count = monocle__ecma_read_u (at->cursor);
	if (at->cursor->error || ret->param_count > PARAMS_MAX)
		return MONOCLE_E_UNKNOWN;
	ret->ret = read_type (at);
	uint32_t begin = monocle__describe_list_begin (scratch);
	bool whole = ret->ret && read_params (at, scratch, ret);
	ret->params = monocle__describe_list (scratch, begin);
	return whole ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
read_method (const place *at, monocle_signature_info *ret)
{
	monocle__describe_scratch *scratch = monocle__describe_enter ();
	if (!scratch)
		return MONOCLE_E_UNKNOWN;
	int result = read_signature (at, scratch, ret);
	monocle__describe_leave (scratch);
	return result;
}

int
monocle__describe_read_signature (monocle__describe_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                                  MonoMethod *method, monocle_signature_info *ret)
{
	return read_method (&(place) { image, cursor, owner, method, false }, ret);
}

int
monocle__describe_read_runtime_signature (monocle__describe_image *image, monocle__ecma_cursor *cursor,
                                          monocle_signature_info *ret)
{
	return read_method (&(place) { image, cursor, NULL, NULL, true }, ret);
}
