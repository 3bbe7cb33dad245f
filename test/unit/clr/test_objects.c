/*
 * SPDX-License-Identifier: MIT
 *
 * test_objects.c - objects, layouts, statics, handles and the heap under a runtime that only answers. Objects are
 * structs of this file; what the runtime refuses where is what .NET 8 to 10 were seen to refuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>
#include <pthread.h>
#include <semaphore.h>
#include <mono/metadata/mono-gc.h>
#include "../core/child.h"
#include "fake-runtime.h"
#include "given-time.h"
#include "heap/object.h"
#include "images/layout.h"
#include "images/resolve.h"

/* Where the test's own thread is. Another thread is one that the runtime does not know. */
enum { IN_CALLBACK, IN_PROBE, FOREIGN };
static int place;
static pthread_t test_thread;

/* A type handle points at its own facts. */
typedef struct {
	uint16_t component_size, flags;
	uint32_t base_size;
	fake_class klass;
	ULONG class_size; /* as GetClassLayout tells it */
	COR_FIELD_OFFSET fields[2];
	ULONG field_count;
} type;

typedef struct {
	type *handle;
	uint32_t length;
	uint16_t units[10];
} text;

typedef struct {
	type *handle;
	uint32_t length, padding;
	int32_t bounds[4], elements[6];
} grid;

static fake_module corlib = { .path = u"/fx/System.Private.CoreLib.dll" };
static fake_module app = { .path = u"/srv/shapes.exe" };
static type string_type, vector_type, general_type, grid_type, found_type;
static ICorProfilerInfo15Vtbl slots;
static const ICorProfilerInfo15Vtbl *plain;
static atomic_uint looked_up, statics_asked, forced, handles, on_service;
static COR_PRF_STATIC_TYPE static_kind;
static COR_PRF_GC_GENERATION generation;
static HRESULT generation_answer;
static ULONG range_count;
static sem_t may_end; /* a collection that is held */
static atomic_bool is_held;

static int
here (void)
{
	return pthread_equal (pthread_self (), test_thread) ? place : FOREIGN;
}

/* What is answered synchronously only; and what needs a thread of the runtime besides. */
static HRESULT
synchronous (void)
{
	on_service += here () == FOREIGN;
	return here () == IN_PROBE ? CORPROF_E_UNSUPPORTED_CALL_SEQUENCE : S_OK;
}

static HRESULT
inspection (void)
{
	return here () == FOREIGN ? CORPROF_E_NOT_MANAGED_THREAD : synchronous ();
}

/* --- the runtime's answers ---------------------------------------------------------------------------------------- */

static HRESULT
is_array_class (ICorProfilerInfo15 *self, ClassID id, CorElementType *element, ClassID *klass, ULONG *rank)
{
	return plain->IsArrayClass (self, ID (&((type *) id)->klass), element, klass, rank);
}

static HRESULT
get_class_id_info (ICorProfilerInfo15 *self, ClassID id, ModuleID *module, mdToken *token)
{
	return plain->GetClassIDInfo (self, ID (&((type *) id)->klass), module, token);
}

static HRESULT
get_class_id_info2 (ICorProfilerInfo15 *self, ClassID id, ModuleID *module, mdToken *token, ClassID *parent,
                    ULONG32 size, ULONG32 *count, ClassID *arguments)
{
	return plain->GetClassIDInfo2 (self, ID (&((type *) id)->klass), module, token, parent, size, count, arguments);
}

static HRESULT
get_object_size2 (ICorProfilerInfo15 *self, ObjectID object, SIZE_T *ret_size)
{
	*ret_size = 4711;
	return inspection ();
}

static HRESULT
get_object_generation (ICorProfilerInfo15 *self, ObjectID object, COR_PRF_GC_GENERATION_RANGE *ret_range)
{
	ret_range->generation = generation;
	return inspection () < 0 ? inspection () : generation_answer;
}

static HRESULT
get_current_thread_id (ICorProfilerInfo15 *self, ThreadID *ret_thread)
{
	*ret_thread = here () == FOREIGN ? 0 : 99;
	return here () == FOREIGN ? CORPROF_E_NOT_MANAGED_THREAD : S_OK;
}

