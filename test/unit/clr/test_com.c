/*
 * SPDX-License-Identifier: MIT
 *
 * test_com.c - the COM door of the adapter: identity, reference counts, refusals. No runtime is needed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dlfcn.h>
#include <cmocka.h>
#include <string.h>
#include "corprof.h"

static const GUID clsid = { 0xF5E0F6A1, 0x5B3C, 0x4C7E, { 0x9D, 0x64, 0x6D, 0x6F, 0x6E, 0x6F, 0x63, 0x6C } };
static HRESULT (*get_class_object) (const GUID *, const GUID *, void **);

static const GUID *const callback_iids[] = {
	&IID_IUnknown,
	&IID_ICorProfilerCallback,
	&IID_ICorProfilerCallback2,
	&IID_ICorProfilerCallback3,
	&IID_ICorProfilerCallback4,
	&IID_ICorProfilerCallback5,
	&IID_ICorProfilerCallback6,
	&IID_ICorProfilerCallback7,
	&IID_ICorProfilerCallback8,
	&IID_ICorProfilerCallback9,
	&IID_ICorProfilerCallback10,
	&IID_ICorProfilerCallback11,
};

static IClassFactory *
factory (void)
{
	void *object = NULL;
	assert_int_equal (get_class_object (&clsid, &IID_IClassFactory, &object), S_OK);
	assert_non_null (object);
	return object;
}

static ICorProfilerCallback11 *
callback (void)
{
	IClassFactory *f = factory ();
	void *object = NULL;
	assert_int_equal (f->vtbl->CreateInstance (f, NULL, &IID_ICorProfilerCallback2, &object), S_OK);
	return object;
}

static void
factory_refuses_another_class (void **state)
{
	GUID other = clsid;
	void *object = &other;
	other.Data1++;
	assert_int_equal (get_class_object (&other, &IID_IClassFactory, &object), CLASS_E_CLASSNOTAVAILABLE);
	assert_null (object);
}

static void
factory_refuses_aggregation (void **state)
{
	IClassFactory *f = factory ();
	void *object = f;
	assert_int_equal (f->vtbl->CreateInstance (f, (IUnknown *) f, &IID_ICorProfilerCallback2, &object),
	                  CLASS_E_NOAGGREGATION);
	assert_null (object);
}

static void
factory_refuses_an_interface_it_does_not_have (void **state)
{
	IClassFactory *f = factory ();
	void *object = f;
	assert_int_equal (f->vtbl->CreateInstance (f, NULL, &IID_ICorProfilerInfo, &object), E_NOINTERFACE);
	assert_null (object);
	assert_int_equal (get_class_object (&clsid, &IID_ICorProfilerInfo, &object), E_NOINTERFACE);
	assert_int_equal (f->vtbl->CreateInstance (f, NULL, &IID_IUnknown, NULL), E_POINTER);
}

static void
callback_is_one_object_under_every_version (void **state)
{
	ICorProfilerCallback11 *object = callback ();
	for (size_t i = 0; i < sizeof callback_iids / sizeof *callback_iids; i++) {
		void *again = NULL;
		assert_int_equal (object->vtbl->QueryInterface (object, callback_iids[i], &again), S_OK);
		assert_ptr_equal (again, object);
		object->vtbl->Release (object);
	}
	assert_int_equal (object->vtbl->Release (object), 0);
}

static void
callback_counts_references (void **state)
{
	ICorProfilerCallback11 *object = callback ();
	assert_int_equal (object->vtbl->AddRef (object), 2);
	assert_int_equal (object->vtbl->AddRef (object), 3);
	assert_int_equal (object->vtbl->Release (object), 2);
	assert_int_equal (object->vtbl->Release (object), 1);
	assert_int_equal (object->vtbl->Release (object), 0);
}

static void
callback_refuses_unknown_interfaces_and_keeps_its_count (void **state)
{
	ICorProfilerCallback11 *object = callback ();
	void *other = object;
	assert_int_equal (object->vtbl->QueryInterface (object, &IID_IClassFactory, &other), E_NOINTERFACE);
	assert_null (other);
	assert_int_equal (object->vtbl->QueryInterface (object, &IID_IUnknown, NULL), E_POINTER);
	assert_int_equal (object->vtbl->Release (object), 0);
}

static void
every_slot_of_the_table_is_a_function (void **state)
{
	ICorProfilerCallback11 *object = callback ();
	void *const *slots = (void *const *) object->vtbl;
	assert_int_equal (ICorProfilerCallback11_SLOTS, 98);
	assert_int_equal (ICorProfilerInfo15_SLOTS, 115);
	for (int i = 0; i < ICorProfilerCallback11_SLOTS; i++)
		assert_non_null (slots[i]);
	object->vtbl->Release (object);
}

static void
callback_is_a_main_profiler (void **state)
{
	ICorProfilerCallback11 *object = callback ();
	BOOL notification_only = 1;
	assert_int_equal (object->vtbl->LoadAsNotificationOnly (object, &notification_only), S_OK);
	assert_false (notification_only);
	object->vtbl->Release (object);
}

int
main (int argc, char **argv)
{
	void *library = argc > 1 ? dlopen (argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library) {
		print_error ("cannot open the adapter: %s\n", argc > 1 ? dlerror () : "no path given");
		return 1;
	}
	get_class_object = (HRESULT (*) (const GUID *, const GUID *, void **)) dlsym (library, "DllGetClassObject");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (factory_refuses_another_class),
		cmocka_unit_test (factory_refuses_aggregation),
		cmocka_unit_test (factory_refuses_an_interface_it_does_not_have),
		cmocka_unit_test (callback_is_one_object_under_every_version),
		cmocka_unit_test (callback_counts_references),
		cmocka_unit_test (callback_refuses_unknown_interfaces_and_keeps_its_count),
		cmocka_unit_test (every_slot_of_the_table_is_a_function),
		cmocka_unit_test (callback_is_a_main_profiler),
	};
	return get_class_object ? cmocka_run_group_tests (tests, NULL, NULL) : 1;
}
