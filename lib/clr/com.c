/*
 * SPDX-License-Identifier: MIT
 *
 * com.c - the door: DllGetClassObject, the class factory and IUnknown of the callback object.
 *
 * The runtime asks for ICorProfilerCallback2 first and then for the newest version it knows; one 98-slot table answers
 * them all, because every version only appends. A second attach runs this door again while the first profiler lives, so
 * nothing here keeps state but the reference counts.
 */
#include "com.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "coreclr.h"
#include "state.h"

/* {F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}: what CORECLR_PROFILER names. */
static const GUID clsid_monocle = { 0xF5E0F6A1, 0x5B3C, 0x4C7E, { 0x9D, 0x64, 0x6D, 0x6F, 0x6E, 0x6F, 0x63, 0x6C } };

typedef struct {
	ICorProfilerCallback11 callback; /* first: the COM pointer is the object */
	atomic_uint references;
} callback_object;

static bool
same_guid (const GUID *a, const GUID *b)
{
	return memcmp (a, b, sizeof *a) == 0;
}

static bool
answers_callback (const GUID *iid)
{
	for (const GUID *const *known = monocle__callback_iids; *known; known++)
		if (same_guid (*known, iid))
			return true;
	return false;
}

HRESULT
monocle__com_QueryInterface (ICorProfilerCallback11 *self, const GUID *iid, void **ret_object)
{
	if (!ret_object)
		return E_POINTER;
	*ret_object = NULL;
	if (!iid || !answers_callback (iid))
		return E_NOINTERFACE;
	monocle__com_AddRef (self);
	*ret_object = self;
	return S_OK;
}

ULONG
monocle__com_AddRef (ICorProfilerCallback11 *self)
{
	return atomic_fetch_add (&((callback_object *) self)->references, 1) + 1;
}

ULONG
monocle__com_Release (ICorProfilerCallback11 *self)
{
	callback_object *object = (callback_object *) self;
	unsigned left = atomic_fetch_sub (&object->references, 1) - 1;
	if (left == 0)
		free (object);
	return left;
}

static HRESULT
factory_query_interface (IClassFactory *self, const GUID *iid, void **ret_object)
{
	if (!ret_object)
		return E_POINTER;
	bool known = iid && (same_guid (iid, &IID_IClassFactory) || same_guid (iid, &IID_IUnknown));
	*ret_object = known ? self : NULL;
	return known ? S_OK : E_NOINTERFACE;
}

/* The factory is static: its count has no meaning, and 1 is what a live object answers. */
static ULONG
factory_reference (IClassFactory *self)
{
	return 1;
}

static HRESULT
factory_create (IClassFactory *self, IUnknown *outer, const GUID *iid, void **ret_object)
{
	if (!ret_object)
		return E_POINTER;
	*ret_object = NULL;
	if (outer)
		return CLASS_E_NOAGGREGATION;
	callback_object *object = malloc (sizeof *object);
	if (!object)
		return E_OUTOFMEMORY;
	object->callback.vtbl = &monocle__callback_vtbl;
	atomic_init (&object->references, 1);
	HRESULT hr = monocle__com_QueryInterface (&object->callback, iid, ret_object);
	monocle__com_Release (&object->callback);
	return hr;
}

static HRESULT
factory_lock (IClassFactory *self, BOOL lock)
{
	return S_OK;
}

/* clang-format off */
static const IClassFactoryVtbl factory_vtbl = {
	.QueryInterface = factory_query_interface,
	.AddRef         = factory_reference,
	.Release        = factory_reference,
	.CreateInstance = factory_create,
	.LockServer     = factory_lock,
};
/* clang-format on */

static IClassFactory factory = { &factory_vtbl };

__attribute__ ((visibility ("default"))) HRESULT DllGetClassObject (const GUID *clsid, const GUID *iid,
                                                                    void **ret_object);
__attribute__ ((visibility ("default"))) HRESULT DllCanUnloadNow (void);

HRESULT
DllGetClassObject (const GUID *clsid, const GUID *iid, void **ret_object)
{
	if (!ret_object)
		return E_POINTER;
	*ret_object = NULL;
	if (!clsid || !same_guid (clsid, &clsid_monocle)) {
		monocle__clr_complain ("the class that CORECLR_PROFILER or a list names is not Monocle's: it must be %s",
		                       MONOCLE__CLSID);
		return CLASS_E_CLASSNOTAVAILABLE;
	}
	return factory_query_interface (&factory, iid, ret_object);
}

/* Probes in compiled code point into this library for as long as the process lives. */
HRESULT
DllCanUnloadNow (void)
{
	return S_FALSE;
}
