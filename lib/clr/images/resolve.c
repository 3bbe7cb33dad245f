/*
 * SPDX-License-Identifier: MIT
 *
 * resolve.c - what the runtime calls by id, as records.
 *
 * Everything here may run inside a call probe: it uses only those calls of ICorProfilerInfo that are legal in any
 * context (GetClassIDInfo2, IsArrayClass, GetFunctionInfo2), our own metadata reader (lib/describe), and the core's
 * lock-free constructors.
 *
 * Sharing follows Mono: a method whose type arguments (those of its class included) are all reference types is one
 * method whatever they are, and an argument prints as T_REF; with one value type among them all are exact. The
 * runtime's own stand-in for a reference type is System.__Canon.
 */
#include "resolve.h"
#include <stdatomic.h>
#include <string.h>
#include <monocle/host.h>
#include "code/code.h"
#include "contract.h"
#include "image.h"
#include "layout.h"
#include "state.h"
#include "thread-memory.h"

enum { FEW = 16 /* more arguments than nearly all instances have */, DEPTH_MAX = 32 };

/* This thread's memory, one level deeper in nested types, while there is room: then it must be left again. */
static monocle__describe_scratch *
go_deeper (void)
{
	monocle__describe_scratch *scratch = monocle__thread_memory_scratch ();
	if (!scratch || scratch->depth >= DEPTH_MAX)
		return NULL;
	monocle__describe_scratch_deepen (scratch);
	return scratch;
}

static void
come_up (void)
{
	monocle__thread_memory_scratch ()->depth--;
}

/*
 * Room for `count` ids or types: `few` has FEW, more are at the end of this thread's list, while it is one level
 * deeper. NULL: there is none. Who begins a level gives all back at its end.
 */
static void *
room_for (uint32_t count, void *few)
{
	monocle__describe_scratch *scratch = monocle__thread_memory_scratch ();
	if (count <= FEW)
		return few;
	if (!scratch || count > MONOCLE__DESCRIBE_TYPES_MAX - scratch->used)
		return NULL;
	void *room = scratch->types + scratch->used;
	scratch->used += count;
	return room;
}

/* The type arguments of an instance. */
typedef struct {
	const ClassID *ids;
	ULONG32 count;
	ClassID few[FEW];
} id_list;

/*
 * The runtime says how many it gave, not how many there are: a full list may be cut, and is asked for again with eight
 * times the room. False: there is none, or the runtime does not know the class.
 */
static bool
ask_class (ClassID id, ModuleID *ret_module, mdToken *ret_token, id_list *ret)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	for (uint32_t room = FEW;; room *= 8) {
		ClassID parent, *ids = room_for (room, ret->few);
		if (!ids || info->vtbl->GetClassIDInfo2 (info, id, ret_module, ret_token, &parent, room, &ret->count, ids) < 0)
			return false;
		ret->ids = ids;
		if (ret->count < room)
			return true;
	}
}

/* `frame`: one that runs the function, 0: none. */
static bool
ask_function (FunctionID id, COR_PRF_FRAME_INFO frame, ClassID *ret_owner, ModuleID *ret_module, mdToken *ret_token,
              id_list *ret)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	for (uint32_t room = FEW;; room *= 8) {
		ClassID *ids = room_for (room, ret->few);
		if (!ids || info->vtbl->GetFunctionInfo2 (info, id, frame, ret_owner, ret_module, ret_token, room, &ret->count,
		                                          ids) < 0)
			return false;
		ret->ids = ids;
		if (ret->count < room)
			return true;
	}
}

/* A class that no table can name (a runtime-made type, an image that is gone): its id must still print as something. */
static MonoClass *
unknown_class (void)
{
	return monocle_class_named ("", "", "?", 0);
}

static bool
is_canon (ClassID id)
{
	static _Atomic ClassID canon;
	ClassID known = atomic_load_explicit (&canon, memory_order_relaxed);
	if (known)
		return known == id;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__clr_image *corlib = monocle__clr_image_corlib ();
	ModuleID module;
	mdToken token;
	if (!corlib || info->vtbl->GetClassIDInfo (info, id, &module, &token) < 0 || module != corlib->id)
		return false;
	monocle__ecma_typedef row;
	if (monocle__ecma_get_typedef (&corlib->cli.ecma, token, &row) || strcmp (row.name, "__Canon"))
		return false;
	atomic_store (&canon, id);
	return true;
}

