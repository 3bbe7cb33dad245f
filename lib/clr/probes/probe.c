/*
 * SPDX-License-Identifier: MIT
 *
 * probe.c - what the code written into IL calls.
 *
 * A probe is a plain C function, called by `calli` with CallConvSuppressGCTransition: the thread stays in cooperative
 * mode, so nothing here (nor in a module's callback) may block, wait for a collection, or call the runtime for more
 * than a look-up.
 *
 * Methods that need no entry on the shadow stack (exceptional exits are not wanted, and they are not generic) push
 * none. After an attach all push: a frame that began before its method had probes, or in an attach before this one, has
 * no entry, and is not told to leave what it was not told to enter.
 */
#include "probe.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "images/resolve.h"
#include "invariant.h"
#include "invoke.h"
#include "raise.h"
#include "shadow.h"
#include "state.h"

#define PROBE     MONOCLE__PROBE
#define CALLER_SP MONOCLE__CALLER_SP
#define CALLER_IP MONOCLE__CALLER_IP

static inline void
raise (monocle_event event, MonoMethod *method)
{
	monocle__raise (event, method, NULL);
}

/* --- generic methods: from type handles to a record --------------------------------------------------------------- */

typedef struct monocle__clr_instance {
	struct monocle__clr_instance *_Atomic next;
	MonoMethod *_Atomic method;
	atomic_uint epoch; /* the instance_epoch for which `method` holds; 0: for ever. Written after `method` */
	uintptr_t keys[MONOCLE__KEYS_MAX];
} instance;

_Static_assert(sizeof ((monocle__clr_generic *) 0)->buckets / sizeof *((monocle__clr_generic *) 0)->buckets == 1 << 4,
               "four bits of the hash choose a bucket");

static inline unsigned
bucket_of (const uintptr_t *keys, uint32_t count)
{
	uintptr_t hash = 0;
	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ (keys[i] >> 4)) * 0x9E3779B97F4A7C15u;
	return hash >> 60;
}

static MonoMethod *
resolve_instance (const monocle__clr_generic *generic, const uintptr_t *keys)
{
	return monocle__resolve_method_of_keys (generic->definition, keys, generic->key_count, generic->class_key);
}

/* A probe may be between a native call and the read of its errno, which what is slow here may change. */
static __attribute__ ((noinline, cold)) MonoMethod *
add_instance (monocle__clr_generic *generic, unsigned bucket, const uintptr_t *keys)
{
	int saved_errno = errno;
	unsigned epoch = atomic_load (&monocle__clr_state.instance_epoch);
	MonoMethod *method = resolve_instance (generic, keys);
	instance *i = method ? calloc (1, sizeof *i) : NULL;
	errno = saved_errno;
	if (!i)
		return method ? method : generic->definition;
	atomic_init (&i->method, method);
	atomic_init (&i->epoch, epoch);
	memcpy (i->keys, keys, generic->key_count * sizeof *keys);
	instance *head = atomic_load (&generic->buckets[bucket]);
	do {
		atomic_store (&i->next, head);
	} while (!atomic_compare_exchange_weak (&generic->buckets[bucket], &head, i));
	return method;
}

/* An image has gone since: the runtime may use the same handles for other types. */
static __attribute__ ((noinline, cold)) MonoMethod *
renew_instance (const monocle__clr_generic *generic, instance *i)
{
	int saved_errno = errno;
	unsigned epoch = atomic_load (&monocle__clr_state.instance_epoch);
	MonoMethod *method = resolve_instance (generic, i->keys);
	errno = saved_errno;
	if (!method)
		return generic->definition;
	atomic_store (&i->method, method);
	atomic_store (&i->epoch, epoch);
	return method;
}

static inline bool
is_current (const instance *i)
{
	unsigned epoch = atomic_load_explicit (&i->epoch, memory_order_acquire);
	return !epoch || epoch == atomic_load_explicit (&monocle__clr_state.instance_epoch, memory_order_relaxed);
}

static inline MonoMethod *
find_instance (monocle__clr_generic *generic, const uintptr_t *keys)
{
	MONOCLE__INVARIANT (generic->key_count != 0 && generic->key_count <= MONOCLE__KEYS_MAX);
	unsigned bucket = bucket_of (keys, generic->key_count);
	instance *i = atomic_load_explicit (&generic->buckets[bucket], memory_order_acquire);
	for (; i; i = atomic_load_explicit (&i->next, memory_order_acquire)) {
		if (memcmp (i->keys, keys, generic->key_count * sizeof *keys))
			continue;
		return is_current (i) ? atomic_load_explicit (&i->method, memory_order_relaxed) : renew_instance (generic, i);
	}
	return add_instance (generic, bucket, keys);
}

