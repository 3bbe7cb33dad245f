/*
 * SPDX-License-Identifier: MIT
 *
 * invoke.c - which methods the runtime invokes by itself: method_begin_invoke and method_end_invoke.
 *
 * Mono raises them in its one function that calls managed code from native code. The CLR tells no profiler where it
 * does so (its transition callbacks speak of delegates that native code got), but it does so for few methods, and
 * those are known: the program's entry point, static constructors, what a thread begins with, and what reflection
 * invokes. They get probes of their own (probe.c), also when no filter asks for them, and their precompiled code is
 * refused: theirs only, since the runtime inlines none of them.
 *
 * A method invoked by reflection is the argument of one of the framework's methods, which is probed in its place.
 */
#include "invoke.h"
#include <stdatomic.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <monocle/host.h>
#include "images/corlib-name.h"
#include "images/image.h"
#include "images/resolve.h"
#include "state.h"

enum { STATIC_CONSTRUCTOR = 0x1810 }; /* static, special name, runtime special name: ECMA-335 II.23.1.10 */

/* Offset of the handle in RuntimeMethodInfo and RuntimeConstructorInfo; 0: not known yet. */
static atomic_uint handle_offset[2];

bool
monocle__invoke_wanted (void)
{
	return monocle__clr_listened (MONOCLE_EVENT_method_begin_invoke) ||
	       monocle__clr_listened (MONOCLE_EVENT_method_end_invoke);
}

/* The core library's own. `this` of what reflects has the method's handle in a field. */
static monocle__invoke
kind_in_corlib (const monocle__clr_image *image, mdToken token)
{
	switch (monocle__corlib_name_of (&image->cli.ecma, token, MONOCLE__PRIVATE_INVOCATIONS)) {
	case MONOCLE__NAME_THREAD_START: return MONOCLE__INVOKED;
	case MONOCLE__NAME_INVOKE_METHOD:
	case MONOCLE__NAME_INVOKE_CONSTRUCTOR: return MONOCLE__REFLECTS;
	default: return MONOCLE__NOT_INVOKED;
	}
}

static bool
is_entry_point (monocle__clr_image *image, mdToken token)
{
	return image->cli.ecma.entry_point_token == token &&
	       mono_assembly_get_main () == monocle_image_assembly (image->cli.record);
}

monocle__invoke
monocle__invoke_kind (monocle__clr_image *image, mdToken token)
{
	monocle__ecma_methoddef row;
	if (!monocle__invoke_wanted () || !image->cli.readable ||
	    monocle__ecma_get_methoddef (&image->cli.ecma, token, &row) || !row.rva)
		return MONOCLE__NOT_INVOKED;
	if ((row.flags & STATIC_CONSTRUCTOR) == STATIC_CONSTRUCTOR || is_entry_point (image, token))
		return MONOCLE__INVOKED;
	return image->cli.is_corlib && monocle__corlib_name_serves (MONOCLE__PRIVATE_INVOCATIONS)
	         ? kind_in_corlib (image, token)
	         : MONOCLE__NOT_INVOKED;
}

/* --- what is reflected -------------------------------------------------------------------------------------------- */

static bool
is_constructor (MonoMethod *reflecting)
{
	const monocle__private_member *constructs = &monocle__private_members[MONOCLE__NAME_INVOKE_CONSTRUCTOR];
	const char *type = mono_class_get_name (mono_method_get_class (reflecting));
	return strcmp (type, monocle__private_name_type (constructs->type)) == 0;
}

/* Layouts are not to be had inside a probe. */
void
monocle__invoke_prepare (MonoMethod *reflecting)
{
	bool constructs = is_constructor (reflecting);
	const monocle__private_member *handle =
	    &monocle__private_members[constructs ? MONOCLE__NAME_CONSTRUCTOR_HANDLE : MONOCLE__NAME_METHOD_HANDLE];
	MonoClassField *field = mono_class_get_field_from_name (mono_method_get_class (reflecting), handle->member);
	if (field)
		atomic_store (&handle_offset[constructs], mono_field_get_offset (field));
}

MonoMethod *
monocle__invoke_reflected (MonoMethod *reflecting, const void *object)
{
	uint32_t offset = atomic_load (&handle_offset[is_constructor (reflecting)]);
	FunctionID function = offset ? *(const FunctionID *) ((const char *) object + offset) : 0;
	MonoMethod *method = function ? monocle__resolve_method (function) : NULL;
	return method ? method : reflecting;
}
