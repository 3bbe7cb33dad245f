/*
 * SPDX-License-Identifier: MIT
 *
 * stack.c - the frames of the calling thread: asked of the runtime in normal context, walked without it in a signal
 * handler.
 *
 * The runtime shows frames inside a callback of its own, in which little may be asked. So frames are gathered first, a
 * batch at a time, and visited afterwards: what a visitor does not want to see is not walked, and a visitor may ask
 * anything. Between two batches the stack is the same, for it is our own.
 *
 * Two things that it does not show are found by frame pointers. Dynamic methods, which it passes over. And a catch,
 * finally or filter block runs in a frame of its own: shown is the frame of the method, at the call that led to the
 * exception, and where the block really is says the frame that was called from it:
 *
 *      callee's frame       fp -> | method's fp | return address: inside the block |
 *      ... (dispatch of the exception)
 *      method's frame             shown with the address of its own last call
 *
 * The runtime answers where it has called us and left a mark on the stack of where it came from. Call probes run
 * without such a mark: there it would show the frames that called the last marked one, so it is not asked.
 */
#include "stack.h"
#include <stdlib.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "code.h"
#include "codemap.h"
#include "images/dynamic-method.h"
#include "images/resolve.h"
#include "state.h"
#include "thread-memory.h"
#include "walk.h"

enum { FIRST_BATCH = 80, GROWTH = 8, LINKS_MAX = 64 };

typedef struct {
	FunctionID function;
	MonoMethod *method;
	uintptr_t ip, sp, fp;
} found;

/* Bytes of stack that the runtime takes to show a thread its own stack, and that are left to it then. */
enum { ROOM = 24 << 10 };

/* Frames from number `skipped` on, as many as there is room for. */
typedef struct {
	found *list;
	uint32_t count, capacity;
	uint32_t seen, skipped;
	found before; /* the frame above the first one; of no function: the runtime's own, as it called us */
} batch;

/* --- from where the runtime called us ----------------------------------------------------------------------------- */

static HRESULT
on_frame (FunctionID function, UINT_PTR ip, COR_PRF_FRAME_INFO frame, ULONG32 context_size, BYTE *context, void *data)
{
	batch *b = data;
	if (!function || b->seen++ < b->skipped)
		return S_OK;
	if (b->count == b->capacity)
		return S_FALSE;
	found *f = &b->list[b->count++];
	*f = (found) { .function = function, .method = monocle__resolve_method_in_frame (function, frame), .ip = ip };
	monocle__arch_snapshot_registers (context, &f->sp, &f->fp);
	return S_OK;
}

static HRESULT
gather (batch *b)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	b->count = b->seen = 0;
	return info->vtbl->DoStackSnapshot (info, 0, (void *) on_frame, COR_PRF_SNAPSHOT_REGISTER_CONTEXT, b, NULL, 0);
}

/* The code that runs there: a method has many bodies, and the newest is not the one that is on the stack. */
static MonoJitInfo *
code_of (const found *f)
{
	MonoJitInfo *known = mono_jit_info_table_find (NULL, (void *) f->ip);
	MonoMethod *method = mono_jit_info_get_method (known);
	if (known && monocle_method_definition (method) == monocle_method_definition (f->method))
		return known;
	return monocle__clr_code_at (f->function, f->ip);
}

static bool
is_in (MonoJitInfo *code, uintptr_t ip)
{
	return ip - (uintptr_t) mono_jit_info_get_code_start (code) < (uintptr_t) mono_jit_info_get_code_size (code);
}

/* --- between two frames that the runtime shows -------------------------------------------------------------------- */

typedef struct {
	monocle_frame_visitor visit;
	void *data;
} visitor;

/* Code without metadata: a dynamic method, or a stub. Anything else the runtime shows, or hides on purpose. */
static int
visit_dynamic (uintptr_t ip, uintptr_t sp, uintptr_t fp, const visitor *v)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	ReJITID version;
	BOOL is_stub = 0;
	if (info->vtbl->GetFunctionFromIP3 (info, (LPCBYTE) ip, &function, &version) < 0 || !function ||
	    !monocle__dynamic_method_is (function))
		return 0;
	MonoMethod *method = monocle__dynamic_method_glance (function, &is_stub);
	MonoJitInfo *code = mono_jit_info_table_find (NULL, (void *) ip);
	monocle_frame frame = { .method = method, .ip = ip, .sp = sp, .fp = fp };
	frame.start = mono_jit_info_get_code_start (code);
	frame.kind = is_stub ? MONOCLE_FRAME_STUB : MONOCLE_FRAME_MANAGED;
	if (frame.start)
		frame.native_offset = (uint32_t) (ip - (uintptr_t) frame.start) - 1;
	return v->visit (&frame, v->data);
}

/*
 * Follows frame pointers from `callee` to `f`. *ret_ip: where `f` really goes on, in a block of its method, or what it
 * was. Nonzero: the visitor stopped.
 */
