/*
 * SPDX-License-Identifier: MIT
 *
 * returns.c - which methods are said not to return: they have DoesNotReturnAttribute, whoever defines it.
 *
 * Calls name a few methods many times: what is known of a row of MemberRef is kept with the image. A method whose image
 * is not loaded yet is taken to return, and looked for again the next time.
 */
#include <stdlib.h>
#include <string.h>
#include "attribute.h"
#include "describe-priv.h"

enum { UNKNOWN, RETURNS, DOES_NOT }; /* of a row of MemberRef */

static bool
is_marked (const monocle__ecma_image *ecma, uint32_t method)
{
	return monocle__attribute_find (ecma, method, "System.Diagnostics.CodeAnalysis", "DoesNotReturnAttribute") != 0;
}

static bool
is_named (const monocle__ecma_image *ecma, uint32_t rid, const char *name)
{
	uint32_t offset;
	const char *text = monocle__ecma_column (ecma, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_Name, &offset)
	                     ? NULL
	                     : monocle__ecma_string (ecma, offset);
	return text && strcmp (text, name) == 0;
}

/* Has the class a method of that name that is marked? It may be another one than is meant. */
static bool
has_marked (monocle__describe_image *image, MonoClass *klass, const char *name)
{
	monocle__ecma_typedef row;
	bool found = false;
	if (monocle__ecma_get_typedef (&image->ecma, monocle_class_token (klass), &row))
		return false;
	for (uint32_t rid = row.first_method; rid < row.end_method && !found; rid++)
		found = is_named (&image->ecma, rid, name) && is_marked (&image->ecma, MONOCLE__TABLE_MethodDef << 24 | rid);
	return found;
}

/* Only where a method of the name is marked is it asked which of that name is meant. */
static int
ask (monocle__describe_image *from, uint32_t reference, MonoClass *klass, const char *name)
{
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (klass));
	if (!monocle_class_token (klass) || !image || !monocle__describe_image_read_begin (image))
		return UNKNOWN;
	int known = RETURNS;
	if (has_marked (image, klass, name)) {
		MonoMethod *method = monocle__describe_method (from, reference, NULL, NULL);
		if (method && mono_class_get_image (mono_method_get_class (method)) == image->record &&
		    is_marked (&image->ecma, monocle_method_token (method)))
			known = DOES_NOT;
	}
	monocle__describe_image_read_end (image);
	return known;
}

static int
ask_reference (monocle__describe_image *image, uint32_t token)
{
	uint32_t parent, offset, rid = token & 0xFFFFFF;
	if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MemberRef, rid, MONOCLE__COL_MemberRef_Class, &parent) ||
	    monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MemberRef, rid, MONOCLE__COL_MemberRef_Name, &offset))
		return RETURNS;
	parent = monocle__ecma_coded_token (MONOCLE__CODED_MemberRefParent, parent);
	const char *name = monocle__ecma_string (&image->ecma, offset);
	if (parent >> 24 == MONOCLE__TABLE_MethodDef)
		return is_marked (&image->ecma, parent) ? DOES_NOT : RETURNS;
	MonoClass *klass = name ? monocle__describe_class_of_token (image, parent, NULL, NULL) : NULL;
	if (klass && mono_class_get_rank (klass))
		return RETURNS;
	return klass ? ask (image, token, klass, name) : UNKNOWN;
}

/* NULL: no memory. */
static _Atomic uint8_t *
known_references (monocle__describe_image *image)
{
	_Atomic uint8_t *known = atomic_load (&image->references), *none = NULL;
	if (known)
		return known;
	known = calloc (monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_MemberRef) + 1u, sizeof *known);
	if (known && atomic_compare_exchange_strong (&image->references, &none, known))
		return known;
	free ((void *) known);
	return none;
}

static bool
reference_returns (monocle__describe_image *image, uint32_t token)
{
	uint32_t rid = token & 0xFFFFFF;
	_Atomic uint8_t *known = known_references (image);
	if (!known || rid - 1 >= monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_MemberRef))
		return true;
	if (known[rid] == UNKNOWN)
		known[rid] = (uint8_t) ask_reference (image, token);
	return known[rid] != DOES_NOT;
}

bool
monocle__describe_returns (monocle__describe_image *image, uint32_t token)
{
	uint32_t generic;
	if (token >> 24 == MONOCLE__TABLE_MethodSpec) {
		if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MethodSpec, token & 0xFFFFFF,
		                          MONOCLE__COL_MethodSpec_Method, &generic))
			return true;
		token = monocle__ecma_coded_token (MONOCLE__CODED_MethodDefOrRef, generic);
	}
	if (token >> 24 == MONOCLE__TABLE_MemberRef)
		return reference_returns (image, token);
	return token >> 24 != MONOCLE__TABLE_MethodDef || !is_marked (&image->ecma, token);
}
