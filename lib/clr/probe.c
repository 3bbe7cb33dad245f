/*
 * SPDX-License-Identifier: MIT
 *
 * probe.c - what the code written into IL calls, and the shadow stack behind it.
 *
 * A probe is a plain C function, called by `calli` with CallConvSuppressGCTransition: the thread stays in cooperative
 * mode, so nothing here (nor in a module's callback) may block, wait for a collection, or call the runtime for more
 * than a look-up.
 *
 *     managed frame                      shadow stack (per thread)
 *     +------------------+               +-----------------------------------------+
 *     | Main             |               | Main   sp of Main's frame, return address|
 *     |  + inlined: Leaf |               | Leaf   the same sp                       |
 *     +------------------+               +-----------------------------------------+
 *
 * An entry names the method, the stack pointer of the machine frame that the probe was called from, and where it
 * returns to: code of that frame's function, whatever was inlined into it. Leave probes pop. Frames that an exception
 * unwinds run no leave probe; the runtime announces each (exception.c), and everything that belongs to the frame is
 * popped here.
 *
 * A library with a thread-local word in the initial-exec model gets all of its thread-local storage from the few
 * hundred bytes that the dynamic linker keeps for late-comers; so there is one word, and the rest is behind it.
 *
 * Methods that need no entry (nobody asks for exceptional exits, and they are not generic) push none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "clr.h"

/* 8 MiB of stack hold fewer than this many frames; what is deeper is counted, not stored. */
enum { ENTRIES = 1 << 18, RAISES = 1, INVOKES = 2, BITS = RAISES | INVOKES };

typedef struct {
	MonoMethod *method;      /* what events name: for generics the instance */
	MonoMethod *definition;  /* what leave probes match */
	uintptr_t sp_flags;      /* stack pointer | RAISES: exception_leave is wanted | INVOKES: end_invoke is */
	uintptr_t ip;            /* return address of the enter probe */
} entry;

typedef struct {
	entry *top, *limit;
	uint64_t overflow;       /* entries that were not stored, innermost first */
	monocle__unwinding unwinding;
	monocle__cli_scratch scratch;
	monocle__clr_capture *capture;
	monocle__clr_waiting waiting;
	uintptr_t callback;      /* the frame of the runtime's callback that wants stacks told well; 0: none */
	monocle__clr_stack stack;
	monocle__dispatches dispatches;
	entry bottom;            /* base[-1]: higher than every frame */
	entry base[ENTRIES];
} shadow;

static __thread shadow *own_shadow __attribute__ ((tls_model ("initial-exec")));
static pthread_key_t shadow_key;
static bool has_key;             /* the process may have no more; then the memory of a thread outlives it */
static pthread_once_t shadow_once = PTHREAD_ONCE_INIT;

#define PROBE __attribute__ ((noinline, no_stack_protector))
#define CALLER_SP ((uintptr_t) __builtin_dwarf_cfa ())
#define CALLER_IP ((uintptr_t) __builtin_return_address (0))

/* --- dispatch: the loop of the core, inlined where every nanosecond shows ----------------------------------------- */

static inline struct _MonoProfilerDesc *
first_handle (void)
{
	return __atomic_load_n (monocle__clr_state.handles, __ATOMIC_ACQUIRE);
}

static inline void *
callback_of (struct _MonoProfilerDesc *handle, monocle_event event)
{
	return __atomic_load_n (&handle->callbacks[event], __ATOMIC_ACQUIRE);
}

/* Several modules: rare enough to be a function of its own, so that the usual case needs no stack frame. */
static __attribute__ ((noinline)) void
raise_many (struct _MonoProfilerDesc *h, monocle_event event, MonoMethod *method)
{
	for (; h; h = h->next) {
		MonoProfilerMethodEnterCallback cb = (MonoProfilerMethodEnterCallback) callback_of (h, event);
		if (cb)
			cb (h->prof, method, NULL);
	}
}

/* enter and leave have one shape; with one handle the module's function is jumped to, not called. */
static inline void
raise (monocle_event event, MonoMethod *method)
{
	struct _MonoProfilerDesc *h = first_handle ();
	if (__builtin_expect (!h, 0))
		return;
	if (__builtin_expect (h->next != NULL, 0)) {
		raise_many (h, event, method);
		return;
	}
	MonoProfilerMethodEnterCallback cb = (MonoProfilerMethodEnterCallback) callback_of (h, event);
	if (__builtin_expect (cb != NULL, 1))
		cb (h->prof, method, NULL);
}

