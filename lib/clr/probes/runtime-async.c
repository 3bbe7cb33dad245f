/*
 * SPDX-License-Identifier: MIT
 *
 * runtime-async.c - methods that the runtime itself suspends and resumes (docs/design/specs/runtime-async.md of .NET),
 * as metadata has them.
 *
 * Such a method has the flag MethodImplAttributes.Async. It awaits by calling one of AsyncHelpers' methods. When it is
 * suspended its code calls AsyncHelpers.AllocContinuation, or one of the two beside it, and nothing else calls those;
 * from .NET 11 on it does not where it keeps what it was resumed with. The names are rows of private-names.def.
 */
#include "runtime-async.h"
#include <stdatomic.h>
#include <string.h>
#include "images/corlib-name.h"
#include "images/image.h"

enum { ASYNC = 0x2000 }; /* MethodImplAttributes.Async */

static const char name_space[] = "System.Runtime.CompilerServices", helpers[] = "AsyncHelpers";

/* clang-format off */
static const struct { monocle__private_id name; monocle__async_part part; } parts[] = {
	{ MONOCLE__NAME_ALLOC_CONTINUATION,        MONOCLE__ASYNC_SUSPENDS },
	{ MONOCLE__NAME_ALLOC_CONTINUATION_METHOD, MONOCLE__ASYNC_SUSPENDS },
	{ MONOCLE__NAME_ALLOC_CONTINUATION_CLASS,  MONOCLE__ASYNC_SUSPENDS },
	{ MONOCLE__NAME_DISPATCH_THUNK,            MONOCLE__ASYNC_DISPATCHES },
	{ MONOCLE__NAME_DISPATCH,                  MONOCLE__ASYNC_DISPATCHES },
	{ MONOCLE__NAME_DISPATCH_INSTRUMENTED,     MONOCLE__ASYNC_DISPATCHES },
};
/* clang-format on */

enum { PARTS = sizeof parts / sizeof *parts };

/* Tokens of the parts, 0: there is none. Looked for once; each thread that looks finds the same. */
static _Atomic (uint32_t) tokens[PARTS];
static atomic_bool is_looked_for;

bool
monocle__runtime_async_is (const monocle__ecma_methoddef *row)
{
	return row->iflags & ASYNC;
}

/* --- what it returns ---------------------------------------------------------------------------------------------- */

static bool
type_names (const monocle__ecma_image *image, uint32_t token, const char **ret_name, const char **ret_name_space)
{
	monocle__ecma_typedef type;
	uint32_t scope;
	if (token >> 24 == MONOCLE__TABLE_TypeRef)
		return monocle__ecma_get_typeref (image, token, ret_name, ret_name_space, &scope) == 0;
	if (token >> 24 != MONOCLE__TABLE_TypeDef || monocle__ecma_get_typedef (image, token, &type))
		return false;
	*ret_name = type.name;
	*ret_name_space = type.name_space;
	return true;
}

static bool
is_task (const monocle__ecma_image *image, uint32_t token, bool generic)
{
	const char *name, *space;
	if (!type_names (image, token, &name, &space) || strcmp (space, "System.Threading.Tasks"))
		return false;
	return generic ? !strcmp (name, "Task`1") || !strcmp (name, "ValueTask`1")
	               : !strcmp (name, "Task") || !strcmp (name, "ValueTask");
}

/* Goes into Task<T>, up to T. 1: it is there; 0: nothing is returned; -1: the type is returned as it stands. */
static int
unwrap (const monocle__ecma_image *image, monocle__ecma_cursor *cursor)
{
	monocle__ecma_cursor inner = *cursor;
	uint8_t element = monocle__ecma_read_byte (&inner);
	bool generic = element == MONOCLE__ET_GENERICINST;
	if (generic)
		element = monocle__ecma_read_byte (&inner);
	if ((element != MONOCLE__ET_CLASS && element != MONOCLE__ET_VALUETYPE) ||
	    !is_task (image, monocle__ecma_read_type_token (&inner), generic))
		return -1;
	if (!generic)
		return 0;
	*cursor = inner;
	return monocle__ecma_read_u (cursor) == 1;
}