static HRESULT
get_thread_app_domain (ICorProfilerInfo15 *self, ThreadID thread, AppDomainID *ret_domain)
{
	*ret_domain = 77;
	return S_OK;
}

/* .NET dies of a look-up that loads on a thread that it does not know. */
static HRESULT
get_class_from_token (ICorProfilerInfo15 *self, ModuleID module, mdToken token, ClassID *ret_id)
{
	CHECK (here () != FOREIGN);
	looked_up++;
	if (here () == IN_PROBE)
		return CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
	found_type.klass = (fake_class) { .module = (fake_module *) module, .token = token };
	*ret_id = ID (&found_type);
	return S_OK;
}

static HRESULT
get_class_layout (ICorProfilerInfo15 *self, ClassID id, COR_FIELD_OFFSET *fields, ULONG room, ULONG *ret_count,
                  ULONG *ret_size)
{
	const type *own = (const type *) id;
	for (ULONG i = 0; i < room && i < own->field_count; i++)
		fields[i] = own->fields[i];
	*ret_count = own->field_count;
	*ret_size = own->class_size;
	return S_OK;
}

static HRESULT
get_static_field_info (ICorProfilerInfo15 *self, ClassID id, mdToken token, COR_PRF_STATIC_TYPE *ret_kind)
{
	statics_asked++;
	*ret_kind = static_kind;
	return synchronous ();
}

static HRESULT
get_app_domain_static_address (ICorProfilerInfo15 *self, ClassID id, mdToken token, AppDomainID domain,
                               void **ret_address)
{
	*ret_address = domain == 77 ? (void *) 0x1000 : NULL;
	return S_OK;
}

static HRESULT
get_rva_static_address (ICorProfilerInfo15 *self, ClassID id, mdToken token, void **ret_address)
{
	*ret_address = (void *) 0x3000;
	return synchronous ();
}

static HRESULT
get_thread_static_address2 (ICorProfilerInfo15 *self, ClassID id, mdToken token, AppDomainID domain, ThreadID thread,
                            void **ret_address)
{
	*ret_address = thread == 99 ? (void *) 0x2000 : NULL;
	return S_OK;
}

static HRESULT
create_handle (ICorProfilerInfo15 *self, ObjectID object, COR_PRF_HANDLE_TYPE kind, ObjectHandleID *ret_handle)
{
	if (synchronous () < 0)
		return synchronous ();
	CHECK (monocle__clr_object_makes_handle ());
	handles++;
	*ret_handle = object;
	return S_OK;
}

static HRESULT
get_object_id_from_handle (ICorProfilerInfo15 *self, ObjectHandleID handle, ObjectID *ret_object)
{
	*ret_object = handle;
	return S_OK;
}

static HRESULT
destroy_handle (ICorProfilerInfo15 *self, ObjectHandleID handle)
{
	handles--;
	return S_OK;
}

/* One more range each time, until there are 200. */
static HRESULT
get_generation_bounds (ICorProfilerInfo15 *self, ULONG room, ULONG *ret_count, COR_PRF_GC_GENERATION_RANGE *ranges)
{
	if (synchronous () < 0)
		return synchronous ();
	*ret_count = range_count;
	for (ULONG i = 0; i < room && i < range_count; i++)
		ranges[i] = (COR_PRF_GC_GENERATION_RANGE) { 0, 0, 10, 16 };
	return S_OK;
}

/* As the runtime announces a collection of all generations that it was asked for. */
static HRESULT
force_gc (ICorProfilerInfo15 *self)
{
	BOOL all[] = { 1, 1, 1, 1, 1 };
	CHECK (here () == FOREIGN);
	monocle__callback_GarbageCollectionStarted (NULL, 5, all, COR_PRF_GC_INDUCED);
	monocle__callback_GarbageCollectionFinished (NULL);
	forced++;
	while (is_held && sem_wait (&may_end))
		;
	return S_OK;
}

