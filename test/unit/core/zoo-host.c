/*
 * SPDX-License-Identifier: MIT
 *
 * zoo-host.c - see zoo-host.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <mono/metadata/class.h>
#include <mono/metadata/row-indexes.h>
#include <mono/metadata/tokentype.h>
#include "zoo-host.h"

MonoImage *zoo_corlib;
_Atomic (int) zoo_asked;
_Atomic (uint32_t) zoo_box_fields = 5;
const uint8_t *zoo_friend;
uint32_t zoo_friend_size, zoo_instance_size;

struct class_row {
	const char *name, *name_space;
	uint32_t flags, element, enum_base, params, nesting;
};

static const struct class_row zoo_rows[] = {
	[1] = { "<Module>", "", 0, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_BOX] = { "Box`1", "Zoo", 1, MONO_TYPE_CLASS, 0, 1, 0 },
	[ZOO_OUT] = { "IOut`1", "Zoo", 0xa1, MONO_TYPE_CLASS, 0, 2, 0 },
	[ZOO_LOOP] = { "ILoop", "Zoo", 0xa1, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_LOOP2] = { "ILoop2", "Zoo", 0xa1, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_GROW] = { "IGrow`1", "Zoo", 0xa1, MONO_TYPE_CLASS, 0, 1, 0 },
	[ZOO_COLOR] = { "Color", "Zoo", 0x101, MONO_TYPE_VALUETYPE, MONO_TYPE_U1, 0, 0 },
	[ZOO_STRUCT] = { "Struct", "Zoo", 0x101, MONO_TYPE_VALUETYPE, 0, 0, 0 },
	[ZOO_BROKEN] = { "Broken", "Zoo", 1, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_OUTER] = { "Outer", "Zoo", 0, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_INNER] = { "Inner", "", 3, MONO_TYPE_CLASS, 0, 0, ZOO_OUTER },
	[ZOO_INNERMOST] = { "Innermost", "", 3, MONO_TYPE_CLASS, 0, 0, ZOO_INNER },
	[ZOO_CHILD] = { "Child", "Zoo", 1, MONO_TYPE_CLASS, 0, 0, 0 },
	[ZOO_ITSELF] = { "Itself", "Zoo", 1, MONO_TYPE_VALUETYPE, 0, 0, 0 },
};

#define SCG "System.Collections.Generic"
static const struct class_row corlib_rows[] = {
	[1] = { "Object", "System", 1, MONO_TYPE_OBJECT, 0, 0, 0 },
	[2] = { "Array", "System", 1, MONO_TYPE_CLASS, 0, 0, 0 },
	[3] = { "String", "System", 1, MONO_TYPE_STRING, 0, 0, 0 },
	[4] = { "Int32", "System", 1, MONO_TYPE_I4, 0, 0, 0 },
	[5] = { "IList`1", SCG, 0xa1, MONO_TYPE_CLASS, 0, 1, 0 },
	[6] = { "IReadOnlyList`1", SCG, 0xa1, MONO_TYPE_CLASS, 0, 1, 0 },
	[7] = { "IEnumerable`1", SCG, 0xa1, MONO_TYPE_CLASS, 0, 1, 0 },
	[8] = { "Nullable`1", "System", 1, MONO_TYPE_VALUETYPE, 0, 1, 0 },
	[9] = { "InternalsVisibleToAttribute", "System.Runtime.CompilerServices", 1, MONO_TYPE_CLASS, 0, 0, 0 },
};
enum { CORLIB_CLASSES = sizeof corlib_rows / sizeof *corlib_rows - 1, LONG_CONSTANT = 200 };

static const struct class_row *
row_of (MonoClass *klass)
{
	uint32_t row = monocle_class_token (klass) & 0xffffff;
	bool is_corlib = mono_class_get_image (klass) == zoo_corlib;
	if (!row || row > (is_corlib ? CORLIB_CLASSES : ZOO_CLASSES))
		return NULL;
	return is_corlib ? &corlib_rows[row] : &zoo_rows[row];
}

MonoClass *
zoo_class (MonoImage *image, uint32_t row)
{
	return monocle_class_def (image, MONO_TOKEN_TYPE_DEF | row);
}

MonoMethod *
zoo_method (MonoImage *image, uint32_t row)
{
	return monocle_method_def (image, MONO_TOKEN_METHOD_DEF | row);
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	const struct class_row *row = row_of (klass);
	zoo_asked++;
	if (!row)
		return MONOCLE_E_UNKNOWN;
	ret->name = row->name;
	ret->name_space = row->name_space;
	ret->flags = row->flags;
	ret->element_type = row->element;
	ret->enum_base = row->enum_base;
	ret->generic_params = row->params;
	ret->nesting = row->nesting ? zoo_class (mono_class_get_image (klass), row->nesting) : NULL;
	return 0;
}

static MonoClass *
class_parent (void *host, MonoClass *klass)
{
	MonoType *string[] = { monocle_type (mono_get_string_class ()) };
	MonoImage *image = mono_class_get_image (klass);
	const struct class_row *row = row_of (klass);
	if (row == &zoo_rows[ZOO_CHILD])
		return monocle_class_inst (zoo_class (image, ZOO_BOX), 1, string);
	return row && !(row->flags & 0x20) && row != &corlib_rows[1] ? mono_get_object_class () : NULL;
}

static int
describe_image (void *host, MonoImage *image, monocle_image_info *ret)
{
	static uint32_t rows[64] = { [MONO_TABLE_GENERICPARAM] = 4 };
	ret->assembly_name = image == zoo_corlib ? "mscorlib" : NULL;
	ret->table_rows = rows;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	static const struct {
		const char *name;
		uint32_t flags, klass;
	} rows[] = {
		[ZOO_GET] = { "get_Value", 6, ZOO_BOX },   [ZOO_SET] = { "set_Value", 6, ZOO_BOX },
		[ZOO_ADD] = { "add_Changed", 6, ZOO_BOX }, [ZOO_REMOVE] = { "remove_Changed", 6, ZOO_BOX },
		[ZOO_USE] = { "Use", 6, ZOO_OUTER },       [ZOO_HIDDEN] = { "Hidden", 3, ZOO_OUTER },
	};
	uint32_t row = monocle_method_token (method) & 0xffffff;
	if (!row || row > ZOO_METHODS)
		return MONOCLE_E_UNKNOWN;
	ret->name = rows[row].name;
	ret->flags = rows[row].flags;
	ret->klass = zoo_class (monocle_method_image (method), rows[row].klass);
	return 0;
}

static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret)
{
	static _Thread_local MonoType *params[2];
	params[0] = params[1] = monocle_type (monocle_class_param (mono_method_get_class (method), NULL, 0, 0));
	ret->ret = monocle_type (mono_get_void_class ());
	ret->params = params;
	ret->param_count = 2;
	ret->has_this = 1;
	return 0;
}

static int
describe_param (void *host, MonoMethod *method, uint32_t number, monocle_param_info *ret)
{
	if (number == 1)
		return MONOCLE_E_UNKNOWN;
	ret->token = MONO_TOKEN_PARAM_DEF | (number + 1);
	ret->name = number ? "second" : NULL;
	ret->flags = number ? 0x2000 | 0x2 : 0; /* marshalled, out */
	return 0;
}

