/*
 * SPDX-License-Identifier: MIT
 *
 * layout.c - how the runtime laid classes out: sizes, offsets of fields, where statics are.
 *
 * The runtime is asked by ClassID. A record remembers the id that it was met under; for one that was never met the
 * runtime looks the class up, which loads it when it was not used yet, but runs no static constructor. Only threads
 * of the runtime can load (another one dies of it), and not in a probe or a stopped world, where the call is refused:
 * then it is unknown. A load lets the collector run, and objects move.
 */
#include "layout.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <monocle/host.h>
#include "corlib-name.h"
#include "image.h"
#include "resolve.h"
#include "service.h"
#include "state.h"

enum {
	HEADER = 8, /* the type handle, before the fields */
	SYNC = 8,   /* of the collector and the locks, before the object */
	LENGTH = 8, /* of arrays, padded, before the elements */
	FIELDS_MAX = 512,
	TICKS = 50, /* milliseconds that an asker waits for the service thread */
	FIELD_TOKEN = 0x04000000,
};

/* --- from records to ids ------------------------------------------------------------------------------------------ */

void
monocle__clr_layout_remember_class (MonoClass *klass, ClassID id)
{
	__atomic_store_n ((ClassID *) monocle_class_slot (klass), id, __ATOMIC_RELEASE);
}

bool
monocle__clr_layout_is_class (MonoClass *klass, ClassID id)
{
	return klass && __atomic_load_n ((ClassID *) monocle_class_slot (klass), __ATOMIC_ACQUIRE) == id;
}

/* Ids are used again when images unload; the map knows of it. */
static ClassID
remembered (MonoClass *klass)
{
	ClassID id = __atomic_load_n ((ClassID *) monocle_class_slot (klass), __ATOMIC_ACQUIRE);
	return id && monocle_id_find (MONOCLE_ID_CLASS, id) == klass ? id : 0;
}

bool
monocle__clr_layout_knows_class (MonoClass *klass)
{
	return remembered (klass) != 0;
}

/* Of a definition with as many arguments as it takes; 0: unknown here. */
static ClassID
ask_class (ModuleID module, mdToken token, ULONG32 count, ClassID *arguments)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ThreadID thread;
	ClassID id = 0;
	if (!module || !token || info->vtbl->GetCurrentThreadID (info, &thread) < 0)
		return 0;
	HRESULT hr = count ? info->vtbl->GetClassFromTokenAndTypeArgs (info, module, token, count, arguments, &id)
	                   : info->vtbl->GetClassFromToken (info, module, token, &id);
	return hr >= 0 ? id : 0;
}

static ClassID class_id (MonoClass *klass);

/* An argument that stands for any reference type is the runtime's own stand-in. */
static ClassID
argument_id (MonoClass *argument)
{
	static _Atomic (MonoClass *) canon;
	MonoClass *known = atomic_load_explicit (&canon, memory_order_relaxed);
	monocle__clr_image *corlib = monocle__clr_image_corlib ();
	if (!monocle_class_is_stand_in (argument))
		return class_id (argument);
	if (!known && corlib && (known = mono_class_from_name (corlib->cli.record, "System", "__Canon")))
		atomic_store_explicit (&canon, known, memory_order_relaxed);
	return known ? class_id (known) : 0;
}

/* Recursion ends because a class is made after its arguments. */
static bool
look_up_arguments (MonoType *const *types, uint32_t count, ClassID *ret_arguments)
{
	for (uint32_t i = 0; i < count; i++)
		if (!(ret_arguments[i] = argument_id (mono_class_from_mono_type (types[i]))))
			return false;
	return true;
}

/* Hardly any instance has more arguments than fit on the stack. */
enum { FEW = 16 };

/*
 * An instance over reference types is laid out as the one that all of them share, G<T_REF>: where code is shared, that
 * one is all that the runtime could be asked for. Its T_REF is G's own, whatever method or class the other's is of.
 * Itself where nothing is a reference.
 */
static MonoClass *
shared_instance (MonoClass *klass)
{
	MonoType *const *types = NULL, *shared[FEW];
	MonoClass *definition = monocle_class_definition (klass);
	uint32_t count = monocle_class_arguments (klass, &types);
	if (!count || count > FEW)
		return klass;
	for (uint32_t i = 0; i < count; i++) {
		MonoClass *argument = mono_class_from_mono_type (types[i]);
		bool is_exact = mono_class_is_valuetype (argument) && !monocle_class_is_stand_in (argument);
		argument = is_exact ? shared_instance (argument) : monocle_class_param (definition, NULL, i, 1);
		if (!argument)
			return klass;
		shared[i] = monocle_type (argument);
	}
	return monocle_class_inst (definition, count, shared);
}

