/*
 * SPDX-License-Identifier: MIT
 *
 * shape.c - see shape.h. Shapes are in lists by a hash of the method; a list only grows, at its front and by one
 * exchange, so that readers take no lock. A shape whose image is gone stays and is skipped.
 */
#include "shape.h"

#include <stdlib.h>
#include <string.h>

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/blob.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>

enum { LISTS = 1 << 14, MEMBERS_MOST = 1024 };

static method_shape *lists[LISTS];

static method_shape **
list_of (const MonoMethod *method)
{
	return &lists[(uintptr_t) method * (uintptr_t) 0x9e3779b97f4a7c15u >> 50];
}

/* --- enums -------------------------------------------------------------------------------------------------------- */

/* A constant is its length, then its bytes, little-endian as the processors are that this runs on. */
static uint64_t
bits_of (const char *data, uint8_t size)
{
	uint64_t bits = 0;
	uint32_t length = mono_metadata_decode_blob_size (data, &data);
	memcpy (&bits, data, length < size ? length : size);
	return bits;
}

static void
read_members (MonoClass *klass, value_shape *shape)
{
	MonoClassField *field;
	void *position = NULL;
	uint32_t room = 0;
	while ((field = mono_class_get_fields (klass, &position)) && shape->count < MEMBERS_MOST) {
		const char *data = mono_field_get_flags (field) & MONO_FIELD_ATTR_LITERAL ? mono_field_get_data (field) : NULL;
		if (!data)
			continue;
		if (shape->count == room) {
			room = room ? room * 2 : 8;
			enum_member *members = realloc (shape->members, room * sizeof *members);
			if (!members)
				return;
			shape->members = members;
		}
		shape->members[shape->count++] = (enum_member) { bits_of (data, shape->size), mono_field_get_name (field) };
	}
}

/* --- types -------------------------------------------------------------------------------------------------------- */

static const struct {
	uint8_t kind, size;
} plain[] = {
	[MONO_TYPE_BOOLEAN] = { VALUE_BOOL, 1 },  [MONO_TYPE_CHAR] = { VALUE_CHAR, 2 },
	[MONO_TYPE_I1] = { VALUE_I1, 1 },         [MONO_TYPE_U1] = { VALUE_U1, 1 },
	[MONO_TYPE_I2] = { VALUE_I2, 2 },         [MONO_TYPE_U2] = { VALUE_U2, 2 },
	[MONO_TYPE_I4] = { VALUE_I4, 4 },         [MONO_TYPE_U4] = { VALUE_U4, 4 },
	[MONO_TYPE_I8] = { VALUE_I8, 8 },         [MONO_TYPE_U8] = { VALUE_U8, 8 },
	[MONO_TYPE_R4] = { VALUE_R4, 4 },         [MONO_TYPE_R8] = { VALUE_R8, 8 },
	[MONO_TYPE_PTR] = { VALUE_POINTER, 8 },   [MONO_TYPE_I] = { VALUE_POINTER, 8 },
	[MONO_TYPE_U] = { VALUE_POINTER, 8 },     [MONO_TYPE_FNPTR] = { VALUE_POINTER, 8 },
	[MONO_TYPE_STRING] = { VALUE_STRING, 8 }, [MONO_TYPE_CLASS] = { VALUE_OBJECT, 8 },
	[MONO_TYPE_OBJECT] = { VALUE_OBJECT, 8 }, [MONO_TYPE_SZARRAY] = { VALUE_OBJECT, 8 },
	[MONO_TYPE_ARRAY] = { VALUE_OBJECT, 8 },
};

static bool
set_plain (int type, value_shape *shape)
{
	if ((size_t) type >= sizeof plain / sizeof *plain || !plain[type].kind)
		return false;
	shape->kind = (value_kind) plain[type].kind;
	shape->size = plain[type].size;
	return true;
}

static bool
set_enum (MonoClass *klass, value_shape *shape)
{
	MonoType *base = mono_class_is_enum (klass) ? mono_class_enum_basetype (klass) : NULL;
	if (!base || !set_plain (mono_type_get_type (base), shape) || shape->kind >= VALUE_STRING)
		return false;
	read_members (klass, shape);
	return true;
}

/* A class that is a plain type or an enum. */
static bool
set_class (MonoClass *klass, value_shape *shape)
{
	int type = mono_type_get_type (mono_class_get_type (klass));
	return set_enum (klass, shape) || (type != MONO_TYPE_VALUETYPE && type != MONO_TYPE_GENERICINST &&
	                                   set_plain (type, shape) && shape->kind < VALUE_STRING);
}

/*
 * Where in a Nullable its two fields are. Before the class is laid out CoreCLR does not say, and there the flag is
 * first.
 */
static void
set_nullable (MonoClass *klass, value_shape *shape)
{
	MonoClassField *field;
	void *position = NULL;
	shape->is_nullable = true;
	shape->has_at = 0;
	shape->at = shape->size;
	int header = mono_class_instance_size (klass) - mono_class_value_size (klass, NULL);
	while ((field = mono_class_get_fields (klass, &position))) {
		int offset = (int) mono_field_get_offset (field) - header;
		if (mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC || !mono_field_get_offset (field) || offset < 0 ||
		    offset > 2 * shape->size)
			continue;
		if (strcmp (mono_field_get_name (field), "value") == 0)
			shape->at = (uint8_t) offset;
		else
			shape->has_at = (uint8_t) offset;
	}
}