/* Exact, but for the runtime's own stand-in. */
static MonoType *
exact_argument (ClassID id, MonoClass *owner, MonoMethod *method, uint32_t index)
{
	return monocle_type (is_canon (id) ? monocle_class_param (owner, method, index, 1) : monocle__resolve_class (id));
}

static bool
are_references (const ClassID *ids, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!is_canon (ids[i]) && mono_class_is_valuetype (monocle__resolve_class (ids[i])))
			return false;
	return true;
}

static MonoClass *
array_class (ClassID id)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	CorElementType element;
	ClassID element_class = 0;
	ULONG rank = 0;
	if (info->vtbl->IsArrayClass (info, id, &element, &element_class, &rank) != S_OK)
		return NULL;
	MonoClass *klass = element_class ? monocle__resolve_class (element_class) : monocle_class_primitive (element);
	if (klass && rank == 1 && monocle__clr_layout_is_general_vector (id)) {
		const monocle_array_info general = { .size = sizeof general, .rank = 1, .is_general = 1 };
		return mono_class_from_mono_type (monocle_type_array (monocle_type (klass), &general));
	}
	return klass ? monocle_class_array (klass, rank) : NULL;
}

/*
 * Pointers have ids that no call of the runtime takes. Such an id is the address of a description, with a bit set:
 *
 *      .NET 8        | kind | what is pointed to |
 *      .NET 9 to 11  | kind | its System.Type    | what is pointed to |
 *
 * NULL: of another version, or no pointer.
 */
enum { COMPOSITE = 2 };

static MonoClass *
composite_class (ClassID id)
{
	const uintptr_t *words = (const uintptr_t *) (id & ~(uintptr_t) COMPOSITE);
	unsigned major = monocle__clr_state.major;
	if (major < MONOCLE__CLR_OLDEST || major > MONOCLE__CLR_NEWEST)
		return NULL;
	uint8_t kind = (uint8_t) words[0];
	if (kind == ELEMENT_TYPE_FNPTR)
		return monocle_class_fnptr ();
	return kind == ELEMENT_TYPE_PTR ? monocle_class_pointer (monocle__resolve_class (words[major == 8 ? 1 : 2])) : NULL;
}

/*
 * From .NET 11 on the runtime makes classes for what methods that it suspends leave behind, and refuses to say anything
 * of them. Each is below one class, which stands for them all. NULL: it is none of these.
 */
static MonoClass *
continuation_class (ClassID id)
{
	const void *const *base;
	uint32_t offset;
	if (!monocle__contract_variable ("ContinuationMethodTable", &base) || !*base ||
	    !monocle__contract_offset ("MethodTable", "ParentMethodTable", &offset) ||
	    *(const void *const *) (id + offset) != *base)
		return NULL;
	return monocle__resolve_class ((ClassID) *base);
}

static MonoClass *
instance_class (monocle__clr_image *image, mdToken token, const ClassID *ids, uint32_t count)
{
	MonoClass *definition = monocle_class_def (image->cli.record, token);
	if (!count || !definition)
		return definition;
	MonoType *few[FEW], **arguments = room_for (count, few);
	for (uint32_t i = 0; arguments && i < count; i++)
		arguments[i] = exact_argument (ids[i], definition, NULL, i);
	return arguments ? monocle_class_inst (definition, count, arguments) : NULL;
}

/* *ret_image: whose id it is; NULL of an array or an instance. */
static MonoClass *
resolve_class (ClassID id, monocle__clr_image **ret_image)
{
	*ret_image = NULL;
	if (id & COMPOSITE)
		return composite_class (id);
	MonoClass *array = array_class (id);
	if (array)
		return array;
	ModuleID module;
	mdToken token;
	id_list arguments;
	if (!ask_class (id, &module, &token, &arguments))
		return NULL;
	monocle__clr_image *image = monocle__clr_image_find (module);
	*ret_image = arguments.count ? NULL : image;
	return image ? instance_class (image, token, arguments.ids, arguments.count) : NULL;
}