static ClassID
look_up (MonoClass *klass)
{
	MonoType *const *types = NULL;
	MonoClass *definition = monocle_class_definition (klass);
	uint32_t count = monocle_class_arguments (klass, &types);
	monocle__clr_image *image = monocle__clr_image_of (mono_class_get_image (definition));
	ClassID few[FEW], id = 0;
	ClassID *arguments = count <= FEW ? few : calloc (count, sizeof *arguments);
	if (image && arguments && look_up_arguments (types, count, arguments))
		id = ask_class (image->id, mono_class_get_type_token (definition), count, arguments);
	if (arguments != few)
		free (arguments);
	return id;
}

static ClassID
look_up_exactly (MonoClass *klass)
{
	ClassID id = look_up (klass);
	return id && monocle__resolve_class (id) == klass ? id : 0;
}

/* 0: arrays and pointers that were never met have no token; unknown here. */
static ClassID
class_id (MonoClass *klass)
{
	ClassID id = remembered (klass);
	MonoClass *shared = id ? klass : shared_instance (klass);
	bool is_other = shared && shared != klass;
	if (!id && is_other)
		id = remembered (shared);
	if (!id)
		id = look_up_exactly (klass);
	return id || !is_other ? id : look_up_exactly (shared);
}

/* --- sizes and offsets -------------------------------------------------------------------------------------------- */

/* A vector is a word, a header and a length long; the other has its length and lower bound after that. */
bool
monocle__clr_layout_is_general_vector (ClassID id)
{
	return ((const uint32_t *) id)[1] == SYNC + HEADER + LENGTH + 2 * sizeof (int32_t);
}

/*
 * Fields that the class itself declares, not its base. For a value type offsets and size are those of a value; for
 * other classes offsets count from the beginning of the object, and the size has the word before it besides.
 */
typedef struct {
	COR_FIELD_OFFSET fields[FIELDS_MAX];
	ULONG count, size;
	uint32_t base; /* what is missing in the offsets */
} layout;

static bool
ask_layout (MonoClass *klass, layout *ret, ULONG room)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ClassID id = class_id (klass);
	if (!id || info->vtbl->GetClassLayout (info, id, room ? ret->fields : NULL, room, &ret->count, &ret->size) < 0)
		return false;
	bool is_value = mono_class_is_valuetype (klass);
	ret->base = is_value ? HEADER : 0;
	/* An interface has no size at all. */
	ret->size = is_value ? HEADER + ret->size : ret->size > SYNC ? ret->size - SYNC : HEADER;
	return true;
}

/* Asked once, for it never changes. */
uint32_t
monocle__clr_layout_characters_offset (void)
{
	static _Atomic (uint32_t) known;
	uint32_t offset = atomic_load_explicit (&known, memory_order_relaxed);
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG length = 0, characters = 0;
	if (!offset && info->vtbl->GetStringLayout2 (info, &length, &characters) >= 0 && length == HEADER)
		atomic_store_explicit (&known, offset = characters, memory_order_relaxed);
	return offset;
}

/* GetClassLayout refuses strings, of which each is as long as its text. */
static bool
is_string (MonoClass *klass)
{
	return klass == monocle_class_primitive (MONO_TYPE_STRING);
}

static int
describe_layout (void *host, MonoClass *klass, monocle_layout_info *ret)
{
	layout own;
	uint32_t characters = is_string (klass) ? monocle__clr_layout_characters_offset () : 0;
	ret->header_size = HEADER;
	if (mono_class_get_rank (klass)) {
		ret->instance_size = HEADER + LENGTH;
		return MONOCLE_OK;
	}
	if (characters) {
		ret->instance_size = characters + (uint32_t) sizeof (uint32_t); /* the first character, filled up as on Mono */
		return MONOCLE_OK;
	}
	if (!ask_layout (klass, &own, 0))
		return MONOCLE_E_UNKNOWN;
	ret->instance_size = own.size;
	return MONOCLE_OK;
}

/* The token of a definition's field by its index; 0: there is none. */
static mdToken
field_token (MonoClass *klass, uint32_t index)
{
	MonoClass *definition = monocle_class_definition (klass);
	monocle__clr_image *image = monocle__clr_image_of (mono_class_get_image (definition));
	monocle__ecma_typedef row;
	if (!image || !image->cli.readable ||
	    monocle__ecma_get_typedef (&image->cli.ecma, mono_class_get_type_token (definition), &row) ||
	    index >= row.end_field - row.first_field)
		return 0;
	return FIELD_TOKEN | (row.first_field + index);
}