static int
visit_between (const found *callee, const found *f, MonoJitInfo *code, const visitor *v, uintptr_t *ret_ip)
{
	uintptr_t fp = callee->fp, sp, next;
	for (int i = 0; i < LINKS_MAX && fp && fp >= callee->sp && fp % sizeof fp == 0; i++, fp = next) {
		if (fp + 2 * sizeof fp >= f->sp) /* the method itself called it */
			return 0;
		uintptr_t ip = monocle__arch_frame_caller (fp, &sp, &next);
		if (is_in (code, ip)) {
			*ret_ip = ip;
			return 0;
		}
		if (callee->function && visit_dynamic (ip, sp, next, v))
			return 1;
		if (next <= fp)
			return 0;
	}
	return 0;
}

/* A fault has no call before it. The code from `start` on is mapped. */
static bool
follows_call (uintptr_t ip, uintptr_t start)
{
	size_t before = ip - start < MONOCLE__ARCH_CALL_MAX ? ip - start : MONOCLE__ARCH_CALL_MAX;
	return monocle__arch_ends_with_call ((const uint8_t *) ip - before, before);
}

static uint32_t
native_offset_of (uintptr_t ip, uintptr_t start, bool is_innermost)
{
	return (uint32_t) (ip - start) - (!is_innermost || follows_call (ip, start));
}

static int
visit_found (const found *callee, const found *f, const visitor *v)
{
	monocle_frame frame = { .method = f->method, .ip = f->ip, .sp = f->sp, .fp = f->fp };
	MonoJitInfo *code = f->method ? code_of (f) : NULL;
	if (code) {
		if (visit_between (callee, f, code, v, &frame.ip))
			return 1;
		frame.start = mono_jit_info_get_code_start (code);
		frame.native_offset = native_offset_of (frame.ip, (uintptr_t) frame.start, !callee->function);
		frame.has_inlined = monocle_jit_info_has_inlined (code);
	}
	return v->visit (&frame, v->data);
}

void
monocle__clr_stack_place (monocle_frame *frame, FunctionID function, bool is_innermost)
{
	found f = { .function = function, .method = frame->method, .ip = frame->ip };
	MonoJitInfo *code = frame->method ? code_of (&f) : NULL;
	if (!code)
		return;
	frame->start = mono_jit_info_get_code_start (code);
	frame->native_offset = native_offset_of (frame->ip, (uintptr_t) frame->start, is_innermost);
	frame->has_inlined = monocle_jit_info_has_inlined (code);
}

static int
visit_batch (batch *b, const visitor *v)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (visit_found (i ? &b->list[i - 1] : &b->before, &b->list[i], v))
			return 1;
	return 0;
}

/* Visits what is gathered, and makes room for more. 0: go on. */
static int
visit_and_grow (batch *b, const found *few, const visitor *v)
{
	if (visit_batch (b, v))
		return 1;
	b->before = b->list[b->count - 1];
	b->skipped += b->count;
	b->capacity *= GROWTH;
	found *more = realloc (b->list == few ? NULL : b->list, b->capacity * sizeof *more);
	if (!more)
		return MONOCLE_E_NO_MEMORY;
	b->list = more;
	return 0;
}

/* Threads without managed code, and those in the middle of something, have no stack to show. */
static int
outcome_of (HRESULT hr)
{
	return hr >= 0 ? 0 : hr == E_FAIL ? MONOCLE_E_UNKNOWN : MONOCLE_E_REFUSED;
}

/* The runtime refuses this harmless question where it did not call us: in call probes, above all. */
static bool
is_in_callback (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG length, characters;
	return info->vtbl->GetStringLayout2 (info, &length, &characters) != CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
}

static int
walk_here (const visitor *v)
{
	found few[FIRST_BATCH];
	uintptr_t entry = monocle__thread_memory_callback ();
	batch b = { .list = few, .capacity = FIRST_BATCH, .before = { .sp = entry, .fp = entry } };
	HRESULT hr;
	int result = 0;
	while (!result && (hr = gather (&b)) == CORPROF_E_STACKSNAPSHOT_ABORTED)
		result = visit_and_grow (&b, few, v);
	if (!result)
		result = visit_batch (&b, v);
	if (!result)
		result = outcome_of (hr);
	if (b.list != few)
		free (b.list);
	return result;
}

/* Without the runtime, as in a signal handler. Stubs have no name to be shown by. */
static int
visit_alone (const monocle_frame *frame, void *data)
{
	const visitor *v = data;
	return frame->method ? v->visit (frame, v->data) : 0;
}

static int
walk_alone (const visitor *v)
{
	ucontext_t context;
	return getcontext (&context) == 0 ? monocle__walk (&context, 0, visit_alone, (void *) v) : MONOCLE_E_UNKNOWN;
}

void
monocle__stack_walks_alone (void)
{
	if (MONOCLE__ARCH_WALKS) {
		monocle__codemap_begin ();
		monocle__walk_prepare ();
	}
}

static int
walk_stack (void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	if (context)
		return monocle__walk (context, flags, visit, data);
	if (!monocle__thread_memory_has_room (ROOM))
		return MONOCLE_E_UNKNOWN;
	const visitor v = { visit, data };
	int result = is_in_callback () ? walk_here (&v) : MONOCLE_E_REFUSED;
	return result < 0 && monocle__codemap_wanted () ? walk_alone (&v) : result;
}

void
monocle__clr_stack_ops (monocle_host_ops *ops)
{
	ops->walk_stack = walk_stack;
}
