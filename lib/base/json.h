/*
 * SPDX-License-Identifier: MIT
 *
 * json.h - walks over JSON where it lies, without building anything.
 *
 * A text is checked once, whole; what is handed out after that are spans of a well-formed text, and nothing else here
 * can fail but by being of another type. Nothing recurses.
 */
#ifndef MONOCLE_BASE_JSON_H
#define MONOCLE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* One value, without the spaces around it; at == end: there is none. */
typedef struct {
	const char *at, *end;
} monocle__json;

/*
 * Is this one JSON value (RFC 8259) and nothing else? When not, *ret_offset is where it stops being one. Arrays and
 * objects may be nested 256 deep.
 */
bool monocle__json_check (const char *bytes, size_t size, monocle__json *ret_value, size_t *ret_offset);

/* '{', '[', '"', 't', 'f', 'n', '0' for numbers, or 0 where there is no value. */
char monocle__json_kind (monocle__json value);

/* The first member with this name (written without escapes); none where the value is no object. */
monocle__json monocle__json_member (monocle__json object, const char *name);

/* What is left of an array's items: while (monocle__json_next (&rest, &item)). Nothing where the value is no array. */
monocle__json monocle__json_items (monocle__json array);
bool monocle__json_next (monocle__json *rest, monocle__json *ret_item);
/* The same for an object: while (monocle__json_next_member (&rest, &name, &value)). Nothing where it is no object. */
monocle__json monocle__json_members (monocle__json object);
bool monocle__json_next_member (monocle__json *rest, monocle__json *ret_name, monocle__json *ret_value);

/* false: it is no number. */
bool monocle__json_number (monocle__json value, double *ret_number);
/* The same for a whole number from 0 to SIZE_MAX / 2. */
bool monocle__json_index (monocle__json value, size_t *ret_index);
/* Is it this string? Escapes are not looked into. */
bool monocle__json_equals (monocle__json value, const char *text);
/*
 * Writes what the string stands for into `out`, which has room for as many bytes as the value is written with, and
 * answers its length; 0 when it is no string. Half a surrogate pair becomes U+FFFD. No NUL.
 */
size_t monocle__json_unescape (monocle__json value, char *out);

#endif
