/*
 * SPDX-License-Identifier: MIT
 *
 * shown.c - what records show to modules that read Mono's fields, and when.
 *
 * Fields are written by whoever describes a record first, and by others at the same time: all write the same, each
 * field at once. Any thread, any context.
 */
#include "shown.h"

#include <string.h>
#include "class.h"
#include "dispatch/event.h"
#include "image.h"
#include "method.h"
#include "special-type.h"
#include "type.h"

/* --- where Mono 6.8 has them -------------------------------------------------------------------------------------- */

#define AT(record, field, offset) \
	_Static_assert(offsetof (record, field) == (offset), "a module reads " #field " of a " #record " by itself")

/* clang-format off */
AT (MonoAssemblyName, name,                 0);
AT (MonoAssemblyName, culture,              8);
AT (MonoAssemblyName, public_key_token,    32);
AT (MonoAssemblyName, flags,               60);
AT (MonoAssemblyName, version,             64);
AT (MonoAssembly,     folder,               8);
AT (MonoAssembly,     name,                16);
AT (MonoAssembly,     image,               96);
AT (MonoImage,        is_dynamic,          28);
AT (MonoImage,        filename,            32);
AT (MonoImage,        filename_again,      40);
AT (MonoImage,        assembly_name,       48);
AT (MonoImage,        module_name,         56);
AT (MonoImage,        guid,                88);
AT (MonoImage,        shown_assembly,    1216);
AT (MonoType,         klass,                0);
AT (MonoType,         shown_code,          10);
AT (MonoVTable,       klass,                0);
AT (MonoClass,        element_class,        0);
AT (MonoClass,        rank,                26);
AT (MonoClass,        shown_kind,          27);
AT (MonoClass,        shown_bits,          32);
AT (MonoClass,        parent,              40);
AT (MonoClass,        nested_in,           48);
AT (MonoClass,        image,               56);
AT (MonoClass,        name,                64);
AT (MonoClass,        name_space,          72);
AT (MonoClass,        token,               80);
AT (MonoClass,        by_reference,       160);
AT (MonoClass,        by_value,           176);
AT (MonoClass,        flags,              224);
AT (MonoClass,        generic_class,      224);
AT (monocle__generic_class, container,      0);
AT (monocle__generic_class, context,        8);
AT (monocle__generic_class, klass,         32);
AT (monocle__generic_inst,  types,          8);
AT (MonoMethod,       flags,                0);
AT (MonoMethod,       iflags,               2);
AT (MonoMethod,       token,                4);
AT (MonoMethod,       klass,                8);
AT (MonoMethod,       signature,           16);
AT (MonoMethod,       name,                24);
AT (MonoMethod,       shown_bits,          32);
AT (MonoMethod,       definition,          56);
AT (MonoMethod,       context,             64);
AT (MonoMethodSignature, ret,               0);
AT (MonoMethodSignature, count,             8);
AT (MonoMethodSignature, vararg_start,     10);
AT (MonoMethodSignature, params,           16);
/* clang-format on */

_Static_assert(sizeof (MonoType) == 16 && sizeof (MonoAssembly) == 128, "as large as Mono's");

/* The lowest three bits of a class's `shown_kind`. */
enum { SHOWN_DEF = 1, SHOWN_GENERIC_DEF, SHOWN_INST, SHOWN_PARAM, SHOWN_ARRAY, SHOWN_POINTER };
/* Of its `shown_bits`. */
enum { SHOWN_VALUETYPE = 0x4, SHOWN_ENUM = 0x8 };
/* Of a method's: the kind of wrapper, whether it is generic, an instance; its slot, which nobody knows. */
enum { WRAPPER_SHIFT = 2, SHOWN_DYNAMIC = 1 << 9, SHOWN_GENERIC = 1 << 11, SHOWN_INFLATED = 1 << 12 };
enum { WRAPPERS = 26 };
enum { FLAG_INTERFACE = 0x20 }; /* II.23.1.15 */
static const uint32_t shown_no_slot = 0xffff0000;

/* --- classes and types -------------------------------------------------------------------------------------------- */

static void
set_code (MonoType *type, uint32_t code)
{
	atomic_store_explicit (&type->shown_code, (uint8_t) code, memory_order_relaxed);
}

static uint8_t
kind_made (const MonoClass *klass)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_INST: return SHOWN_INST;
	case MONOCLE__CLASS_PARAM: return SHOWN_PARAM;
	case MONOCLE__CLASS_ARRAY: return SHOWN_ARRAY;
	case MONOCLE__CLASS_POINTER:
	case MONOCLE__CLASS_FNPTR: return SHOWN_POINTER;
	default: return SHOWN_DEF;
	}
}

