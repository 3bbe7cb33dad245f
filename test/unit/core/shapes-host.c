/*
 * SPDX-License-Identifier: MIT
 *
 * shapes-host.c - a scripted host that describes oracle/shapes.cs.
 *
 * Tokens are row numbers of the tables below plus one: row 1 of TypeDef is <Module>.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <mono/metadata/class.h>
#include "shapes-host.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

MonoImage *shapes_image, *shapes_corlib;
_Atomic(int) shapes_asked, shapes_silent;

struct class_row {
	const char *name, *name_space, *nesting, *parent, *params; /* one letter or word for each parameter */
	uint32_t flags, element, enum_base;
};

static const struct class_row shapes_classes[] = {
	{ "<Module>",     "",    NULL,          NULL,                "",    0,        MONO_TYPE_CLASS },
	{ "TopDelegate",  "",    NULL,          "MulticastDelegate", "",    0x101,    MONO_TYPE_CLASS },
	{ "NoNamespace",  "",    NULL,          "Object",            "",    0x100001, MONO_TYPE_CLASS },
	{ "Child",        "",    "NoNamespace", "Object",            "",    0x100002, MONO_TYPE_CLASS },
	{ "Color",        "N.S", NULL,          "Enum",              "",    0x101,    MONO_TYPE_VALUETYPE, MONO_TYPE_U1 },
	{ "IPlain",       "N.S", NULL,          NULL,                "",    0xa1,     MONO_TYPE_CLASS },
	{ "IGeneric`1",   "N.S", NULL,          NULL,                "T",   0xa1,     MONO_TYPE_CLASS },
	{ "Implementer",  "N.S", NULL,          "Object",            "",    0x100001, MONO_TYPE_CLASS },
	{ "Outer`1",      "N.S", NULL,          "Object",            "T",   0x100001, MONO_TYPE_CLASS },
	{ "Value",        "",    "Outer`1",     "ValueType",         "T",   0x10010a, MONO_TYPE_VALUETYPE },
	{ "Inner`1",      "",    "Outer`1",     "Object",            "T U", 0x100002, MONO_TYPE_CLASS },
	{ "Plain",        "",    "Outer`1",     "Object",            "T",   0x100002, MONO_TYPE_CLASS },
	{ "Operators",    "N.S", NULL,          "Object",            "",    0x1,      MONO_TYPE_CLASS },
	{ "Primitives",   "N.S", NULL,          "Object",            "",    0x100001, MONO_TYPE_CLASS },
	{ "Inside",       "",    "Primitives",  "Enum",              "",    0x102,    MONO_TYPE_VALUETYPE, MONO_TYPE_I2 },
	{ "Generics",     "N.S", NULL,          "Object",            "",    0x100181, MONO_TYPE_CLASS },
	{ "Program",      "",    NULL,          "Object",            "",    0x100181, MONO_TYPE_CLASS },
};

