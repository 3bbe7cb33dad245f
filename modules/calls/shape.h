/*
 * SPDX-License-Identifier: MIT
 *
 * shape.h - what has to be known of a method to copy and print its arguments and its result.
 *
 * A shape is made when the runtime asks whether the method is wanted, which is before it is compiled: there types can
 * be asked for. At a call nothing is looked up but the shape.
 */
#ifndef MONOCLE_MODULES_CALLS_SHAPE_H
#define MONOCLE_MODULES_CALLS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>

typedef enum {
	VALUE_NAMED, /* nothing is copied: the type's name is all that is shown */
	VALUE_I1,
	VALUE_U1,
	VALUE_I2,
	VALUE_U2,
	VALUE_I4,
	VALUE_U4,
	VALUE_I8,
	VALUE_U8,
	VALUE_R4,
	VALUE_R8,
	VALUE_BOOL,
	VALUE_CHAR,
	VALUE_POINTER,
	VALUE_STRING,
	VALUE_OBJECT,
} value_kind;

typedef struct {
	uint64_t value; /* the bits that a member of the enum has, no more */
	const char *name;
} enum_member;

typedef struct {
	value_kind kind;
	uint8_t size; /* bytes of a value that is not a string or an object, of a Nullable's value */
	bool is_byref;
	bool is_parameter;    /* of a generic type or method */
	bool is_nullable;     /* it is a Nullable of that kind */
	uint8_t at, has_at;   /* where in the Nullable the value is, and whether there is one */
	uint16_t count;       /* of members */
	enum_member *members; /* of an enum */
	const char *type;     /* the type's name, the image's or static */
} value_shape;

enum { ARGUMENTS_MOST = 8 };

typedef struct method_shape {
	struct method_shape *next;
	MonoMethod *method;
	MonoImage *image;
	bool is_gone; /* atomic */
	uint32_t parameter_count;
	uint32_t copied;    /* how many of those that are shown have bytes to copy */
	bool may_be_copied; /* some have, or have in an instance of the method */
	bool has_result;
	bool result_is_awaited; /* monocle_call_context_get_awaited_result () has it */
	value_shape result;
	value_shape arguments[ARGUMENTS_MOST];
} method_shape;

/* Makes the shape of a method unless it has one. NULL: no memory. Where types may be asked for. */
const method_shape *shape_of (MonoMethod *method);
/* NULL: it has none. Any context. */
const method_shape *shape_find (MonoMethod *method);
/* The image's methods are gone, and others may be where they were. */
void shape_image_unloading (MonoImage *image);

#endif
