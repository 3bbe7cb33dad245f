/*
 * SPDX-License-Identifier: MIT
 *
 * stub.c - see stub.h. Code that is not optimised, and blocks that the compiler takes for rare, call a probe through a
 * stub of the runtime's, one for each signature:
 *
 *      method's frame
 *     +------------------+ <- its stack pointer, as the runtime names the frame
 *     | return address   |
 *     | stub's frame     |
 *     +------------------+ <- the stack pointer that the probe is called with
 *     | return address   |    in the stub, which is no function that modules may be told of
 *
 * The stub's frame is as large at each of its calls, so its prologue says where the method's frame is, also when the
 * stub has returned. .NET 8 and 9 do not say whose code a stub is while they unwind frames: therefore it is asked when
 * an exception is thrown, and remembered.
 */
#include "stub.h"
#include <errno.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "invariant.h"
#include "state.h"

enum { BODIES_MAX = 4, FIRST_WITH_BODIES = 9 };

/* By hash: what comes later takes the place. `check` makes sure that words of two threads never make a pair. */
static struct {
	_Atomic (uintptr_t) size, check;
} known[1 << 8];

FunctionID
monocle__stub_caller (uintptr_t return_address)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	int saved_errno = errno;
	HRESULT hr = info->vtbl->GetFunctionFromIP (info, (const uint8_t *) return_address - 1, &function);
	errno = saved_errno;
	return hr >= 0 ? function : 0;
}

/* Where the code begins that a return address is in; 0: the runtime does not say. */
static uintptr_t
start_of (uintptr_t return_address)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	ReJITID version = 0;
	UINT_PTR starts[BODIES_MAX], start = 0;
	ULONG32 count = 0;
	if (monocle__clr_state.info_version < FIRST_WITH_BODIES ||
	    info->vtbl->GetFunctionFromIP3 (info, (const uint8_t *) return_address - 1, &function, &version) < 0 ||
	    info->vtbl->GetNativeCodeStartAddresses (info, function, version, BODIES_MAX, &count, starts) < 0)
		return 0;
	for (ULONG32 i = 0; i < count && i < BODIES_MAX; i++)
		if (starts[i] < return_address && starts[i] > start)
			start = starts[i];
	return start;
}

static bool
measure (uintptr_t return_address, uint32_t *ret_size)
{
	uintptr_t start = start_of (return_address);
	monocle__shape shape;
	if (!start || !monocle__arch_prologue ((const uint8_t *) start, return_address - start, SIZE_MAX, &shape) ||
	    (shape.kind != MONOCLE__SHAPE_FP && shape.kind != MONOCLE__SHAPE_SP))
		return false;
	*ret_size = shape.frame + (uint32_t) sizeof (uintptr_t);
	return true;
}

bool
monocle__stub_size (uintptr_t return_address, uint32_t *ret_size)
{
	size_t at = return_address * 0x9E3779B97F4A7C15u >> 56;
	uintptr_t key = return_address ^ (uintptr_t) atomic_load (&monocle__clr_state.instance_epoch) << 48;
	uintptr_t size = atomic_load_explicit (&known[at].size, memory_order_relaxed);
	*ret_size = (uint32_t) size;
	if ((atomic_load_explicit (&known[at].check, memory_order_relaxed) ^ size) == key)
		return true;
	*ret_size = 0;
	int saved_errno = errno;
	bool found = monocle__stub_caller (return_address) || measure (return_address, ret_size);
	errno = saved_errno;
	if (!found)
		return false;
	atomic_store_explicit (&known[at].size, *ret_size, memory_order_relaxed);
	atomic_store_explicit (&known[at].check, *ret_size ^ key, memory_order_relaxed);
	return true;
}