static const char *
generic_param_name (void *host, MonoClass *klass, MonoMethod *method, uint32_t index)
{
	return index ? "T2" : "T";
}

/* --- members ------------------------------------------------------------------------------------------------------ */

static uint32_t
member_count (void *host, MonoClass *klass, monocle_member_kind kind)
{
	const struct class_row *row = row_of (klass);
	zoo_asked++;
	if (!row || mono_class_get_image (klass) == zoo_corlib)
		return 0;
	switch ((uint32_t) (row - zoo_rows)) {
	case ZOO_BOX:
		return kind == MONOCLE_MEMBER_FIELD  ? zoo_box_fields
		     : kind == MONOCLE_MEMBER_METHOD ? 4
		                                     : kind <= MONOCLE_MEMBER_EVENT;
	case ZOO_LOOP:
	case ZOO_GROW: return kind == MONOCLE_MEMBER_INTERFACE ? 2 : 0;
	case ZOO_LOOP2: return kind == MONOCLE_MEMBER_INTERFACE;
	case ZOO_BROKEN: return kind == MONOCLE_MEMBER_FIELD ? 5 : kind == MONOCLE_MEMBER_EVENT ? 0xffffffff : 0;
	case ZOO_ITSELF: return kind == MONOCLE_MEMBER_FIELD ? 9 : 0;
	case ZOO_OUTER:
	case ZOO_INNER: return kind == MONOCLE_MEMBER_NESTED;
	default: return 0;
	}
}