static inline void
raise_enter (MonoMethod *method)
{
	raise (MONOCLE_EVENT_method_enter, method);
}

static inline void
raise_leave (MonoMethod *method)
{
	raise (MONOCLE_EVENT_method_leave, method);
}

static void
raise_end_invoke (MonoMethod *method)
{
	if (monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (method);
}

/* --- the stack ---------------------------------------------------------------------------------------------------- */

static void
free_shadow (void *block)
{
	own_shadow = NULL;
	munmap (block, sizeof (shadow));
}

static void
make_key (void)
{
	has_key = pthread_key_create (&shadow_key, free_shadow) == 0;
}

/* NULL: the kernel has no memory; the thread goes without. */
static __attribute__ ((noinline, cold)) shadow *
new_shadow (void)
{
	int saved_errno = errno;
	void *block =
	    mmap (NULL, sizeof (shadow), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	errno = saved_errno;
	if (block == MAP_FAILED)
		return NULL;
	shadow *s = block;
	s->top = s->base;
	s->limit = s->base + ENTRIES;
	s->bottom.sp_flags = UINTPTR_MAX;
	pthread_once (&shadow_once, make_key);
	if (has_key)
		pthread_setspecific (shadow_key, s);
	own_shadow = s;
	return s;
}

static inline shadow *
get_shadow (void)
{
	shadow *s = own_shadow;
	return __builtin_expect (s != NULL, 1) ? s : new_shadow ();
}

static void end_dead (shadow *s, uintptr_t sp);

/* What lies deeper than a frame that is just entered is left over from frames that vanished without a word. */
static inline void
push (MonoMethod *method, MonoMethod *definition, uintptr_t sp_flags, uintptr_t ip)
{
	shadow *s = get_shadow ();
	if (__builtin_expect (!s, 0))
		return;
	if (__builtin_expect (s->top == s->limit, 0)) {
		s->overflow++;
		return;
	}
	if (__builtin_expect (s->top[-1].sp_flags < sp_flags, 0))
		end_dead (s, sp_flags & ~(uintptr_t) BITS);
	*s->top++ = (entry) { method, definition, sp_flags, ip };
}

static MonoMethod *resynchronise (shadow *s, MonoMethod *definition, uintptr_t sp);

/* A frame's stack pointer only falls while it lives (localloc): what lies deeper than ours is left over. */
static inline MonoMethod *
pop (MonoMethod *definition, uintptr_t sp)
{
	shadow *s = own_shadow;
	if (__builtin_expect (!s, 0))
		return definition;
	entry *e = s->top - 1;
	if (__builtin_expect (e < s->base || e->definition != definition || e->sp_flags < sp || s->overflow, 0))
		return resynchronise (s, definition, sp);
	s->top = e;
	return e->method;
}

monocle__clr_capture **
monocle__thread_capture (void)
{
	static monocle__clr_capture *nobody;
	shadow *s = get_shadow ();
	return s ? &s->capture : &nobody;
}

monocle__cli_scratch *
monocle__thread_scratch (void)
{
	shadow *s = get_shadow ();
	return s ? &s->scratch : NULL;
}

bool
monocle__thread_has_memory (void)
{
	return own_shadow != NULL;
}

const monocle__clr_stack *
monocle__thread_stack (void)
{
	return own_shadow && own_shadow->stack.high ? &own_shadow->stack : NULL;
}

void
monocle__thread_set_stack (uintptr_t low, uintptr_t high)
{
	shadow *s = get_shadow ();
	if (s)
		s->stack = (monocle__clr_stack) { low, high };
}

monocle__clr_waiting *
monocle__thread_waiting (void)
{
	shadow *s = get_shadow ();
	return s ? &s->waiting : NULL;
}

uintptr_t
monocle__clr_entry (void)
{
	return own_shadow ? own_shadow->callback : 0;
}

uintptr_t
monocle__clr_set_entry (uintptr_t frame)
{
	shadow *s = get_shadow ();
	uintptr_t before = s ? s->callback : 0;
	if (s)
		s->callback = frame;
	return before;
}

monocle__dispatches *
monocle__thread_dispatches (void)
{
	shadow *s = get_shadow ();
	return s ? &s->dispatches : NULL;
}

monocle__unwinding *
monocle__shadow_unwinding (void)
{
	return own_shadow ? &own_shadow->unwinding : NULL;
}

/* --- generic methods: from type handles to a record --------------------------------------------------------------- */

typedef struct monocle__clr_instance {
	struct monocle__clr_instance *_Atomic next;
	MonoMethod *_Atomic method;
	atomic_uint epoch;       /* the instance_epoch for which `method` holds; 0: for ever. Written after `method` */
	uintptr_t keys[MONOCLE__KEYS_MAX];
} instance;

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
	return monocle__clr_method_of_keys (generic->definition, keys, generic->key_count, generic->class_key);
}

/* A probe may stand between a native call and the read of its errno, which what is slow here may change. */
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
monocle__clr_generic_instance (monocle__clr_generic *generic, const uintptr_t *keys)
{
	return find_instance (generic, keys);
}

void
monocle__clr_generic_free (void *block)
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
	raise_enter (method);
}

