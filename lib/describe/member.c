/*
 * SPDX-License-Identifier: MIT
 *
 * member.c - what a class lists: methods, fields, properties, events, nested classes, interfaces (ECMA-335 II.22); and
 * the parameters of methods.
 */
#include "describe-priv.h"

enum {
	FIELD_HAS_RVA = 0x0100, /* II.23.1.5 */
	FIELD_HAS_DEFAULT = 0x8000,
	PROPERTY_HAS_DEFAULT = 0x1000,
	SEMANTICS_SETTER = 0x01, /* II.23.1.12 */
	SEMANTICS_GETTER = 0x02,
	SEMANTICS_ADD = 0x08,
	SEMANTICS_REMOVE = 0x10,
	SEMANTICS_FIRE = 0x20,
	NAMED_METHODS_OF_PROPERTY = 2,
	NAMED_METHODS_OF_EVENT = 3,
};

/* A class definition where it is read. */
typedef struct {
	monocle__describe_image *image;
	const monocle__ecma_image *ecma;
	MonoClass *klass;
	uint32_t rid; /* of its TypeDef */
} subject;

/* Members are a run of rows, given by first and end, or they are found one by one. */
typedef struct {
	uint32_t first, end;
} run;

static bool
open_class (MonoClass *klass, subject *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (mono_class_get_image (klass));
	uint32_t token = monocle_class_token (klass);
	if (!image || token >> 24 != MONOCLE__TABLE_TypeDef)
		return false;
	*ret = (subject) { image, &image->ecma, klass, token & 0xFFFFFF };
	return ret->rid && ret->rid <= monocle__ecma_rows (ret->ecma, MONOCLE__TABLE_TypeDef);
}

static uint32_t
column (const subject *s, uint32_t table, uint32_t rid, uint32_t which)
{
	uint32_t value;
	return monocle__ecma_column (s->ecma, table, rid, which, &value) ? 0 : value;
}