static int
box_field (MonoClass *box, uint32_t index, monocle_member_info *ret)
{
	static const char *const names[] = { "value", "many", "counter", "constant", "data", "later", "last" };
	static const uint8_t bytes[LONG_CONSTANT] = { 1, 2, 3 };
	static const uint32_t flags[] = { 6, 6, 0x16, 0x8056, 0x116, 6, 6 };
	MonoClass *param = monocle_class_param (box, NULL, 0, 0);
	ret->token = MONO_TOKEN_FIELD_DEF | (index + 1);
	ret->name = names[index];
	ret->flags = flags[index];
	ret->type = monocle_type (index == 1  ? monocle_class_array (param, 1)
	                          : index < 5 ? param
	                                      : mono_get_int32_class ());
	ret->data = index == 4 ? bytes : NULL;
	ret->constant_type = index == 3 ? MONO_TYPE_STRING : 0;
	ret->constant = index == 3 ? bytes : NULL;
	ret->constant_size = index == 3 ? LONG_CONSTANT : 0;
	return 0;
}

static int
box_accessors (MonoImage *image, uint32_t first, const char *name, uint32_t token, monocle_member_info *ret)
{
	ret->name = name;
	ret->token = token;
	ret->flags = 0x200;
	ret->methods[0] = zoo_method (image, first);
	ret->methods[1] = zoo_method (image, first + 1);
	return 0;
}

static int
interface (MonoClass *klass, uint32_t index, monocle_member_info *ret)
{
	MonoImage *image = mono_class_get_image (klass);
	MonoType *own[] = { monocle_type (monocle_class_param (klass, NULL, 0, 0)) }, *other[1];
	if (row_of (klass) != &zoo_rows[ZOO_GROW]) {
		ret->klass = zoo_class (image, row_of (klass) == &zoo_rows[ZOO_LOOP2] || !index ? ZOO_LOOP : ZOO_LOOP2);
		return 0;
	}
	other[0] = monocle_type (index ? monocle_class_array (mono_class_from_mono_type (own[0]), 1)
	                               : monocle_class_inst (klass, 1, own));
	ret->klass = monocle_class_inst (klass, 1, other);
	return 0;
}

static int
describe_member (void *host, MonoClass *klass, monocle_member_kind kind, uint32_t index, monocle_member_info *ret)
{
	MonoImage *image = mono_class_get_image (klass);
	uint32_t row = (uint32_t) (row_of (klass) - zoo_rows);
	zoo_asked++;
	if (row == ZOO_BROKEN && (index == 1 || index == 4))
		return MONOCLE_E_UNKNOWN;
	switch (kind) {
	case MONOCLE_MEMBER_FIELD:
		ret->type = mono_class_get_type (klass);
		return row == ZOO_ITSELF ? 0 : box_field (klass, index, ret);
	case MONOCLE_MEMBER_METHOD: ret->methods[0] = zoo_method (image, ZOO_GET + index); return 0;
	case MONOCLE_MEMBER_PROPERTY: return box_accessors (image, ZOO_GET, "Value", MONO_TOKEN_PROPERTY | 1, ret);
	case MONOCLE_MEMBER_EVENT: return box_accessors (image, ZOO_ADD, "Changed", MONO_TOKEN_EVENT | 1, ret);
	case MONOCLE_MEMBER_NESTED: ret->klass = zoo_class (image, row + 1); return 0;
	default: return interface (klass, index, ret);
	}
}

/* --- metadata ----------------------------------------------------------------------------------------------------- */

/*
 * GenericParam: Box's T, then IOut's `out` T and T2, IGrow's `out` T. TypeDef: names as offsets into a heap of the
 * classes' names.
 */