PROBE static void
enter_push (MonoMethod *method)
{
	push (method, method, CALLER_SP | RAISES, CALLER_IP);
	raise_enter (method);
}

PROBE static void
push_only (MonoMethod *method)
{
	push (method, method, CALLER_SP | RAISES, CALLER_IP);
}

PROBE static void
leave (MonoMethod *method)
{
	raise_leave (method);
}

PROBE static void
leave_pop (MonoMethod *method)
{
	pop (method, CALLER_SP);
	raise_leave (method);
}

PROBE static void
pop_only (MonoMethod *method)
{
	pop (method, CALLER_SP);
}

PROBE static void
tail (MonoMethod *method, MonoMethod *target)
{
	monocle_raise_method_tail_call (method, target);
}

PROBE static void
tail_pop (MonoMethod *method, MonoMethod *target)
{
	pop (method, CALLER_SP);
	monocle_raise_method_tail_call (method, target);
}

PROBE static void
fault (MonoMethod *method)
{
	monocle_raise_method_exception_leave (method, NULL);
}

/* --- generic methods: they always push, so that leaving needs no handles ------------------------------------------ */

#define KEYS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e
#define KEY_ARRAY { a, b, c, d, e }

PROBE static void
generic_enter (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoMethod *method = find_instance (generic, keys);
	push (method, generic->definition, CALLER_SP, CALLER_IP);
	raise_enter (method);
}

PROBE static void
generic_enter_raises (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	MonoMethod *method = find_instance (generic, keys);
	push (method, generic->definition, CALLER_SP | RAISES, CALLER_IP);
	raise_enter (method);
}

PROBE static void
generic_push (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	push (find_instance (generic, keys), generic->definition, CALLER_SP, CALLER_IP);
}

PROBE static void
generic_push_raises (monocle__clr_generic *generic, KEYS)
{
	uintptr_t keys[] = KEY_ARRAY;
	push (find_instance (generic, keys), generic->definition, CALLER_SP | RAISES, CALLER_IP);
}

PROBE static void
generic_leave (monocle__clr_generic *generic)
{
	raise_leave (pop (generic->definition, CALLER_SP));
}

PROBE static void
generic_pop (monocle__clr_generic *generic)
{
	pop (generic->definition, CALLER_SP);
}

PROBE static void
generic_tail (monocle__clr_generic *generic, MonoMethod *target)
{
	monocle_raise_method_tail_call (pop (generic->definition, CALLER_SP), target);
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
	push (method, definition, sp | INVOKES | (flags & EXCEPTION_LEAVE ? RAISES : 0), ip);
	if (flags & ENTER)
		raise_enter (method);
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
		: monocle_method_inst (generic->definition, monocle__clr_class (klass), 0, NULL);
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
		raise_leave (method);
	raise_end_invoke (method);
}

PROBE static void
end_invoke (MonoMethod *method, uintptr_t flags)
{
	end_invocation (pop (method, CALLER_SP), flags);
}