bool
monocle__runtime_async_result (const monocle__ecma_image *image, const monocle__ecma_methoddef *row,
                               const uint8_t **ret_type, uint32_t *ret_size)
{
	enum { GENERIC = 0x10 };
	const uint8_t *data;
	uint32_t size;
	if (monocle__ecma_blob (image, row->signature, &data, &size))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	if (monocle__ecma_read_byte (&cursor) & GENERIC)
		monocle__ecma_read_u (&cursor);
	monocle__ecma_read_u (&cursor);
	monocle__ecma_skip_modifiers (&cursor); /* `init` accessors return void modreq(IsExternalInit) */
	if ((monocle__runtime_async_is (row) && unwrap (image, &cursor) == 0) ||
	    monocle__ecma_peek_byte (&cursor) == MONOCLE__ET_VOID)
		return false;
	const uint8_t *type = cursor.at;
	monocle__ecma_skip_type (&cursor);
	if (cursor.error)
		return false;
	*ret_type = type;
	*ret_size = (uint32_t) (cursor.at - type);
	return true;
}

/* --- what it calls ------------------------------------------------------------------------------------------------ */

/* The method that a token names, if AsyncHelpers declares it; else NULL. */
static const char *
helper_of (const monocle__ecma_image *image, uint32_t token)
{
	const char *name, *space;
	uint32_t value, owner;
	monocle__ecma_methoddef row;
	if (token >> 24 == MONOCLE__TABLE_MethodSpec) {
		if (monocle__ecma_column (image, MONOCLE__TABLE_MethodSpec, token & 0xFFFFFF, MONOCLE__COL_MethodSpec_Method,
		                          &value))
			return NULL;
		token = monocle__ecma_coded_token (MONOCLE__CODED_MethodDefOrRef, value);
	}
	if (token >> 24 == MONOCLE__TABLE_MethodDef) {
		owner = monocle__ecma_method_owner (image, token);
		if (monocle__ecma_get_methoddef (image, token, &row))
			return NULL;
		return type_names (image, owner, &name, &space) && !strcmp (name, helpers) && !strcmp (space, name_space)
		         ? row.name
		         : NULL;
	}
	if (token >> 24 != MONOCLE__TABLE_MemberRef ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, token & 0xFFFFFF, MONOCLE__COL_MemberRef_Class, &value))
		return NULL;
	owner = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, value);
	if (!type_names (image, owner, &name, &space) || strcmp (name, helpers) || strcmp (space, name_space) ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, token & 0xFFFFFF, MONOCLE__COL_MemberRef_Name, &value))
		return NULL;
	return monocle__ecma_string (image, value);
}

bool
monocle__runtime_async_awaits (const monocle__ecma_image *image, uint32_t token)
{
	const char *name = helper_of (image, token);
	return name && strstr (name, "Await");
}

bool
monocle__runtime_async_leaves (const monocle__ecma_image *image, uint32_t token)
{
	const char *name = helper_of (image, token);
	return name && !strcmp (name, monocle__private_members[MONOCLE__NAME_ASYNC_SUSPEND].member);
}

/* --- parts of the core library ------------------------------------------------------------------------------------ */

/* Where a name is missing the others are no parts: what they would tell is not the whole. */
static void
look_for_parts (const monocle__clr_image *corlib)
{
	bool has_all = monocle__corlib_name_has (MONOCLE__PRIVATE_SEGMENTS);
	if (!has_all && !monocle__clr_image_corlib ()) /* nothing is known yet */
		return;
	for (size_t i = 0; has_all && i < PARTS; i++)
		atomic_store (&tokens[i], monocle__corlib_name_token (&corlib->cli.ecma, parts[i].name));
	atomic_store (&is_looked_for, true);
}

monocle__async_part
monocle__runtime_async_part (const monocle__clr_image *image, mdToken token)
{
	if (!image->cli.is_corlib || !image->cli.readable)
		return MONOCLE__ASYNC_NO_PART;
	if (!atomic_load (&is_looked_for))
		look_for_parts (image);
	for (size_t i = 0; i < PARTS; i++)
		if (atomic_load_explicit (&tokens[i], memory_order_relaxed) == token)
			return parts[i].part;
	return MONOCLE__ASYNC_NO_PART;
}

bool
monocle__runtime_async_is_known (void)
{
	return monocle__corlib_name_serves (MONOCLE__PRIVATE_SEGMENTS);
}