static void
set_struct (MonoType *type, value_shape *shape)
{
	MonoClass *klass = mono_class_from_mono_type (type);
	if (!klass)
		return;
	shape->type = mono_class_get_name (klass);
	if (!mono_class_is_nullable (klass)) {
		set_enum (klass, shape);
		return;
	}
	MonoClass *of = mono_class_get_nullable_param (klass);
	if (of && set_class (of, shape))
		set_nullable (klass, shape);
	else
		shape->type = of ? mono_class_get_name (of) : shape->type;
}

/*
 * A type parameter. In code that instances with references share, it is a reference, and has a name of the runtime's
 * own for that. In a definition it may be anything: its instances have shapes of their own.
 */
static void
set_parameter (MonoType *type, value_shape *shape)
{
	static const char shared[] = "_REF";
	char *name = mono_type_get_name (type);
	size_t length = name ? strlen (name) : 0;
	shape->is_parameter = true;
	if (length >= sizeof shared - 1 && !strcmp (name + length - (sizeof shared - 1), shared))
		set_plain (MONO_TYPE_CLASS, shape);
	mono_free (name);
}

static void
set_shape (MonoType *type, value_shape *shape)
{
	int kind = mono_type_get_type (type);
	shape->type = "?";
	shape->is_byref = mono_type_is_byref (type);
	if (shape->is_byref)
		return;
	if (kind == MONO_TYPE_VAR || kind == MONO_TYPE_MVAR)
		set_parameter (type, shape);
	else if (set_plain (kind, shape))
		return;
	else if (kind == MONO_TYPE_GENERICINST && mono_type_is_reference (type))
		set_plain (MONO_TYPE_CLASS, shape);
	else if (kind == MONO_TYPE_VALUETYPE || kind == MONO_TYPE_GENERICINST)
		set_struct (type, shape);
}

/* What its code returns: of a method that the runtime suspends, what is in the task. NULL: nothing. */
static MonoType *
result_type (MonoMethod *method, MonoMethodSignature *signature, bool *ret_awaited)
{
	enum { ASYNC = 0x2000 }; /* MethodImplAttributes.Async */
	uint32_t iflags = 0;
	MonoType *type = mono_signature_get_return_type (signature);
	mono_method_get_flags (method, &iflags);
	*ret_awaited = iflags & ASYNC && monocle_method_get_awaited_type;
	if (*ret_awaited)
		return monocle_method_get_awaited_type (method);
	return type && (mono_type_is_byref (type) || mono_type_get_type (type) != MONO_TYPE_VOID) ? type : NULL;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static method_shape *
make (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	method_shape *shape = calloc (1, sizeof *shape);
	void *position = NULL;
	MonoType *type;
	if (!shape || !signature) {
		free (shape);
		return NULL;
	}
	shape->method = method;
	shape->image = mono_class_get_image (mono_method_get_class (method));
	while ((type = mono_signature_get_params (signature, &position))) {
		if (shape->parameter_count < ARGUMENTS_MOST) {
			value_shape *argument = &shape->arguments[shape->parameter_count];
			set_shape (type, argument);
			shape->copied += argument->kind != VALUE_NAMED;
			shape->may_be_copied |= argument->kind != VALUE_NAMED || argument->is_parameter;
		}
		shape->parameter_count++;
	}
	type = result_type (method, signature, &shape->result_is_awaited);
	shape->has_result = type != NULL;
	if (shape->has_result)
		set_shape (type, &shape->result);
	return shape;
}

static void
free_shape (method_shape *shape)
{
	for (uint32_t i = 0; i < ARGUMENTS_MOST; i++)
		free (shape->arguments[i].members);
	free (shape->result.members);
	free (shape);
}

const method_shape *
shape_find (MonoMethod *method)
{
	method_shape *shape = __atomic_load_n (list_of (method), __ATOMIC_ACQUIRE);
	while (shape && (shape->method != method || __atomic_load_n (&shape->is_gone, __ATOMIC_RELAXED)))
		shape = shape->next;
	return shape;
}

const method_shape *
shape_of (MonoMethod *method)
{
	const method_shape *known = shape_find (method);
	method_shape *shape = known ? NULL : make (method), **list = list_of (method);
	if (!shape)
		return known;
	shape->next = __atomic_load_n (list, __ATOMIC_ACQUIRE);
	for (;;) {
		known = shape_find (method); /* Another thread may have been as fast. */
		if (known) {
			free_shape (shape);
			return known;
		}
		if (__atomic_compare_exchange_n (list, &shape->next, shape, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
			return shape;
	}
}

void
shape_image_unloading (MonoImage *image)
{
	for (size_t i = 0; i < LISTS; i++)
		for (method_shape *shape = __atomic_load_n (&lists[i], __ATOMIC_ACQUIRE); shape; shape = shape->next)
			if (shape->image == image)
				__atomic_store_n (&shape->is_gone, true, __ATOMIC_RELAXED);
}