MonoMethod *
monocle__probe_generic_instance (monocle__clr_generic *generic, const uintptr_t *keys)
{
	return find_instance (generic, keys);
}

void
monocle__probe_generic_free (void *block)
{
	monocle__clr_generic *generic = block;
	for (size_t i = 0; i < sizeof generic->buckets / sizeof *generic->buckets; i++)
		for (instance *at = atomic_load (&generic->buckets[i]), *next; at; at = next) {
			next = atomic_load (&at->next);
			free (at);
		}
	free (generic);
}

/* --- the probes: plain methods first ------------------------------------------------------------------------------ */

PROBE static void
enter (MonoMethod *method)
{
	raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
enter_push (MonoMethod *method)
{
	monocle__shadow_push (method, method, CALLER_SP | MONOCLE__SHADOW_RAISES, CALLER_IP);
	raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
enter_push_quietly (MonoMethod *method)
{
	monocle__shadow_push (method, method, CALLER_SP, CALLER_IP);
	raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
push_quietly (MonoMethod *method)
{
	monocle__shadow_push (method, method, CALLER_SP, CALLER_IP);
}

PROBE static void
push_only (MonoMethod *method)
{
	monocle__shadow_push (method, method, CALLER_SP | MONOCLE__SHADOW_RAISES, CALLER_IP);
}

PROBE static void
leave (MonoMethod *method)
{
	raise (MONOCLE_EVENT_method_leave, method);
}

PROBE static void
leave_pop (MonoMethod *method)
{
	if (monocle__shadow_pop (method, CALLER_SP))
		raise (MONOCLE_EVENT_method_leave, method);
}

PROBE static void
pop_only (MonoMethod *method)
{
	monocle__shadow_pop (method, CALLER_SP);
}

PROBE static void
tail (MonoMethod *method, MonoMethod *target)
{
	monocle_raise_method_tail_call (method, target);
}

PROBE static void
tail_pop (MonoMethod *method, MonoMethod *target)
{
	if (monocle__shadow_pop (method, CALLER_SP))
		monocle_raise_method_tail_call (method, target);
}

PROBE static void
fault (MonoMethod *method)
{
	monocle_raise_method_exception_leave (method, NULL);
}

/* --- generic methods: they always push, so that leaving needs no handles ------------------------------------------ */

#define KEYS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e
#define KEY_ARRAY \
	{ \
		a, b, c, d, e \
	}

PROBE static void
generic_enter (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoMethod *method = find_instance (generic, keys);
	monocle__shadow_push (method, generic->definition, CALLER_SP, CALLER_IP);
	raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
generic_enter_raises (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoMethod *method = find_instance (generic, keys);
	monocle__shadow_push (method, generic->definition, CALLER_SP | MONOCLE__SHADOW_RAISES, CALLER_IP);
	raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
generic_push (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	monocle__shadow_push (find_instance (generic, keys), generic->definition, CALLER_SP, CALLER_IP);
}

PROBE static void
generic_push_raises (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	monocle__shadow_push (find_instance (generic, keys), generic->definition, CALLER_SP | MONOCLE__SHADOW_RAISES,
	                      CALLER_IP);
}

PROBE static void
generic_leave (monocle__clr_generic *generic)
{
	MonoMethod *method = monocle__shadow_pop (generic->definition, CALLER_SP);
	if (method)
		raise (MONOCLE_EVENT_method_leave, method);
}

PROBE static void
generic_pop (monocle__clr_generic *generic)
{
	monocle__shadow_pop (generic->definition, CALLER_SP);
}

PROBE static void
generic_tail (monocle__clr_generic *generic, MonoMethod *target)
{
	MonoMethod *method = monocle__shadow_pop (generic->definition, CALLER_SP);
	if (method)
		monocle_raise_method_tail_call (method, target);
}

enum {
	ENTER = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER,
	LEAVE = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE,
	TAIL_CALL = MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL,
	EXCEPTION_LEAVE = MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE,
};

/* --- invoked methods: they always push, since an invocation ends by exceptions as well ---------------------------- */

static void
begin_invocation (MonoMethod *method, MonoMethod *definition, uintptr_t flags, uintptr_t sp, uintptr_t ip)
{
	if (monocle__clr_listened (MONOCLE_EVENT_method_begin_invoke))
		monocle_raise_method_begin_invoke (method);
	monocle__shadow_push (method, definition,
	                      sp | MONOCLE__SHADOW_INVOKES | (flags & EXCEPTION_LEAVE ? MONOCLE__SHADOW_RAISES : 0), ip);
	if (flags & ENTER)
		raise (MONOCLE_EVENT_method_enter, method);
}

PROBE static void
begin_invoke (MonoMethod *method, uintptr_t flags)
{
	begin_invocation (method, method, flags, CALLER_SP, CALLER_IP);
}

/* The static constructor of a generic class. Mono names the exact class; filters know the shared one. */
PROBE static void
generic_begin_invoke (monocle__clr_generic *generic, uintptr_t klass, uintptr_t flags)
{
	uintptr_t keys[MONOCLE__KEYS_MAX] = { klass };
	MonoMethod *method = flags ? find_instance (generic, keys)
	                           : monocle_method_inst (generic->definition, monocle__resolve_class (klass), 0, NULL);
	begin_invocation (method ? method : generic->definition, generic->definition, flags, CALLER_SP, CALLER_IP);
}

PROBE static void
begin_reflected (MonoMethod *reflecting, const void *const *object)
{
	int saved_errno = errno;
	MonoMethod *method = monocle__invoke_reflected (reflecting, *object);
	errno = saved_errno;
	begin_invocation (method, reflecting, 0, CALLER_SP, CALLER_IP);
}

static void
end_invocation (MonoMethod *method, uintptr_t flags)
{
	if (flags & LEAVE)
		raise (MONOCLE_EVENT_method_leave, method);
	if (monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (method);
}

PROBE static void
end_invoke (MonoMethod *method, uintptr_t flags)
{
	end_invocation (monocle__shadow_pop (method, CALLER_SP), flags);
}

PROBE static void
generic_end_invoke (monocle__clr_generic *generic, uintptr_t flags)
{
	end_invocation (monocle__shadow_pop (generic->definition, CALLER_SP), flags);
}

monocle__probe
monocle__probe_begin_invoke (monocle__invoke kind, bool generic)
{
	if (kind == MONOCLE__REFLECTS)
		return (monocle__probe) begin_reflected;
	return generic ? (monocle__probe) generic_begin_invoke : (monocle__probe) begin_invoke;
}

monocle__probe
monocle__probe_end_invoke (bool generic)
{
	return generic ? (monocle__probe) generic_end_invoke : (monocle__probe) end_invoke;
}

/* --- which probe -------------------------------------------------------------------------------------------------- */

static bool
pushes (MonoProfilerCallInstrumentationFlags flags)
{
	return flags & EXCEPTION_LEAVE || monocle__clr_state.late;
}

monocle__probe
monocle__probe_enter (MonoProfilerCallInstrumentationFlags flags, bool generic)
{
	bool raises = flags & EXCEPTION_LEAVE;
	if (generic && flags & ENTER)
		return (monocle__probe) (raises ? generic_enter_raises : generic_enter);
	if (generic)
		return (monocle__probe) (raises ? generic_push_raises : generic_push);
	if (!raises && pushes (flags))
		return (monocle__probe) (flags & ENTER ? enter_push_quietly : push_quietly);
	if (flags & ENTER)
		return (monocle__probe) (raises ? enter_push : enter);
	return raises ? (monocle__probe) push_only : NULL;
}

monocle__probe
monocle__probe_leave (MonoProfilerCallInstrumentationFlags flags, bool generic)
{
	if (generic)
		return (monocle__probe) (flags & LEAVE ? generic_leave : generic_pop);
	if (flags & LEAVE)
		return (monocle__probe) (pushes (flags) ? leave_pop : leave);
	return pushes (flags) ? (monocle__probe) pop_only : NULL;
}

monocle__probe
monocle__probe_tail (MonoProfilerCallInstrumentationFlags flags, bool generic)
{
	if (generic && flags & TAIL_CALL)
		return (monocle__probe) generic_tail;
	if (generic)
		return (monocle__probe) generic_pop;
	if (flags & TAIL_CALL)
		return (monocle__probe) (pushes (flags) ? tail_pop : tail);
	return pushes (flags) ? (monocle__probe) pop_only : NULL;
}

monocle__probe
monocle__probe_fault (void)
{
	return (monocle__probe) fault;
}