static bool
is_made_of (const MonoClass *klass)
{
	return klass->kind == MONOCLE__CLASS_ARRAY || klass->kind == MONOCLE__CLASS_POINTER;
}

void
monocle__shown_class_made (MonoClass *klass)
{
	MonoClass *element = is_made_of (klass) ? monocle__class_shown (klass->element) : klass;
	atomic_init (&klass->element_class, element);
	atomic_init (&klass->shown_kind, kind_made (klass));
	if (klass->kind != MONOCLE__CLASS_DEF && klass->kind != MONOCLE__CLASS_NAMED) {
		uint32_t code = monocle__type_code (&klass->by_value);
		set_code (&klass->by_value, code);
		set_code (&klass->by_reference, code);
	}
}

/* Of an enum its integer, of Nullable<T> T. */
static MonoClass *
element_told (MonoClass *klass, const monocle__class_desc *desc)
{
	if (desc->enum_base)
		return monocle_class_primitive (desc->enum_base);
	if (klass->kind == MONOCLE__CLASS_INST && klass->count == 1 && monocle__class_desc_is_system (desc, "Nullable`1"))
		return klass->arguments[0]->klass;
	return NULL;
}

static void
show_definition (MonoClass *klass, const monocle__class_desc *desc)
{
	uint32_t code = klass->kind == MONOCLE__CLASS_PRIMITIVE ? klass->primitive : desc->element_type;
	atomic_store_explicit (&klass->shown_kind, desc->generic_params ? SHOWN_GENERIC_DEF : SHOWN_DEF,
	                       memory_order_relaxed);
	atomic_store_explicit (&klass->flags, desc->flags, memory_order_relaxed);
	set_code (&klass->by_value, code);
	set_code (&klass->by_reference, code);
}

void
monocle__shown_class_is (MonoClass *klass, const monocle__class_desc *desc)
{
	bool is_definition = klass->kind == MONOCLE__CLASS_DEF || klass->kind == MONOCLE__CLASS_PRIMITIVE ||
	                     klass->kind == MONOCLE__CLASS_NAMED;
	unsigned bits = monocle__class_desc_is_value (desc) ? SHOWN_VALUETYPE : 0;
	MonoClass *element = element_told (klass, desc);
	if (is_definition)
		show_definition (klass, desc);
	else
		atomic_store_explicit (&klass->image, monocle__class_image (klass), memory_order_relaxed);
	if (klass->kind == MONOCLE__CLASS_INST)
		atomic_store_explicit (&klass->token, monocle_class_token (klass->element), memory_order_relaxed);
	if (element || !atomic_load_explicit (&klass->element_class, memory_order_relaxed))
		atomic_store_explicit (&klass->element_class, element ? element : klass, memory_order_relaxed);
	if (desc->enum_base)
		bits |= SHOWN_ENUM;
	atomic_fetch_or_explicit (&klass->shown_bits, (uint8_t) bits, memory_order_relaxed);
	atomic_store_explicit (&klass->nested_in, desc->nesting, memory_order_relaxed);
	atomic_store_explicit (&klass->name_space, desc->name_space, memory_order_relaxed);
	atomic_store_explicit (&klass->name, desc->name, memory_order_release);
}

