/*
 * SPDX-License-Identifier: MIT
 *
 * clr.h - what the files of the CoreCLR adapter share. Nothing of it leaves lib/clr.
 *
 * Who calls whom: com.c is the door; adapter.c starts and ends; image.c, thread.c, jit.c and exception.c each answer
 * one family of callbacks; resolve.c turns runtime ids into records; describe.c answers what lib/describe does not, and
 * code.c what is asked of machine code; codemap.c knows which code an address is in (with precompiled.c); filter.c
 * decides which methods get probes; rewrite.c (with tokens.c, spill.c, fence.c, oracle.c, handler.c) writes them
 * into IL; probe.c is what they call, and shadow.c each thread's stack of them. exception.c follows exceptions as
 * they unwind, with throw-site.c, which knows whether anybody can catch them, dispatch.c, which knows their objects,
 * and clause.c, which knows the handlers that they run. wants.c turns listeners into flags and sessions of the
 * runtime's event provider; eventpipe.c hands what those deliver to collector.c (which speaks through voice.c),
 * handle.c and monitor.c; service.c asks the runtime what other threads must not.
 */
#ifndef MONOCLE_CLR_H
#define MONOCLE_CLR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <monocle/host.h>
#include <mono/metadata/debug-helpers.h>
#include "describe.h"
#include "corprof.h"
#include "ecma.h"

#define MONOCLE__CLR_GUID "{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}"

/* --- the one adapter of this process (adapter.c) ------------------------------------------------------------------ */

typedef struct {
	ICorProfilerInfo15 *info; /* slots beyond what `info_version` grants do not exist */
	int info_version;
	unsigned major;         /* of the runtime: 8, 9, 10 */
	const uint32_t *counts; /* of the core: listeners per event */
	struct _MonoProfilerDesc *const *handles;
	atomic_bool started;      /* Initialize asked for the first mask */
	atomic_bool allocations;  /* a module was granted gc_allocation */
	atomic_bool clauses;      /* a module was granted exception_clause; before anything runs */
	atomic_uint filter_epoch; /* changes when a call filter comes or goes */
	/*
	 * 0 until the first collectible image comes, then 1 and one more with each that goes: what an array or instance id
	 * meant in one epoch it need not mean in the next.
	 */
	atomic_uint instance_epoch;
	atomic_bool initialized; /* runtime_initialized was raised */
	atomic_uint refused;     /* wanted methods that could not be given probes */
	bool oracle;             /* MONOCLE_CLR_TRY_FAULT: try/fault probes prove the shadow stack */
} monocle__clr;

extern monocle__clr monocle__clr_state;

