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
#include "clr.h"

/* MONOCLE__METHOD_UNKNOWN when nobody filters or the function has no definition. */
static int
probe_function (FunctionID function, bool *ret_new)
{
	ModuleID module;
	mdToken token;
	*ret_new = false;
	if (!monocle_call_filter_installed () || !monocle__clr_function (function, &module, &token))
		return MONOCLE__METHOD_UNKNOWN;
	monocle__clr_image *image = monocle__clr_image_find (module);
	return image ? monocle__clr_ensure_probed (image, token, function, ret_new) : MONOCLE__METHOD_UNKNOWN;
}

HRESULT
monocle__callback_JITCompilationStarted (ICorProfilerCallback11 *self, FunctionID function, BOOL safe_to_block)
{
	bool is_new;
	if (monocle__clr_listened (MONOCLE_EVENT_jit_begin)) {
		MonoMethod *method = monocle__clr_method (function);
		if (method)
			monocle_raise_jit_begin (method);
	}
	probe_function (function, &is_new);
	return S_OK;
}

/*
 * May a callee in this state be inlined? An exception that passes its probes is told of the caller's frame only, and
 * where that frame's function has no probes nothing says what was inlined there: the compiler calls probes inside try
 * regions through stubs, so that not even their return address does. Nor does anything say whether the frame's function
 * catches or one that was inlined into it, as .NET 10 can do: methods with catch blocks keep a frame of their own.
 */
static bool
may_inline (FunctionID caller, int state)
{
	bool is_new;
	if (state == MONOCLE__METHOD_CATCHING)
		return false;
	return state != MONOCLE__METHOD_TRACED || monocle__clr_has_probes (probe_function (caller, &is_new));
}

HRESULT
monocle__callback_JITInlining (ICorProfilerCallback11 *self, FunctionID caller, FunctionID callee, BOOL *ret_inline)
{
	bool is_new;
	int state = probe_function (callee, &is_new);
	*ret_inline = !is_new && may_inline (caller, state);
	return S_OK;
}

HRESULT
monocle__callback_JITCachedFunctionSearchStarted (ICorProfilerCallback11 *self, FunctionID function, BOOL *ret_use)
{
	ModuleID module;
	mdToken token;
	*ret_use = 1;
	if (!monocle_call_filter_installed () || !monocle__clr_function (function, &module, &token))
		return S_OK;
	monocle__clr_image *image = monocle__clr_image_find (module);
	if (image && monocle__clr_image_wanted (image))
		*ret_use = 0;
	return S_OK;
}

/* Bodies of one function: tiers, OSR, ReJIT. Makes records of those that are new; returns the newest. */
enum { BODIES_MAX = 32 };

static MonoJitInfo *
new_code (FunctionID function, MonoMethod *method)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	UINT_PTR starts[BODIES_MAX];
	ULONG32 count = 0, parts = 0;
	COR_PRF_CODE_INFO code[2];
	MonoJitInfo *newest = NULL;
	if (monocle__clr_state.info_version < 9
	    || info->vtbl->GetNativeCodeStartAddresses (info, function, 0, BODIES_MAX, &count, starts) < 0)
		return NULL;
	for (ULONG32 i = 0; i < count && i < BODIES_MAX; i++) {
		MonoJitInfo *known = mono_jit_info_table_find (mono_get_root_domain (), (char *) starts[i]);
		if (known && (uintptr_t)mono_jit_info_get_code_start (known) == starts[i] &&
		    mono_jit_info_get_method (known) == method) {
			newest = newest ? newest : known;
			continue;
		}
		if (info->vtbl->GetCodeInfo4 (info, starts[i], 2, &parts, code) >= 0 && parts)
			newest = monocle_jit_info_new (method, (const void *) code[0].startAddress, (uint32_t) code[0].size);
	}
	return newest;
}

HRESULT
monocle__callback_JITCompilationFinished (ICorProfilerCallback11 *self, FunctionID function, HRESULT status,
                                          BOOL safe_to_block)
{
	if (!monocle__clr_listened (MONOCLE_EVENT_jit_done) && !monocle__clr_listened (MONOCLE_EVENT_jit_failed))
		return S_OK;
	MonoMethod *method = monocle__clr_method (function);
	if (!method)
		return S_OK;
	if (status < 0)
		monocle_raise_jit_failed (method);
	else
		monocle_raise_jit_done (method, new_code (function, method));
	return S_OK;
}

HRESULT
monocle__callback_ClassLoadFinished (ICorProfilerCallback11 *self, ClassID id, HRESULT status)
{
	MonoClass *klass = monocle__clr_class (id);
	if (status < 0) {
		monocle_raise_class_failed (klass);
		return S_OK;
	}
	monocle_raise_class_loading (klass);
	monocle_raise_class_loaded (klass);
	return S_OK;
}