void
monocle__shown_type (MonoType *type)
{
	if (!atomic_load_explicit (&type->shown_code, memory_order_relaxed) && monocle__class_describe (type->klass))
		set_code (type, monocle__type_code (type));
}

/* What it is made of, each class once: arguments may mention each other. They nest no deeper than class.c allows. */
static void
show_parts (MonoClass *klass)
{
	if (!klass || atomic_load_explicit (&klass->is_shown, memory_order_relaxed) || !monocle__class_describe (klass))
		return;
	atomic_store_explicit (&klass->is_shown, true, memory_order_relaxed);
	MonoImage *image = monocle__class_image (klass);
	if (image)
		monocle__image_describe (image);
	show_parts (klass->element);
	show_parts (atomic_load_explicit (&klass->nested_in, memory_order_relaxed));
	for (uint32_t i = 0; i < klass->count; i++) {
		show_parts (klass->arguments[i]->klass);
		monocle__shown_type (klass->arguments[i]);
	}
}

/*
 * An array's parent and, before corlib was read, a primitive's is a class that is looked up by name: not in any
 * context. Who has none is not asked each time.
 */
static bool
may_ask_parent (MonoClass *klass)
{
	if (klass->kind == MONOCLE__CLASS_PRIMITIVE)
		return klass->primitive != MONO_TYPE_OBJECT && monocle_class_token (klass);
	return (klass->kind == MONOCLE__CLASS_DEF || klass->kind == MONOCLE__CLASS_INST) &&
	       !(mono_class_get_flags (klass) & FLAG_INTERFACE);
}

static void
show_parents (MonoClass *klass)
{
	for (int depth = 0; klass && depth < MONOCLE__DEPTH_LIMIT && may_ask_parent (klass); depth++) {
		MonoClass *parent = mono_class_get_parent (klass);
		if (parent && mono_class_is_enum (klass))
			atomic_fetch_or_explicit (&klass->shown_bits, SHOWN_ENUM, memory_order_relaxed);
		show_parts (parent);
		klass = parent;
	}
}

