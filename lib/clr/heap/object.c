/*
 * SPDX-License-Identifier: MIT
 *
 * object.c - managed objects: class, size, characters, elements, generation, references.
 *
 * An object of the CLR begins with its type handle, which is its ClassID; strings and arrays go on with 32 bits of
 * length. One word comes before it, which GetObjectSize2 counts and Mono does not have.
 *
 * The runtime answers questions about objects in callbacks that run while the thread's objects hold still
 * (exception_throw) and while the world is stopped between collections. In a probe it refuses, although objects hold
 * still there as well: what is asked most, classes, strings and arrays, is then read directly. Where objects may move
 * (other callbacks, threads that the runtime does not know) they may not be looked at, and what can be told from the
 * refusal is answered "unknown".
 */
#include "object.h"
#include <monocle/host.h>
#include "collector.h"
#include "gc-handle.h"
#include "images/layout.h"
#include "images/resolve.h"
#include "invariant.h"
#include "service.h"
#include "state.h"
#include "thread-memory.h"

enum {
	HEADER = 8,             /* the type handle */
	LENGTH_OFFSET = HEADER, /* of strings and arrays */
	OLDEST = 2,             /* large, pinned and frozen objects are collected with it, or never */
	TICKS = 50,             /* milliseconds that an asker waits for the service thread */
};

static MonoClass *
object_class (void *host, MonoObject *object)
{
	return object ? monocle__resolve_class (monocle__clr_layout_class_id (object)) : NULL;
}

static uint32_t
length_of (MonoObject *object)
{
	return *(const uint32_t *) ((const char *) object + LENGTH_OFFSET);
}

/*
 * The type handle points at its own facts: bytes of a component (16 bits), flags, then the size of an object without
 * components, header word and end of a string included.
 */
static uint32_t
component_size (MonoObject *object)
{
	return *(const uint16_t *) monocle__clr_layout_class_id (object);
}

static uint32_t
base_size (MonoObject *object)
{
	return ((const uint32_t *) monocle__clr_layout_class_id (object))[1];
}

static bool
is_string (MonoObject *object)
{
	return object_class (NULL, object) == monocle_class_primitive (MONO_TYPE_STRING);
}

static bool
is_array (MonoObject *object)
{
	return mono_class_get_rank (object_class (NULL, object)) != 0;
}

/* --- size --------------------------------------------------------------------------------------------------------- */

static uint64_t
object_size (void *host, MonoObject *object)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	SIZE_T size = 0;
	if (!object)
		return 0;
	HRESULT hr = info->vtbl->GetObjectSize2 (info, (ObjectID) object, &size);
	if (hr >= 0)
		return size;
	if (hr != CORPROF_E_UNSUPPORTED_CALL_SEQUENCE && !monocle__collector_is_starting_world ())
		return 0;
	bool has_components = is_string (object) || is_array (object);
	return base_size (object) + (has_components ? (uint64_t) length_of (object) * component_size (object) : 0);
}

/* --- strings and arrays ------------------------------------------------------------------------------------------- */

static const uint16_t *
string_chars (void *host, MonoObject *object, uint32_t *ret_length)
{
	uint32_t offset = monocle__clr_layout_characters_offset ();
	if (!object || !offset || !is_string (object))
		return NULL;
	*ret_length = length_of (object);
	return (const uint16_t *) ((const char *) object + offset);
}

/* The elements are the last thing in an array, so an array without any ends where they would begin. */
static void *
array_data (void *host, MonoObject *object, uint64_t *ret_length)
{
	if (!object || !is_array (object))
		return NULL;
	*ret_length = length_of (object);
	return (char *) object + base_size (object) - HEADER;
}

/* --- the collector's view ----------------------------------------------------------------------------------------- */

static int
object_generation (void *host, MonoObject *object)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_PRF_GC_GENERATION_RANGE range = { .generation = 0 };
	if (!object)
		return -1;
	HRESULT hr = info->vtbl->GetObjectGeneration (info, (ObjectID) object, &range);
	if (hr == CORPROF_E_NOT_GC_OBJECT)
		return OLDEST;
	if (hr < 0)
		return -1;
	return range.generation < OLDEST ? (int) range.generation : OLDEST;
}

/* --- references --------------------------------------------------------------------------------------------------- */

static char null_reference; /* the runtime makes no handle to nothing */

typedef struct {
	ObjectID object;
	COR_PRF_HANDLE_TYPE type;
	ObjectHandleID handle;
	HRESULT hr;
} handle_question;

/* The runtime reports each new handle on the thread that makes it. */
static void
make_handle (void *data)
{
	handle_question *question = data;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__thread_memory *own = monocle__thread_memory_get ();
	MONOCLE__INVARIANT (!own || !own->makes_handle);
	if (own)
		own->makes_handle = true;
	question->hr = info->vtbl->CreateHandle (info, question->object, question->type, &question->handle);
	if (own)
		own->makes_handle = false;
}

bool
monocle__clr_object_makes_handle (void)
{
	const monocle__thread_memory *own = monocle__thread_memory_own ();
	return own && own->makes_handle;
}

/* The runtime's weak handles all survive finalisation. */
static void *
ref_new (void *host, MonoObject *object, monocle_ref_kind kind)
{
	handle_question question = {
		.object = (ObjectID) object,
		.type = kind == MONOCLE_REF_STRONG ? COR_PRF_HANDLE_TYPE_STRONG
		      : kind == MONOCLE_REF_PINNED ? COR_PRF_HANDLE_TYPE_PINNED
		                                   : COR_PRF_HANDLE_TYPE_WEAK,
	};
	if (!object)
		return &null_reference;
	if (monocle__clr_state.info_version < 13)
		return NULL;
	make_handle (&question);
	if (question.hr == CORPROF_E_UNSUPPORTED_CALL_SEQUENCE &&
	    !monocle__service_run (make_handle, &question, sizeof question, TICKS))
		return NULL;
	return question.hr >= 0 ? (void *) question.handle : NULL;
}

static MonoObject *
ref_target (void *host, void *reference)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ObjectID object = 0;
	if (reference == &null_reference)
		return NULL;
	return info->vtbl->GetObjectIDFromHandle (info, (ObjectHandleID) reference, &object) >= 0 ? (MonoObject *) object
	                                                                                          : NULL;
}

static void
ref_free (void *host, void *reference)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	if (reference != &null_reference)
		info->vtbl->DestroyHandle (info, (ObjectHandleID) reference);
}

void *
monocle__clr_object_hold (ObjectID object)
{
	handle_question question = { .object = object, .type = COR_PRF_HANDLE_TYPE_PINNED };
	if (monocle__clr_state.info_version < 13)
		return NULL;
	make_handle (&question);
	return question.hr >= 0 ? (void *) question.handle : NULL;
}

void
monocle__clr_object_release (void *held)
{
	if (held)
		ref_free (NULL, held);
}

void
monocle__clr_object_ops (monocle_host_ops *ops)
{
	ops->object_class = object_class;
	ops->object_size = object_size;
	ops->string_chars = string_chars;
	ops->array_data = array_data;
	ops->object_generation = object_generation;
	ops->ref_new = ref_new;
	ops->ref_target = ref_target;
	ops->ref_free = ref_free;
	ops->gchandle_target = monocle__gc_handle_target;
	ops->object_header = HEADER;
	monocle__clr_layout_characters_offset (); /* before the first probe, in which it cannot be asked */
}