PROBE static void
generic_end_invoke (monocle__clr_generic *generic, uintptr_t flags)
{
	end_invocation (pop (generic->definition, CALLER_SP), flags);
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

monocle__probe
monocle__probe_enter (MonoProfilerCallInstrumentationFlags flags, bool generic)
{
	bool raises = flags & EXCEPTION_LEAVE;
	if (generic && flags & ENTER)
		return (monocle__probe) (raises ? generic_enter_raises : generic_enter);
	if (generic)
		return (monocle__probe) (raises ? generic_push_raises : generic_push);
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
		return (monocle__probe) (flags & EXCEPTION_LEAVE ? leave_pop : leave);
	return flags & EXCEPTION_LEAVE ? (monocle__probe) pop_only : NULL;
}

monocle__probe
monocle__probe_tail (MonoProfilerCallInstrumentationFlags flags, bool generic)
{
	if (generic && flags & TAIL_CALL)
		return (monocle__probe) generic_tail;
	if (generic)
		return (monocle__probe) generic_pop;
	if (flags & TAIL_CALL)
		return (monocle__probe) (flags & EXCEPTION_LEAVE ? tail_pop : tail);
	return flags & EXCEPTION_LEAVE ? (monocle__probe) pop_only : NULL;
}

monocle__probe
monocle__probe_fault (void)
{
	return (monocle__probe) fault;
}

/* --- exceptions --------------------------------------------------------------------------------------------------- */

static FunctionID
function_at (uintptr_t ip)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	int saved_errno = errno;
	HRESULT hr = info->vtbl->GetFunctionFromIP (info, (const uint8_t *) ip - 1, &function);
	errno = saved_errno;
	return hr >= 0 ? function : 0;
}

static uintptr_t
sp_of (const entry *e)
{
	return e->sp_flags & ~(uintptr_t) BITS;
}

static void
pop_raising (shadow *s)
{
	entry *e = --s->top;
	if (e->sp_flags & RAISES && monocle__clr_listened (MONOCLE_EVENT_method_exception_leave))
		monocle_raise_method_exception_leave (e->method, monocle__dispatch_left ());
	if (e->sp_flags & INVOKES)
		raise_end_invoke (e->method);
}

/* Is this the frame that leaves? Nobody knows its stack pointer where the probe was called through a stub. */
static bool
is_own_frame (const entry *e, MonoMethod *definition, uintptr_t sp)
{
	return e->definition == definition && (sp_of (e) >= sp || !function_at (e->ip));
}

/* Probes that are called through a stub stand a little deeper than their frame. */
enum { STUB_FRAME = 0x200 };

static __attribute__ ((noinline, cold)) void
end_dead (shadow *s, uintptr_t sp)
{
	while (s->top > s->base) {
		entry *e = s->top - 1;
		if (sp_of (e) >= sp || (sp_of (e) + STUB_FRAME >= sp && !function_at (e->ip)))
			return;
		pop_raising (s);
	}
}

/*
 * The innermost entry is not that of the frame which leaves: frames vanished without a word, as they do when native
 * code swallows an exception. Their methods are left now. Or our own entry was lost: then all that is not deeper stays.
 */
static __attribute__ ((noinline, cold)) MonoMethod *
resynchronise (shadow *s, MonoMethod *definition, uintptr_t sp)
{
	if (s->overflow) {
		s->overflow--;
		return definition;
	}
	entry *e = s->top;
	while (e > s->base && !is_own_frame (e - 1, definition, sp) && sp_of (e - 1) <= sp)
		e--;
	bool found = e > s->base && is_own_frame (e - 1, definition, sp);
	while (s->top > e && (found || sp_of (s->top - 1) < sp))
		pop_raising (s);
	return found ? (--s->top)->method : definition;
}

static MonoMethod *
definition_of (FunctionID function)
{
	MonoMethod *method = monocle__clr_method (function);
	return method ? monocle_method_definition (method) : NULL;
}

static bool
is_probed (MonoMethod *definition)
{
	monocle__clr_image *image = definition ? monocle__clr_image_of (monocle_method_image (definition)) : NULL;
	uint32_t row = definition ? monocle_method_token (definition) & 0xFFFFFF : 0;
	return image && row && row <= image->method_rows &&
	       monocle__clr_has_probes (atomic_load (&image->methods[row - 1]));
}

/* Was the probe of this entry called from code of this very method, as its own frame or inlined into it? */
static bool
is_code_of (const entry *e, FunctionID function, MonoMethod *own)
{
	FunctionID found = function_at (e->ip);
	return found && (found == function || definition_of (found) == own);
}