static const char *
name_of (const subject *s, uint32_t table, uint32_t rid, uint32_t which)
{
	return monocle__ecma_string (s->ecma, column (s, table, rid, which));
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static run
list (const subject *s, uint32_t table, uint32_t rid, uint32_t which, uint32_t target)
{
	run r;
	monocle__ecma_list (s->ecma, table, rid, which, target, &r.first, &r.end);
	return r;
}

static run
properties (const subject *s)
{
	uint32_t map = monocle__ecma_find (s->ecma, MONOCLE__TABLE_PropertyMap, MONOCLE__COL_PropertyMap_Parent, s->rid, 1);
	return list (s, MONOCLE__TABLE_PropertyMap, map, MONOCLE__COL_PropertyMap_PropertyList, MONOCLE__TABLE_Property);
}

static run
events (const subject *s)
{
	uint32_t map = monocle__ecma_find (s->ecma, MONOCLE__TABLE_EventMap, MONOCLE__COL_EventMap_Parent, s->rid, 1);
	return list (s, MONOCLE__TABLE_EventMap, map, MONOCLE__COL_EventMap_EventList, MONOCLE__TABLE_Event);
}

/* Rows of a class are next to each other, in every image that can be loaded. */
static run
interfaces (const subject *s)
{
	run r = { 0, 0 };
	r.first = monocle__ecma_find (s->ecma, MONOCLE__TABLE_InterfaceImpl, MONOCLE__COL_InterfaceImpl_Class, s->rid, 1);
	for (r.end = r.first;
	     r.end && column (s, MONOCLE__TABLE_InterfaceImpl, r.end, MONOCLE__COL_InterfaceImpl_Class) == s->rid;)
		r.end++;
	return r;
}

static run
members (const subject *s, monocle_member_kind kind)
{
	switch (kind) {
	case MONOCLE_MEMBER_METHOD:
		return list (s, MONOCLE__TABLE_TypeDef, s->rid, MONOCLE__COL_TypeDef_MethodList, MONOCLE__TABLE_MethodDef);
	case MONOCLE_MEMBER_FIELD:
		return list (s, MONOCLE__TABLE_TypeDef, s->rid, MONOCLE__COL_TypeDef_FieldList, MONOCLE__TABLE_Field);
	case MONOCLE_MEMBER_PROPERTY: return properties (s);
	case MONOCLE_MEMBER_EVENT: return events (s);
	case MONOCLE_MEMBER_INTERFACE: return interfaces (s);
	default: return (run) { 0, 0 };
	}
}

/* --- parts of descriptions ---------------------------------------------------------------------------------------- */

/* The type after the first byte of a field's signature, after the head of a property's. */
static MonoType *
member_type (const subject *s, uint32_t table, uint32_t rid, uint32_t which, uint8_t kind)
{
	monocle__ecma_cursor cursor;
	if (!monocle__describe_blob (s->image, table, rid, which, &cursor) ||
	    (monocle__ecma_read_byte (&cursor) & MONOCLE__SIG_KIND_MASK) != kind)
		return NULL;
	if (kind == MONOCLE__SIG_PROPERTY)
		monocle__ecma_read_u (&cursor);
	return monocle__describe_read_type (s->image, &cursor, s->klass, NULL);
}

static void
add_constant (const subject *s, uint32_t token, monocle_member_info *ret)
{
	monocle__ecma_cursor cursor;
	uint32_t row = monocle__ecma_find_token (s->ecma, MONOCLE__TABLE_Constant, MONOCLE__COL_Constant_Parent,
	                                         MONOCLE__CODED_HasConstant, token, 1);
	if (!row || !monocle__describe_blob (s->image, MONOCLE__TABLE_Constant, row, MONOCLE__COL_Constant_Value, &cursor))
		return;
	ret->constant_type = column (s, MONOCLE__TABLE_Constant, row, MONOCLE__COL_Constant_Type);
	ret->constant = cursor.at;
	ret->constant_size = (uint32_t) (cursor.end - cursor.at);
}

/* How many bytes a value takes at least, as far as metadata says it. */
static uint32_t
known_size (const subject *s, MonoType *type)
{
	MonoClass *klass = mono_class_from_mono_type (type);
	int alignment;
	if (mono_type_get_type (type) != MONO_TYPE_VALUETYPE)
		return mono_class_is_valuetype (klass) ? (uint32_t) mono_type_size (type, &alignment) : 1;
	if (mono_class_get_image (klass) != s->image->record)
		return 1;
	uint32_t row = monocle__ecma_find (s->ecma, MONOCLE__TABLE_ClassLayout, MONOCLE__COL_ClassLayout_Parent,
	                                   monocle_class_token (klass) & 0xFFFFFF, 1);
	return row ? column (s, MONOCLE__TABLE_ClassLayout, row, MONOCLE__COL_ClassLayout_ClassSize) : 1;
}

/* Not more than the image holds there may be promised. */
static const void *
initial_bytes (const subject *s, uint32_t rid, MonoType *type)
{
	uint32_t row = monocle__ecma_find (s->ecma, MONOCLE__TABLE_FieldRVA, MONOCLE__COL_FieldRVA_Field, rid, 1);
	size_t available = 0;
	const void *data =
	    !row || !type ? NULL
	                  : monocle__ecma_rva (s->ecma, column (s, MONOCLE__TABLE_FieldRVA, row, MONOCLE__COL_FieldRVA_RVA),
	                                       &available);
	return data && known_size (s, type) <= available ? data : NULL;
}

/* Getter, setter; add, remove, raise: the place of a method by its meaning, `others` when it has none of its own. */
static uint32_t
place_of (uint32_t semantics, uint32_t others)
{
	switch (semantics) {
	case SEMANTICS_GETTER:
	case SEMANTICS_ADD: return 0;
	case SEMANTICS_SETTER:
	case SEMANTICS_REMOVE: return 1;
	case SEMANTICS_FIRE: return 2;
	default: return others;
	}
}

static void
add_methods (const subject *s, uint32_t token, uint32_t named, monocle_member_info *ret)
{
	uint32_t others = named, limit = monocle__ecma_rows (s->ecma, MONOCLE__TABLE_MethodDef), row = 0;
	while ((row = monocle__ecma_find_token (s->ecma, MONOCLE__TABLE_MethodSemantics,
	                                        MONOCLE__COL_MethodSemantics_Association, MONOCLE__CODED_HasSemantics,
	                                        token, row + 1))) {
		uint32_t rid = column (s, MONOCLE__TABLE_MethodSemantics, row, MONOCLE__COL_MethodSemantics_Method);
		uint32_t place =
		    place_of (column (s, MONOCLE__TABLE_MethodSemantics, row, MONOCLE__COL_MethodSemantics_Semantics), others);
		if (!rid || rid > limit || place >= MONOCLE_MEMBER_METHODS_MAX)
			continue;
		ret->methods[place] = monocle_method_def (s->image->record, MONOCLE__TABLE_MethodDef << 24 | rid);
		others += place == others;
	}
}

/* --- one member --------------------------------------------------------------------------------------------------- */

static int
describe_method (const subject *s, uint32_t rid, monocle_member_info *ret)
{
	ret->token = MONOCLE__TABLE_MethodDef << 24 | rid;
	ret->methods[0] = monocle_method_def_in (s->klass, ret->token);
	return ret->methods[0] ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
describe_field (const subject *s, uint32_t rid, monocle_member_info *ret)
{
	ret->token = MONOCLE__TABLE_Field << 24 | rid;
	ret->name = name_of (s, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Name);
	ret->flags = column (s, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Flags);
	ret->type = member_type (s, MONOCLE__TABLE_Field, rid, MONOCLE__COL_Field_Signature, MONOCLE__SIG_FIELD);
	if (ret->flags & FIELD_HAS_DEFAULT)
		add_constant (s, ret->token, ret);
	if (ret->flags & FIELD_HAS_RVA)
		ret->data = initial_bytes (s, rid, ret->type);
	return ret->name ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
describe_property (const subject *s, uint32_t rid, monocle_member_info *ret)
{
	ret->token = MONOCLE__TABLE_Property << 24 | rid;
	ret->name = name_of (s, MONOCLE__TABLE_Property, rid, MONOCLE__COL_Property_Name);
	ret->flags = column (s, MONOCLE__TABLE_Property, rid, MONOCLE__COL_Property_Flags);
	ret->type = member_type (s, MONOCLE__TABLE_Property, rid, MONOCLE__COL_Property_Type, MONOCLE__SIG_PROPERTY);
	add_methods (s, ret->token, NAMED_METHODS_OF_PROPERTY, ret);
	if (ret->flags & PROPERTY_HAS_DEFAULT)
		add_constant (s, ret->token, ret);
	return ret->name ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
describe_event (const subject *s, uint32_t rid, monocle_member_info *ret)
{
	uint32_t type = monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef,
	                                           column (s, MONOCLE__TABLE_Event, rid, MONOCLE__COL_Event_EventType));
	ret->token = MONOCLE__TABLE_Event << 24 | rid;
	ret->name = name_of (s, MONOCLE__TABLE_Event, rid, MONOCLE__COL_Event_Name);
	ret->flags = column (s, MONOCLE__TABLE_Event, rid, MONOCLE__COL_Event_EventFlags);
	ret->type = monocle_type (monocle__describe_class_of_token (s->image, type, s->klass, NULL));
	add_methods (s, ret->token, NAMED_METHODS_OF_EVENT, ret);
	return ret->name ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
describe_interface (const subject *s, uint32_t rid, monocle_member_info *ret)
{
	uint32_t token =
	    monocle__ecma_coded_token (MONOCLE__CODED_TypeDefOrRef,
	                               column (s, MONOCLE__TABLE_InterfaceImpl, rid, MONOCLE__COL_InterfaceImpl_Interface));
	ret->klass = monocle__describe_class_of_token (s->image, token, s->klass, NULL);
	return ret->klass ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static int
describe_nested (const subject *s, uint32_t index, monocle_member_info *ret)
{
	const uint32_t *rows;
	if (index >= monocle__describe_index_nested_rows (s->image, s->rid, &rows))
		return MONOCLE_E_UNKNOWN;
	ret->token = MONOCLE__TABLE_TypeDef << 24 | rows[index];
	ret->klass = monocle_class_def (s->image->record, ret->token);
	return ret->klass ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

static uint32_t
member_count (void *host, MonoClass *klass, monocle_member_kind kind)
{
	const uint32_t *rows;
	subject s;
	if (!open_class (klass, &s))
		return 0;
	if (kind == MONOCLE_MEMBER_NESTED)
		return monocle__describe_index_nested_rows (s.image, s.rid, &rows);
	run r = members (&s, kind);
	return r.end - r.first;
}

static int
describe_member (void *host, MonoClass *klass, monocle_member_kind kind, uint32_t index, monocle_member_info *ret)
{
	static int (*const describe[MONOCLE_MEMBER_KINDS]) (const subject *s, uint32_t rid, monocle_member_info *ret) = {
		[MONOCLE_MEMBER_METHOD] = describe_method,       [MONOCLE_MEMBER_FIELD] = describe_field,
		[MONOCLE_MEMBER_PROPERTY] = describe_property,   [MONOCLE_MEMBER_EVENT] = describe_event,
		[MONOCLE_MEMBER_INTERFACE] = describe_interface,
	};
	subject s;
	if (!open_class (klass, &s))
		return MONOCLE_E_UNKNOWN;
	if (kind == MONOCLE_MEMBER_NESTED)
		return describe_nested (&s, index, ret);
	run r = members (&s, kind);
	return index < r.end - r.first ? describe[kind](&s, r.first + index, ret) : MONOCLE_E_UNKNOWN;
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* How many the signature has, without reading their types. */
static uint32_t
param_count (monocle__describe_image *image, uint32_t method_rid)
{
	monocle__ecma_cursor cursor;
	if (!monocle__describe_blob (image, MONOCLE__TABLE_MethodDef, method_rid, MONOCLE__COL_MethodDef_Signature,
	                             &cursor))
		return 0;
	if (monocle__ecma_read_byte (&cursor) & MONOCLE__SIG_GENERIC)
		monocle__ecma_read_u (&cursor);
	return monocle__ecma_read_u (&cursor);
}

/* Rows are in the order of their numbers, but need not begin at 1, nor have no gaps. */
static uint32_t
param_row (const subject *s, uint32_t method_rid, uint32_t number)
{
	run r = list (s, MONOCLE__TABLE_MethodDef, method_rid, MONOCLE__COL_MethodDef_ParamList, MONOCLE__TABLE_Param);
	for (uint32_t rid = r.first; rid < r.end; rid++)
		if (column (s, MONOCLE__TABLE_Param, rid, MONOCLE__COL_Param_Sequence) == number)
			return rid;
	return 0;
}

static int
describe_param (void *host, MonoMethod *method, uint32_t number, monocle_param_info *ret)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	uint32_t method_rid = monocle_method_token (method) & 0xFFFFFF;
	monocle__ecma_cursor cursor;
	if (!image || number > param_count (image, method_rid))
		return MONOCLE_E_UNKNOWN;
	subject s = { image, &image->ecma, NULL, 0 };
	uint32_t rid = param_row (&s, method_rid, number);
	if (!rid)
		return MONOCLE_OK;
	ret->token = MONOCLE__TABLE_Param << 24 | rid;
	ret->name = name_of (&s, MONOCLE__TABLE_Param, rid, MONOCLE__COL_Param_Name);
	ret->flags = column (&s, MONOCLE__TABLE_Param, rid, MONOCLE__COL_Param_Flags);
	uint32_t row = monocle__ecma_find_token (s.ecma, MONOCLE__TABLE_FieldMarshal, MONOCLE__COL_FieldMarshal_Parent,
	                                         MONOCLE__CODED_HasFieldMarshal, ret->token, 1);
	if (row && monocle__describe_blob (image, MONOCLE__TABLE_FieldMarshal, row, MONOCLE__COL_FieldMarshal_NativeType,
	                                   &cursor)) {
		ret->marshal = cursor.at;
		ret->marshal_size = (uint32_t) (cursor.end - cursor.at);
	}
	return MONOCLE_OK;
}

void
monocle__describe_member_ops (monocle_host_ops *ops)
{
	ops->member_count = member_count;
	ops->describe_member = describe_member;
	ops->describe_param = describe_param;
}
