/*
 * SPDX-License-Identifier: MIT
 *
 * editable.c - see editable.h. Where DOTNET_MODIFIABLE_ASSEMBLIES=debug asks for it, the runtime takes edits of each
 * image whose DebuggableAttribute says that its code is not to be optimised. An edit is metadata that the compiler made
 * for the image that it knows: its rows have the numbers that come next there, and its heaps go behind the image's own.
 * A row or a signature that we add to such an image takes the place of one of the edit's.
 */
#include "editable.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "attribute.h"
#include "environment.h"
#include "il.h"
#include "state.h"
#include "tables.h"

/* System.Diagnostics.DebuggableAttribute.DebuggingModes: both are needed, as the runtime has it. */
enum { TRACKS = 0x1, IS_NOT_OPTIMISED = 0x100 };

/* The value of an attribute (II.23.3): a prolog, then the arguments of the constructor. */
enum { PROLOG_SIZE = 2, FLAGS_SIZE = 2, MODES_SIZE = 4 };

static const uint32_t assembly_token = 0x20000001;

static bool
is_forced (const char *name)
{
	const char *value = monocle__variable (name);
	return value && strtoul (value, NULL, 16) != 0;
}

bool
monocle__editable_allowed (void)
{
	const char *wish = monocle__variable ("DOTNET_MODIFIABLE_ASSEMBLIES");
	return (wish && strcasecmp (wish, "debug") == 0) || is_forced ("DOTNET_ForceEnc") || is_forced ("COMPlus_ForceEnc");
}

/* --- the constructor ---------------------------------------------------------------------------------------------- */

static bool
is_named (const char *name, const char *wanted)
{
	return name && strcmp (name, wanted) == 0;
}

/* The core library, or one that stands for it in what compilers are given. */
static bool
is_core (const monocle__ecma_image *image, uint32_t scope)
{
	static const char *const names[] = { "System.Runtime", "System.Private.CoreLib", "netstandard", "mscorlib" };
	monocle__ecma_assembly assembly;
	bool is = false;
	if (scope >> 24 != MONOCLE__TABLE_AssemblyRef || monocle__ecma_get_assemblyref (image, scope & 0xFFFFFF, &assembly))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is |= is_named (assembly.name, names[i]);
	return is;
}

/* The class of the core library, and not one of the program's that is called the same. */
static bool
is_core_class (const monocle__ecma_image *image, uint32_t class_token)
{
	const char *name, *name_space;
	uint32_t scope;
	return class_token >> 24 == MONOCLE__TABLE_TypeRef &&
	       monocle__ecma_get_typeref (image, class_token, &name, &name_space, &scope) == 0 && is_core (image, scope);
}

/* The class's own DebuggingModes? */
static bool
is_modes (const monocle__ecma_image *image, uint32_t type, uint32_t class_token)
{
	const char *name, *name_space;
	uint32_t scope;
	return type >> 24 == MONOCLE__TABLE_TypeRef &&
	       monocle__ecma_get_typeref (image, type, &name, &name_space, &scope) == 0 && scope == class_token &&
	       is_named (name, "DebuggingModes");
}

/* void (DebuggingModes) */
static bool
is_signature (const monocle__ecma_image *image, uint32_t signature, uint32_t class_token)
{
	enum { HAS_THIS = 0x20 };
	const uint8_t *data;
	uint32_t size;
	if (monocle__ecma_blob (image, signature, &data, &size))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	bool is = monocle__ecma_read_byte (&cursor) == HAS_THIS && monocle__ecma_read_u (&cursor) == 1 &&
	          monocle__ecma_read_byte (&cursor) == MONOCLE__ET_VOID &&
	          monocle__ecma_read_byte (&cursor) == MONOCLE__ET_VALUETYPE;
	uint32_t type = is ? monocle__ecma_read_type_token (&cursor) : 0;
	return is && !cursor.error && is_modes (image, type, class_token);
}

/*
 * The runtime goes by the name of the attribute's class and never calls the constructor. Our probes do, so this must be
 * one that is there, and the core library's. (The other one takes two truth values.)
 */
static bool
takes_modes (const monocle__ecma_image *image, uint32_t constructor)
{
	uint32_t row = constructor & 0xFFFFFF, parent, name, signature;
	if (constructor >> 24 != MONOCLE__TABLE_MemberRef ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, row, MONOCLE__COL_MemberRef_Class, &parent) ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, row, MONOCLE__COL_MemberRef_Name, &name) ||
	    monocle__ecma_column (image, MONOCLE__TABLE_MemberRef, row, MONOCLE__COL_MemberRef_Signature, &signature))
		return false;
	uint32_t class_token = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	return is_named (monocle__ecma_string (image, name), ".ctor") && is_core_class (image, class_token) &&
	       is_signature (image, signature, class_token);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* As the runtime reads it: two truth values, or a number. */
