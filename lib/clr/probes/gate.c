/*
 * SPDX-License-Identifier: MIT
 *
 * gate.c - see gate.h. A probe of the usual kind needs a signature in the image's metadata, where an edit wants to put
 * its own. Each image that may be edited refers to one method of the core library, though: the constructor of the
 * attribute which says that it may be. No program calls that without an object, so this is what probes do:
 *
 *   edited image    ldnull; ldc.i4 NUMBER; call DebuggableAttribute::.ctor (DebuggingModes)
 *   core library    ldarg.0; brtrue OWN; ldarg.1; conv.i8; ldarga 1; conv.u; ldc.i8 pass; conv.i; calli; ret; OWN: ...
 *
 * The number is the way of a method, and the moment. Code of these images is not optimised, so that nothing is inlined
 * into it, and the constructor has a frame of its own, above which the method's is:
 *
 *     method's frame
 *     +------------------+ <- its stack pointer
 *     | return address   |
 *     | its fp           | <- the constructor's fp
 *     | argument 1       | <- what is passed as `home`
 *     +------------------+
 *     | (a stub's frame) |
 *     | pass             |
 *
 * No probe may call the constructor as it was: it would write to the object that is not there. So it becomes the gate
 * when the core library comes, before any code runs, or never.
 */
#include "gate.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "context.h"
#include "images/editable.h"
#include "images/image.h"
#include "images/resolve.h"
#include "invariant.h"
#include "invoke.h"
#include "raise.h"
#include "shadow.h"
#include "state.h"
#include "stub.h"
#include "tokens.h"

/* The constructor: a token of the core library; 0: it is no gate. Written before code runs. */
static atomic_uint gate_token;

/* --- ways: what a number stands for ------------------------------------------------------------------------------- */

/* What a probe of one method does. */
typedef struct {
	MonoMethod *method, *target;
	MonoProfilerCallInstrumentationFlags flags;
	bool is_invoked, is_generic;
} way;

enum { MOMENT_BITS = 2, CHUNK_BITS = 10, CHUNK = 1 << CHUNK_BITS, CHUNKS = 1 << 12 };

_Static_assert(MONOCLE__GATE_TAIL < 1 << MOMENT_BITS, "a number holds a moment");
_Static_assert((uint64_t) CHUNKS *CHUNK << MOMENT_BITS <= INT32_MAX, "a number is an argument of the constructor");

/* They are never freed: code that is edited away may still run. */
static _Atomic (way *) chunks[CHUNKS];
static atomic_uint way_count;

/* The number of its first moment, or MONOCLE__IL_NONE. Under the lock of some image. */
static uint32_t
add_way (const way *w)
{
	uint32_t index = atomic_fetch_add (&way_count, 1);
	if (index >= CHUNKS * CHUNK) {
		atomic_fetch_sub (&way_count, 1);
		return MONOCLE__IL_NONE;
	}
	way *chunk = atomic_load (&chunks[index >> CHUNK_BITS]), *fresh = chunk ? NULL : calloc (CHUNK, sizeof *fresh);
	if (!chunk && !fresh)
		return MONOCLE__IL_NONE;
	if (fresh && !atomic_compare_exchange_strong (&chunks[index >> CHUNK_BITS], &chunk, fresh))
		free (fresh);
	else if (fresh)
		chunk = fresh;
	chunk[index & (CHUNK - 1)] = *w;
	return index << MOMENT_BITS;
}

static const way *
way_of (uint32_t number)
{
	uint32_t index = number >> MOMENT_BITS;
	MONOCLE__INVARIANT (index < atomic_load (&way_count));
	return &atomic_load_explicit (&chunks[index >> CHUNK_BITS], memory_order_acquire)[index & (CHUNK - 1)];
}

/* --- what the gate calls ------------------------------------------------------------------------------------------ */

typedef struct {
	uintptr_t sp, ip;
} place;

/* Where the method's frame is, and its code. Without a frame pointer: a little deeper, and unknown. */
static inline place
find_place (uintptr_t fp, uintptr_t home, uintptr_t sp)
{
	enum { FRAMES_MAX = 4 }; /* this one, a stub's, the constructor's */
	for (int i = 0; i < FRAMES_MAX; i++) {
		uintptr_t caller_sp, caller_fp, ip = monocle__arch_frame_caller (fp, &caller_sp, &caller_fp);
		if (!ip)
			break;
		if (fp > home)
			return (place) { caller_sp, ip };
		if (caller_fp <= fp)
			break;
		fp = caller_fp;
	}
	return (place) { sp, (uintptr_t) (const void *) &gate_token };
}

/*
 * Which instance of a generic method has its code at a return address: instances that share their code are one. Found
 * by hash; what comes later takes the place. `check` is the address, the record and the epoch of images together, so
 * that words of two threads never make a pair.
 */
static struct {
	_Atomic (uintptr_t) method, check;
} known[1 << 8];