static void
start (void)
{
	plain = fake_runtime.vtbl;
	slots = *plain;
	slots.IsArrayClass = is_array_class;
	slots.GetClassIDInfo = get_class_id_info;
	slots.GetClassIDInfo2 = get_class_id_info2;
	slots.GetObjectSize2 = get_object_size2;
	slots.GetObjectGeneration = get_object_generation;
	slots.GetCurrentThreadID = get_current_thread_id;
	slots.GetThreadAppDomain = get_thread_app_domain;
	slots.GetClassFromToken = get_class_from_token;
	slots.GetClassLayout = get_class_layout;
	slots.GetStaticFieldInfo = get_static_field_info;
	slots.GetAppDomainStaticAddress = get_app_domain_static_address;
	slots.GetThreadStaticAddress2 = get_thread_static_address2;
	slots.GetRVAStaticAddress = get_rva_static_address;
	slots.CreateHandle = create_handle;
	slots.GetObjectIDFromHandle = get_object_id_from_handle;
	slots.DestroyHandle = destroy_handle;
	slots.GetGenerationBounds = get_generation_bounds;
	slots.ForceGC = force_gc;
	fake_runtime.vtbl = &slots;
	test_thread = pthread_self ();
	setenv ("MONOCLE_PROFILE", "watch", 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
	fake_load (&corlib);
	fake_load (&app);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

static MonoProfilerHandle own_handle;

void
mono_profiler_init_watch (const char *desc)
{
	own_handle = mono_profiler_create (NULL);
}

static MonoClass *
system_class (const char *name)
{
	MonoClass *klass = mono_class_from_name (mono_get_corlib (), "System", name);
	CHECK (klass);
	return klass;
}

static MonoClass *
meet (type *own, MonoClass *klass)
{
	own->klass = (fake_class) { .module = &corlib, .token = mono_class_get_type_token (klass) };
	CHECK (monocle__resolve_class (ID (own)) == klass);
	return klass;
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

CHILD_TEST (strings_and_arrays_are_read_where_they_lie)
{
	static text hello = { &string_type, 5, { 'h', 'e', 'l', 'l', 'o' } };
	static grid numbers = { &grid_type, 6, 0, { 2, 3, 0, 0 }, { 1, 2, 3, 4, 5, 6 } };
	start ();
	meet (&string_type, mono_get_string_class ());
	string_type.component_size = 2;
	string_type.base_size = 22;
	vector_type = (type) { 4, 0, 24, { .element = ELEMENT_TYPE_I4, .rank = 1 }, 0, { { 0, 0 } }, 0 };
	grid_type = (type) { 4, 0, 24 + 16, { .element = ELEMENT_TYPE_I4, .rank = 2 }, 0, { { 0, 0 } }, 0 };
	CHECK (mono_string_length ((MonoString *) &hello) == 5 && mono_string_chars ((MonoString *) &hello) == hello.units);
	CHECK (mono_array_length ((MonoArray *) &numbers) == 6 && mono_string_length ((MonoString *) &numbers) == 0);
	CHECK (mono_array_addr ((MonoArray *) &numbers, int32_t, 0) == numbers.elements);
	CHECK (mono_array_length ((MonoArray *) &hello) == 0);
	numbers.handle = &vector_type;
	CHECK (mono_array_addr ((MonoArray *) &numbers, int32_t, 0) == numbers.bounds);
	general_type = (type) { 4, 0, 24 + 8, { .element = ELEMENT_TYPE_I4, .rank = 1 }, 0, { { 0, 0 } }, 0 };
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&general_type))), "Int32[*]");
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&vector_type))), "Int32[]");
	CHECK (mono_object_get_size ((MonoObject *) &hello) == 4711);
	place = IN_PROBE;
	CHECK (mono_object_get_size ((MonoObject *) &hello) == 22 + 5 * 2);
	CHECK (mono_object_get_size ((MonoObject *) &numbers) == 24 + 6 * 4);
	place = FOREIGN;
	CHECK (mono_object_get_size ((MonoObject *) &hello) == 0);
}