static bool
says_not_optimised (const monocle__attribute *attribute)
{
	const uint8_t *value = attribute->value;
	if (attribute->size == PROLOG_SIZE + FLAGS_SIZE + PROLOG_SIZE)
		return value[PROLOG_SIZE] && value[PROLOG_SIZE + 1];
	if (attribute->size < PROLOG_SIZE + MODES_SIZE)
		return false;
	unsigned modes = value[PROLOG_SIZE] | (unsigned) value[PROLOG_SIZE + 1] << 8;
	return (modes & (TRACKS | IS_NOT_OPTIMISED)) == (TRACKS | IS_NOT_OPTIMISED);
}

bool
monocle__editable_is (const monocle__ecma_image *image, uint32_t *ret_constructor)
{
	monocle__attribute attribute;
	uint32_t row =
	    !monocle__editable_allowed ()
	        ? 0
	        : monocle__attribute_find (image, assembly_token, MONOCLE__EDITABLE_NAME_SPACE, MONOCLE__EDITABLE_CLASS);
	if (!row || monocle__attribute_get (image, row, &attribute) || !says_not_optimised (&attribute))
		return false;
	*ret_constructor = takes_modes (image, attribute.constructor_token) ? attribute.constructor_token : 0;
	return true;
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static const uint8_t *
body_now (const monocle__clr_image *image, mdToken method, size_t *ret_size)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	const uint8_t *data = NULL;
	ULONG size = 0;
	if (info->vtbl->GetILFunctionBody (info, image->id, method, &data, &size) < 0)
		return NULL;
	*ret_size = size;
	return data;
}

/* NULL: no body of ours was given for the method. */
static monocle__clr_body *
noted (const monocle__clr_image *image, mdToken method)
{
	monocle__clr_body *bodies = atomic_load (&image->bodies);
	uint32_t row = method & 0xFFFFFF;
	return bodies && row && row <= image->method_rows && atomic_load (&bodies[row - 1].ours) ? &bodies[row - 1] : NULL;
}

const uint8_t *
monocle__editable_body (const monocle__clr_image *image, mdToken method, size_t *ret_size)
{
	const uint8_t *body = body_now (image, method, ret_size);
	monocle__clr_body *note = noted (image, method);
	monocle__il_header header;
	if (!body || !note || body != atomic_load (&note->ours))
		return body;
	body = atomic_load (&note->replaced); /* which is shorter */
	if (monocle__il_read_header (body, *ret_size, &header) == 0)
		*ret_size = header.size;
	return body;
}

/* What we wrote is not in the image: the runtime has it. */
const uint8_t *
monocle__editable_body_of_any (const monocle__clr_image *image, mdToken method, size_t *ret_size)
{
	monocle__ecma_methoddef row;
	if (image->is_editable)
		return monocle__editable_body (image, method, ret_size);
	if (!image->cli.readable || monocle__ecma_get_methoddef (&image->cli.ecma, method, &row) || !row.rva)
		return NULL;
	return monocle__ecma_rva (&image->cli.ecma, row.rva, ret_size);
}

bool
monocle__editable_is_added (const monocle__clr_image *image, mdToken method)
{
	return image->is_editable && image->cli.readable &&
	       (method & 0xFFFFFF) > monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_MethodDef);
}

bool
monocle__editable_is_replaced (const monocle__clr_image *image, mdToken method)
{
	size_t size;
	monocle__clr_body *note = noted (image, method);
	return note && body_now (image, method, &size) != atomic_load (&note->ours);
}

/* Do two bodies differ in operands alone? */
static bool
are_alike (const uint8_t *a, size_t size_a, const uint8_t *b, size_t size_b)
{
	monocle__il_body x = { 0 }, y = { 0 };
	bool alike = monocle__il_read (&x, a, size_a, NULL) == 0 && monocle__il_read (&y, b, size_b, NULL) == 0 &&
	             x.count == y.count;
	for (uint32_t i = 0; alike && i < x.count; i++)
		alike = x.code[i].offset == y.code[i].offset && x.code[i].original_opcode == y.code[i].original_opcode;
	monocle__il_free (&x);
	monocle__il_free (&y);
	return alike;
}

/* A body that took the place of ours is compiled with the map of ours, so that nothing is known of its offsets. */
bool
monocle__editable_has_symbols (const monocle__clr_image *image, mdToken method)
{
	monocle__ecma_methoddef row;
	size_t size, own_size;
	if (!image || !image->is_editable || !image->cli.readable)
		return true;
	if (monocle__editable_is_replaced (image, method) || monocle__ecma_get_methoddef (&image->cli.ecma, method, &row))
		return false;
	const uint8_t *body = monocle__editable_body (image, method, &size);
	const uint8_t *own = monocle__ecma_rva (&image->cli.ecma, row.rva, &own_size);
	return body == own || (body && own && are_alike (body, size, own, own_size));
}

void
monocle__editable_note (monocle__clr_image *image, mdToken method, const uint8_t *ours, const uint8_t *replaced)
{
	monocle__clr_body *bodies = atomic_load (&image->bodies);
	uint32_t row = method & 0xFFFFFF;
	if (!bodies && (bodies = calloc (image->method_rows, sizeof *bodies)))
		atomic_store (&image->bodies, bodies);
	if (!bodies)
		return;
	atomic_store (&bodies[row - 1].replaced, replaced);
	atomic_store (&bodies[row - 1].ours, ours);
}
