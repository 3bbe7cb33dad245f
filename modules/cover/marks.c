/*
 * SPDX-License-Identifier: MIT
 *
 * marks.c - see marks.h. The tables are gone through once for each image that is wanted: no attribute is ever looked up
 * for a method.
 */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/blob.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/row-indexes.h>

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint32_t
rows_of (const marks *m, int table)
{
	int rows = mono_image_get_table_rows (m->image, table);
	return rows > 0 ? (uint32_t) rows : 0;
}

/* A column of a row from 1 on; 0 where there is no such row. */
static uint32_t
column (const marks *m, int table, uint32_t row, unsigned which)
{
	if (!row || row > rows_of (m, table))
		return 0;
	return mono_metadata_decode_row_col (mono_image_get_table_info (m->image, table), (int) row - 1, which);
}

static const char *
text_of (const marks *m, uint32_t index)
{
	const char *text = mono_metadata_string_heap (m->image, index);
	return text ? text : "";
}

const char *
marks_type_name (const marks *m, uint32_t type)
{
	return text_of (m, column (m, MONO_TABLE_TYPEDEF, type, MONO_TYPEDEF_NAME));
}

const char *
marks_method_name (const marks *m, uint32_t method)
{
	return text_of (m, column (m, MONO_TABLE_METHOD, method, MONO_METHOD_NAME));
}

void
marks_name_type (const marks *m, uint32_t type, char *name, uint32_t size)
{
	uint32_t outer = m->enclosing[type - 1];
	const char *name_space = text_of (m, column (m, MONO_TABLE_TYPEDEF, type, MONO_TYPEDEF_NAMESPACE));
	size_t length = 0;
	if (outer) {
		marks_name_type (m, outer, name, size);
		length = strlen (name);
	}
	const char *before = outer ? "/" : *name_space ? "." : "";
	snprintf (name + length, size - length, "%s%s%s", outer ? "" : name_space, before, marks_type_name (m, type));
}

