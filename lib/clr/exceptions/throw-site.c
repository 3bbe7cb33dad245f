/*
 * SPDX-License-Identifier: MIT
 *
 * throw-site.c - is there any managed code on the stack of a thread that throws?
 *
 * A program that cannot begin (its assembly is not an image, it has no entry point) ends by an exception with no
 * managed frame below it. From .NET 9 on the runtime looks for frames in managed code, and announces the function of
 * the first one before it asks whether there was a first one: ExceptionSearchFunctionEnter then gets what happened to
 * lie in that memory. The runtime follows this pointer itself, for any profiler that hears of exceptions, and dies of
 * it where it would have said why the program cannot begin. So each throw is looked at before the search begins:
 *
 *      our callback
 *      the runtime            native code; its stubs and helpers, when those were not compiled ahead
 *      System.Runtime.EH      managed code that dispatches the exception: frames before it are its own
 *      the runtime
 *      who threw              managed, or there is nobody
 *
 * All of it keeps frame pointers, and the method that threw is some ten links away. Return addresses that were found to
 * be managed are remembered, so that the runtime is asked once for each place that throws. Where frame pointers lead to
 * nobody the runtime itself is asked for the stack, which takes as long as the throw.
 */
#include "throw-site.h"
#include <stdatomic.h>
#include <string.h>
#include "arch/arch.h"
#include "code/walk.h"
#include "images/image.h"
#include "images/resolve.h"
#include "state.h"
#include "thread-memory.h"

enum {
	FIRST_MANAGED_DISPATCH = 9, /* version of .NET */
	LINKS_MAX = 64,
	KNOWN = 1024,
};

/* Return addresses in managed code, by hash: what comes later takes the place. */
static _Atomic (uintptr_t) known[KNOWN];

static _Atomic (uintptr_t) *
place_of (uintptr_t ip)
{
	return &known[ip * 0x9E3779B97F4A7C15u >> 54];
}

static bool
is_known (uintptr_t ip)
{
	return atomic_load_explicit (place_of (ip), memory_order_relaxed) == ip;
}

static bool
is_dispatcher (MonoMethod *method)
{
	static const char *const names[] = { "EH", "StackFrameIterator", "InternalCalls" };
	MonoClass *klass = mono_method_get_class (method);
	monocle__clr_image *corlib = monocle__clr_image_corlib ();
	if (!corlib || mono_class_get_image (klass) != corlib->cli.record ||
	    strcmp (mono_class_get_namespace (klass), "System.Runtime"))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp (mono_class_get_name (klass), names[i]))
			return true;
	return false;
}

typedef enum { NATIVE, MANAGED, DISPATCHER } kind;

/* Dynamic methods and stubs have no metadata, but they are frames. */
static kind
kind_of (FunctionID function)
{
	MonoMethod *method = function ? monocle__resolve_method (function) : NULL;
	return !function ? NATIVE : method && is_dispatcher (method) ? DISPATCHER : MANAGED;
}

static kind
kind_at (uintptr_t ip)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	ReJITID version;
	HRESULT hr = info->vtbl->GetFunctionFromIP3 (info, (LPCBYTE) ip - 1, &function, &version);
	return kind_of (hr >= 0 ? function : 0);
}

/* --- by frame pointers -------------------------------------------------------------------------------------------- */

typedef struct {
	uintptr_t fp, end;
	unsigned left;
} chain;

static chain
chain_from (uintptr_t fp)
{
	const monocle__thread_stack *stack = monocle__thread_memory_stack ();
	return (chain) { fp, stack && fp >= stack->low ? stack->high : 0, LINKS_MAX };
}

/* Where the next frame returns to; 0: frame pointers lead no farther on this stack. */
static uintptr_t
follow (chain *c)
{
	uintptr_t sp, fp = c->fp;
	if (!c->left || fp % sizeof fp || fp + 2 * sizeof fp > c->end)
		return 0;
	uintptr_t ip = monocle__arch_frame_caller (fp, &sp, &c->fp);
	c->left = c->fp > fp ? c->left - 1 : 0;
	return ip;
}

static bool
any_known (chain c)
{
	for (uintptr_t ip; (ip = follow (&c));)
		if (is_known (ip))
			return true;
	return false;
}

/* Remembers the innermost managed frame that is not the dispatcher's. False: there is none. */
static bool
learn (chain c)
{
	uintptr_t found = 0;
	bool dispatched = false;
	for (uintptr_t ip; !(found && dispatched) && (ip = follow (&c));) {
		kind k = kind_at (ip);
		if (k == DISPATCHER) {
			dispatched = true;
			found = 0;
		}
		if (k == MANAGED && !found)
			found = ip;
	}
	if (found)
		atomic_store_explicit (place_of (found), found, memory_order_relaxed);
	return found;
}

/* --- as the runtime shows it -------------------------------------------------------------------------------------- */

static HRESULT
visit (FunctionID function, UINT_PTR ip, COR_PRF_FRAME_INFO info, ULONG32 size, uint8_t *context, void *data)
{
	*(bool *) data = kind_of (function) == MANAGED;
	return *(bool *) data ? S_FALSE : S_OK;
}

/* Where it refuses to look it knows of frames. */
static bool
shows_any (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	bool any = false;
	HRESULT hr = info->vtbl->DoStackSnapshot (info, 0, (void *) visit, COR_PRF_SNAPSHOT_DEFAULT, &any, NULL, 0);
	return any || (hr < 0 && hr != E_FAIL);
}

bool
monocle__throw_site_is_managed (uintptr_t frame)
{
	if (monocle__clr_state.major < FIRST_MANAGED_DISPATCH)
		return true;
	if (!monocle__thread_memory_stack ())
		monocle__walk_thread ();
	chain c = chain_from (frame);
	return any_known (c) || learn (c) || shows_any ();
}