CHILD_TEST (large_pinned_and_frozen_objects_are_in_the_oldest_generation)
{
	static text own = { &string_type, 0, { 0 } };
	const int expected[] = { 0, 1, 2, 2, 2 };
	start ();
	for (generation = 0; generation < 5; generation++)
		CHECK (mono_gc_get_generation ((MonoObject *) &own) == expected[generation]);
	generation_answer = CORPROF_E_NOT_GC_OBJECT;
	CHECK (mono_gc_get_generation ((MonoObject *) &own) == mono_gc_max_generation ());
	place = IN_PROBE;
	CHECK (mono_gc_get_generation ((MonoObject *) &own) == -1);
}

CHILD_TEST (a_handle_is_made_by_another_thread_where_this_one_must_not)
{
	static text own = { &string_type, 0, { 0 } };
	start ();
	given_time_begin ();
	uint32_t handle = mono_gchandle_new ((MonoObject *) &own, 0), null = mono_gchandle_new (NULL, 0);
	CHECK (handle && null && handles == 1 && !on_service);
	CHECK (mono_gchandle_get_target (handle) == (MonoObject *) &own && !mono_gchandle_get_target (null));
	place = IN_PROBE;
	uint32_t probed = mono_gchandle_new_weakref ((MonoObject *) &own, 0);
	CHECK (probed && handles == 2 && on_service);
	mono_gchandle_free (handle);
	mono_gchandle_free (probed);
	mono_gchandle_free (null);
	CHECK (handles == 0);
}

/* The service is busy with a collection meanwhile; later the object may stand elsewhere. */
CHILD_TEST (a_question_that_was_given_up_is_never_asked)
{
	static text own = { &string_type, 0, { 0 } };
	start ();
	sem_init (&may_end, 0, 0);
	is_held = true;
	mono_gc_collect (2);
	place = IN_PROBE;
	CHECK (mono_gchandle_new ((MonoObject *) &own, 0) == 0);
	is_held = false;
	sem_post (&may_end);
	place = FOREIGN;
	mono_gc_collect (2);
	CHECK (forced == 2 && handles == 0 && !on_service);
	given_time_begin ();
	place = IN_PROBE;
	CHECK (mono_gchandle_new ((MonoObject *) &own, 0) && handles == 1);
}

static size_t
thread_count (void)
{
	glob_t found;
	CHECK (glob ("/proc/self/task/*", 0, NULL, &found) == 0);
	size_t count = found.gl_pathc;
	globfree (&found);
	return count;
}

/* A signal handler that sets a callback cannot make a thread. (A sanitizer may make one of its own, too.) */
CHILD_TEST (the_thread_that_asks_is_there_from_the_start)
{
	size_t before = thread_count ();
	start ();
	CHECK (thread_count () > before);
}

/* --- layouts and statics ------------------------------------------------------------------------------------------ */

static MonoClassField *
field_of (MonoClass *klass, const char *name)
{
	MonoClassField *field = mono_class_get_field_from_name (klass, name);
	CHECK (field);
	return field;
}

CHILD_TEST (offsets_count_from_the_beginning_of_the_object)
{
	start ();
	MonoClass *exception = system_class ("Exception"), *decimal = system_class ("Decimal");
	MonoClassField *message = field_of (exception, "_message"), *flags = field_of (decimal, "flags");
	found_type.fields[0] = (COR_FIELD_OFFSET) { mono_class_get_field_token (message), 16 };
	found_type.field_count = 1;
	found_type.class_size = 120;
	CHECK (mono_class_instance_size (exception) == 112 && looked_up == 1);
	CHECK (mono_field_get_offset (message) == 16 && looked_up == 1);
	CHECK (mono_field_get_offset (field_of (exception, "_data")) == 0);
	monocle_id_drop (MONOCLE_ID_CLASS, ID (&found_type));
	found_type.fields[0] = (COR_FIELD_OFFSET) { mono_class_get_field_token (flags), 4 };
	found_type.class_size = 16;
	CHECK (mono_class_instance_size (decimal) == 8 + 16 && mono_class_value_size (decimal, NULL) == 16);
	CHECK (mono_field_get_offset (flags) == 8 + 4 && looked_up == 2);
}