/* The class of a row; a damaged table nests nothing, so that there are no circles. */
static void
read_types (marks *m)
{
	for (uint32_t row = 1; row <= rows_of (m, MONO_TABLE_NESTEDCLASS); row++) {
		uint32_t nested = column (m, MONO_TABLE_NESTEDCLASS, row, MONO_NESTED_CLASS_NESTED);
		uint32_t outer = column (m, MONO_TABLE_NESTEDCLASS, row, MONO_NESTED_CLASS_ENCLOSING);
		if (nested && nested <= m->type_count && outer < nested)
			m->enclosing[nested - 1] = outer;
	}
	for (uint32_t type = m->type_count; type; type--) {
		uint32_t first = column (m, MONO_TABLE_TYPEDEF, type, MONO_TYPEDEF_METHOD_LIST);
		uint32_t next = m->first_method[type];
		m->first_method[type - 1] = first && first < next ? first : next;
	}
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* "N.FooAttribute" and "Foo" mean N.FooAttribute; `plain` is without suffix, `full` with the namespace before that. */
static bool
is_named (const char *item, const char *plain, const char *full)
{
	const char *end = strstr (item, "Attribute");
	size_t length = end && end > item && !end[9] ? (size_t) (end - item) : strlen (item);
	return (strlen (plain) == length && !strncmp (item, plain, length)) ||
	       (strlen (full) == length && !strncmp (item, full, length));
}

/* What the attribute of that class means. */
static uint8_t
meaning_of (const char *name_space, const char *name, const pattern_list *attributes)
{
	char plain[256], full[512];
	size_t length = strlen (name);
	bool has_suffix = length > 9 && strcmp (name + length - 9, "Attribute") == 0;
	snprintf (plain, sizeof plain, "%.*s", (int) (has_suffix ? length - 9 : length), name);
	snprintf (full, sizeof full, "%s%s%s", name_space, *name_space ? "." : "", plain);
	if (strcmp (plain, "ExcludeFromCodeCoverage") == 0)
		return MARK_EXCLUDED;
	bool is_asked = false;
	for (uint32_t i = 0; i < attributes->count && !is_asked; i++)
		is_asked = is_named (attributes->items[i], plain, full);
	if (strcmp (plain, "CompilerGenerated") == 0)
		return MARK_COMPILER | (is_asked ? MARK_UNWANTED : 0);
	return is_asked ? MARK_EXCLUDED : 0;
}

/* The class whose constructor that is. */
static uint8_t
meaning_of_constructor (const marks *m, uint32_t coded, const pattern_list *attributes)
{
	uint32_t row = coded >> MONO_CUSTOM_ATTR_TYPE_BITS, tag = coded & MONO_CUSTOM_ATTR_TYPE_MASK;
	uint32_t type = 0, name = 0, name_space = 0;
	if (tag == MONO_CUSTOM_ATTR_TYPE_METHODDEF && row && row <= m->method_count)
		type = mono_metadata_typedef_from_method (m->image, row);
	uint32_t parent = tag == MONO_CUSTOM_ATTR_TYPE_MEMBERREF
	                    ? column (m, MONO_TABLE_MEMBERREF, row, MONO_MEMBERREF_CLASS)
	                    : type << MONO_MEMBERREF_PARENT_BITS | MONO_MEMBERREF_PARENT_TYPEDEF;
	row = parent >> MONO_MEMBERREF_PARENT_BITS;
	if ((parent & MONO_MEMBERREF_PARENT_MASK) == MONO_MEMBERREF_PARENT_TYPEREF) {
		name = column (m, MONO_TABLE_TYPEREF, row, MONO_TYPEREF_NAME);
		name_space = column (m, MONO_TABLE_TYPEREF, row, MONO_TYPEREF_NAMESPACE);
	} else if ((parent & MONO_MEMBERREF_PARENT_MASK) == MONO_MEMBERREF_PARENT_TYPEDEF) {
		name = column (m, MONO_TABLE_TYPEDEF, row, MONO_TYPEDEF_NAME);
		name_space = column (m, MONO_TABLE_TYPEDEF, row, MONO_TYPEDEF_NAMESPACE);
	}
	return name ? meaning_of (text_of (m, name_space), text_of (m, name), attributes) : 0;
}

/* Properties and events, by row - 1. */
typedef struct {
	uint32_t property_count, event_count;
	uint8_t *properties, *events;
} associations;

static void
mark_parent (marks *m, associations *a, uint32_t coded, uint8_t meaning)
{
	uint32_t row = coded >> MONO_CUSTOM_ATTR_BITS;
	if (!row)
		return;
	switch (coded & MONO_CUSTOM_ATTR_MASK) {
	case MONO_CUSTOM_ATTR_METHODDEF:
		if (row <= m->method_count)
			m->methods[row - 1] |= meaning;
		break;
	case MONO_CUSTOM_ATTR_TYPEDEF:
		if (row <= m->type_count)
			m->types[row - 1] |= meaning;
		break;
	case MONO_CUSTOM_ATTR_PROPERTY:
		if (row <= a->property_count)
			a->properties[row - 1] |= meaning;
		break;
	case MONO_CUSTOM_ATTR_EVENT:
		if (row <= a->event_count)
			a->events[row - 1] |= meaning;
		break;
	case MONO_CUSTOM_ATTR_ASSEMBLY:
	case MONO_CUSTOM_ATTR_MODULE: m->is_excluded |= (meaning & MARK_EXCLUDED) != 0; break;
	default: break;
	}
}

/* Rows of the same attribute lie side by side or not: its constructor is looked at once where they do. */
static void
read_attributes (marks *m, associations *a, const pattern_list *attributes)
{
	uint32_t rows = rows_of (m, MONO_TABLE_CUSTOMATTRIBUTE), count = rows_of (m, MONO_TABLE_MEMBERREF);
	uint8_t *known = calloc (count + 1, 1); /* meaning + 1, by the row of the constructor */
	for (uint32_t row = 1; row <= rows; row++) {
		uint32_t type = column (m, MONO_TABLE_CUSTOMATTRIBUTE, row, MONO_CUSTOM_ATTR_TYPE);
		uint32_t reference = type >> MONO_CUSTOM_ATTR_TYPE_BITS;
		bool is_reference = (type & MONO_CUSTOM_ATTR_TYPE_MASK) == MONO_CUSTOM_ATTR_TYPE_MEMBERREF;
		bool has_place = known && is_reference && reference <= count;
		uint8_t meaning = has_place && known[reference] ? (uint8_t) (known[reference] - 1)
		                                                : meaning_of_constructor (m, type, attributes);
		if (has_place)
			known[reference] = (uint8_t) (meaning + 1);
		if (meaning)
			mark_parent (m, a, column (m, MONO_TABLE_CUSTOMATTRIBUTE, row, MONO_CUSTOM_ATTR_PARENT), meaning);
	}
	free (known);
}

static void
read_accessors (marks *m, const associations *a)
{
	for (uint32_t row = 1; row <= rows_of (m, MONO_TABLE_METHODSEMANTICS); row++) {
		uint32_t method = column (m, MONO_TABLE_METHODSEMANTICS, row, MONO_METHOD_SEMA_METHOD);
		uint32_t coded = column (m, MONO_TABLE_METHODSEMANTICS, row, MONO_METHOD_SEMA_ASSOCIATION);
		uint32_t owner = coded >> MONO_HAS_SEMANTICS_BITS;
		bool is_property = (coded & MONO_HAS_SEMANTICS_MASK) == MONO_HAS_SEMANTICS_PROPERTY;
		if (!method || method > m->method_count || !owner || owner > (is_property ? a->property_count : a->event_count))
			continue;
		m->methods[method - 1] |= (is_property ? a->properties : a->events)[owner - 1] & MARK_EXCLUDED;
		m->methods[method - 1] |= is_property ? MARK_ACCESSOR : 0;
	}
}

static bool
read_things (marks *m, const pattern_list *attributes)
{
	associations a = { rows_of (m, MONO_TABLE_PROPERTY), rows_of (m, MONO_TABLE_EVENT), NULL, NULL };
	a.properties = calloc (a.property_count + 1, 1);
	a.events = calloc (a.event_count + 1, 1);
	bool has_room = a.properties && a.events;
	if (has_room) {
		read_attributes (m, &a, attributes);
		read_accessors (m, &a);
	}
	free (a.properties);
	free (a.events);
	return has_room;
}

/* --- what follows from them --------------------------------------------------------------------------------------- */

/* Compilers begin the names of what they make with a bracket. */
static bool
is_made (const char *name)
{
	return name[0] == '<';
}

/* With `attribute=CompilerGenerated` it is: but not what a compiler made of methods that somebody wrote. */
static void
settle (uint8_t *mark, const char *name)
{
	if ((*mark & MARK_UNWANTED) && !is_made (name))
		*mark |= MARK_EXCLUDED;
}

static void
spread_types (marks *m)
{
	for (uint32_t type = 1; type <= m->type_count; type++) {
		uint32_t outer = m->enclosing[type - 1];
		if (m->types[type - 1] & MARK_UNWANTED)
			settle (&m->types[type - 1], marks_type_name (m, type));
		if (outer)
			m->types[type - 1] |= m->types[outer - 1] & MARK_EXCLUDED;
		for (uint32_t method = m->first_method[type - 1]; method < m->first_method[type]; method++) {
			if (m->methods[method - 1] & MARK_UNWANTED)
				settle (&m->methods[method - 1], marks_method_name (m, method));
			m->methods[method - 1] |= m->types[type - 1] & MARK_EXCLUDED;
		}
	}
}

/* "<<M>b__0>d__1" has inside it "<M>b__0", and that has "M". False: there is no such text. */
static bool
inside (const char *name, size_t length, const char **ret_inside, size_t *ret_length)
{
	int depth = 0;
	if (length < 3 || *name != '<')
		return false;
	for (size_t i = 0; i < length; i++) {
		depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
		if (depth)
			continue;
		*ret_inside = name + 1;
		*ret_length = i - 1;
		return i > 1;
	}
	return false;
}

/* Are there methods of that name in the class, all of them excluded? */
static bool
all_are_excluded (const marks *m, uint32_t type, const char *name, size_t length)
{
	bool found = false;
	for (uint32_t method = m->first_method[type - 1]; method < m->first_method[type]; method++) {
		const char *candidate = marks_method_name (m, method);
		if (strncmp (candidate, name, length) || candidate[length])
			continue;
		if (!(m->methods[method - 1] & MARK_EXCLUDED))
			return false;
		found = true;
	}
	return found;
}

static bool
origin_is_excluded (const marks *m, uint32_t owner, const char *name)
{
	size_t length = strlen (name);
	while (inside (name, length, &name, &length))
		if (all_are_excluded (m, owner, name, length))
			return true;
	return false;
}

/* The class that a person wrote. */
static uint32_t
owner_of (const marks *m, uint32_t type)
{
	while (m->enclosing[type - 1] && is_made (marks_type_name (m, type)))
		type = m->enclosing[type - 1];
	return type;
}

/* Lambdas, local functions, and classes of iterators, of async methods and of closures go with their method. */
static void
spread_to_made (marks *m)
{
	for (uint32_t type = 1; type <= m->type_count; type++) {
		uint32_t owner = owner_of (m, type);
		bool whole = false;
		for (uint32_t t = type; t != owner && !whole; t = m->enclosing[t - 1])
			whole = origin_is_excluded (m, owner, marks_type_name (m, t));
		for (uint32_t method = m->first_method[type - 1]; method < m->first_method[type]; method++)
			if (whole || origin_is_excluded (m, owner, marks_method_name (m, method)))
				m->methods[method - 1] |= MARK_EXCLUDED;
	}
}

static bool
any_is_excluded (const marks *m)
{
	for (uint32_t i = 0; i < m->method_count; i++)
		if (m->methods[i] & MARK_EXCLUDED)
			return true;
	return false;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

bool
marks_read (marks *ret_marks, MonoImage *image, const pattern_list *attributes)
{
	marks *m = ret_marks;
	*m = (marks) { .image = image };
	m->method_count = rows_of (m, MONO_TABLE_METHOD);
	m->type_count = rows_of (m, MONO_TABLE_TYPEDEF);
	m->methods = calloc (m->method_count + 1, 1);
	m->types = calloc (m->type_count + 1, 1);
	m->enclosing = calloc (m->type_count + 1, sizeof *m->enclosing);
	m->first_method = calloc (m->type_count + 1, sizeof *m->first_method);
	if (!m->methods || !m->types || !m->enclosing || !m->first_method)
		return false;
	m->first_method[m->type_count] = m->method_count + 1;
	read_types (m);
	if (!read_things (m, attributes))
		return false;
	spread_types (m);
	if (any_is_excluded (m))
		spread_to_made (m);
	return true;
}

void
marks_free (marks *m)
{
	free (m->methods);
	free (m->types);
	free (m->enclosing);
	free (m->first_method);
}
