/*
 * SPDX-License-Identifier: MIT
 *
 * exception.c - the runtime's second pass, as exits of methods.
 *
 * UnwindFunctionLeave does not say which function is left, so Enter's ids are kept in a small per-thread stack. It is not
 * always balanced: a catching frame is entered and never left; a finally that throws abandons its frame, which is entered
 * again; and an exception inside a filter yields a Leave without Enter before, and an Enter without Leave after. So a Leave
 * pops only what was entered since the innermost filter began, a CatcherEnter takes its own frame off, and the stack
 * forgets its oldest entry rather than grow.
 */
#include <string.h>
#include "clr.h"

static unsigned
floor_of (const monocle__unwinding *own)
{
	return own->filters && own->filters <= MONOCLE__FILTERS_MAX ? own->floors[own->filters - 1] : 0;
}

HRESULT
monocle__callback_ExceptionSearchFilterEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	monocle__unwinding *own = monocle__shadow_unwinding ();
	if (own && own->filters++ < MONOCLE__FILTERS_MAX)
		own->floors[own->filters - 1] = own->count;
	return S_OK;
}

HRESULT
monocle__callback_ExceptionSearchFilterLeave (ICorProfilerCallback11 *self)
{
	monocle__unwinding *own = monocle__shadow_unwinding ();
	if (!own || !own->filters)
		return S_OK;
	if (own->filters <= MONOCLE__FILTERS_MAX && floor_of (own) < own->count)
		own->count = floor_of (own);
	own->filters--;
	return S_OK;
}

HRESULT
monocle__callback_ExceptionUnwindFunctionEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	monocle__unwinding *own = monocle__shadow_unwinding ();
	if (!own)
		return S_OK;
	if (own->count == MONOCLE__UNWINDING_MAX) {
		memmove (own->frames, own->frames + 1, sizeof own->frames - sizeof *own->frames);
		own->count--;
	}
	own->frames[own->count++] = function;
	return S_OK;
}

HRESULT
monocle__callback_ExceptionUnwindFunctionLeave (ICorProfilerCallback11 *self)
{
	monocle__unwinding *own = monocle__shadow_unwinding ();
	if (own && own->count > floor_of (own))
		monocle__shadow_unwound (own->frames[--own->count]);
	return S_OK;
}

HRESULT
monocle__callback_ExceptionCatcherEnter (ICorProfilerCallback11 *self, FunctionID function, ObjectID object)
{
	monocle__unwinding *own = monocle__shadow_unwinding ();
	if (!own)
		return S_OK;
	if (own->count > floor_of (own) && own->frames[own->count - 1] == function)
		own->count--;
	monocle__shadow_caught (function);
	return S_OK;
}

HRESULT
monocle__callback_ExceptionThrown (ICorProfilerCallback11 *self, ObjectID object)
{
	if (monocle__clr_listened (MONOCLE_EVENT_exception_throw))
		monocle_raise_exception_throw ((MonoObject *) object);
	return S_OK;
}
