/*
 * SPDX-License-Identifier: MIT
 *
 * codemap.c - see codemap.h: one answer from the core's jit infos and the tables of precompiled code, and who sees to
 * it that they are filled.
 *
 * Any context finds and asks to learn. What is to be learnt is in `queue`, a set of addresses without order; what the
 * runtime did not know is in `refused`, where a newer address may take an older one's place: then it is asked for once
 * more. The service thread empties the queue.
 *
 * While an image is being unloaded, or its code is being freed, nothing is learnt: the runtime may still show code that
 * is about to go, under ids that are. The unloader counts itself in and waits for the question that is being asked:
 * either the service sees the count, or the unloader sees `asking`. The wait is bounded, since the service may be
 * waiting for a lock that the unloader holds.
 *
 * Methods of the list that an attach begins with may go before they are asked about: see unloads.h.
 */
#include "codemap.h"
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <monocle/host.h>
#include "hash.h"
#include "images/dynamic-method.h"
#include "images/emitted.h"
#include "images/image.h"
#include "images/resolve.h"
#include "inlined.h"
#include "invariant.h"
#include "pause.h"
#include "precompiled.h"
#include "service.h"
#include "state.h"
#include "thread-memory.h"
#include "unloads.h"

enum { QUEUE = 1 << 10, REFUSED = 1 << 12, PROBES = 8, BODIES_MAX = 32, PARTS_MAX = 4 };

static atomic_bool wanted;
static _Atomic (uintptr_t) queue[QUEUE];
static _Atomic (uintptr_t) refused[REFUSED];
static atomic_bool pending; /* the service was told, and has not begun yet */
static atomic_bool is_learning;
static atomic_int unloading, asking;
static struct {
	_Atomic (uint64_t) asked, named, refused, lost;
	_Atomic (uint64_t) found; /* of those that are named: nothing was known of them, not even that they are code */
} counts;

bool
monocle__codemap_wanted (void)
{
	return atomic_load_explicit (&wanted, memory_order_relaxed);
}

static void do_chore (void);

void
monocle__codemap_begin (void)
{
	monocle__service_set_chore (do_chore);
	monocle__inlined_begin ();
	atomic_store (&wanted, true);
}

static void
clear (_Atomic (uintptr_t) *addresses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit (&addresses[i], 0, memory_order_relaxed);
}

void
monocle__codemap_end (void)
{
	atomic_store (&wanted, false);
	atomic_store (&pending, false);
	clear (queue, QUEUE);
	clear (refused, REFUSED);
	monocle__inlined_end ();
}

void
monocle__codemap_count (monocle__codemap_counts *ret)
{
	ret->asked = atomic_load (&counts.asked);
	ret->named = atomic_load (&counts.named);
	ret->refused = atomic_load (&counts.refused);
	ret->lost = atomic_load (&counts.lost);
	ret->bytes = monocle__precompiled_bytes ();
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

_Static_assert(sizeof (void *) == sizeof (uint64_t), "a slot is the walker's word");

bool
monocle__codemap_find (uintptr_t ip, monocle__code *ret)
{
	if (monocle__precompiled_find (ip, ret))
		return true;
	MonoJitInfo *info = monocle_jit_info_find ((const void *) ip);
	if (!info)
		return false;
	*ret = (monocle__code) {
		.start = (uintptr_t) mono_jit_info_get_code_start (info),
		.size = (uint32_t) mono_jit_info_get_code_size (info),
		.method = mono_jit_info_get_method (info),
		.frame = (_Atomic (uint64_t) *) monocle_jit_info_slot (info),
		.kind = MONOCLE__CODE_JIT,
		.has_inlined = monocle_jit_info_has_inlined (info),
	};
	return true;
}

/* Code that is compiled has its jit info already; one of precompiled code is made when it is first asked for. */
MonoJitInfo *
monocle__codemap_jit_info (void *host, const void *address)
{
	monocle__code code;
	if (!monocle__precompiled_find ((uintptr_t) address, &code) || !code.method)
		return NULL;
	return monocle_jit_info_new (code.method, (const void *) code.start, code.size);
}

/* --- bodies that the runtime tells of ----------------------------------------------------------------------------- */

/* The jit info of a body's first part. A cold part has one too. NULL: the runtime shows no such body (any more). */
static MonoJitInfo *
add_body (UINT_PTR start, FunctionID function, MonoMethod *method)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_PRF_CODE_INFO code[PARTS_MAX];
	ULONG32 parts = 0;
	MonoJitInfo *first = NULL;
	if (info->vtbl->GetCodeInfo4 (info, start, PARTS_MAX, &parts, code) < 0)
		return NULL;
	for (ULONG32 i = 0; i < parts && i < PARTS_MAX; i++) {
		MonoJitInfo *made = monocle_jit_info_new (method, (const void *) code[i].startAddress, (uint32_t) code[i].size);
		first = i ? first : made;
		if (!i && monocle__inlined_learn (function, start) && made)
			monocle_jit_info_set_inlined (made);
		monocle_raise_jit_code_buffer ((const mono_byte *) code[i].startAddress, code[i].size,
		                               MONO_PROFILER_CODE_BUFFER_METHOD, method);
	}
	return first;
}