static MonoMethod *
find_instance (MonoMethod *definition, uintptr_t ip)
{
	int saved_errno = errno;
	FunctionID function = monocle__stub_caller (ip);
	MonoMethod *method = function ? monocle__resolve_method (function) : NULL;
	errno = saved_errno;
	return method && monocle_method_definition (method) == definition ? method : definition;
}

static MonoMethod *
instance_at (MonoMethod *definition, uintptr_t ip)
{
	size_t at = ip * 0x9E3779B97F4A7C15u >> 56;
	uintptr_t key = ip ^ (uintptr_t) atomic_load (&monocle__clr_state.instance_epoch) << 48;
	uintptr_t method = atomic_load_explicit (&known[at].method, memory_order_relaxed);
	if ((atomic_load_explicit (&known[at].check, memory_order_relaxed) ^ method) == key)
		return (MonoMethod *) method;
	method = (uintptr_t) find_instance (definition, ip);
	atomic_store_explicit (&known[at].method, method, memory_order_relaxed);
	atomic_store_explicit (&known[at].check, method ^ key, memory_order_relaxed);
	return (MonoMethod *) method;
}

/* Which instance leaves, its entry says. */
static bool
pushes (const way *w)
{
	return w->is_invoked || w->is_generic || w->flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

static MonoProfilerCallContext *
context_for (const way *w, MonoProfilerCallInstrumentationFlags flag)
{
	return w->flags & flag ? monocle__context_empty () : NULL;
}

static void
enter (const way *w, place at)
{
	bool raises = w->flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	MonoMethod *method = w->is_generic ? instance_at (w->method, at.ip) : w->method;
	if (w->is_invoked && monocle__clr_listened (MONOCLE_EVENT_method_begin_invoke))
		monocle_raise_method_begin_invoke (method);
	if (pushes (w))
		monocle__shadow_push (
		    method, w->method,
		    at.sp | (raises ? MONOCLE__SHADOW_RAISES : 0) | (w->is_invoked ? MONOCLE__SHADOW_INVOKES : 0), at.ip);
	if (w->flags & MONO_PROFILER_CALL_INSTRUMENTATION_ENTER)
		monocle__raise (MONOCLE_EVENT_method_enter, method,
		                context_for (w, MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT));
}

static void
leave (const way *w, place at, monocle__gate_moment moment)
{
	MonoMethod *method = pushes (w) ? monocle__shadow_pop (w->method, at.sp) : w->method;
	if (!method)
		return;
	if (moment == MONOCLE__GATE_LEAVE && w->flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE)
		monocle__raise (MONOCLE_EVENT_method_leave, method,
		                context_for (w, MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT));
	if (moment == MONOCLE__GATE_TAIL && w->flags & MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL)
		monocle_raise_method_tail_call (method, w->target);
	if (w->is_invoked && monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (method);
}

/* `home`: an address in the constructor's frame. */
MONOCLE__PROBE static void
pass (int64_t number, uintptr_t home)
{
	const way *w = way_of ((uint32_t) number);
	monocle__gate_moment moment = (monocle__gate_moment) (number & ((1 << MOMENT_BITS) - 1));
	place at = find_place ((uintptr_t) __builtin_frame_address (0), home, MONOCLE__CALLER_SP);
	if (moment == MONOCLE__GATE_ENTER)
		enter (w, at);
	else
		leave (w, at, moment);
}

/* --- the gate ----------------------------------------------------------------------------------------------------- */

int
monocle__gate_insert_own (const monocle__rewriting *j, monocle__il_edit *edit)
{
	enum { RETURN = 9 };
	monocle__il_instruction code[RETURN + 1];
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDARG, 0);
	code[n] = monocle__il_op (MONOCLE__IL_BRTRUE, 0);
	code[n++].operand.target = MONOCLE__IL_INSERTED (RETURN + 1);
	code[n++] = monocle__il_op (MONOCLE__IL_LDARG, 1);
	code[n++] = monocle__il_op (MONOCLE__IL_CONV_I8, 0);
	code[n++] = monocle__il_op (MONOCLE__IL_LDARGA, 1);
	code[n++] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	n += monocle__rewrite_call (code + n, (monocle__probe) pass, monocle__tokens_calli (j->image, 1));
	MONOCLE__INVARIANT (n == RETURN);
	code[n++] = monocle__il_op (MONOCLE__IL_RET, 0);
	return monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, code, n);
}

/* void (DebuggingModes) of the attribute's class, by the number and the kind of its arguments; 0: it has none. */
static mdToken
find_constructor (const monocle__ecma_image *corlib)
{
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	const uint8_t *data;
	uint32_t size, token = monocle__ecma_find_typedef (corlib, MONOCLE__EDITABLE_NAME_SPACE, MONOCLE__EDITABLE_CLASS);
	if (!token || monocle__ecma_get_typedef (corlib, token, &type))
		return 0;
	for (uint32_t rid = type.first_method; rid < type.end_method; rid++)
		if (monocle__ecma_get_methoddef (corlib, 0x06000000 | rid, &method) == 0 &&
		    strcmp (method.name, ".ctor") == 0 && monocle__ecma_blob (corlib, method.signature, &data, &size) == 0 &&
		    size > 3 && data[1] == 1 && data[2] == MONOCLE__ET_VOID && data[3] == MONOCLE__ET_VALUETYPE)
			return 0x06000000 | rid;
	return 0;
}