MonoClass *
monocle__resolve_class (ClassID id)
{
	MonoClass *klass = id ? monocle_id_find (MONOCLE_ID_CLASS, id) : NULL;
	monocle__describe_scratch *scratch = klass || !id ? NULL : go_deeper ();
	if (!scratch)
		return klass ? klass : unknown_class ();
	monocle__clr_image *image = NULL;
	uint32_t begin = monocle__describe_list_begin (scratch);
	klass = resolve_class (id, &image);
	monocle__describe_list_drop (scratch, begin);
	come_up ();
	MonoClass *shown = klass ? klass : continuation_class (id);
	if (!shown)
		return unknown_class ();
	if (monocle__thread_memory_going ()->is_asked)
		return shown;
	monocle__clr_image_bind (image, MONOCLE_ID_CLASS, id, shown);
	if (klass)
		monocle__clr_layout_remember_class (klass, id);
	return shown;
}

static bool
knows_bases (MonoClass *klass)
{
	MonoClass *base = mono_class_get_parent (klass);
	while (base && monocle__clr_layout_knows_class (base))
		base = mono_class_get_parent (base);
	return !base;
}

void
monocle__resolve_bases (ClassID id)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ModuleID module;
	mdToken token;
	ULONG32 count;
	bool are_known = knows_bases (monocle__resolve_class (id));
	while (!are_known) {
		ClassID parent = 0;
		are_known = info->vtbl->GetClassIDInfo2 (info, id, &module, &token, &parent, 0, &count, NULL) < 0 || !parent;
		if (!are_known)
			monocle__resolve_class (parent);
		id = parent;
	}
}

bool
monocle__resolve_function (FunctionID id, ModuleID *ret_module, mdToken *ret_token)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ClassID klass;
	return info->vtbl->GetFunctionInfo (info, id, &klass, ret_module, ret_token) >= 0 && (*ret_token >> 24) == 0x06;
}

/* Gen<T_REF,U_REF>: what all instances over reference types share. */
static MonoClass *
shared_class (MonoClass *definition, uint32_t count)
{
	MonoType *few[FEW], **arguments = room_for (count, few);
	for (uint32_t i = 0; arguments && i < count; i++)
		arguments[i] = monocle_type (monocle_class_param (definition, NULL, i, 1));
	return arguments ? monocle_class_inst (definition, count, arguments) : NULL;
}

/* `shared`: what all instances over reference types share. */
static MonoMethod *
method_over (MonoMethod *definition, MonoClass *klass, const id_list *of_method, bool shared)
{
	MonoType *few[FEW], **arguments = room_for (of_method->count, few);
	for (uint32_t i = 0; arguments && i < of_method->count; i++)
		arguments[i] = shared ? monocle_type (monocle_class_param (NULL, definition, i, 1))
		                      : exact_argument (of_method->ids[i], NULL, definition, i);
	return arguments ? monocle_method_inst (definition, klass, of_method->count, arguments) : NULL;
}

/* `may_share`: over reference types it is the method that all such instances share. */
static MonoMethod *
instance_method (MonoMethod *definition, ClassID owner, const id_list *of_class, const id_list *of_method,
                 bool may_share)
{
	bool shared = may_share && are_references (of_class->ids, of_class->count) &&
	              are_references (of_method->ids, of_method->count);
	MonoClass *klass = mono_method_get_class (definition);
	if (of_class->count)
		klass = shared ? shared_class (klass, of_class->count) : monocle__resolve_class (owner);
	return method_over (definition, klass, of_method, shared);
}

/* The runtime does not say which class it is: one of those that share their code. */
static MonoMethod *
method_of_shared (MonoMethod *definition, uint32_t class_count, const id_list *of_method)
{
	MonoClass *klass = shared_class (mono_method_get_class (definition), class_count);
	return method_over (definition, klass, of_method, are_references (of_method->ids, of_method->count));
}