static bool
is_known (MonoJitInfo *known, UINT_PTR start, MonoMethod *method)
{
	return known && (UINT_PTR) mono_jit_info_get_code_start (known) == start &&
	       mono_jit_info_get_method (known) == method;
}

MonoJitInfo *
monocle__codemap_compiled (FunctionID function, ReJITID version, MonoMethod *method)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	UINT_PTR starts[BODIES_MAX];
	ULONG32 count = 0;
	MonoJitInfo *newest = NULL;
	if (monocle__clr_state.info_version < 9 ||
	    info->vtbl->GetNativeCodeStartAddresses (info, function, version, BODIES_MAX, &count, starts) < 0)
		return NULL;
	for (ULONG32 i = 0; i < count && i < BODIES_MAX; i++) {
		MonoJitInfo *known = monocle_jit_info_find ((const void *) starts[i]);
		MonoJitInfo *made = is_known (known, starts[i], method) ? NULL : add_body (starts[i], function, method);
		newest = made ? made : newest ? newest : known;
	}
	return newest;
}

/* --- learning ----------------------------------------------------------------------------------------------------- */

static uint32_t
hash (uintptr_t ip)
{
	return (uint32_t) (monocle__hash_spread (ip) >> 40);
}

static bool
was_refused (uintptr_t ip)
{
	return atomic_load_explicit (&refused[hash (ip) & (REFUSED - 1)], memory_order_relaxed) == ip;
}

/* False: there is no room. */
static bool
enqueue (uintptr_t ip)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		_Atomic (uintptr_t) *slot = &queue[(hash (ip) + i) & (QUEUE - 1)];
		MONOCLE__INVARIANT (ip != 0); /* an empty place */
		uintptr_t there = 0;
		if (atomic_compare_exchange_strong_explicit (slot, &there, ip, memory_order_release, memory_order_relaxed) ||
		    there == ip)
			return true;
	}
	return false;
}

static void
name (uintptr_t ip, FunctionID function, ReJITID version)
{
	monocle__code code;
	monocle__emitted_method (function);
	MonoMethod *method = monocle__resolve_method (function);
	if (!method)
		monocle__dynamic_method_code (function);
	else if (monocle__precompiled_find (ip, &code))
		monocle__precompiled_name (ip, method);
	else
		monocle__codemap_compiled (function, version, method);
}

static void
ask_runtime (uintptr_t ip)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	ReJITID version = 0;
	atomic_fetch_add (&counts.asked, 1);
	MONOCLE__PAUSE (codemap_asks);
	if (info->vtbl->GetFunctionFromIP3 (info, (LPCBYTE) ip, &function, &version) >= 0 && function)
		name (ip, function, version);
}

static bool
is_named (uintptr_t ip)
{
	monocle__code code;
	return monocle__codemap_find (ip, &code) && code.method;
}

/* This thread may read signatures, so that looking again is most of what there is to do. */
static void
learn (uintptr_t ip)
{
	monocle__code code;
	monocle__thread_memory_scratch ();
	bool was_code = monocle__codemap_find (ip, &code);
	if (!is_named (ip))
		ask_runtime (ip);
	bool named = is_named (ip);
	atomic_fetch_add (&counts.found, named && !was_code);
	atomic_fetch_add (named ? &counts.named : &counts.refused, 1);
	if (!named)
		atomic_store_explicit (&refused[hash (ip) & (REFUSED - 1)], ip, memory_order_relaxed);
}

static bool
begin_asking (void)
{
	MONOCLE__INVARIANT (!atomic_load (&asking) && monocle__service_is_self ());
	atomic_store (&asking, 1);
	MONOCLE__PAUSE (codemap_asking);
	if (!atomic_load (&unloading) && !monocle__service_is_over ())
		return true;
	atomic_store (&asking, 0);
	return false;
}

