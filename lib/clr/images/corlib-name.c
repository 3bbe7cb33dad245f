/*
 * SPDX-License-Identifier: MIT
 *
 * corlib-name.c - see corlib-name.h. Any thread.
 */
#include "corlib-name.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "state.h"

enum { UNKNOWN, HAS, LACKS };

static _Atomic (uint8_t) known[MONOCLE__PRIVATE_FEATURES];

/* --- looking for one name ----------------------------------------------------------------------------------------- */

/* Is `name` the first `length` bytes of a path of nested types? */
static bool
is_part (const char *name, const char *path, size_t length)
{
	return strlen (name) == length && memcmp (name, path, length) == 0;
}

static uint32_t
nested_in (const monocle__ecma_image *image, uint32_t owner, const char *path, size_t length)
{
	monocle__ecma_typedef type;
	uint32_t rows = monocle__ecma_rows (image, MONOCLE__TABLE_TypeDef);
	for (uint32_t token = owner + 1; (token & 0xFFFFFF) <= rows; token++)
		if (monocle__ecma_enclosing (image, token) == owner && monocle__ecma_get_typedef (image, token, &type) == 0 &&
		    is_part (type.name, path, length))
			return token;
	return 0;
}

static uint32_t
find_type (const monocle__ecma_image *image, const monocle__private_member *member)
{
	char space[128], outermost[128];
	const char *type = monocle__private_name_type (member->type);
	size_t length = strcspn (type, "/");
	snprintf (outermost, sizeof outermost, "%.*s", (int) length, type);
	snprintf (space, sizeof space, "%.*s", (int) (type > member->type ? type - member->type - 1 : 0), member->type);
	uint32_t token = monocle__ecma_find_typedef (image, space, outermost);
	for (const char *path = type + length; token && *path; path += length) {
		length = strcspn (++path, "/");
		token = nested_in (image, token, path, length);
	}
	return token;
}

static uint32_t
find_method (const monocle__ecma_image *image, const monocle__ecma_typedef *type, const char *name)
{
	monocle__ecma_methoddef row;
	for (uint32_t rid = type->first_method; rid < type->end_method; rid++)
		if (monocle__ecma_get_methoddef (image, MONOCLE__TABLE_MethodDef << 24 | rid, &row) == 0 &&
		    strcmp (row.name, name) == 0)
			return MONOCLE__TABLE_MethodDef << 24 | rid;
	return 0;
}

static uint32_t
find_field (const monocle__ecma_image *image, const monocle__ecma_typedef *type, const char *name)
{
	uint32_t text;
	for (uint32_t rid = type->first_field; rid < type->end_field; rid++)
		if (monocle__ecma_column (image, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Name, &text) == 0 &&
		    strcmp (monocle__ecma_string (image, text), name) == 0)
			return MONOCLE__TABLE_Field << 24 | rid;
	return 0;
}

uint32_t
monocle__corlib_name_token (const monocle__ecma_image *corlib, monocle__private_id id)
{
	const monocle__private_member *member = &monocle__private_members[id];
	monocle__ecma_typedef type;
	uint32_t token = find_type (corlib, member);
	if (!token || !*member->member || monocle__ecma_get_typedef (corlib, token, &type))
		return token;
	uint32_t method = find_method (corlib, &type, member->member);
	return method ? method : find_field (corlib, &type, member->member);
}

/* --- looking at one method ---------------------------------------------------------------------------------------- */

static bool
is_name_space (const char *name_space, const char *begin, const char *end)
{
	return is_part (name_space, begin, end > begin ? (size_t) (end - begin) - 1 : 0);
}

/* Is the type the one that the path leads to? Compared from its end on. */
static bool
is_type (const monocle__ecma_image *image, uint32_t token, const monocle__private_member *member)
{
	const char *outermost = monocle__private_name_type (member->type), *end = member->type + strlen (member->type);
	monocle__ecma_typedef type;
	for (; token; token = type.enclosing_token) {
		const char *begin = end;
		while (begin > outermost && begin[-1] != '/')
			begin--;
		if (monocle__ecma_get_typedef (image, token, &type) || !is_part (type.name, begin, (size_t) (end - begin)))
			return false;
		if (begin == outermost)
			return !type.enclosing_token && is_name_space (type.name_space, member->type, outermost);
		end = begin - 1;
	}
	return false;
}

monocle__private_id
monocle__corlib_name_of (const monocle__ecma_image *corlib, mdToken method, monocle__private_feature feature)
{
	monocle__ecma_methoddef row;
	if (monocle__ecma_get_methoddef (corlib, method, &row))
		return MONOCLE__NAMES;
	for (int i = 0; i < MONOCLE__NAMES; i++) {
		const monocle__private_member *member = &monocle__private_members[i];
		if (member->feature == feature && (!*member->member || strcmp (member->member, row.name) == 0) &&
		    is_type (corlib, monocle__ecma_method_owner (corlib, method), member))
			return (monocle__private_id) i;
	}
	return MONOCLE__NAMES;
}

/* --- features ----------------------------------------------------------------------------------------------------- */

/* A name of the feature that this version should have and has not; NULL: it has all. */
static const monocle__private_member *
missing (const monocle__ecma_image *corlib, monocle__private_feature feature)
{
	for (int i = 0; i < MONOCLE__NAMES; i++) {
		const monocle__private_member *member = &monocle__private_members[i];
		if (member->feature == feature && monocle__private_name_is_seen (member->seen, monocle__clr_state.major) &&
		    !monocle__corlib_name_token (corlib, (monocle__private_id) i))
			return member;
	}
	return NULL;
}

static bool
is_known_version (void)
{
	return monocle__clr_state.major && monocle__private_name_is_known (monocle__clr_state.major);
}

/* Threads that look at the same time find the same. */
bool
monocle__corlib_name_has (monocle__private_feature feature)
{
	uint8_t state = atomic_load (&known[feature]);
	const monocle__clr_image *corlib = monocle__clr_image_corlib ();
	if (state != UNKNOWN || !corlib || !corlib->cli.readable)
		return state == HAS;
	state = is_known_version () && !missing (&corlib->cli.ecma, feature) ? HAS : LACKS;
	atomic_store (&known[feature], state);
	return state == HAS;
}

bool
monocle__corlib_name_serves (monocle__private_feature feature)
{
	static atomic_bool said[MONOCLE__PRIVATE_FEATURES];
	const char *words = monocle__private_name_feature (feature);
	const monocle__clr_image *corlib = monocle__clr_image_corlib ();
	if (monocle__corlib_name_has (feature))
		return true;
	if (!corlib || !corlib->cli.readable || atomic_exchange (&said[feature], true))
		return false;
	const monocle__private_member *member = is_known_version () ? missing (&corlib->cli.ecma, feature) : NULL;
	if (member)
		monocle__clr_complain ("%s: this .NET %u has no %s%s%s", words, monocle__clr_state.major, member->type,
		                       *member->member ? ":" : "", member->member);
	else
		monocle__clr_complain ("%s: what that needs is not known of .NET %u", words, monocle__clr_state.major);
	return false;
}
