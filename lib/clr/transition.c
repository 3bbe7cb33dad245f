/*
 * SPDX-License-Identifier: MIT
 *
 * transition.c - what costs the program so dearly that only modules which ask for it in the init window get it: control
 * passing between managed and native code, and which parts of the heap survive a collection.
 */
#include "clr.h"

HRESULT
monocle__callback_UnmanagedToManagedTransition (ICorProfilerCallback11 *self, FunctionID function,
                                                COR_PRF_TRANSITION_REASON reason)
{
	if (monocle__clr_listened (MONOCLE_EVENT_transition))
		monocle_raise_transition (MONOCLE_TRANSITION_TO_MANAGED, (MonocleTransitionReason) reason,
		                          function ? monocle__clr_method (function) : NULL);
	return S_OK;
}

HRESULT
monocle__callback_ManagedToUnmanagedTransition (ICorProfilerCallback11 *self, FunctionID function,
                                                COR_PRF_TRANSITION_REASON reason)
{
	if (monocle__clr_listened (MONOCLE_EVENT_transition))
		monocle_raise_transition (MONOCLE_TRANSITION_TO_NATIVE, (MonocleTransitionReason) reason,
		                          function ? monocle__clr_method (function) : NULL);
	return S_OK;
}

/* --- the heap in a collection: ranges that stay, ranges that move ------------------------------------------------- */

HRESULT
monocle__callback_SurvivingReferences2 (ICorProfilerCallback11 *self, ULONG count, ObjectID starts[], SIZE_T sizes[])
{
	if (monocle__clr_listened (MONOCLE_EVENT_survivors))
		monocle_raise_survivors ((const void *const *) starts, NULL, (const uint64_t *) sizes, count);
	return S_OK;
}

HRESULT
monocle__callback_MovedReferences2 (ICorProfilerCallback11 *self, ULONG count, ObjectID from[], ObjectID to[],
                                    SIZE_T sizes[])
{
	if (monocle__clr_listened (MONOCLE_EVENT_survivors))
		monocle_raise_survivors ((const void *const *) from, (const void *const *) to, (const uint64_t *) sizes, count);
	return S_OK;
}