CHILD_TEST (a_class_is_looked_up_by_threads_of_the_runtime_only_and_once)
{
	start ();
	MonoClass *exception = system_class ("Exception");
	place = FOREIGN;
	CHECK (mono_class_instance_size (exception) == 0 && looked_up == 0);
	place = IN_PROBE;
	CHECK (mono_class_instance_size (exception) == 0 && looked_up == 1);
	place = IN_CALLBACK;
	found_type.class_size = 120;
	CHECK (mono_class_vtable (mono_get_root_domain (), exception) && looked_up == 2);
	place = IN_PROBE;
	CHECK (mono_class_instance_size (exception) == 112 && looked_up == 2);
	monocle_id_drop (MONOCLE_ID_CLASS, ID (&found_type));
	CHECK (mono_class_instance_size (exception) == 0 && looked_up == 3);
}

static void *
address_of (MonoClass *klass, const char *name)
{
	/* The field's number: how many stand before it. */
	void *iter = NULL;
	uint32_t index = 0;
	monocle_host_ops ops = { .size = sizeof ops };
	monocle__clr_layout_ops (&ops);
	for (MonoClassField *field; (field = mono_class_get_fields (klass, &iter)); index++)
		if (!strcmp (mono_field_get_name (field), name))
			return ops.static_address (NULL, klass, index);
	return NULL;
}

CHILD_TEST (statics_that_stay_are_asked_once_and_in_probes_by_another_thread)
{
	start ();
	given_time_begin (); /* the other thread is waited for, however busy the machine is */
	MonoClass *date = system_class ("DateTime");
	static_kind = COR_PRF_FIELD_APP_DOMAIN_STATIC;
	CHECK (address_of (date, "s_daysToMonth365") == (void *) 0x1000 && statics_asked == 1);
	CHECK (address_of (date, "s_daysToMonth365") == (void *) 0x1000 && statics_asked == 1);
	static_kind = COR_PRF_FIELD_THREAD_STATIC;
	CHECK (address_of (date, "s_daysToMonth366") == (void *) 0x2000 && statics_asked == 2);
	CHECK (address_of (date, "s_daysToMonth366") == (void *) 0x2000 && statics_asked == 3);
	place = IN_PROBE;
	CHECK (address_of (date, "s_daysToMonth366") == (void *) 0x2000 && on_service == 1);
	CHECK (address_of (date, "s_daysToMonth365") == (void *) 0x1000 && on_service == 1);
	static_kind = COR_PRF_FIELD_NOT_A_STATIC;
	CHECK (!address_of (date, "MinValue"));
}

CHILD_TEST (the_box_of_a_static_struct_moves_and_is_asked_for_each_time)
{
	start ();
	MonoClass *date = system_class ("DateTime");
	static_kind = COR_PRF_FIELD_APP_DOMAIN_STATIC;
	CHECK (address_of (date, "MinValue") == (void *) 0x1000 && statics_asked == 1);
	CHECK (address_of (date, "MinValue") == (void *) 0x1000 && statics_asked == 2);
	static_kind |= COR_PRF_FIELD_RVA_STATIC;
	CHECK (address_of (date, "MaxValue") == (void *) 0x3000 && statics_asked == 3);
	CHECK (address_of (date, "MaxValue") == (void *) 0x3000 && statics_asked == 3);
}

CHILD_TEST (strings_are_laid_out_though_no_class_layout_is_told)
{
	start ();
	MonoClass *string = mono_get_string_class ();
	CHECK (mono_class_instance_size (string) == 16 && looked_up == 0);
	CHECK (mono_field_get_offset (field_of (string, "_stringLength")) == 8);
	CHECK (mono_field_get_offset (field_of (string, "_firstChar")) == 12);
}

/* --- the heap ----------------------------------------------------------------------------------------------------- */

CHILD_TEST (collections_and_sizes_are_the_runtimes)
{
	BOOL young[] = { 1, 0, 0, 0, 0 }, all[] = { 1, 1, 1, 1, 1 };
	start ();
	monocle__callback_GarbageCollectionStarted (NULL, 5, young, COR_PRF_GC_OTHER);
	monocle__callback_GarbageCollectionStarted (NULL, 5, all, COR_PRF_GC_INDUCED);
	monocle__callback_GarbageCollectionStarted (NULL, 1, young, COR_PRF_GC_OTHER);
	CHECK (mono_gc_collection_count (0) == 3 && mono_gc_collection_count (1) == 1 && mono_gc_collection_count (2) == 1);
	range_count = 200;
	CHECK (mono_gc_get_used_size () == 2000 && mono_gc_get_heap_size () == 3200);
	place = IN_PROBE;
	range_count = 1;
	CHECK (mono_gc_get_used_size () == 2000);
}

