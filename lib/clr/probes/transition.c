/*
 * SPDX-License-Identifier: MIT
 *
 * transition.c - control passing between managed and native code. It costs the program so much that only modules
 * which ask for it in the init window get it.
 */
#include <monocle/host.h>
#include "images/resolve.h"
#include "state.h"

HRESULT
monocle__callback_UnmanagedToManagedTransition (ICorProfilerCallback11 *self, FunctionID function,
                                                COR_PRF_TRANSITION_REASON reason)
{
	if (monocle__clr_listened (MONOCLE_EVENT_transition))
		monocle_raise_transition (MONOCLE_TRANSITION_TO_MANAGED, (MonocleTransitionReason) reason,
		                          function ? monocle__resolve_method (function) : NULL);
	return S_OK;
}

HRESULT
monocle__callback_ManagedToUnmanagedTransition (ICorProfilerCallback11 *self, FunctionID function,
                                                COR_PRF_TRANSITION_REASON reason)
{
	if (monocle__clr_listened (MONOCLE_EVENT_transition))
		monocle_raise_transition (MONOCLE_TRANSITION_TO_NATIVE, (MonocleTransitionReason) reason,
		                          function ? monocle__resolve_method (function) : NULL);
	return S_OK;
}