static bool
is_called (MonoClassField *field, monocle__private_id id)
{
	return strcmp (mono_field_get_name (field), monocle__private_members[id].member) == 0;
}

/* An instance field of strings; 0: unknown. */
static uint32_t
string_offset (MonoClass *klass, mdToken token)
{
	uint32_t characters = monocle__clr_layout_characters_offset ();
	MonoClassField *field = mono_field_from_token (mono_class_get_image (klass), token, NULL, NULL);
	if (!field || !characters || !monocle__corlib_name_serves (MONOCLE__PRIVATE_STRINGS))
		return 0;
	if (is_called (field, MONOCLE__NAME_STRING_LENGTH))
		return HEADER;
	return is_called (field, MONOCLE__NAME_STRING_CHARACTERS) ? characters : 0;
}

/* A module cannot tell a 0 from an offset. Where classes can be looked up, only what has no layout has none. */
static void
say_unknown (MonoClass *klass)
{
	enum { OBJECT_TOKEN = 0x02000002 };
	static atomic_bool said;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__clr_image *corlib = monocle__clr_image_corlib ();
	ThreadID thread;
	ClassID id;
	if (!atomic_load (&said) && corlib && info->vtbl->GetCurrentThreadID (info, &thread) >= 0 &&
	    info->vtbl->GetClassFromToken (info, corlib->id, OBJECT_TOKEN, &id) == CORPROF_E_UNSUPPORTED_CALL_SEQUENCE &&
	    !atomic_exchange (&said, true))
		monocle__clr_complain ("a module asks in a call event where the fields of %s are, which was not met before: "
		                       "offsets in such classes are 0 there",
		                       mono_class_get_name (klass));
}

static int
field_offset (void *host, MonoClass *klass, uint32_t index, uint32_t *ret_offset)
{
	layout own;
	mdToken token = field_token (klass, index);
	if (token && is_string (klass)) {
		*ret_offset = string_offset (klass, token);
		return *ret_offset ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
	}
	if (!token)
		return MONOCLE_E_UNKNOWN;
	if (!ask_layout (klass, &own, FIELDS_MAX)) {
		say_unknown (klass);
		return MONOCLE_E_UNKNOWN;
	}
	for (ULONG i = 0; i < own.count && i < FIELDS_MAX; i++)
		if (own.fields[i].ridOfField == token) {
			*ret_offset = own.base + own.fields[i].ulOffset;
			return MONOCLE_OK;
		}
	return MONOCLE_E_UNKNOWN;
}

/* --- ahead of probes ---------------------------------------------------------------------------------------------- */

static void meet (MonoType *type, unsigned depth);

static void
meet_class (MonoClass *klass, unsigned depth)
{
	enum { DEEP = 4 };
	MonoClassField *field;
	void *position = NULL;
	if (!class_id (klass) || depth == DEEP)
		return;
	while ((field = mono_class_get_fields (klass, &position)))
		if (!(mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC))
			meet (mono_field_get_type (field), depth + 1);
}

/* Structs; also those that the type refers or points to, which are looked into as if they were there. */
static void
meet (MonoType *type, unsigned depth)
{
	while (type && mono_type_get_type (type) == MONO_TYPE_PTR)
		type = mono_type_get_ptr_type (type);
	int code = type ? mono_type_get_type (type) : MONO_TYPE_OBJECT;
	bool may_be_struct = code == MONO_TYPE_VALUETYPE || code == MONO_TYPE_GENERICINST || code == MONO_TYPE_TYPEDBYREF;
	MonoClass *klass = may_be_struct ? mono_class_from_mono_type (type) : NULL;
	if (klass && mono_class_is_valuetype (klass) && !mono_class_is_enum (klass))
		meet_class (klass, depth);
}

void
monocle__clr_layout_meet_class (MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	if (klass)
		class_id (klass);
}

void
monocle__clr_layout_meet (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	void *position = NULL;
	MonoType *type;
	MonoClass *klass = mono_method_get_class (method);
	if (klass)
		meet_class (klass, 0);
	if (!signature)
		return;
	meet (mono_signature_get_return_type (signature), 0);
	while ((type = mono_signature_get_params (signature, &position)))
		meet (type, 0);
}

/* --- statics ------------------------------------------------------------------------------------------------------ */

typedef struct {
	ClassID klass;
	mdToken token;
	HRESULT hr;
	ThreadID thread; /* the asker's */
	AppDomainID domain;
	COR_PRF_STATIC_TYPE kind;
	void *address;
} static_question;