CHILD_TEST (a_thread_of_the_runtime_does_not_wait_for_a_collection_and_others_do)
{
	start ();
	mono_gc_collect (2);
	FAKE_AWAIT (forced == 1);
	place = FOREIGN;
	mono_gc_collect (0);
	mono_gc_collect (0);
	CHECK (forced == 3);
	monocle__callback_Shutdown (NULL);
	mono_gc_collect (2);
	CHECK (forced == 3);
}

static void
on_finalized (MonoProfiler *prof)
{
	mono_gc_collect (2);
}

/* The thread that reports the batch is none of the runtime's: there the collection is over when the call returns. */
CHILD_TEST (finalizers_are_notified_from_anywhere_and_may_collect)
{
	start ();
	mono_profiler_set_gc_finalized_callback (own_handle, on_finalized);
	place = IN_PROBE;
	mono_gc_finalize_notify ();
	FAKE_AWAIT (forced == 1);
	place = FOREIGN;
	mono_gc_collect (2); /* the service is free again */
	CHECK (forced == 2);
}

static char steps[64];
static unsigned forced_by_then;

static void
on_gc (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation_number, mono_bool is_serial)
{
	size_t length = strlen (steps);
	snprintf (steps + length, sizeof steps - length, "%d/%u%s ", event, generation_number, is_serial ? "s" : "");
}

static void
on_ending (MonoProfiler *prof)
{
	mono_gc_collect (2);
	forced_by_then = forced;
}

CHILD_TEST (one_that_is_asked_for_at_the_end_is_waited_for_and_told_of)
{
	start ();
	mono_profiler_set_gc_event_callback (own_handle, on_gc);
	mono_profiler_set_runtime_shutdown_begin_callback (own_handle, on_ending);
	monocle__callback_Shutdown (NULL);
	CHECK (forced_by_then == 1);
	CHECK_STRING (steps, "6/2s 10/2s 7/2s 0/2 5/2 8/2s 9/2s 11/2s ");
	mono_gc_collect (2);
	CHECK (forced == 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (strings_and_arrays_are_read_where_they_lie),
	cmocka_unit_test (large_pinned_and_frozen_objects_are_in_the_oldest_generation),
	cmocka_unit_test (a_handle_is_made_by_another_thread_where_this_one_must_not),
	cmocka_unit_test (a_question_that_was_given_up_is_never_asked),
	cmocka_unit_test (the_thread_that_asks_is_there_from_the_start),
	cmocka_unit_test (offsets_count_from_the_beginning_of_the_object),
	cmocka_unit_test (a_class_is_looked_up_by_threads_of_the_runtime_only_and_once),
	cmocka_unit_test (statics_that_stay_are_asked_once_and_in_probes_by_another_thread),
	cmocka_unit_test (the_box_of_a_static_struct_moves_and_is_asked_for_each_time),
	cmocka_unit_test (strings_are_laid_out_though_no_class_layout_is_told),
	cmocka_unit_test (collections_and_sizes_are_the_runtimes),
	cmocka_unit_test (a_thread_of_the_runtime_does_not_wait_for_a_collection_and_others_do),
	cmocka_unit_test (finalizers_are_notified_from_anywhere_and_may_collect),
	cmocka_unit_test (one_that_is_asked_for_at_the_end_is_waited_for_and_told_of),
};

int
main (int argc, char **argv)
{
	if (argc != 3 || !fake_module_read (&app, argv[1]) || !fake_module_read (&corlib, argv[2])) {
		printf ("usage: test_objects shapes.exe mscorlib.dll (which must be there)\n");
		return 77;
	}
	fake_module_rename (&corlib, "System.Private.CoreLib");
	return cmocka_run_group_tests (tests, NULL, NULL);
}
