/*
 * SPDX-License-Identifier: MIT
 *
 * attribute.h - custom attributes (ECMA-335 II.21, II.22.10, II.23.3): the rows of a token, and what they hold.
 *
 * Nothing here allocates or calls a runtime; everything is async-safe and points into the image. Negative codes are
 * those of ecma.h.
 */
#ifndef MONOCLE_ECMA_ATTRIBUTE_H
#define MONOCLE_ECMA_ATTRIBUTE_H

#include "ecma.h"

typedef struct {
	uint32_t parent_token, constructor_token; /* the constructor is a MethodDef or a MemberRef */
	const uint8_t *value;
	uint32_t size;
} monocle__attribute;

/* Row numbers of the attributes of a token: the first behind row `after` (0: of all), or 0 when there are no more. */
uint32_t monocle__attribute_row (const monocle__ecma_image *image, uint32_t token, uint32_t after);
int monocle__attribute_get (const monocle__ecma_image *image, uint32_t row, monocle__attribute *ret_attribute);
/* The class whose instance it is: a TypeDef, or a TypeRef; for an instance of a generic class that class. 0: none. */
uint32_t monocle__attribute_class (const monocle__ecma_image *image, const monocle__attribute *attribute);
/* The row of the first attribute of a class with these names (NULL is "") on a token, or 0. */
uint32_t monocle__attribute_find (const monocle__ecma_image *image, uint32_t token, const char *name_space,
                                  const char *name);

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/*
 * An enum's values are as wide as its underlying type, which another image knows: the resolver answers its element type
 * (MONOCLE__ET_BOOLEAN to MONOCLE__ET_U8), or 0 when it cannot. `token` is the TypeRef, or 0 when only the assembly
 * qualified name is known.
 */
typedef uint8_t (*monocle__enum_resolver) (void *context, uint32_t token, const char *name, uint32_t name_size);

typedef enum {
	MONOCLE__ARGUMENT_FIXED, /* of the constructor, in order */
	MONOCLE__ARGUMENT_FIELD,
	MONOCLE__ARGUMENT_PROPERTY,
	MONOCLE__ARGUMENT_ELEMENT, /* of the last array whose elements are not all told yet */
} monocle__argument_role;

/* Strings are UTF-8 without a NUL. */
typedef struct {
	uint8_t role;  /* monocle__argument_role */
	uint8_t type;  /* MONOCLE__ET_BOOLEAN to _R8, _STRING, _TYPE (a type by its name), _SZARRAY */
	bool is_enum;  /* then `type` is its underlying one */
	bool is_null;  /* a string, type or array that is none */
	uint8_t depth; /* of arrays around it */
	const char *name;
	uint32_t name_size; /* of fields and properties */
	int64_t number;     /* integers and characters; floats as their bits, U8 as the same 64 bits */
	const char *text;
	uint32_t text_size; /* strings and types */
	uint32_t count;     /* arrays: so many elements come next, with what is in them */
} monocle__attribute_argument;

enum { MONOCLE__ATTRIBUTE_DEPTH_MAX = 8 };

/* Types of values, as signatures and blobs name them. */
typedef struct {
	uint8_t type;
	bool is_array, is_enum;
} monocle__attribute_type;

/* A walk over the arguments of one attribute. */
typedef struct {
	const monocle__ecma_image *image;
	monocle__enum_resolver resolve;
	void *context;
	monocle__ecma_cursor signature, value, instance; /* types of parameters, the blob, type arguments of the class */
	uint32_t fixed_left, named_left;
	bool in_named;
	uint32_t depth;
	struct {
		monocle__attribute_type type;
		uint32_t left;
	} arrays[MONOCLE__ATTRIBUTE_DEPTH_MAX];
	int error;
} monocle__attribute_reader;

/* 0, or what is wrong with the constructor. Without a resolver enums of other images count as 32 bit, as most are. */
int monocle__attribute_read (monocle__attribute_reader *ret_reader, const monocle__ecma_image *image,
                             const monocle__attribute *attribute, monocle__enum_resolver resolve, void *context);
/* 1 and an argument, 0 at the end, negative where the blob breaks off: RANGE for an enum that the resolver refuses. */
int monocle__attribute_next (monocle__attribute_reader *reader, monocle__attribute_argument *ret_argument);

#endif
