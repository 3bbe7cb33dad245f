/*
 * SPDX-License-Identifier: MIT
 *
 * jit.c - what the compiler announces: the moments to put probes in, and the events about code.
 *
 * A call must never be lost, so three moments matter: a method is compiled (its body is rewritten first), a method is
 * about to be inlined that was never compiled (its body is rewritten and this one inlining is vetoed, because the
 * compiler has read the old body already), and precompiled code is about to be used (it knows nothing of probes, so all
 * code of an image that holds a wanted method is refused: callers inside the image hold inlined copies).
 */
#include <stdatomic.h>
#include <monocle/host.h>
#include "code/codemap.h"
#include "code/own-frame.h"
#include "exceptions/clause.h"
#include "gate.h"
#include "images/emitted.h"
#include "images/image.h"
#include "images/layout.h"
#include "images/resolve.h"
#include "invoke.h"
#include "probing.h"
#include "reinstrument.h"
#include "runtime-async.h"
#include "state.h"

/*
 * Inside a probe the runtime looks no class up; the method's own, whose fields modules ask for, is known by then. Of
 * code that instances share the runtime does not tell it: then it is the class that is laid out as all of theirs. What
 * the method takes and returns is, too, when contexts may show that. Each instance has its own.
 */
static void
meet_classes (FunctionID function)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	MonoMethod *method = monocle__resolve_method (function);
	ClassID klass = 0;
	ModuleID module;
	mdToken token;
	if (info->vtbl->GetFunctionInfo (info, function, &klass, &module, &token) >= 0 && klass)
		monocle__resolve_class (klass);
	if (method && monocle_call_values_wanted ())
		monocle__clr_layout_meet (method);
	else if (method && !klass)
		monocle__clr_layout_meet_class (method);
}

/* Does anybody want probes in first bodies at all, and may they have any? After an attach those stay as they are. */
static bool
probes_wanted (void)
{
	return !monocle__clr_state.beside && !monocle__clr_state.attached &&
	       (monocle__probing_has_filters () || monocle__invoke_wanted () ||
	        atomic_load_explicit (&monocle__clr_state.clauses, memory_order_relaxed));
}

/* MONOCLE__METHOD_UNKNOWN when no probes are wanted or the function has no definition. */
static int
probe_function (FunctionID function, bool *ret_new)
{
	ModuleID module;
	mdToken token;
	*ret_new = false;
	if (!probes_wanted () || !monocle__resolve_function (function, &module, &token))
		return MONOCLE__METHOD_UNKNOWN;
	monocle__clr_image *image = monocle__clr_image_find (module);
	int state = image ? monocle__probing_ensure (image, token, function, ret_new) : MONOCLE__METHOD_UNKNOWN;
	if (monocle__probing_is_probed (state))
		meet_classes (function);
	return state;
}

HRESULT
monocle__callback_JITCompilationStarted (ICorProfilerCallback11 *self, FunctionID function, BOOL safe_to_block)
{
	bool is_new;
	monocle__emitted_method (function);
	if (monocle__clr_listened (MONOCLE_EVENT_jit_begin)) {
		MonoMethod *method = monocle__resolve_method (function);
		if (method)
			monocle_raise_jit_begin (method);
	}
	probe_function (function, &is_new);
	return S_OK;
}

/*
 * May a callee in this state be inlined? An exception that passes its probes is reported for the caller's frame only,
 * and where that frame's function has no probes nothing says what was inlined there: the compiler calls probes inside
 * try regions through stubs, so that not even their return address does. Nor does anything say whether the frame's
 * function catches or one that was inlined into it, as .NET 10 can do: methods with catch blocks keep a frame of their
 * own.
 *
 * A caller that could not be rewritten may be one that native code calls: without a fence
 * (fence.c) no probe may come near its return.
 */
static bool
may_inline (FunctionID caller, int state)
{
	bool is_new;
	if (state == MONOCLE__METHOD_CATCHING)
		return false;
	if (!monocle__probing_is_probed (state))
		return true;
	int into = probe_function (caller, &is_new);
	return state == MONOCLE__METHOD_TRACED ? monocle__probing_is_probed (into) : into != MONOCLE__METHOD_REFUSED;
}

/* A handler whose code is in another method's is taken for one of that method's; .NET 10 makes such code. */
static bool
hides_handlers (FunctionID callee)
{
	return atomic_load_explicit (&monocle__clr_state.clauses, memory_order_relaxed) && monocle__clause_any (callee);
}

/* Anybody may forbid it; what is forbidden stays so. */
static void
tell_inlining (FunctionID caller, FunctionID callee, BOOL *allowed)
{
	MonoMethod *into = monocle__resolve_method (caller), *method = monocle__resolve_method (callee);
	mono_bool answer = *allowed != 0;
	if (!into || !method)
		return;
	monocle_raise_jit_inlining (into, method, &answer);
	*allowed = *allowed && answer;
	if (*allowed)
		monocle_raise_inline_method (into, method);
}

/*
 * Is it to get a further body? Once that was asked for, the runtime itself inlines it no more: this is for a caller
 * that is being compiled at that moment.
 */
static bool
is_late (FunctionID callee)
{
	ModuleID module;
	mdToken token;
	if (!monocle__clr_state.late || !monocle_call_filter_installed () ||
	    !monocle__resolve_function (callee, &module, &token))
		return false;
	monocle__clr_image *image = monocle__clr_image_find (module);
	return image && monocle__probing_takes_late (image) && monocle__probing_wants (image, token);
}