/* Code that is precompiled is refused where calls are counted, from the beginning or too late. */
static void
image_came (monocle__clr_image *image)
{
	if (!image->cli.is_corlib || !image->cli.readable ||
	    (!monocle_call_filter_installed () && !monocle__invoke_wanted ()))
		return;
	mdToken constructor = find_constructor (&image->cli.ecma);
	if (constructor && monocle__rewrite_as_gate (image, constructor))
		atomic_store (&gate_token, constructor);
}

void
monocle__gate_begin (void)
{
	if (monocle__editable_allowed () && !monocle__clr_state.beside)
		monocle__images_watch (image_came);
}

bool
monocle__gate_is_open (void)
{
	return atomic_load_explicit (&gate_token, memory_order_acquire) != 0;
}

bool
monocle__gate_is (const monocle__clr_image *image, mdToken token)
{
	return image->cli.is_corlib && token && token == atomic_load_explicit (&gate_token, memory_order_acquire);
}

static atomic_bool refusal_told;

void
monocle__gate_attached (void)
{
	atomic_store (&refusal_told, false);
}

/* A further body needs an image whose code was never edited, and the runtime gives none to those that may be. */
bool
monocle__gate_admits (const monocle__clr_image *image)
{
	if (!image->is_editable || (image->gate_token && monocle__gate_is_open () && !monocle__clr_state.late))
		return true;
	if (!atomic_exchange (&refusal_told, true))
		monocle__clr_complain ("calls of %s are not counted%s, because it may be edited while it runs "
		                       "(DOTNET_MODIFIABLE_ASSEMBLIES=debug): %sdotnet watch --no-hot-reload has them counted",
		                       image->cli.name, monocle__clr_state.late ? " in a program that runs already" : "",
		                       monocle__clr_state.late ? "monocle run or " : "");
	return false;
}

/* Values would need locals, whose signature is metadata. */
static void
tell_of_contexts (const monocle__rewriting *j)
{
	enum {
		CONTEXTS = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT,
	};
	static atomic_bool told;
	if (j->flags & CONTEXTS && !atomic_exchange (&told, true))
		monocle__clr_complain ("calls of %s show no arguments and no results, because it may be edited while it runs "
		                       "(DOTNET_MODIFIABLE_ASSEMBLIES=debug): dotnet watch --no-hot-reload has them shown",
		                       j->image->cli.name);
}

/* --- probes ------------------------------------------------------------------------------------------------------- */

static bool
is_needed (const monocle__rewriting *j, monocle__gate_moment moment)
{
	static const unsigned own[] = {
		[MONOCLE__GATE_ENTER] = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER,
		[MONOCLE__GATE_LEAVE] = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE,
		[MONOCLE__GATE_TAIL] = MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL,
	};
	return j->invoke || (unsigned) j->flags & (own[moment] | MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE);
}

/* All but tail calls, whose targets differ, share one. */
static uint32_t
way_for (monocle__rewriting *j, monocle__gate_moment moment, MonoMethod *target)
{
	way w = {
		.method = (MonoMethod *) (uintptr_t) j->record,
		.target = target,
		.flags = j->flags,
		.is_invoked = j->invoke != MONOCLE__NOT_INVOKED,
		.is_generic = j->class_params || j->method_params,
	};
	if (moment == MONOCLE__GATE_TAIL)
		return add_way (&w);
	if (j->way == MONOCLE__IL_NONE)
		j->way = add_way (&w);
	return j->way;
}

int
monocle__gate_insert (monocle__rewriting *j, monocle__il_edit *edit, uint32_t before, monocle__gate_moment moment,
                      MonoMethod *target)
{
	if (!is_needed (j, moment))
		return 0;
	tell_of_contexts (j);
	uint32_t number = way_for (j, moment, target);
	if (number == MONOCLE__IL_NONE)
		return MONOCLE_E_NO_MEMORY;
	monocle__il_instruction code[] = {
		monocle__il_op (MONOCLE__IL_LDNULL, 0),
		monocle__il_op (MONOCLE__IL_LDC_I4, number | moment),
		monocle__il_op (MONOCLE__IL_CALL, j->image->gate_token),
	};
	monocle__il_jumps jumps = moment == MONOCLE__GATE_ENTER ? MONOCLE__IL_JUMPS_SKIP : MONOCLE__IL_JUMPS_HIT;
	return monocle__il_insert (edit, before, jumps, code, sizeof code / sizeof *code);
}