#define SCG "System.Collections.Generic"
static const struct class_row corlib_classes[] = {
	{ "<Module>",          "",       NULL,           NULL,        "",    1, MONO_TYPE_CLASS },
	{ "Object",            "System", NULL,           NULL,        "",    1, MONO_TYPE_OBJECT },
	{ "ValueType",         "System", NULL,           "Object",    "",    1, MONO_TYPE_CLASS },
	{ "Enum",              "System", NULL,           "ValueType", "",    1, MONO_TYPE_CLASS },
	{ "Array",             "System", NULL,           "Object",    "",    1, MONO_TYPE_CLASS },
	{ "String",            "System", NULL,           "Object",    "",    1, MONO_TYPE_STRING },
	{ "Void",              "System", NULL,           "ValueType", "",    1, MONO_TYPE_VOID },
	{ "Boolean",           "System", NULL,           "ValueType", "",    1, MONO_TYPE_BOOLEAN },
	{ "Char",              "System", NULL,           "ValueType", "",    1, MONO_TYPE_CHAR },
	{ "SByte",             "System", NULL,           "ValueType", "",    1, MONO_TYPE_I1 },
	{ "Byte",              "System", NULL,           "ValueType", "",    1, MONO_TYPE_U1 },
	{ "Int16",             "System", NULL,           "ValueType", "",    1, MONO_TYPE_I2 },
	{ "UInt16",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_U2 },
	{ "Int32",             "System", NULL,           "ValueType", "",    1, MONO_TYPE_I4 },
	{ "UInt32",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_U4 },
	{ "Int64",             "System", NULL,           "ValueType", "",    1, MONO_TYPE_I8 },
	{ "UInt64",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_U8 },
	{ "Single",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_R4 },
	{ "Double",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_R8 },
	{ "IntPtr",            "System", NULL,           "ValueType", "",    1, MONO_TYPE_I },
	{ "UIntPtr",           "System", NULL,           "ValueType", "",    1, MONO_TYPE_U },
	{ "TypedReference",    "System", NULL,           "ValueType", "",    1, MONO_TYPE_TYPEDBYREF },
	{ "Decimal",           "System", NULL,           "ValueType", "",    1, MONO_TYPE_VALUETYPE },
	{ "DateTime",          "System", NULL,           "ValueType", "",    1, MONO_TYPE_VALUETYPE },
	{ "Type",              "System", NULL,           "MemberInfo", "",   1, MONO_TYPE_CLASS },
	{ "MemberInfo",        "System.Reflection", NULL, "Object",   "",    1, MONO_TYPE_CLASS },
	{ "Exception",         "System", NULL,           "Object",    "",    1, MONO_TYPE_CLASS },
	{ "Delegate",          "System", NULL,           "Object",    "",    1, MONO_TYPE_CLASS },
	{ "MulticastDelegate", "System", NULL,           "Delegate",  "",    1, MONO_TYPE_CLASS },
	{ "IAsyncResult",      "System", NULL,           NULL,        "",    1, MONO_TYPE_CLASS },
	{ "AsyncCallback",     "System", NULL, "MulticastDelegate",   "",    1, MONO_TYPE_CLASS },
	{ "EventHandler",      "System", NULL, "MulticastDelegate",   "",    1, MONO_TYPE_CLASS },
	{ "Action",            "System", NULL, "MulticastDelegate",   "",    1, MONO_TYPE_CLASS },
	{ "Action`2",          "System", NULL, "MulticastDelegate",   "T1 T2", 1, MONO_TYPE_CLASS },
	{ "Func`2",            "System", NULL, "MulticastDelegate",   "T TResult", 1, MONO_TYPE_CLASS },
	{ "Nullable`1",        "System", NULL,           "ValueType", "T",   1, MONO_TYPE_VALUETYPE },
	{ "List`1",            SCG,      NULL,           "Object",    "T",   1, MONO_TYPE_CLASS },
	{ "Enumerator",        "",       "List`1",       "ValueType", "T",   1, MONO_TYPE_VALUETYPE },
	{ "Dictionary`2",      SCG,      NULL,           "Object",    "TKey TValue", 1, MONO_TYPE_CLASS },
	{ "KeyCollection",     "",       "Dictionary`2", "Object",    "TKey TValue", 1, MONO_TYPE_CLASS },
	{ "Enumerator",        "",       "KeyCollection", "ValueType", "TKey TValue", 1, MONO_TYPE_VALUETYPE },
	{ "KeyValuePair`2",    SCG,      NULL,           "ValueType", "TKey TValue", 1, MONO_TYPE_VALUETYPE },
};

/* Malformed metadata, in an image of its own. */
static const struct class_row circle = { "Circle", "", "Circle", "Circle", "", 1, MONO_TYPE_CLASS };
static MonoImage *circle_image;