/*
 * Where the frame of `function` begins, the innermost machine frame of the shadow stack; NULL: it has no entry. A
 * probed function has one of its own, and what stands above that was inlined into it. A function without probes is
 * known by what was inlined into it. Probes in blocks that the compiler takes for rare are called through a stub: their
 * code is unknown.
 */
static entry *
frame_of (shadow *s, FunctionID function, MonoMethod *own, uint32_t floor)
{
	bool probed = is_probed (own);
	for (entry *e = s->top; e-- > s->base + floor;) {
		if (e->definition == own)
			return e;
		bool ours = is_code_of (e, function, own);
		if (!ours && (!probed || function_at (e->ip)))
			return NULL;
		if (!probed && (e == s->base || sp_of (e - 1) != sp_of (e)))
			return e;
	}
	return NULL;
}

uint32_t
monocle__shadow_depth (void)
{
	return own_shadow ? (uint32_t) (own_shadow->top - own_shadow->base) : 0;
}

void
monocle__shadow_cut (uint32_t depth)
{
	while (monocle__shadow_depth () > depth)
		pop_raising (own_shadow);
}

/*
 * Has this frame, which is not the outermost, called into the middle of its own function? That is how compiled code
 * runs its finally blocks. The call left its return address just below the frame's stack pointer. Code without
 * optimisation calls probes through a stub: then the frame is a little above what the entry says, but not above the
 * next entry.
 */
static bool
runs_own_finally (const entry *e, FunctionID function, MonoMethod *own)
{
	uintptr_t first = sp_of (e), last = is_code_of (e, function, own) ? first : first + STUB_FRAME;
	for (uintptr_t sp = first; sp <= last && sp <= sp_of (e - 1); sp += sizeof sp) {
		uintptr_t back = monocle__arch_return_address (sp);
		FunctionID found = function_at (back);
		if (!found || (found != function && definition_of (found) != own))
			continue;
		uintptr_t target = monocle__arch_call_target (back);
		if (target && function_at (target) == found)
			return true;
	}
	return false;
}

bool
monocle__shadow_recursive (FunctionID function, uint32_t floor)
{
	shadow *s = own_shadow;
	MonoMethod *own = definition_of (function);
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	if (!e || e == s->base || (e[-1].definition != own && !is_code_of (e - 1, function, own)))
		return false;
	return !runs_own_finally (e, function, own);
}

void
monocle__shadow_unwound (FunctionID function, uint32_t floor)
{
	shadow *s = own_shadow;
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	if (e)
		monocle__shadow_cut ((uint32_t) (e - s->base));
}

/*
 * A probed function that lives has an entry, so what stands above the innermost one is over, also what the runtime said
 * nothing of: the last managed frame above native code, and on .NET 10 all but one frame of a recursion that a handler
 * left.
 */
static entry *
own_entry (shadow *s, MonoMethod *own, uint32_t floor)
{
	for (entry *e = s->top; is_probed (own) && e-- > s->base + floor;)
		if (e->definition == own)
			return e;
	return NULL;
}

uint32_t
monocle__shadow_reached (FunctionID function, uint32_t floor)
{
	shadow *s = own_shadow;
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *frame = own ? own_entry (s, own, floor) : NULL;
	if (!frame)
		return UINT32_MAX;
	entry *e = frame + 1;
	while (e < s->top && is_code_of (e, function, own))
		e++;
	monocle__shadow_cut ((uint32_t) (e - s->base));
	return (uint32_t) (frame - s->base);
}

uint32_t
monocle__shadow_caught (FunctionID function, uint32_t floor)
{
	shadow *s = own_shadow;
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? own_entry (s, own, floor) : NULL;
	if (own && !e)
		monocle__shadow_unwound (function, floor);
	if (!e)
		return UINT32_MAX;
	monocle__shadow_cut ((uint32_t) (e - s->base) + 1);
	return (uint32_t) (e - s->base);
}

/* A frame's own pointer is never below the stack pointer that its probes were called with. */
void
monocle__shadow_handled (FunctionID function, uintptr_t frame, uint32_t floor)
{
	shadow *s = own_shadow;
	entry *e = s->base + floor;
	while (e < s->top && sp_of (e) > frame)
		e++;
	if (e >= s->top || e->definition != definition_of (function))
		return;
	uintptr_t sp = sp_of (e);
	while (e < s->top && sp_of (e) == sp)
		e++;
	monocle__shadow_cut ((uint32_t) (e - s->base));
}