static int
metadata_column (void *host, MonoImage *image, uint32_t table, uint32_t row, uint32_t column, uint32_t *ret)
{
	static const uint32_t params[][3] = {
		{ 0, 0, ZOO_BOX << 1 },
		{ 0, 1, ZOO_OUT << 1 },
		{ 1, 0, ZOO_OUT << 1 },
		{ 0, 1, ZOO_GROW << 1 },
	};
	if (table == MONO_TABLE_GENERICPARAM && row >= 1 && row <= 4 && column <= MONO_GENERICPARAM_OWNER) {
		*ret = params[row - 1][column];
		return 0;
	}
	if (table != MONO_TABLE_TYPEDEF || !row || row > ZOO_CLASSES || column > MONO_TYPEDEF_NAMESPACE)
		return MONOCLE_E_UNKNOWN;
	*ret = column == MONO_TYPEDEF_FLAGS ? zoo_rows[row].flags : row * 2 + (column == MONO_TYPEDEF_NAMESPACE);
	return 0;
}

static const void *
metadata_heap (void *host, MonoImage *image, monocle_heap_kind heap, uint32_t offset, uint32_t *ret_size)
{
	const struct class_row *row = &zoo_rows[offset / 2];
	const char *text = heap == MONOCLE_HEAP_STRINGS ? offset & 1 ? row->name_space : row->name : NULL;
	*ret_size = text ? (uint32_t) strlen (text) : 0;
	return text;
}

static int
field_of_token (void *host, MonoImage *image, uint32_t token, MonoClass *klass, MonoMethod *method,
                MonoClass **ret_klass, uint32_t *ret_index)
{
	*ret_klass = zoo_class (image, ZOO_BOX);
	*ret_index = (token & 0xff) - 1;
	return token >> 24 == 4 ? 0 : MONOCLE_E_UNKNOWN;
}

static int
describe_attribute (void *host, MonoImage *image, uint32_t token, uint32_t index, monocle_attribute_info *ret)
{
	if (index || !zoo_friend)
		return MONOCLE_E_NOT_FOUND;
	ret->klass = zoo_class (zoo_corlib, 9);
	ret->data = zoo_friend;
	ret->data_size = zoo_friend_size;
	return 0;
}

static MonoClass *
class_from_name (void *host, MonoImage *image, const char *name_space, const char *name)
{
	bool is_corlib = image == zoo_corlib;
	const struct class_row *rows = is_corlib ? corlib_rows : zoo_rows;
	for (uint32_t row = 1; row <= (is_corlib ? CORLIB_CLASSES : ZOO_CLASSES); row++)
		if (!rows[row].nesting && !strcmp (rows[row].name, name) && !strcmp (rows[row].name_space, name_space))
			return zoo_class (image, row);
	return NULL;
}

/* --- layouts ------------------------------------------------------------------------------------------------------ */

static int
describe_layout (void *host, MonoClass *klass, monocle_layout_info *ret)
{
	ret->instance_size = zoo_instance_size;
	ret->header_size = 8;
	ret->alignment = row_of (klass) == &zoo_rows[ZOO_STRUCT] ? 4 : 0;
	ret->static_size = 12;
	return zoo_instance_size ? 0 : MONOCLE_E_UNKNOWN;
}

static int
field_offset (void *host, MonoClass *klass, uint32_t index, uint32_t *ret)
{
	zoo_asked++;
	*ret = 8 + 8 * index;
	return zoo_instance_size ? 0 : MONOCLE_E_UNKNOWN;
}

MonoImage *
zoo_open (void)
{
	return monocle_image_new ("/app/zoo.dll", 0, ZOO_CLASSES, ZOO_METHODS, &zoo_asked);
}

void
zoo_host_start (void)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "zoo",
		.describe_image = describe_image,
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
		.generic_param_name = generic_param_name,
		.class_parent = class_parent,
		.member_count = member_count,
		.describe_member = describe_member,
		.describe_param = describe_param,
		.describe_attribute = describe_attribute,
		.field_of_token = field_of_token,
		.metadata_heap = metadata_heap,
		.metadata_column = metadata_column,
		.describe_layout = describe_layout,
		.field_offset = field_offset,
		.class_from_name = class_from_name,
	};
	assert_int_equal (monocle_host_init (&ops), 0);
	zoo_corlib = monocle_image_new ("/corlib/mscorlib.dll", MONOCLE_IMAGE_CORLIB, CORLIB_CLASSES, 0, NULL);
}