/* What comes while nothing may be asked is dropped: it comes again. */
static void
empty_queue (void)
{
	for (uint32_t i = 0; i < QUEUE; i++) {
		uintptr_t ip = atomic_load_explicit (&queue[i], memory_order_relaxed) ? atomic_exchange (&queue[i], 0) : 0;
		if (!ip)
			continue;
		if (!begin_asking ()) {
			atomic_fetch_add (&counts.lost, 1);
			continue;
		}
		learn (ip);
		atomic_store (&asking, 0);
	}
}

/* On the service thread. In this order, so that monocle__codemap_awaited () sees one or the other until all is done. */
static void
do_chore (void)
{
	atomic_store (&is_learning, true);
	if (atomic_exchange (&pending, false)) {
		monocle__precompiled_index ();
		empty_queue ();
	}
	atomic_store (&is_learning, false);
}

mono_bool
monocle__codemap_awaited (void *host, uint64_t *ret_found)
{
	bool is_awaited = atomic_load (&pending) || atomic_load (&is_learning);
	*ret_found = atomic_load (&counts.found);
	return is_awaited;
}

/* False: there is nobody to do it. */
static bool
wake (void)
{
	if (atomic_exchange (&pending, true) || monocle__service_wake ())
		return true;
	atomic_store (&pending, false);
	return false;
}

void
monocle__codemap_learn (uintptr_t ip)
{
	if (!ip || was_refused (ip))
		return;
	if (!enqueue (ip))
		atomic_fetch_add (&counts.lost, 1);
	else
		wake ();
}

void
monocle__codemap_image (monocle__clr_image *image)
{
	if (!monocle__codemap_wanted () || !image->cli.readable || atomic_exchange (&image->is_mapped, true))
		return;
	if (monocle__precompiled_add (image) && !wake ())
		monocle__precompiled_index ();
}

/* --- what was compiled before us ---------------------------------------------------------------------------------- */

static ICorProfilerFunctionEnum *compiled; /* those that are still to be asked about */
static atomic_bool is_catching_up;

void
monocle__codemap_catch_up_begin (void)
{
	if (!atomic_exchange (&is_catching_up, true))
		monocle__unloads_hold ();
}

bool
monocle__codemap_is_catching_up (void)
{
	return atomic_load (&is_catching_up);
}

/* Some of them, so that questions of the walker are answered in between. False: there are no more. */
static bool
catch_up_some (void)
{
	enum { SOME = 64 };
	COR_PRF_FUNCTION some[SOME];
	ULONG count = 0;
	if (compiled->vtbl->Next (compiled, SOME, some, &count) < 0)
		return false;
	for (ULONG i = 0; i < count && begin_asking (); i++) {
		monocle__emitted_method (some[i].functionId);
		MonoMethod *method = monocle__resolve_method (some[i].functionId);
		if (method)
			monocle__codemap_compiled (some[i].functionId, some[i].reJitId, method);
		atomic_store (&asking, 0);
	}
	return count != 0;
}

void
monocle__codemap_abandon_catch_up (void)
{
	if (compiled)
		compiled->vtbl->Release (compiled);
	compiled = NULL;
	if (atomic_exchange (&is_catching_up, false))
		monocle__unloads_release ();
}

/* On the service thread. What is left out when there is no room for the question is learnt where it is met. */
static void
catch_up (void *data)
{
	monocle__thread_memory_scratch ();
	if (monocle__service_is_over () || !catch_up_some () || !monocle__service_post (catch_up, "", 1))
		monocle__codemap_abandon_catch_up ();
}

void
monocle__codemap_catch_up (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	if (!monocle__codemap_wanted () || info->vtbl->EnumJITedFunctions2 (info, &compiled) < 0 || !compiled ||
	    !monocle__service_post (catch_up, "", 1))
		monocle__codemap_abandon_catch_up ();
}

/* --- unloading ---------------------------------------------------------------------------------------------------- */

static void
wait_for_service (void)
{
	for (int tries = 0; tries < 2000 && atomic_load (&asking) && !monocle__service_is_self (); tries++)
		nanosleep (&(struct timespec) { .tv_nsec = 500000 }, NULL);
}

void
monocle__codemap_unloading (monocle__clr_image *image)
{
	atomic_fetch_add (&unloading, 1);
	MONOCLE__PAUSE (codemap_unloading);
	wait_for_service ();
	if (image && monocle__codemap_wanted ())
		clear (queue, QUEUE);
}

void
monocle__codemap_unloaded (monocle__clr_image *image)
{
	if (image && monocle__codemap_wanted ())
		clear (refused, REFUSED); /* a stub's address may be a method's next */
	int were = atomic_fetch_sub (&unloading, 1);
	MONOCLE__INVARIANT (were > 0);
}