HRESULT
monocle__callback_JITInlining (ICorProfilerCallback11 *self, FunctionID caller, FunctionID callee, BOOL *ret_inline)
{
	bool is_new;
	int state = probe_function (callee, &is_new);
	*ret_inline = !is_new && may_inline (caller, state) && !hides_handlers (callee) && !is_late (callee) &&
	              !monocle__own_frame_is_needed (caller, callee);
	if (monocle__clr_listened (MONOCLE_EVENT_jit_inlining) || monocle__clr_listened (MONOCLE_EVENT_inline_method))
		tell_inlining (caller, callee, ret_inline);
	return S_OK;
}

static void
tell_search (FunctionID function, MonocleCodeSearch phase, BOOL *use)
{
	MonoMethod *method = monocle__resolve_method (function);
	mono_bool answer = use && *use;
	if (!method)
		return;
	monocle_raise_code_search (phase, method, use ? &answer : NULL);
	if (use)
		*use = *use && answer;
}

/* Some method may have probes, or have had some. */
static bool
probes_possible (void)
{
	return !monocle__clr_state.beside &&
	       (monocle__probing_has_filters () || monocle__invoke_wanted () || monocle__gate_is_open ());
}

/* Probes lead to the gate as long as code with probes lives, whatever filters say by then. */
static bool
refuses_precompiled (monocle__clr_image *image, mdToken token)
{
	return monocle__gate_is (image, token) || monocle__probing_wants_image (image) ||
	       monocle__invoke_kind (image, token) || monocle__runtime_async_part (image, token);
}

HRESULT
monocle__callback_JITCachedFunctionSearchStarted (ICorProfilerCallback11 *self, FunctionID function, BOOL *ret_use)
{
	ModuleID module;
	mdToken token;
	*ret_use = 1;
	if (probes_possible () && monocle__resolve_function (function, &module, &token)) {
		monocle__clr_image *image = monocle__clr_image_find (module);
		if (image && refuses_precompiled (image, token))
			*ret_use = 0;
	}
	if (monocle__clr_listened (MONOCLE_EVENT_code_search))
		tell_search (function, MONOCLE_CODE_SEARCH_BEGIN, ret_use);
	return S_OK;
}

HRESULT
monocle__callback_JITCachedFunctionSearchFinished (ICorProfilerCallback11 *self, FunctionID function,
                                                   COR_PRF_JIT_CACHE result)
{
	if (monocle__clr_listened (MONOCLE_EVENT_code_search))
		tell_search (function, result == COR_PRF_CACHED_FUNCTION_FOUND ? MONOCLE_CODE_FOUND : MONOCLE_CODE_NOT_FOUND,
		             NULL);
	return S_OK;
}

HRESULT
monocle__callback_JITCompilationFinished (ICorProfilerCallback11 *self, FunctionID function, HRESULT status,
                                          BOOL safe_to_block)
{
	if (!monocle__codemap_wanted () && !monocle__clr_listened (MONOCLE_EVENT_jit_done) &&
	    !monocle__clr_listened (MONOCLE_EVENT_jit_failed) && !monocle__clr_listened (MONOCLE_EVENT_jit_code_buffer))
		return S_OK;
	MonoMethod *method = monocle__resolve_method (function);
	if (!method)
		return S_OK;
	if (status < 0)
		monocle_raise_jit_failed (method);
	else
		monocle_raise_jit_done (method, monocle__codemap_compiled (function, 0, method));
	return S_OK;
}

/* --- further bodies ----------------------------------------------------------------------------------------------- */

static void
tell_rejit (MonocleRejitPhase phase, FunctionID function, ReJITID version, HRESULT result)
{
	bool wanted = monocle__clr_listened (MONOCLE_EVENT_rejit) && function;
	MonoMethod *method = wanted ? monocle__resolve_method (function) : NULL;
	if (method)
		monocle_raise_rejit (phase, method, version, result);
}

/* No method of an image that may be edited gets a further body from us. */
static void
tell_of_edit (FunctionID function)
{
	ModuleID module;
	mdToken token;
	monocle__emitted_method (function); /* an edit may have added it */
	if (!probes_wanted () || !monocle__resolve_function (function, &module, &token))
		return;
	monocle__clr_image *image = monocle__clr_image_find (module);
	if (image && image->is_editable)
		monocle__probing_lose_edit (image, token);
}

/* The runtime wants the IL of a further body, before it is compiled first. */
HRESULT
monocle__callback_GetReJITParameters (ICorProfilerCallback11 *self, ModuleID module, mdToken token,
                                      ICorProfilerFunctionControl *control)
{
	monocle__clr_image *image = monocle__clr_image_find (module);
	if (image && monocle__reinstrument_takes (image, token))
		monocle__probing_renew (image, token, control);
	return S_OK;
}

HRESULT
monocle__callback_ReJITCompilationStarted (ICorProfilerCallback11 *self, FunctionID function, ReJITID version,
                                           BOOL safe_to_block)
{
	tell_of_edit (function);
	tell_rejit (MONOCLE_REJIT_BEGIN, function, version, S_OK);
	return S_OK;
}

HRESULT
monocle__callback_ReJITCompilationFinished (ICorProfilerCallback11 *self, FunctionID function, ReJITID version,
                                            HRESULT status, BOOL safe_to_block)
{
	MonoMethod *method = monocle__codemap_wanted () && status >= 0 ? monocle__resolve_method (function) : NULL;
	if (method)
		monocle__codemap_compiled (function, version, method);
	tell_rejit (MONOCLE_REJIT_END, function, version, status);
	return S_OK;
}

HRESULT
monocle__callback_ReJITError (ICorProfilerCallback11 *self, ModuleID module, mdToken token, FunctionID function,
                              HRESULT status)
{
	tell_rejit (MONOCLE_REJIT_ERROR, function, 0, status);
	return S_OK;
}