static const struct {
	const char *klass;
	uint32_t flags, iflags, call_convention;
	const char *name, *params, *signature; /* return type first; see shapes_type () */
} methods[] = {
	{ "TopDelegate",  0x1886, 3, 0, ".ctor",   "",   "v o n" },
	{ "TopDelegate",  0x01c6, 3, 0, "Invoke",  "",   "i s i" },
	{ "TopDelegate",  0x01c6, 3, 0, "BeginInvoke", "",   "CIAsyncResult; s i CAsyncCallback; o" },
	{ "TopDelegate",  0x01c6, 3, 0, "EndInvoke", "",   "i CIAsyncResult;" },
	{ "NoNamespace",  0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "NoNamespace",  0x0086, 0, 0, "Bare",    "",   "v" },
	{ "Child",        0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Child",        0x0086, 0, 0, "BareChild", "",   "v CChild;" },
	{ "IPlain",       0x05c6, 0, 0, "Explicit", "",   "v i" },
	{ "IGeneric`1",   0x05c6, 0, 0, "ExplicitGeneric", "",   "v !0" },
	{ "Implementer",  0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Implementer",  0x01e1, 0, 0, "N.S.IPlain.Explicit", "",   "v i" },
	{ "Implementer",  0x01e1, 0, 0, "N.S.IGeneric<string>.ExplicitGeneric", "",   "v s" },
	{ "Implementer",  0x01e1, 0, 0, "N.S.IGeneric<System.Collections.Generic.List<int>>.ExplicitGeneric", "",   "v GList`1;1i" },
	{ "Outer`1",      0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Outer`1",      0x0086, 0, 0, "Simple",  "",   "v !0" },
	{ "Outer`1",      0x0096, 0, 0, "Arrays",  "",   "[!0 [!0 2[!0 [[!0 GList`1;1!0 GDictionary`2;2!0GList`1;1!0" },
	{ "Outer`1",      0x0086, 0, 0, "Own",     "",   "v GOuter`1;1!0 GOuter`1;1i GInner`1;2!0s" },
	{ "Value",        0x0086, 0, 0, "OfValue", "",   "v GValue;1!0" },
	{ "Inner`1",      0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Inner`1",      0x0086, 0, 0, "Deep",    "V",  "!1 s [i &?0 &i 2[i GFunc`2;2si GNullable`1;1i !0 !1 ?0" },
	{ "Inner`1",      0x0096, 0, 0, "DeepStatic", "",   "v !0 !1" },
	{ "Inner`1",      0x0086, 0, 0, "NoArguments", "",   "v" },
	{ "Plain",        0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Plain",        0x0086, 0, 0, "InPlain", "",   "v !0 GPlain;1!0" },
	{ "Operators",    0x1891, 0, 0, ".cctor",  "",   "v" },
	{ "Operators",    0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Operators",    0x1886, 0, 0, ".ctor",   "",   "v i" },
	{ "Operators",    0x0886, 0, 0, "get_Item", "",   "i i" },
	{ "Operators",    0x0886, 0, 0, "set_Item", "",   "v i i" },
	{ "Operators",    0x0886, 0, 0, "get_Property", "",   "s" },
	{ "Operators",    0x0886, 0, 0, "set_Property", "",   "v s" },
	{ "Operators",    0x0886, 0, 0, "add_Changed", "",   "v CEventHandler;" },
	{ "Operators",    0x0886, 0, 0, "remove_Changed", "",   "v CEventHandler;" },
	{ "Operators",    0x00c4, 0, 0, "Finalize", "",   "v" },
	{ "Operators",    0x0896, 0, 0, "op_Addition", "",   "COperators; COperators; COperators;" },
	{ "Operators",    0x0896, 0, 0, "op_Implicit", "",   "i COperators;" },
	{ "Operators",    0x0086, 0, 0, "Fire",    "",   "v" },
	{ "Primitives",   0x1886, 0, 0, ".ctor",   "",   "v" },
	{ "Primitives",   0x0086, 0, 0, "All",     "",   "v b c h a x X i j l m f d n p s o" },
	{ "Primitives",   0x0086, 0, 0, "Others",  "",   "v CDecimal; CDateTime; CColor; CTopDelegate; CType; CArray; CException; CValueType; CEnum;" },
	{ "Primitives",   0x0086, 0, 0, "Pointers", "",   "v *i *v **i [*c &*i *CColor;" },
	{ "Primitives",   0x0086, 0, 0, "Typed",   "",   "v t" },
	{ "Primitives",   0x0086, 0, 0, "References", "",   "v &i &s &[i &GList`1;1s &CColor;" },
	{ "Primitives",   0x0086, 0, 0, "Jagged",  "",   "v [[i 3[i [2[i 2[[i [s [o" },
	{ "Primitives",   0x0086, 0, 5, "Varargs", "",   "v i" },
	{ "Primitives",   0x0086, 0, 0, "Params",  "",   "v [s" },
	{ "Primitives",   0x0086, 0, 0, "Default", "",   "v i" },
	{ "Primitives",   0x0086, 0, 0, "Nullables", "",   "v GNullable`1;1i GNullable`1;1CColor; GNullable`1;1GKeyValuePair`2;2si" },
	{ "Primitives",   0x0086, 0, 0, "Enumerators", "",   "v GListEnumerator;1i GKeyEnumerator;2si" },
	{ "Primitives",   0x0086, 0, 0, "Dynamics", "",   "v o CAction; GAction`2;2is" },
	{ "Primitives",   0x0086, 0, 0, "NestedElements", "",   "v [CInside; *CInside; [CChild; 2[CInside;" },
	{ "Primitives",   0x0086, 0, 0, "ReturnsInt", "",   "i" },
	{ "Primitives",   0x0086, 0, 0, "ReturnsPointer", "",   "*v" },
	{ "Generics",     0x0096, 0, 0, "Method",  "A",  "v ?0" },
	{ "Generics",     0x0096, 0, 0, "Two",     "A B", "v ?0 ?1 GDictionary`2;2?0?1" },
	{ "Generics",     0x0096, 0, 0, "Constrained", "A",  "v ?0" },
	{ "Generics",     0x0096, 0, 0, "Identity", "A",  "?0 ?0" },
	{ "Program",      0x0091, 0, 0, "Touch",   "T",  "v ?0" },
	{ "Program",      0x0091, 0, 0, "TouchTwo", "T U", "v ?0 ?1" },
	{ "Program",      0x0096, 0, 0, "Main",    "",   "v" },
};

enum { CORLIB_CLASSES = sizeof corlib_classes / sizeof *corlib_classes };
_Static_assert (sizeof methods / sizeof *methods == SHAPES_METHODS, "one row for each method");
_Static_assert (sizeof shapes_classes / sizeof *shapes_classes == SHAPES_CLASSES, "one row for each class");

/* --- finding rows ------------------------------------------------------------------------------------------------- */

static MonoClass *
find_class (MonoImage *image, const struct class_row *rows, uint32_t count, const char *name, const char *nesting)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp (rows[i].name, name) && (!nesting || (rows[i].nesting && !strcmp (rows[i].nesting, nesting))))
			return monocle_class_def (image, 0x02000000 | (i + 1));
	return NULL;
}

/* A class by name, in a copy of shapes or in corlib. */
static MonoClass *
class_near (MonoImage *image, const char *name)
{
	if (!strcmp (name, circle.name))
		return monocle_class_def (circle_image, 0x02000001);
	/* Both enumerators are called the same. */
	if (!strcmp (name, "ListEnumerator"))
		return find_class (shapes_corlib, corlib_classes, CORLIB_CLASSES, "Enumerator", "List`1");
	if (!strcmp (name, "KeyEnumerator"))
		return find_class (shapes_corlib, corlib_classes, CORLIB_CLASSES, "Enumerator", "KeyCollection");
	MonoClass *klass = image != shapes_corlib ? find_class (image, shapes_classes, SHAPES_CLASSES, name, NULL) : NULL;
	return klass ? klass : find_class (shapes_corlib, corlib_classes, CORLIB_CLASSES, name, NULL);
}

MonoClass *
shapes_class (const char *name)
{
	return class_near (shapes_image, name);
}

MonoMethod *
shapes_method (const char *name)
{
	for (uint32_t i = 0; i < SHAPES_METHODS; i++)
		if (!strcmp (methods[i].name, name))
			return monocle_method_def (shapes_image, 0x06000000 | (i + 1));
	return NULL;
}

static const struct class_row *
class_row (MonoClass *klass)
{
	uint32_t row = monocle_class_token (klass) & 0xffffff;
	if (mono_class_get_image (klass) == circle_image)
		return &circle;
	if (mono_class_get_image (klass) == shapes_corlib)
		return row && row <= CORLIB_CLASSES ? &corlib_classes[row - 1] : NULL;
	return row && row <= SHAPES_CLASSES ? &shapes_classes[row - 1] : NULL;
}

static uint32_t
words (const char *text)
{
	uint32_t count = *text != 0;
	for (; *text; text++)
		count += *text == ' ';
	return count;
}

/* Word `index` of a list; a static buffer for each thread, as a host that reads names from an image would have none. */
static const char *
word (const char *text, uint32_t index)
{
	static _Thread_local char buffer[32];
	for (; index && *text; text++)
		index -= *text == ' ';
	snprintf (buffer, sizeof buffer, "%.*s", (int) strcspn (text, " "), text);
	return index || !*text ? NULL : buffer;
}

/* --- types from scripts ------------------------------------------------------------------------------------------- */

static MonoClass *
named_class (const char **script)
{
	char name[64];
	size_t length = strcspn (*script, ";");
	snprintf (name, sizeof name, "%.*s", (int) length, *script);
	*script += length + 1;
	return shapes_class (name);
}

static MonoClass *
instance (const char **script, MonoClass *klass, MonoMethod *method)
{
	MonoType *arguments[4];
	MonoClass *definition = named_class (script);
	uint32_t count = (uint32_t) (*(*script)++ - '0');
	for (uint32_t i = 0; i < count; i++)
		arguments[i] = shapes_type (script, klass, method);
	return monocle_class_inst (definition, count, arguments);
}

static MonoClass *
letter (char c)
{
	static const char letters[] = "v\1b\2c\3h\4a\5x\6X\7i\10j\11l\12m\13f\14d\15s\16t\26n\30p\31o\34";
	const char *at = strchr (letters, c);
	return at ? monocle_class_primitive ((uint32_t) at[1]) : NULL;
}

static MonoClass *
script_class (const char **script, MonoClass *klass, MonoMethod *method)
{
	char c = *(*script)++;
	switch (c) {
	case '!':
		return monocle_class_param (klass, NULL, (uint32_t) (*(*script)++ - '0'), 0);
	case '?':
		return monocle_class_param (NULL, method, (uint32_t) (*(*script)++ - '0'), 0);
	case 'R':
		c = *(*script)++;
		return monocle_class_param (c == '!' ? klass : NULL, c == '?' ? method : NULL, (uint32_t)(*(*script)++ - '0'),
		                            1);
	case '*':
		return monocle_class_pointer (script_class (script, klass, method));
	case '[':
		return monocle_class_array (script_class (script, klass, method), 1);
	case '2':
	case '3':
		(*script)++;
		return monocle_class_array (script_class (script, klass, method), (uint32_t) (c - '0'));
	case 'C':
		return named_class (script);
	case 'G':
		return instance (script, klass, method);
	default:
		return letter (c);
	}
}

MonoType *
shapes_type (const char **script, MonoClass *klass, MonoMethod *method)
{
	while (**script == ' ')
		(*script)++;
	if (**script != '&')
		return monocle_type (script_class (script, klass, method));
	(*script)++;
	return monocle_type_byref (script_class (script, klass, method));
}

/* --- operations --------------------------------------------------------------------------------------------------- */

/* A host that is silent knows nothing: what it was not asked before stays unknown. */
static int
asked (void)
{
	shapes_asked++;
	return !shapes_silent;
}

static int
describe_image (void *host, MonoImage *image, monocle_image_info *ret_info)
{
	static const uint8_t corlib_token[8] = { 0xb7, 0x7a, 0x5c, 0x56, 0x19, 0x34, 0xe0, 0x89 };
	if (!asked ())
		return MONOCLE_E_UNKNOWN;
	ret_info->assembly_name = image == shapes_corlib ? "mscorlib" : image == circle_image ? "circle" : "shapes";
	ret_info->version[0] = image == shapes_corlib ? 4 : 0;
	ret_info->guid = image == shapes_corlib ? NULL : "01234567-89AB-CDEF-0123-456789ABCDEF";
	ret_info->has_public_key_token = image == shapes_corlib;
	memcpy (ret_info->public_key_token, corlib_token, sizeof corlib_token);
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret_info)
{
	const struct class_row *row = class_row (klass);
	if (!asked () || !row)
		return MONOCLE_E_UNKNOWN;
	ret_info->name = row->name;
	ret_info->name_space = row->name_space;
	ret_info->flags = row->flags;
	ret_info->nesting = row->nesting ? class_near (mono_class_get_image (klass), row->nesting) : NULL;
	ret_info->generic_params = words (row->params);
	ret_info->element_type = row->element;
	ret_info->enum_base = row->enum_base;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret_info)
{
	uint32_t row = (monocle_method_token (method) & 0xffffff) - 1;
	if (!asked () || row >= SHAPES_METHODS || monocle_method_image (method) == shapes_corlib)
		return MONOCLE_E_UNKNOWN;
	ret_info->name = methods[row].name;
	ret_info->flags = methods[row].flags;
	ret_info->iflags = methods[row].iflags;
	ret_info->klass = class_near (monocle_method_image (method), methods[row].klass);
	ret_info->generic_params = words (methods[row].params);
	return 0;
}

static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret_info)
{
	static _Thread_local MonoType *params[16];
	uint32_t row = (monocle_method_token (method) & 0xffffff) - 1, count = 0;
	if (!asked () || row >= SHAPES_METHODS || monocle_method_image (method) == shapes_corlib)
		return MONOCLE_E_UNKNOWN;
	const char *script = methods[row].signature;
	MonoClass *klass = class_near (monocle_method_image (method), methods[row].klass);
	ret_info->ret = shapes_type (&script, klass, method);
	while (*script)
		params[count++] = shapes_type (&script, klass, method);
	ret_info->params = params;
	ret_info->param_count = count;
	ret_info->call_convention = methods[row].call_convention;
	ret_info->has_this = !(methods[row].flags & 0x10);
	ret_info->generic_params = words (methods[row].params);
	return 0;
}

static const char *
generic_param_name (void *host, MonoClass *klass, MonoMethod *method, uint32_t index)
{
	if (!asked ())
		return NULL;
	if (method)
		return word (methods[(monocle_method_token (method) & 0xffffff) - 1].params, index);
	return word (class_row (klass)->params, index);
}

static MonoClass *
class_parent (void *host, MonoClass *klass)
{
	const struct class_row *row = class_row (klass);
	return asked () && row && row->parent ? class_near (mono_class_get_image (klass), row->parent) : NULL;
}

static MonoClass *
class_from_name (void *host, MonoImage *image, const char *name_space, const char *name)
{
	bool is_corlib = image == shapes_corlib;
	const struct class_row *rows = is_corlib ? corlib_classes : shapes_classes;
	for (uint32_t i = 0; i < (is_corlib ? CORLIB_CLASSES : SHAPES_CLASSES); i++)
		if (!rows[i].nesting && !strcmp (rows[i].name, name) && !strcmp (rows[i].name_space, name_space))
			return monocle_class_def (image, 0x02000000 | (i + 1));
	return NULL;
}

void
shapes_host_start (void)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "shapes",
		.runtime_version = "shapes 1.0",
		.describe_image = describe_image,
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
		.generic_param_name = generic_param_name,
		.class_parent = class_parent,
		.class_from_name = class_from_name,
	};
	assert_int_equal (monocle_host_init (&ops), 0);
	shapes_corlib = monocle_image_new ("/corlib/mscorlib.dll", MONOCLE_IMAGE_CORLIB, CORLIB_CLASSES, 0, NULL);
	shapes_image = monocle_image_new ("/app/shapes.exe", MONOCLE_IMAGE_MAIN, SHAPES_CLASSES, SHAPES_METHODS, NULL);
	circle_image = monocle_image_new ("/app/circle.dll", 0, 1, 0, NULL);
	monocle_image_set_assembly_visible (shapes_corlib);
	monocle_image_set_assembly_visible (shapes_image);
}