static void
find_static (void *data)
{
	static_question *question = data;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	question->hr = info->vtbl->GetStaticFieldInfo (info, question->klass, question->token, &question->kind);
	if (question->hr < 0)
		return;
	if (question->kind & COR_PRF_FIELD_RVA_STATIC)
		question->hr = info->vtbl->GetRVAStaticAddress (info, question->klass, question->token, &question->address);
	else if (question->kind & COR_PRF_FIELD_THREAD_STATIC)
		question->hr = info->vtbl->GetThreadStaticAddress2 (info, question->klass, question->token, question->domain,
		                                                    question->thread, &question->address);
	else if (question->kind & COR_PRF_FIELD_APP_DOMAIN_STATIC)
		question->hr = info->vtbl->GetAppDomainStaticAddress (info, question->klass, question->token, question->domain,
		                                                      &question->address);
	else
		question->hr = CORPROF_E_DATAINCOMPLETE;
}

/* The runtime takes the definition for the instance and finds it uninitialised. */
static bool
has_arguments (MonoClass *klass)
{
	static atomic_bool said;
	MonoType *const *arguments;
	bool has = monocle_class_arguments (klass, &arguments) != 0;
	if (has && !atomic_exchange (&said, true))
		monocle__clr_complain ("the runtime does not tell where static fields of generic classes stand; "
		                       "they read as zeros");
	return has;
}

/*
 * Where statics are that stay in their place: those of a class that is never unloaded, one for all threads, in no
 * box. Asked once, because probes ask the service thread. Nodes are only added.
 */
typedef struct node {
	struct node *next;
	MonoClass *klass;
	uint32_t index;
	void *address;
} node;

static _Atomic (node *) known[256];

static _Atomic (node *) *
bucket_of (MonoClass *klass, uint32_t index)
{
	return &known[(((uintptr_t) klass >> 4) + index) % (sizeof known / sizeof *known)];
}

static void *
known_address (MonoClass *klass, uint32_t index)
{
	node *at = atomic_load_explicit (bucket_of (klass, index), memory_order_acquire);
	while (at && (at->klass != klass || at->index != index))
		at = at->next;
	return at ? at->address : NULL;
}

static void
remember_address (MonoClass *klass, uint32_t index, void *address)
{
	monocle__clr_image *image = monocle__clr_image_of (mono_class_get_image (klass));
	node *fresh = !image || image->is_collectible ? NULL : malloc (sizeof *fresh);
	if (!fresh)
		return;
	*fresh = (node) { atomic_load (bucket_of (klass, index)), klass, index, address };
	while (!atomic_compare_exchange_weak (bucket_of (klass, index), &fresh->next, fresh))
		;
}

/* A static field whose type is a struct is a reference to a box, which the collector moves. */
static bool
is_boxed (MonoClass *klass, mdToken token)
{
	MonoClassField *field = mono_field_from_token (mono_class_get_image (klass), token, NULL, NULL);
	MonoType *type = field ? mono_field_get_type (field) : NULL;
	int code = type ? mono_type_get_type (type) : MONO_TYPE_VALUETYPE;
	if (code != MONO_TYPE_VALUETYPE && code != MONO_TYPE_GENERICINST)
		return false;
	MonoClass *value = type ? mono_class_from_mono_type (type) : NULL;
	return !value || (mono_class_is_valuetype (value) && !mono_class_is_enum (value));
}

static bool
stays (const static_question *question, MonoClass *klass)
{
	if (question->kind & COR_PRF_FIELD_RVA_STATIC)
		return true;
	return !(question->kind & COR_PRF_FIELD_THREAD_STATIC) && !is_boxed (klass, question->token);
}

static void *
static_address (void *host, MonoClass *klass, uint32_t index)
{
	void *address = known_address (klass, index);
	if (address || has_arguments (klass))
		return address;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	static_question question = { .klass = class_id (klass), .token = field_token (klass, index), .hr = 0 };
	if (!question.klass || !question.token)
		return NULL;
	info->vtbl->GetCurrentThreadID (info, &question.thread);
	info->vtbl->GetThreadAppDomain (info, question.thread, &question.domain);
	find_static (&question);
	if (question.hr == CORPROF_E_UNSUPPORTED_CALL_SEQUENCE &&
	    !monocle__service_run (find_static, &question, sizeof question, TICKS))
		return NULL;
	if (question.hr < 0)
		return NULL;
	if (stays (&question, klass))
		remember_address (klass, index, question.address);
	return question.address;
}

void
monocle__clr_layout_ops (monocle_host_ops *ops)
{
	ops->describe_layout = describe_layout;
	ops->field_offset = field_offset;
	ops->static_address = static_address;
}