/* One line on stderr (or MONOCLE_LOG); for failures that leave the program unprofiled. */
void monocle__clr_complain (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* The same for a failed call of the runtime: "CALL failed: NAME (0x........)". */
void monocle__clr_complain_hr (const char *call, HRESULT hr);
/* Raises runtime_initialized once, in front of the first image that is not corlib. */
void monocle__clr_reach_initialized (void);

static inline bool
monocle__clr_listened (monocle_event event)
{
	return __atomic_load_n (&monocle__clr_state.counts[event], __ATOMIC_RELAXED) != 0;
}

/* --- what the runtime is asked for (wants.c, eventpipe.c) --------------------------------------------------------- */

/* Inside Initialize: the first mask and the first session. False: the runtime refuses even the least; it was logged. */
bool monocle__wants_begin (void);
/* What comes of an event: the host operation. */
MonocleSupport monocle__wants_support (void *host, monocle_event event);
/* Somebody wants something more. Any context. */
void monocle__wants_update (void);
/*
 * From now on the runtime announces no exceptions: this one ends the process, and it would die of announcing how.
 * Callbacks.
 */
void monocle__wants_no_exceptions (void);
/* Are events with these keywords, at this level, not being delivered though they could be? Any context. */
bool monocle__eventpipe_lacks (uint32_t keywords, uint32_t level);
void monocle__eventpipe_ask (uint32_t keywords, uint32_t level);

/* --- collections, finalisation, handles, monitors (collector.c, handle.c, monitor.c) ------------------------------
 * What the runtime's events say, one function each. No call may make the runtime wait.
 */

void monocle__collector_stopping (uint32_t reason);
void monocle__collector_start (uint32_t number, uint32_t generation, uint32_t type);
void monocle__collector_end (uint32_t number, uint32_t generation);
void monocle__collector_size (uint64_t size);
void monocle__collector_starting_world (void);
void monocle__collector_started_world (void);
/*
 * Where the collector has threads of its own one of ours tells of all that it does (voice.c): has it say something and
 * waits. Says it at once where there is no such collector, and on that very thread. Any thread; not from a signal
 * handler.
 */
void monocle__voice_say (void (*say) (void *data), void *data);
/* Makes it, once. While the world runs. */
void monocle__voice_begin (void);
bool monocle__voice_is_made (void);
bool monocle__voice_is_self (void);

void monocle__collector_finalizer_begin (void);
void monocle__collector_finalizer_object (MonoObject *object);
void monocle__collector_finalizer_end (void);

/*
 * Ranges that the collection which is going on kept (moves.c), `to`: where they go, NULL: nowhere else. When it is over
 * the objects in those that moved are told.
 */
void monocle__moves_add (uint32_t count, const uintptr_t *from, const uintptr_t *to, const uint64_t *sizes);
void monocle__moves_tell (void);

/* Tells of the kinds of roots (roots.c). At the end of the init window. */
void monocle__roots_register (void);

void monocle__gc_handle_created (uintptr_t handle, MonoObject *object, uint32_t kind);
void monocle__gc_handle_destroyed (uintptr_t handle);

void monocle__monitor_contended (uintptr_t lock, MonoObject *object);
void monocle__monitor_ended (void);

/*
 * An object that the runtime names once and modules are told of twice. After a collection it may have moved, and nobody
 * says where to: then modules get an object of the same class with nothing in it, which can be asked for its class.
 */
typedef struct {
	MonoObject *object;
	uint32_t pauses;
	uintptr_t like[32];
} monocle__stand_in;

void monocle__collector_remember (monocle__stand_in *place, MonoObject *object);
/* NULL: nothing was remembered, or it was taken back already. */
MonoObject *monocle__collector_take_back (monocle__stand_in *place);

/*
 * The pthread_t of a thread of the runtime, 0: it does not run (any more). Takes a leaf lock; not from a signal
 * handler.
 */
uintptr_t monocle__clr_thread_tid (ThreadID id);

/* The monitor that a thread waits for. */
typedef struct {
	uintptr_t lock;
	monocle__stand_in object;
} monocle__waiting;

/* Of the calling thread (shadow.c); NULL: no memory. */
monocle__waiting *monocle__thread_memory_waiting (void);

/* --- text (utf16.c) ----------------------------------------------------------------------------------------------- */

/* UTF-16 to UTF-8, as many whole characters as fit, terminated; lone surrogates become U+FFFD. `size` is at least 1. */
void monocle__utf16_to_utf8 (const WCHAR *from, size_t length, char *to, size_t size);

/* --- per-thread memory (shadow.c): the library's one thread-local word points to it ------------------------------- */

/*
 * NULL only when the kernel has no memory. Probes and callbacks; a signal handler may call it on a thread that has its
 * memory already.
 */
monocle__describe_scratch *monocle__thread_memory_scratch (void);
/* Any context. */
bool monocle__thread_memory_exists (void);
/* Where the calling thread's stack lies; NULL: nobody said so yet. Any context. */
typedef struct {
	uintptr_t low, high;
} monocle__thread_stack;
const monocle__thread_stack *monocle__thread_memory_stack (void);
/* Not from a signal handler. */
void monocle__thread_memory_set_stack (uintptr_t low, uintptr_t high);
/* Where the thread's open look into a dynamic image stands (dynamic.c). */
typedef struct monocle__emitted_capture monocle__emitted_capture;
monocle__emitted_capture **monocle__thread_memory_capture (void);

/* --- images (image.c) --------------------------------------------------------------------------------------------- */

/* What is known of one method body. Written under the image's lock, read without. */
enum {
	MONOCLE__METHOD_UNKNOWN,
	MONOCLE__METHOD_PLAIN,    /* no filter wants it (in this epoch), or it has no body */
	MONOCLE__METHOD_PROBED,   /* the runtime has our body */
	MONOCLE__METHOD_TRACED,   /* the same, exceptional exits are wanted: inlined only into methods with probes */
	MONOCLE__METHOD_CATCHING, /* the same, and it has catch blocks: never inlined */
	MONOCLE__METHOD_REFUSED,  /* wanted, but its body cannot be rewritten; counted and logged */
	MONOCLE__METHOD_HANDLED,  /* no filter wants it, but its handlers have probes, or its returns fences */
	MONOCLE__METHOD_STALE,    /* the same, and the filters are to be asked again */
};

/* Runtime ids that were bound to records. */
typedef struct {
	struct {
		monocle_id_space space;
		uintptr_t id;
	} * list;
	uint32_t count, capacity;
} monocle__clr_ids;

/* Memory that lives as long as an image's code does. */
typedef struct monocle__clr_memory {
	struct monocle__clr_memory *next;
	void (*release) (void *block);
	void *block;
} monocle__clr_memory;

/* The most native ints that a probe is passed: type handles, two more, and the addresses of spill.c. */
enum { MONOCLE__CALLI_MAX = 16 };

typedef struct monocle__clr_image {
	monocle__describe_image cli; /* first: its metadata; not readable for Reflection.Emit images */
	_Atomic ModuleID id;         /* 0: unloaded */
	_Atomic AssemblyID assembly;
	bool is_collectible;
	atomic_int wanted; /* may hold methods that a filter wants: -1 not asked yet, 0, 1 */
	atomic_uint epoch; /* filter_epoch for which `wanted` and PLAIN states hold */
	uint32_t method_rows;
	_Atomic uint8_t *methods; /* state by methoddef row - 1 */
	pthread_mutex_t lock;     /* guards what follows, and rewriting */
	IMetaDataEmit2 *emit;
	uint32_t calli_token[MONOCLE__CALLI_MAX + 1]; /* signatures by number of native ints, 0: not made yet */
	uint32_t to_int_ptr_token, corlib_token;
	monocle__clr_ids bound;      /* of a collectible image: what to drop when it unloads; under a lock of image.c */
	monocle__clr_memory *memory; /* what code of this image refers to */
	uint32_t sequence;           /* images are numbered as they come */
	struct monocle__clr_image *_Atomic next;
	struct monocle__clr_image *retired; /* the next one that waits to be used again */
} monocle__clr_image;

/* NULL for modules that were never announced. Any context. */
monocle__clr_image *monocle__clr_image_find (ModuleID id);
monocle__clr_image *monocle__clr_image_of (MonoImage *record);
monocle__clr_image *monocle__clr_image_corlib (void);
/* What lib/describe asks about the images of this process. */
extern const monocle__describe_owner monocle__clr_image_owner;
/*
 * Binds an id to a record for as long as the id means that: the image's life; for arrays and generic instances (image
 * NULL) until any image unloads, for it may be the one that they are made over. Any thread, not from a signal handler.
 */
void monocle__clr_image_bind (monocle__clr_image *image, monocle_id_space space, uintptr_t id, void *record);

/*
 * Gives a block to the image: `release` is called with it when the image has gone. Without memory it stays for ever.
 * Under the image's lock.
 */
void monocle__clr_image_own (monocle__clr_image *image, void *block, void (*release) (void *block));

/* An exception is thrown: does it say that a file is no image (image-failure.c)? */
void monocle__image_failure_thrown (ObjectID object);

/* --- ids to records (resolve.c) ----------------------------------------------------------------------------------- */

MonoClass *monocle__resolve_class (ClassID id);
/*
 * The record of a function as Mono would name it: instances over reference types are the shared one. NULL: no metadata.
 */
MonoMethod *monocle__resolve_method (FunctionID id);
/*
 * The instance that a frame runs, exact as far as the frame knows: as Mono tells it in walks of stacks. 0: no frame.
 */
MonoMethod *monocle__resolve_method_in_frame (FunctionID id, COR_PRF_FRAME_INFO frame);
bool monocle__resolve_function (FunctionID id, ModuleID *ret_module, mdToken *ret_token);
/* The method for a definition and the type handles that its probe passed: class first when the class is generic. */
MonoMethod *monocle__resolve_method_of_keys (MonoMethod *definition, const uintptr_t *keys, uint32_t count,
                                             bool class_key);

/* --- objects and layouts (object.c, layout.c, heap.c) ------------------------------------------------------------- */

void monocle__clr_object_ops (monocle_host_ops *ops);
void monocle__clr_layout_ops (monocle_host_ops *ops);
void monocle__clr_heap_ops (monocle_host_ops *ops);
/* The object's type handle. The low bits of the first word are the collector's. Where the object may be looked at. */
static inline ClassID
monocle__clr_object_class_id (MonoObject *object)
{
	return *(const uintptr_t *) object & ~(uintptr_t) 7;
}
/* Where a string's characters begin; its length stands behind the type handle. 0: not known yet. Any context. */
uint32_t monocle__clr_layout_characters_offset (void);
/* Is this thread inside the making of a handle for a module, or for ourselves? */
bool monocle__clr_object_makes_handle (void);
/* Keeps an object where it is until it is released, whatever the thread asks of the runtime. NULL: it cannot. */
void *monocle__clr_object_hold (ObjectID object);
void monocle__clr_object_release (void *held);
/* Of an array class with one dimension: no vector, but one with bounds, T[*]? Any context. */
bool monocle__clr_layout_is_general_vector (ClassID id);
/* The id that the runtime uses for this class today. Any context. */
void monocle__clr_layout_remember_class (MonoClass *klass, ClassID id);

/* --- questions of threads that must not ask (service.c) ----------------------------------------------------------- */

/* Makes the thread; without it nothing is run. Inside Initialize. */
void monocle__service_begin (void);
/*
 * Runs `work` over a copy of `data` on a thread that the runtime does not know, and copies it back. Waits so long at
 * most; 0: not at all, any context; UINT_MAX: until it is done, whatever was asked before. False: it is not done (yet),
 * `data` is as it was. Who waits is no signal handler.
 */
bool monocle__service_run (void (*work) (void *data), void *data, size_t size, unsigned milliseconds);
bool monocle__service_is_self (void);
/* What it does each time that it is woken; there is one. */
void monocle__service_set_chore (void (*work) (void));
/* False: there is no service (any more). Any context. */
bool monocle__service_wake (void);
/* From now on nothing is run: the runtime is going. */
void monocle__service_end (void);
bool monocle__service_is_over (void);

/* --- sampling (sampling.c) ---------------------------------------------------------------------------------------- */

/* A module asks for it, in the init window: sees to it that threads can be interrupted. */
bool monocle__sampling_grant (void);
/* On a thread that begins. */
void monocle__sampling_thread_began (void);
/* On a thread that has thrown: from now on it can be interrupted again. */
void monocle__sampling_thrown (void);

/* --- answers to the core (describe.c) ----------------------------------------------------------------------------- */

void monocle__clr_fill_ops (monocle_host_ops *ops);

/* --- machine code (code.c) ---------------------------------------------------------------------------------------- */

/* The runtime knows the method by this id, among others; which is how its code is found. Any context. */
void monocle__clr_code_seen (FunctionID function, MonoMethod *method);
void monocle__clr_code_ops (monocle_host_ops *ops);
/* The IL that an instruction of any body of the function comes from. UINT32_MAX: nothing says. Callbacks. */
uint32_t monocle__clr_code_il_offset (FunctionID function, uintptr_t ip);
/* Code of one handler or filter: which of the body's `count` pieces it is, and its first IL (UINT32_MAX: none). */
typedef struct {
	uint32_t place, count, il_offset;
} monocle__clr_code_handler;
/* False: no handler's code begins there. */
bool monocle__clr_code_handler_at (FunctionID function, uintptr_t begin, monocle__clr_code_handler *ret);
/* The body of a function that holds the address. NULL: the runtime shows none. Normal context. */
MonoJitInfo *monocle__clr_code_at (FunctionID function, uintptr_t address);

/* --- stacks (stack.c) --------------------------------------------------------------------------------------------- */

void monocle__clr_stack_ops (monocle_host_ops *ops);
/*
 * The frame of the runtime's callback that the calling thread is in, for walks that begin there; 0: none was noted. A
 * callback notes its own and puts back what it found.
 */
uintptr_t monocle__thread_memory_callback (void);
uintptr_t monocle__thread_memory_set_callback (uintptr_t frame);

/* --- methods without metadata (dynamic-method.c) ------------------------------------------------------------------ */

/*
 * The record of a function that no image lists and that was met on a stack: it says what the function is, even where
 * nobody listens for its end. *ret_is_stub: is it one of the runtime's stubs? NULL: no memory, or gone. Normal context.
 */
MonoMethod *monocle__dynamic_method_glance (FunctionID function, BOOL *ret_is_stub);
/* Its code, which is found by its address from then on. NULL: it was not compiled yet. Normal context. */
MonoJitInfo *monocle__dynamic_method_code (FunctionID function);

/* --- images without a file (dynamic.c); from the runtime's callbacks only ----------------------------------------- */

/* Has the core ask for what can be asked now: of a new image, of a method that is compiled, of a class. */
void monocle__emitted_image (monocle__clr_image *image);
void monocle__emitted_method (FunctionID function);
void monocle__emitted_class_loaded (MonoClass *klass);
/* monocle_image_unload () of any image. */
void monocle__emitted_unload (monocle__clr_image *image);
/* What is known of them meanwhile. */
extern const monocle__describe_unreadable monocle__emitted_unreadable;

/* --- probes (filter.c, fence.c, probe.c) -------------------------------------------------------------------------- */

/*
 * Sees to it that `token` carries the probes its filters ask for. `function` is the function being compiled or inlined
 * (for the line map). Returns its state; *ret_new tells that it was rewritten during this very call. Normal context.
 */
int monocle__probing_ensure (monocle__clr_image *image, mdToken token, FunctionID function, bool *ret_new);
static inline bool
monocle__probing_is_probed (int state)
{
	return state >= MONOCLE__METHOD_PROBED && state <= MONOCLE__METHOD_CATCHING;
}
/* Does native code call the method? Then what it returns through must be kept apart from probes (fence.c). */
bool monocle__fence_is_needed (const monocle__clr_image *image, mdToken token);
/* Do handlers of methods of this image get probes? Precompiled code has none, and stays in use. */
bool monocle__probing_wants_clauses (const monocle__clr_image *image);
/* Do those of this method? */
static inline bool
monocle__probing_has_clause_probes (const monocle__clr_image *image, int state)
{
	bool rewritten = monocle__probing_is_probed (state) || state >= MONOCLE__METHOD_HANDLED;
	return rewritten && monocle__probing_wants_clauses (image);
}

/* --- what the runtime invokes by itself (invoke.c) ---------------------------------------------------------------- */

typedef enum {
	MONOCLE__NOT_INVOKED, /* or nobody listens */
	MONOCLE__INVOKED,
	MONOCLE__REFLECTS, /* invokes the method whose MethodInfo `this` is */
} monocle__invoke;

bool monocle__invoke_wanted (void);
monocle__invoke monocle__invoke_kind (monocle__clr_image *image, mdToken token);
/* Before the first probe of a method that reflects. Normal context. */
void monocle__invoke_prepare (MonoMethod *reflecting);
/* Which method its `this` stands for. In a probe. */
MonoMethod *monocle__invoke_reflected (MonoMethod *reflecting, const void *object);

/* Does any filter want anything of this image? Asks every method once per epoch. */
bool monocle__probing_wants_image (monocle__clr_image *image);

enum { MONOCLE__KEYS_MAX = 5 };

/* A generic definition as its probes name it, with the instances seen so far. Lives as long as its image's code. */
typedef struct monocle__clr_generic {
	MonoMethod *definition;
	uint32_t key_count;
	bool class_key;
	struct monocle__clr_instance *_Atomic buckets[16];
} monocle__clr_generic;

/* Frees it with its instances. No probe of it may run any more. */
void monocle__probe_generic_free (void *generic);
/* The instance that the type handles name. In a probe. */
MonoMethod *monocle__probe_generic_instance (monocle__clr_generic *generic, const uintptr_t *keys);

typedef void (*monocle__probe) (void);

/* The native functions that probes call, by what the filters asked for. */
monocle__probe monocle__probe_enter (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_leave (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_tail (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_fault (void);
/* Of invoked methods: they do all that the others do, by flags that they are passed last. */
monocle__probe monocle__probe_begin_invoke (monocle__invoke kind, bool generic);
monocle__probe monocle__probe_end_invoke (bool generic);

/*
 * What exception.c remembers of a thread's second passes; part of the shadow stack's memory. NULL: no probe ran here
 * yet.
 */
enum { MONOCLE__UNWINDING_MAX = 128, MONOCLE__FILTERS_MAX = 32 };
typedef struct {
	struct {
		FunctionID function;
		uintptr_t sp;                 /* of the dispatch */
		uint32_t entry;               /* of the function on the shadow stack; UINT32_MAX: none known */
	} frames[MONOCLE__UNWINDING_MAX]; /* entered, not left yet */
	unsigned count;
	FunctionID left;                       /* reported as left, not believed yet; 0: none */
	uint32_t left_depth;                   /* of the shadow stack at that moment */
	uint32_t floors[MONOCLE__FILTERS_MAX]; /* depth of the shadow stack when each open filter began */
	unsigned filters;
	bool makes_handle; /* of object.c: a handle that nobody is told of is being made */
} monocle__unwinding;
monocle__unwinding *monocle__thread_memory_unwinding (void);

/* Exceptions that must not move while they are under way (exception.c), innermost last. */
enum { MONOCLE__PINS_MAX = 16 };
typedef struct {
	struct {
		uintptr_t sp; /* of the dispatch */
		void *held;
	} list[MONOCLE__PINS_MAX];
	uint32_t count;
} monocle__pins;
/* Of the calling thread (shadow.c); NULL: no memory. */
monocle__pins *monocle__thread_memory_pins (void);
/* The calling thread ends: whatever is still pinned is let go. */
void monocle__exception_end (void);

/*
 * The shadow stack, as exception.c unwinds it; whatever happens, the first `floor` entries stay. `unwound`: the
 * innermost machine frame, which is of `function`, is gone. `reached`: an exception has come down to the frame of
 * `function`, what was called from there is gone; `caught`: what was inlined there as well.
 */
void monocle__shadow_unwound (FunctionID function, uint32_t floor);
uint32_t monocle__shadow_reached (FunctionID function, uint32_t floor); /* its own entry's index, or UINT32_MAX */
uint32_t monocle__shadow_caught (FunctionID function, uint32_t floor);  /* the same */
/*
 * An exception has come to a handler of the `frame` of `function`, as the runtime names frames: what is deeper is gone,
 * also where the runtime said nothing of it, as .NET 10 does of recursive functions.
 */
void monocle__shadow_handled (FunctionID function, uintptr_t frame, uint32_t floor);
/*
 * Is the innermost machine frame, of `function`, really gone when the next one that is reported is of `function` again?
 */
bool monocle__shadow_recursive (FunctionID function, uint32_t floor);
uint32_t monocle__shadow_depth (void);
/* Ends all but the first `depth` entries. */
void monocle__shadow_cut (uint32_t depth);

/*
 * In ExceptionThrown, whose own frame is `frame`: is there managed code on the stack (throw-site.c)? False: nobody can
 * catch the exception, and what the runtime's next callback is about is no function.
 */
bool monocle__throw_site_is_managed (uintptr_t frame);

/* --- exceptions under way (dispatch.c); the calling thread's own -------------------------------------------------- */

/* How far the passes of an exception came with one function that has catch blocks or filters. */
typedef struct {
	FunctionID function;        /* 0: free */
	uint32_t searched, unwound; /* how many frames of it the passes came to */
	uint32_t met;               /* which of them was the first with a clause; 0: none */
} monocle__pass;

/* One exception, from its throw until it is caught. */
typedef struct {
	ObjectID object; /* stays where it is while it is held */
	void *held;
	FunctionID searched; /* the first pass is in this function */
	bool found;          /* and its handler is there */
	bool met;            /* a frame that was unwound had a clause around the place it was at */
	monocle__pass passes[8];
} monocle__under_way;

/* A filter or handler that runs. */
typedef struct {
	FunctionID function;
	uintptr_t frame, begin; /* as the runtime names them */
	uint32_t dispatches;    /* under way when it began: what it throws comes behind those */
} monocle__under_way_handler;

/* What the runtime announced and no probe has told of yet. */
typedef struct {
	MonoMethod *definition; /* NULL: nothing */
	uint32_t type;          /* fault blocks count as finally blocks */
	ObjectID object;
	void *held; /* NULL: the dispatch, which goes on, holds it */
} monocle__announced;

typedef struct {
	monocle__under_way list[32]; /* innermost last */
	uint32_t count;
	monocle__under_way_handler handlers[64];
	uint32_t handler_count;
	monocle__announced announced;
} monocle__under_way_list;
/* Of the calling thread (shadow.c); NULL: no memory. */
monocle__under_way_list *monocle__thread_memory_under_way (void);

/* The frame of `function` whose handler the runtime announces in this very callback; 0: it does not say. */
uintptr_t monocle__under_way_frame (FunctionID function);

/* In the callbacks of these names, behind what they do to the shadow stack. */
void monocle__under_way_thrown (ObjectID object);
void monocle__under_way_search_enter (FunctionID function);
void monocle__under_way_found (void);
void monocle__under_way_search_leave (void);
void monocle__under_way_unwind_enter (FunctionID function);
/* A filter, finally or fault block begins, or a catch block with its exception. */
void monocle__under_way_filter_enter (FunctionID function);
void monocle__under_way_finally_enter (FunctionID function);
void monocle__under_way_catcher_enter (FunctionID function, ObjectID object);
/* Any of them ends. */
void monocle__under_way_handler_leave (void);

/* The `exception` of method_exception_leave for a frame that leaves now. */
MonoObject *monocle__under_way_left (void);

/*
 * Takes it back, when it is of this definition and type; *ret_held is released then, when it was told. False: nothing
 * was announced. In a probe.
 */
bool monocle__under_way_take (MonoMethod *definition, uint32_t type, MonoObject **ret_object, void **ret_held);

/* --- clauses (clause.c) ------------------------------------------------------------------------------------------- */

/* The clauses of one function. Immutable, but for what is learnt of its code; lives for ever. */
typedef struct monocle__clauses monocle__clauses;
/* NULL: it has none, or no IL. Callbacks. */
monocle__clauses *monocle__clause_of (FunctionID function);
/* Has the function any? Keeps nothing. */
bool monocle__clause_any (FunctionID function);
uint32_t monocle__clause_flags (const monocle__clauses *clauses, uint32_t index);
/* Has it a catch block with a type? */
bool monocle__clause_typed (const monocle__clauses *clauses);
/* Do its handlers have probes? */
bool monocle__clause_probed (const monocle__clauses *clauses);
/* Which of the clauses begins at this machine code: its filter, or its handler. UINT32_MAX: it cannot be told. */
uint32_t monocle__clause_at (monocle__clauses *clauses, uintptr_t begin, bool is_filter);
/* Does a try stand around what was called from `return_address`, or around the whole handler of the clause `in`? */
bool monocle__clause_protect (const monocle__clauses *clauses, uintptr_t return_address);
bool monocle__clause_enclose (const monocle__clauses *clauses, uint32_t in);
/* Does the handler of `outer` stand around the clause `inner`? */
bool monocle__clause_nest (const monocle__clauses *clauses, uint32_t outer, uint32_t inner);

/* --- probes at handlers (handler.c) ------------------------------------------------------------------------------- */

monocle__probe monocle__clause_probe_function (bool generic);

/* --- the CPU (arch/) ---------------------------------------------------------------------------------------------- */

/* Where the direct call goes that returns to this address; 0: no direct call stands there. */
uintptr_t monocle__arch_call_target (uintptr_t return_address);
/* Could the instruction before this address be a call? The code begins at `start`. */
bool monocle__arch_follows_call (uintptr_t address, uintptr_t start);
/* Where the last call returns to that was made with this stack pointer and has not been overwritten yet. */
uintptr_t monocle__arch_return_address (uintptr_t caller_sp);
/* The stack and frame pointers in a frame's registers, as DoStackSnapshot shows them. */
void monocle__arch_snapshot_registers (const BYTE *context, uintptr_t *ret_sp, uintptr_t *ret_fp);
/* Where code that keeps a frame pointer returns to, and both pointers then. Reads two words at `fp`. */
uintptr_t monocle__arch_frame_caller (uintptr_t fp, uintptr_t *ret_sp, uintptr_t *ret_fp);

#endif
