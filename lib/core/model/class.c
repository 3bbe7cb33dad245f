/*
 * SPDX-License-Identifier: MIT
 *
 * class.c - classes: how each kind of record is made and described.
 *
 * Definitions are in their image's table, everything else in one hash set. Any thread, any context.
 */
#include "class.h"

#include <string.h>
#include "arena.h"
#include "dispatch/host.h"
#include "hash.h"
#include "generic-inst.h"
#include "image.h"
#include "intern.h"
#include "invariant.h"
#include "method.h"
#include "publish.h"
#include "shown.h"
#include "special-type.h"
#include "table.h"
#include "type.h"

enum {
	FLAGS_VISIBILITY = 0x7, /* II.23.1.15 */
	FLAGS_ARRAY = 0x2101,   /* what Mono gives every array: public, sealed, serializable */
	FLAGS_PUBLIC = 0x1,
	FLAGS_INTERFACE = 0x20,
	ROW_MASK = 0xffffff,
	DEPTH_LIMIT = 128,
	ARGUMENT_LIMIT = UINT16_MAX, /* II.22.20: a parameter's number has 16 bits */
};

static monocle__intern classes;
/* --- primitives: there before any image, adopted by corlib -------------------------------------------------------- */

/* clang-format off */
static monocle__class_desc primitive_descs[] = {
#define MONOCLE__PRIMITIVE(code, class_name, keyword, valuetype, class_flags)                                          \
	[MONO_TYPE_##code] = {                                                                                             \
		.name = class_name, .name_space = "System", .flags = class_flags, .element_type = MONO_TYPE_##code             \
	},
#include "primitives.def"
};
/* clang-format on */