static uint32_t
owner_generic_params (monocle__clr_image *image, mdToken method)
{
	return monocle__ecma_generic_params (&image->cli.ecma, monocle__ecma_method_owner (&image->cli.ecma, method));
}

static MonoMethod *
resolve_method (FunctionID id, COR_PRF_FRAME_INFO frame, monocle__clr_image **ret_image)
{
	ModuleID module, owner_module;
	mdToken token, owner_token;
	ClassID owner = 0;
	id_list of_class = { .count = 0 }, of_method;
	monocle__clr_image *image =
	    !ask_function (id, frame, &owner, &module, &token, &of_method) ? NULL : monocle__clr_image_find (module);
	if (!image || (token >> 24) != 0x06)
		return NULL;
	*ret_image = image;
	MonoMethod *definition = monocle_method_def (image->cli.record, token);
	uint32_t class_count = image->cli.readable ? owner_generic_params (image, token) : 0;
	if (!image->cli.readable && owner && ask_class (owner, &owner_module, &owner_token, &of_class)) {
		class_count = of_class.count;
		/* Which class it is the runtime says in any context; what that is called may not be known yet. */
		if (owner_module == module)
			monocle_method_def_in (monocle_class_def (image->cli.record, owner_token), token);
	}
	if (!definition || (!class_count && !of_method.count))
		return definition;
	if (class_count && owner && !ask_class (owner, &owner_module, &owner_token, &of_class))
		return definition;
	if (class_count && !owner)
		return method_of_shared (definition, class_count, &of_method);
	return instance_method (definition, owner, &of_class, &of_method, !frame);
}

static MonoMethod *
resolve_deeper (FunctionID id, COR_PRF_FRAME_INFO frame, monocle__clr_image **ret_image)
{
	monocle__describe_scratch *scratch = go_deeper ();
	if (!scratch)
		return NULL;
	uint32_t begin = monocle__describe_list_begin (scratch);
	MonoMethod *method = resolve_method (id, frame, ret_image);
	monocle__describe_list_drop (scratch, begin);
	come_up ();
	return method;
}

MonoMethod *
monocle__resolve_method (FunctionID id)
{
	MonoMethod *method = monocle_id_find (MONOCLE_ID_METHOD, id);
	if (method)
		return method;
	monocle__clr_image *image = NULL;
	method = resolve_deeper (id, 0, &image);
	if (!method)
		return NULL;
	monocle__clr_image_bind (monocle_method_definition (method) == method ? image : NULL, MONOCLE_ID_METHOD, id,
	                         method);
	monocle__clr_code_seen (id, method);
	mono_method_get_flags (method, NULL); /* described before a module sees it: some read records */
	return method;
}

MonoMethod *
monocle__resolve_method_in_frame (FunctionID id, COR_PRF_FRAME_INFO frame)
{
	MonoMethod *method = monocle__resolve_method (id);
	monocle__clr_image *image;
	if (!method || !frame || monocle_method_definition (method) == method)
		return method;
	MonoMethod *exact = resolve_deeper (id, frame, &image);
	if (exact)
		mono_method_get_flags (exact, NULL); /* as above */
	return exact ? exact : method;
}

static MonoMethod *
method_of_keys (MonoMethod *definition, const uintptr_t *keys, uint32_t count, bool class_key)
{
	id_list of_class = { .count = 0 }, of_method = { .ids = keys + class_key, .count = count - class_key };
	ModuleID module;
	mdToken token;
	if (class_key && !ask_class (keys[0], &module, &token, &of_class))
		return definition;
	return instance_method (definition, keys[0], &of_class, &of_method, true);
}

MonoMethod *
monocle__resolve_method_of_keys (MonoMethod *definition, const uintptr_t *keys, uint32_t count, bool class_key)
{
	monocle__describe_scratch *scratch = go_deeper ();
	if (!scratch)
		return definition;
	uint32_t begin = monocle__describe_list_begin (scratch);
	MonoMethod *method = method_of_keys (definition, keys, count, class_key);
	monocle__describe_list_drop (scratch, begin);
	come_up ();
	mono_method_get_flags (method, NULL); /* as above */
	return method;
}
