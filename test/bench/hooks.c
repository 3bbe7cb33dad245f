/*
 * SPDX-License-Identifier: MIT
 *
 * hooks.c - a profiler of the CLR alone, with the hooks that it has for calls (SetEnterLeaveFunctionHooks3): the least
 * that they can cost. They must keep all registers, so each is one addition to a number in memory, whatever other
 * threads add; at the end the numbers are printed to stderr.
 */
#include <stdio.h>
#include "corprof.h"

extern uint64_t hooks_entered, hooks_left;
extern const char hooks_enter[], hooks_leave[];

/* clang-format off */
__asm__(
	".pushsection .bss\n"
	".hidden hooks_entered, hooks_left\n"
	".globl hooks_entered, hooks_left\n"
	".balign 64\n"
	"hooks_entered: .zero 64\n"
	"hooks_left: .zero 64\n"
	".popsection\n"
	".pushsection .text\n"
	".hidden hooks_enter, hooks_leave\n"
	".globl hooks_enter, hooks_leave\n"
	"hooks_enter: incq hooks_entered(%rip)\n"
	"	ret\n"
	"hooks_leave: incq hooks_left(%rip)\n"
	"	ret\n"
	".popsection\n");
/* clang-format on */

enum { SLOTS = sizeof (ICorProfilerCallback11Vtbl) / sizeof (void *), FIRST = 3 };

static void *callbacks[SLOTS], *factory[5];
static void *callback_object[] = { callbacks }, *factory_object[] = { factory };

/* What every other slot of both tables has: S_OK, 0 references. */
static HRESULT
nothing (void)
{
	return S_OK;
}

static HRESULT
query (void *self, const GUID *iid, void **ret_object)
{
	*ret_object = self;
	return S_OK;
}

static HRESULT
initialize (void *self, IUnknown *unknown)
{
	ICorProfilerInfo15 *info = NULL;
	HRESULT hr = unknown->vtbl->QueryInterface (unknown, &IID_ICorProfilerInfo3, (void **) &info);
	if (hr >= 0)
		hr = info->vtbl->SetEventMask (info, COR_PRF_MONITOR_ENTERLEAVE);
	if (hr >= 0)
		hr = info->vtbl->SetEnterLeaveFunctionHooks3 (info, (void *) hooks_enter, (void *) hooks_leave,
		                                              (void *) hooks_leave);
	return hr;
}

static HRESULT
end (void)
{
	fprintf (stderr, "hooks: %llu calls, %llu left\n", (unsigned long long) hooks_entered,
	         (unsigned long long) hooks_left);
	return S_OK;
}

static HRESULT
create_instance (void *self, IUnknown *outer, const GUID *iid, void **ret_object)
{
	*ret_object = callback_object;
	return S_OK;
}

__attribute__ ((visibility ("default"))) HRESULT DllGetClassObject (const GUID *clsid, const GUID *iid,
                                                                    void **ret_object);

HRESULT
DllGetClassObject (const GUID *clsid, const GUID *iid, void **ret_object)
{
	for (int i = 0; i < SLOTS; i++)
		callbacks[i] = (void *) nothing;
	for (int i = 0; i < 5; i++)
		factory[i] = (void *) nothing;
	callbacks[0] = factory[0] = (void *) query;
	callbacks[FIRST] = (void *) initialize;
	callbacks[FIRST + 1] = (void *) end;
	factory[FIRST] = (void *) create_instance;
	*ret_object = factory_object;
	return S_OK;
}