/* clang-format off */
static MonoClass primitives[] = {
#define MONOCLE__PRIMITIVE(code, class_name, keyword, valuetype, class_flags)                              \
	[MONO_TYPE_##code] = { .kind = MONOCLE__CLASS_PRIMITIVE, .primitive = MONO_TYPE_##code,                \
	                       .by_value = { &primitives[MONO_TYPE_##code], .shown_code = MONO_TYPE_##code },        \
	                       .by_reference = { &primitives[MONO_TYPE_##code], .shown_code = MONO_TYPE_##code,      \
	                                         .is_byref = true },                                           \
	                       .vtable = { &primitives[MONO_TYPE_##code] }, .desc = &primitive_descs[MONO_TYPE_##code] },
#include "primitives.def"
};
/* clang-format on */

MonoClass *
monocle_class_primitive (uint32_t element_type)
{
	if (element_type >= sizeof primitives / sizeof *primitives || !primitives[element_type].primitive)
		return NULL;
	return &primitives[element_type];
}

void
monocle__class_corlib_is (MonoImage *image)
{
	for (uint32_t code = 0; code < sizeof primitives / sizeof *primitives; code++)
		if (primitives[code].primitive)
			atomic_store_explicit (&primitives[code].image, image, memory_order_release);
}

/* --- describing --------------------------------------------------------------------------------------------------- */

static monocle__class_desc *
desc_from_info (const monocle_class_info *info)
{
	monocle__class_desc *desc = monocle__arena_alloc (sizeof *desc);
	if (!desc)
		return NULL;
	*desc = (monocle__class_desc) {
		.name = monocle__arena_string (info->name ? info->name : ""),
		.name_space = monocle__arena_string (info->name_space ? info->name_space : ""),
		.flags = info->flags,
		.generic_params = (uint16_t) info->generic_params,
		.element_type = info->element_type ? (uint8_t) info->element_type : MONO_TYPE_CLASS,
		.enum_base = (uint8_t) info->enum_base,
		.nesting = info->nesting,
	};
	return desc->name && desc->name_space ? desc : NULL;
}

/* Asks the host about a definition. */
static monocle__class_desc *
describe_def (MonoClass *klass, MonoImage *image)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	monocle__class_desc *desc = NULL;
	monocle_class_info info = { .size = sizeof info };
	if (!ops->describe_class || !monocle__image_ask_begin (image))
		return NULL;
	if (ops->describe_class (ops->host, klass, &info) == 0)
		desc = desc_from_info (&info);
	monocle__image_ask_end (image);
	return desc;
}

/* "Int32" and "[,]" give "Int32[,]", in the namespace of the element. */
static monocle__class_desc *
describe_composite (MonoClass *klass)
{
	const monocle__class_desc *element = monocle__class_describe (klass->element);
	monocle__class_desc *desc = element ? monocle__arena_alloc (sizeof *desc) : NULL;
	if (!desc)
		return NULL;
	bool is_general = klass->kind == MONOCLE__CLASS_ARRAY && klass->index;
	size_t length = strlen (element->name), suffix = klass->rank + 1u + is_general;
	char *name = monocle__arena_alloc (length + suffix + 1);
	if (!name)
		return NULL;
	memcpy (name, element->name, length);
	if (klass->kind == MONOCLE__CLASS_POINTER) {
		name[length] = '*';
	} else {
		memset (name + length, is_general ? '*' : ',', suffix);
		name[length] = '[';
		name[length + suffix - 1] = ']';
	}
	*desc = (monocle__class_desc) { .name = name, .name_space = element->name_space };
	desc->flags = klass->kind == MONOCLE__CLASS_POINTER ? element->flags & FLAGS_VISIBILITY : FLAGS_ARRAY;
	return desc;
}

static MonoImage *
image_of (MonoClass *klass)
{
	return atomic_load_explicit (&klass->image, memory_order_acquire);
}

/* The definition that a parameter's namespace and parameters come from. */
static MonoClass *
param_class (MonoClass *klass)
{
	return klass->element ? klass->element : klass->owner ? monocle__method_class (klass->owner) : NULL;
}

/* What the metadata calls it ("T"), in the arena; NULL: unknown. */
static const char *
param_plain_name (MonoClass *klass)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoImage *image = klass->owner ? klass->owner->image : klass->element ? image_of (klass->element) : NULL;
	if (!ops->generic_param_name || (!klass->owner && !klass->element) || !monocle__image_ask_begin (image))
		return NULL;
	const char *name =
	    ops->generic_param_name (ops->host, klass->owner ? NULL : klass->element, klass->owner, klass->index);
	name = monocle__arena_string (name);
	monocle__image_ask_end (image);
	return name;
}

/*
 * Mono runs one body for all instances whose arguments are all references and names its parameters after the originals:
 * A of `void M<A> (A)` prints as A_REF. An instance with one argument of a value type is not shared.
 */
static const char *
param_name (MonoClass *klass)
{
	const char *plain = param_plain_name (klass);
	if (!klass->shared_ref)
		return plain;
	if (!plain)
		return klass->owner || klass->element ? NULL : "T_REF";
	char *name = monocle__arena_alloc (strlen (plain) + sizeof "_REF");
	if (name)
		strcat (strcpy (name, plain), "_REF");
	return name;
}

static monocle__class_desc *
describe_param (MonoClass *klass)
{
	const char *name = param_name (klass);
	monocle__class_desc *desc = name ? monocle__arena_alloc (sizeof *desc) : NULL;
	MonoClass *owner = param_class (klass);
	if (!desc)
		return NULL;
	*desc = (monocle__class_desc) {
		.name = name,
		.name_space = owner ? mono_class_get_namespace (owner) : "",
		.flags = FLAGS_PUBLIC,
	};
	return desc;
}

static monocle__class_desc *
describe (MonoClass *klass)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_DEF: return describe_def (klass, image_of (klass));
	case MONOCLE__CLASS_ARRAY:
	case MONOCLE__CLASS_POINTER: return describe_composite (klass);
	case MONOCLE__CLASS_PARAM: return describe_param (klass);
	default: return NULL;
	}
}

const monocle__class_desc *
monocle__class_describe (MonoClass *klass)
{
	MONOCLE__INVARIANT (klass->kind != MONOCLE__CLASS_INST || klass->element->kind != MONOCLE__CLASS_INST);
	MonoClass *definition = monocle__class_definition (klass);
	monocle__class_desc *desc = atomic_load_explicit (&definition->desc, memory_order_acquire);
	if (!desc && !(desc = MONOCLE__PUBLISH (&definition->desc, describe (definition))))
		return NULL;
	if (atomic_load_explicit (&klass->name, memory_order_relaxed) != desc->name)
		monocle__shown_class_is (klass, desc);
	return desc;
}

bool
monocle__class_complete (MonoClass *klass)
{
	if (!klass || atomic_load_explicit (&klass->is_complete, memory_order_relaxed))
		return false;
	const monocle__class_desc *desc = monocle__class_describe (klass);
	if (!mono_class_get_parent (klass))
		atomic_store_explicit (&klass->has_no_parent, true, memory_order_relaxed);
	if (desc)
		monocle__class_params_complete (klass, NULL, desc->generic_params);
	atomic_store_explicit (&klass->is_complete, true, memory_order_relaxed);
	return true;
}

_Static_assert(offsetof (monocle__array_class, klass) == 0 && offsetof (monocle__inst_class, klass) == 0,
               "longer records begin as a class does");

/* --- making ------------------------------------------------------------------------------------------------------- */

static MonoClass *
class_new (monocle__class_kind kind)
{
	size_t size = kind == MONOCLE__CLASS_ARRAY ? sizeof (monocle__array_class)
	            : kind == MONOCLE__CLASS_INST  ? sizeof (monocle__inst_class)
	                                           : sizeof (MonoClass);
	MonoClass *klass = monocle__arena_alloc (size);
	if (!klass)
		return NULL;
	klass->kind = (uint8_t) kind;
	klass->by_value.klass = klass->by_reference.klass = klass;
	klass->by_reference.is_byref = true;
	klass->vtable.klass = klass;
	return klass;
}

static MonoClass *
def_new (MonoImage *image, uint32_t row)
{
	MonoClass *klass = class_new (MONOCLE__CLASS_DEF);
	if (!klass)
		return NULL;
	atomic_init (&klass->token, MONO_TOKEN_TYPE_DEF | row);
	atomic_init (&klass->image, image);
	monocle__shown_class_made (klass);
	return klass;
}

/*
 * A definition of corlib may be a primitive, whose record exists: then that one gets the token and what is
 * said.
 */
static MonoClass *
adopt (MonoClass *klass, MonoImage *image)
{
	monocle__class_desc *desc = describe_def (klass, image);
	MonoClass *primitive = desc ? monocle_class_primitive (desc->element_type) : NULL;
	if (!primitive) {
		atomic_init (&klass->desc, desc);
		return klass;
	}
	MONOCLE__INVARIANT (primitive->kind == MONOCLE__CLASS_PRIMITIVE && !primitive->owner);
	atomic_store (&primitive->token, atomic_load (&klass->token));
	atomic_store_explicit (&primitive->image, image, memory_order_release);
	atomic_store_explicit (&primitive->desc, desc, memory_order_release);
	monocle__shown_class_is (primitive, desc);
	return primitive;
}

MonoClass *
monocle_class_def (MonoImage *image, uint32_t typedef_token)
{
	uint32_t row = typedef_token & ROW_MASK;
	_Atomic (void *) *slot = image ? monocle__table_slot (&image->classes, row, true) : NULL;
	void *known = slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
	if (known || !slot)
		return known;
	MonoClass *klass = def_new (image, row);
	if (klass && image->flags & MONOCLE_IMAGE_CORLIB)
		klass = adopt (klass, image);
	return MONOCLE__PUBLISH (slot, klass);
}

/* What an interned class is known by. */
struct key {
	monocle__class_kind kind;
	uint32_t rank, index, count;
	bool shared_ref;
	MonoClass *element;
	MonoMethod *owner;
	MonoType *const *arguments;
};

static MonoClass *
of_node (const monocle__node *node)
{
	return (MonoClass *) (void *) ((char *) (uintptr_t) node - offsetof (MonoClass, node));
}

static uint64_t
key_hash (const struct key *key)
{
	uint64_t hash = monocle__hash (key->kind + key->rank * 16u + key->shared_ref * 4096u, key->index);
	hash = monocle__hash (hash, (uintptr_t) key->element);
	hash = monocle__hash (hash, (uintptr_t) key->owner);
	for (uint32_t i = 0; i < key->count; i++)
		hash = monocle__hash (hash, (uintptr_t) key->arguments[i]);
	return hash;
}

static bool
key_same (const monocle__node *node, const void *data)
{
	const MonoClass *klass = of_node (node);
	const struct key *key = data;
	return klass->kind == key->kind && klass->rank == key->rank && klass->index == key->index &&
	       klass->shared_ref == key->shared_ref && klass->count == key->count && klass->element == key->element &&
	       klass->owner == key->owner &&
	       (!key->count || !memcmp (klass->arguments, key->arguments, key->count * sizeof *key->arguments));
}

static bool
take_arguments (MonoClass *klass, const struct key *key)
{
	monocle__generic_class *generic = &((monocle__inst_class *) klass)->generic;
	const monocle__generic_inst *inst = monocle__generic_inst_of (key->count, key->arguments);
	if (!inst)
		return false;
	*generic = (monocle__generic_class) { .container = key->element, .context = { inst, NULL }, .klass = klass };
	klass->generic_class = generic;
	klass->arguments = inst->types;
	return true;
}

static MonoClass *
class_from_key (const struct key *key)
{
	MonoClass *klass = class_new (key->kind);
	if (!klass)
		return NULL;
	klass->rank = (uint8_t) key->rank;
	klass->index = (uint16_t) key->index;
	klass->shared_ref = key->shared_ref;
	klass->element = key->element;
	klass->owner = key->owner;
	klass->count = (uint16_t) key->count;
	if (key->kind == MONOCLE__CLASS_ARRAY)
		((monocle__array_class *) klass)->shape =
		    (MonoArrayType) { .eklass = monocle__class_shown (key->element), .rank = klass->rank };
	if (key->count && !take_arguments (klass, key))
		return NULL;
	monocle__shown_class_made (klass);
	return klass;
}

/* Gen<T> as Gen's own definition says it. */
static bool
is_own_instance (const MonoClass *klass)
{
	for (uint32_t i = 0; i < klass->count; i++) {
		const MonoClass *argument = klass->arguments[i]->klass;
		if (argument->kind != MONOCLE__CLASS_PARAM || argument->element != klass->element || argument->index != i ||
		    argument->shared_ref || klass->arguments[i] != &argument->by_value)
			return false;
	}
	return true;
}

/* What follows from the parts. False: too deep. */
static bool
derive (MonoClass *klass)
{
	unsigned depth = 0;
	klass->is_open = klass->kind == MONOCLE__CLASS_PARAM;
	if (klass->kind == MONOCLE__CLASS_ARRAY || klass->kind == MONOCLE__CLASS_POINTER) {
		klass->is_open = klass->element->is_open;
		depth = klass->element->depth + 1u;
	}
	MONOCLE__INVARIANT (!klass->count || klass->arguments);
	for (uint32_t i = 0; i < klass->count; i++) {
		klass->is_open |= monocle__type_is_open (klass->arguments[i]);
		if (depth < klass->arguments[i]->klass->depth + 1u)
			depth = klass->arguments[i]->klass->depth + 1u;
	}
	klass->is_own = klass->kind == MONOCLE__CLASS_INST && is_own_instance (klass);
	klass->depth = (uint8_t) depth;
	return depth <= DEPTH_LIMIT;
}

static MonoClass *
intern (const struct key *key)
{
	uint64_t hash = key_hash (key);
	monocle__node *node = monocle__intern_find (&classes, hash, key_same, key);
	if (node)
		return of_node (node);
	MonoClass *klass = class_from_key (key);
	if (!klass || !derive (klass))
		return NULL;
	MONOCLE__INVARIANT (key_same (&klass->node, key));
	return of_node (monocle__intern_add (&classes, hash, &klass->node, key_same, key));
}

MonoClass *
monocle_class_inst (MonoClass *definition, uint32_t count, MonoType *const *arguments)
{
	if (!definition || !count)
		return definition;
	if (count > ARGUMENT_LIMIT)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (!arguments[i])
			return NULL;
	definition = monocle__class_definition (definition);
	return intern (
	    &(struct key) { .kind = MONOCLE__CLASS_INST, .element = definition, .count = count, .arguments = arguments });
}

MonoClass *
monocle_class_array (MonoClass *element, uint32_t rank)
{
	if (!element || !rank || rank > UINT8_MAX)
		return NULL;
	return intern (&(struct key) { .kind = MONOCLE__CLASS_ARRAY, .element = element, .rank = rank });
}

MonoClass *
monocle__class_general_vector (MonoClass *element)
{
	return element ? intern (&(struct key) { .kind = MONOCLE__CLASS_ARRAY, .element = element, .rank = 1, .index = 1 })
	               : NULL;
}

MonoClass *
monocle_class_pointer (MonoClass *element)
{
	return element ? intern (&(struct key) { .kind = MONOCLE__CLASS_POINTER, .element = element }) : NULL;
}

MonoClass *
monocle_class_fnptr (void)
{
	static monocle__class_desc desc = { .name = "MonoFNPtrFakeClass", .name_space = "System", .flags = FLAGS_PUBLIC };
	static MonoClass fnptr = {
		.kind = MONOCLE__CLASS_FNPTR,
		.by_value = { &fnptr, .shown_code = MONO_TYPE_FNPTR },
		.by_reference = { &fnptr, .shown_code = MONO_TYPE_FNPTR, .is_byref = true },
		.vtable = { &fnptr },
		.desc = &desc,
	};
	return &fnptr;
}

static struct key
param_key (MonoClass *klass, MonoMethod *method, uint32_t index, bool shared_ref)
{
	return (struct key) {
		.kind = MONOCLE__CLASS_PARAM,
		.element = klass && !method ? monocle__class_definition (klass) : NULL,
		.owner = method ? monocle_method_definition (method) : NULL,
		.index = index,
		.shared_ref = shared_ref,
	};
}

MonoClass *
monocle_class_param (MonoClass *klass, MonoMethod *method, uint32_t index, int shared_ref)
{
	if (index > ARGUMENT_LIMIT)
		return NULL;
	struct key key = param_key (klass, method, index, shared_ref != 0);
	return intern (&key);
}

/* A stand-in that was never mentioned never will be: instances are made from code that runs. */
void
monocle__class_params_complete (MonoClass *klass, MonoMethod *method, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		MonoClass *plain = monocle_class_param (klass, method, i, 0);
		struct key key = param_key (klass, method, i, true);
		monocle__node *stand_in = monocle__intern_find (&classes, key_hash (&key), key_same, &key);
		if (plain)
			monocle__class_describe (plain);
		if (stand_in)
			monocle__class_describe (of_node (stand_in));
	}
}

MonoClass *
monocle__class_unknown_of (MonoImage *image)
{
	static monocle__class_desc unknown = {
		.name = "<unknown>", .name_space = "", .flags = FLAGS_PUBLIC, .element_type = MONO_TYPE_CLASS
	};
	MonoClass *known = atomic_load_explicit (&image->unknown_class, memory_order_acquire);
	MonoClass *klass = known ? NULL : class_new (MONOCLE__CLASS_NAMED);
	if (!klass)
		return known;
	atomic_init (&klass->fallback, "");
	atomic_init (&klass->image, image);
	atomic_init (&klass->desc, &unknown);
	monocle__shown_class_made (klass);
	monocle__shown_class_is (klass, &unknown);
	return MONOCLE__PUBLISH (&image->unknown_class, klass);
}

/* --- classes known by name only ----------------------------------------------------------------------------------- */

struct named_key {
	const char *assembly, *name_space, *name;
	bool is_valuetype;
};

/* A named class keeps its assembly in `fallback`, which nothing else uses since it always has a description. */
static bool
named_same (const monocle__node *node, const void *data)
{
	const MonoClass *klass = of_node (node);
	const struct named_key *key = data;
	if (klass->kind != MONOCLE__CLASS_NAMED)
		return false;
	const monocle__class_desc *desc = klass->desc;
	return !strcmp (desc->name, key->name) && !strcmp (desc->name_space, key->name_space) &&
	       !strcmp (klass->fallback, key->assembly) && (desc->element_type == MONO_TYPE_VALUETYPE) == key->is_valuetype;
}

static MonoClass *
named_new (const struct named_key *key)
{
	MonoClass *klass = class_new (MONOCLE__CLASS_NAMED);
	monocle_class_info info = {
		.size = sizeof info,
		.name = key->name,
		.name_space = key->name_space,
		.flags = FLAGS_PUBLIC,
		.element_type = key->is_valuetype ? MONO_TYPE_VALUETYPE : MONO_TYPE_CLASS,
	};
	if (!klass)
		return NULL;
	atomic_init (&klass->desc, desc_from_info (&info));
	atomic_init (&klass->fallback, monocle__arena_string (key->assembly));
	atomic_init (&klass->image, monocle__image_absent (key->assembly));
	if (!klass->desc || !klass->fallback || !klass->image)
		return NULL;
	monocle__shown_class_made (klass);
	monocle__shown_class_is (klass, klass->desc);
	return klass;
}

MonoClass *
monocle_class_named (const char *assembly, const char *name_space, const char *name, int is_valuetype)
{
	struct named_key key = { assembly ? assembly : "", name_space ? name_space : "", name ? name : "",
		                     is_valuetype != 0 };
	uint64_t hash = monocle__hash_text (is_valuetype != 0, key.assembly);
	hash = monocle__hash_text (monocle__hash_text (hash, key.name_space), key.name);
	monocle__node *node = monocle__intern_find (&classes, hash, named_same, &key);
	if (node)
		return of_node (node);
	MonoClass *klass = named_new (&key);
	return klass ? of_node (monocle__intern_add (&classes, hash, &klass->node, named_same, &key)) : NULL;
}

/* --- what hosts ask ----------------------------------------------------------------------------------------------- */

MonoClass *
monocle__class_shown (MonoClass *klass)
{
	return klass && klass->is_own ? klass->element : klass;
}

MonoClass *
monocle__class_definition (MonoClass *klass)
{
	return klass->kind == MONOCLE__CLASS_INST ? klass->element : klass;
}

uint32_t
monocle_class_token (MonoClass *klass)
{
	return klass ? atomic_load_explicit (&monocle__class_definition (klass)->token, memory_order_acquire) : 0;
}

MonoClass *
monocle_class_definition (MonoClass *klass)
{
	return klass ? monocle__class_definition (klass) : NULL;
}

uint32_t
monocle_class_arguments (MonoClass *klass, MonoType *const **ret_arguments)
{
	if (!klass || klass->kind != MONOCLE__CLASS_INST)
		return 0;
	*ret_arguments = klass->arguments;
	return klass->count;
}

MonoGenericContext *
monocle_class_context (MonoClass *klass)
{
	return klass && klass->kind == MONOCLE__CLASS_INST ? &klass->generic_class->context : NULL;
}

mono_bool
monocle_class_is_stand_in (MonoClass *klass)
{
	return klass && klass->kind == MONOCLE__CLASS_PARAM && klass->shared_ref;
}

/* Whether there can be objects of it, boxed ones included. */
static bool
has_objects (MonoClass *klass)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_POINTER:
	case MONOCLE__CLASS_FNPTR:
	case MONOCLE__CLASS_PARAM:
	case MONOCLE__CLASS_NAMED: return false;
	default: break;
	}
	const monocle__class_desc *desc = monocle__class_describe (klass);
	bool is_definition = klass->kind == MONOCLE__CLASS_DEF && desc && desc->generic_params;
	return !klass->is_open && !is_definition && !(mono_class_get_flags (klass) & FLAGS_INTERFACE);
}

void
monocle_class_set_up (MonoClass *klass)
{
	if (!klass || atomic_load_explicit (&klass->vtable.is_told, memory_order_relaxed) || !has_objects (klass) ||
	    atomic_exchange (&klass->vtable.is_told, true))
		return;
	if (klass->kind == MONOCLE__CLASS_ARRAY) { /* hosts tell of classes that something defines */
		monocle_raise_class_loading (klass);
		monocle_raise_class_loaded (klass);
	}
	monocle_raise_vtable_loading (&klass->vtable);
	monocle_raise_vtable_loaded (&klass->vtable);
}

void **
monocle_class_slot (MonoClass *klass)
{
	return klass ? &klass->slot : NULL;
}
