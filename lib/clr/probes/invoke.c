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
#include "images/image.h"
#include "images/resolve.h"
#include "state.h"

enum { STATIC_CONSTRUCTOR = 0x1810 }; /* static, special name, runtime special name: ECMA-335 II.23.1.10 */

/* The core library's own. `this` of what reflects has the method's handle in a field. */
/* clang-format off */
static const struct { const char *name_space, *type, *method; monocle__invoke kind; } own[] = {
	{ "System.Threading",  "Thread",                 "StartCallback", MONOCLE__INVOKED },
	{ "System.Reflection", "RuntimeMethodInfo",      "Invoke",        MONOCLE__REFLECTS },
	{ "System.Reflection", "RuntimeConstructorInfo", "Invoke",        MONOCLE__REFLECTS },
};
/* clang-format on */

/* Offset of the handle in RuntimeMethodInfo and RuntimeConstructorInfo; 0: not known yet. */
static atomic_uint handle_offset[2];

bool
monocle__invoke_wanted (void)
{
	return monocle__clr_listened (MONOCLE_EVENT_method_begin_invoke) ||
	       monocle__clr_listened (MONOCLE_EVENT_method_end_invoke);
}

static monocle__invoke
kind_in_corlib (monocle__clr_image *image, mdToken token, const char *method)
{
	monocle__ecma_typedef type;
	size_t i = 0, count = sizeof own / sizeof *own;
	while (i < count && strcmp (method, own[i].method))
		i++;
	if (i == count ||
	    monocle__ecma_get_typedef (&image->cli.ecma, monocle__ecma_method_owner (&image->cli.ecma, token), &type))
		return MONOCLE__NOT_INVOKED;
	for (; i < count; i++)
		if (!strcmp (method, own[i].method) && !strcmp (type.name, own[i].type) &&
		    !strcmp (type.name_space, own[i].name_space))
			return own[i].kind;
	return MONOCLE__NOT_INVOKED;
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
	return image->cli.is_corlib ? kind_in_corlib (image, token, row.name) : MONOCLE__NOT_INVOKED;
}

/* --- what is reflected -------------------------------------------------------------------------------------------- */

static bool
is_constructor (MonoMethod *reflecting)
{
	return strcmp (mono_class_get_name (mono_method_get_class (reflecting)), "RuntimeConstructorInfo") == 0;
}

/* Layouts are not to be had inside a probe. */
void
monocle__invoke_prepare (MonoMethod *reflecting)
{
	MonoClassField *field = mono_class_get_field_from_name (mono_method_get_class (reflecting), "m_handle");
	if (field)
		atomic_store (&handle_offset[is_constructor (reflecting)], mono_field_get_offset (field));
}

MonoMethod *
monocle__invoke_reflected (MonoMethod *reflecting, const void *object)
{
	uint32_t offset = atomic_load (&handle_offset[is_constructor (reflecting)]);
	FunctionID function = offset ? *(const FunctionID *) ((const char *) object + offset) : 0;
	MonoMethod *method = function ? monocle__resolve_method (function) : NULL;
	return method ? method : reflecting;
}