/* A class that a module gets, and what hangs on it. */
static void
show_class (MonoClass *klass)
{
	if (!klass)
		return;
	show_parts (klass);
	show_parents (klass);
	if (klass->kind == MONOCLE__CLASS_ARRAY)
		show_parents (klass->element);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static uint32_t
wrapper_number (const char *name)
{
	/* In the order that Mono 6.8 numbers them. */
	static const char *const wrappers[WRAPPERS] = {
		"none",
		"delegate-invoke",
		"delegate-begin-invoke",
		"delegate-end-invoke",
		"runtime-invoke",
		"native-to-managed",
		"managed-to-native",
		"managed-to-managed",
		"remoting-invoke",
		"remoting-invoke-with-check",
		"xdomain-invoke",
		"xdomain-dispatch",
		"ldfld",
		"stfld",
		"synchronized",
		"dynamic-method",
		"castclass",
		"proxy_isinst",
		"stelemref",
		"unbox",
		"ldflda",
		"write-barrier",
		"other",
		"cominterop-invoke",
		"cominterop",
		"alloc",
	};
	for (uint32_t i = 0; i < WRAPPERS; i++)
		if (!strcmp (wrappers[i], name))
			return i;
	return wrapper_number ("other");
}

static uint32_t
method_bits (const MonoMethod *method, const monocle__method_desc *desc)
{
	uint32_t bits = shown_no_slot;
	uint32_t wrapper = desc->wrapper ? wrapper_number (desc->wrapper) : 0;
	if (method->definition)
		bits |= SHOWN_INFLATED;
	if (desc->generic_params && !method->count)
		bits |= SHOWN_GENERIC;
	if (desc->wrapper && !strcmp (desc->wrapper, "dynamic-method"))
		bits |= SHOWN_DYNAMIC;
	return bits | wrapper << WRAPPER_SHIFT;
}

void
monocle__shown_method_is (MonoMethod *method, const monocle__method_desc *desc)
{
	atomic_store_explicit (&method->flags, desc->flags, memory_order_relaxed);
	atomic_store_explicit (&method->iflags, desc->iflags, memory_order_relaxed);
	atomic_store_explicit (&method->shown_bits, method_bits (method, desc), memory_order_relaxed);
	if (!atomic_load_explicit (&method->klass, memory_order_relaxed))
		atomic_store_explicit (&method->klass, desc->klass, memory_order_release);
	atomic_store_explicit (&method->name, desc->name, memory_order_release);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

void
monocle__shown_image_is (MonoImage *image, const monocle__image_desc *desc)
{
	typedef uint64_t __attribute__ ((may_alias)) word;
	const word *from = (const word *) &desc->name;
	word *to = (word *) &image->assembly.name;
	_Static_assert(sizeof desc->name % sizeof *from == 0, "a name is whole words");
	for (size_t i = 0; i < sizeof desc->name / sizeof *from; i++)
		__atomic_store_n (&to[i], from[i], __ATOMIC_RELAXED);
	atomic_store_explicit (&image->module_name, desc->module_name, memory_order_relaxed);
	atomic_store_explicit (&image->guid, desc->guid, memory_order_relaxed);
	atomic_store_explicit (&image->assembly_name, desc->name.name, memory_order_release);
}

/* --- before events ------------------------------------------------------------------------------------------------ */

static void
before_image (MonoProfiler *prof, MonoImage *image)
{
	if (image)
		monocle__image_describe (image);
}

static void
before_assembly (MonoProfiler *prof, MonoAssembly *assembly)
{
	before_image (prof, mono_assembly_get_image (assembly));
}

static void
before_class (MonoProfiler *prof, MonoClass *klass)
{
	show_class (klass);
}

static void
before_vtable (MonoProfiler *prof, MonoVTable *vtable)
{
	show_class (mono_vtable_class (vtable));
}

static void
before_method (MonoProfiler *prof, MonoMethod *method)
{
	MonoType *const *arguments = method ? monocle__method_arguments (method) : NULL;
	if (!method)
		return;
	monocle__method_describe (method);
	show_class (monocle__method_class (method));
	for (uint32_t i = 0; i < method->count; i++) {
		show_class (arguments[i]->klass);
		monocle__shown_type (arguments[i]);
	}
}

static void
before_code (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	before_method (prof, method);
}

void
monocle__shown_begin (void)
{
	/* clang-format off */
	static const struct { monocle_event event; void *callback; } rows[] = {
		{ MONOCLE_EVENT_jit_begin,        (void *) before_method },
		{ MONOCLE_EVENT_jit_failed,       (void *) before_method },
		{ MONOCLE_EVENT_jit_done,         (void *) before_code },
		{ MONOCLE_EVENT_class_loading,    (void *) before_class },
		{ MONOCLE_EVENT_class_failed,     (void *) before_class },
		{ MONOCLE_EVENT_class_loaded,     (void *) before_class },
		{ MONOCLE_EVENT_vtable_loading,   (void *) before_vtable },
		{ MONOCLE_EVENT_vtable_failed,    (void *) before_vtable },
		{ MONOCLE_EVENT_vtable_loaded,    (void *) before_vtable },
		{ MONOCLE_EVENT_image_loading,    (void *) before_image },
		{ MONOCLE_EVENT_image_failed,     (void *) before_image },
		{ MONOCLE_EVENT_image_loaded,     (void *) before_image },
		{ MONOCLE_EVENT_assembly_loading, (void *) before_assembly },
		{ MONOCLE_EVENT_assembly_loaded,  (void *) before_assembly },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		monocle__event_prepare (rows[i].event, rows[i].callback);
}
