/*
 * SPDX-License-Identifier: MIT
 *
 * profiler.h - the module API.
 *
 * A profiler module is a shared library `libmono-profiler-NAME.so` that exports
 *
 *     MONO_API void mono_profiler_init_NAME (const char *desc);
 *
 * `desc` is the whole text after --profile=, "NAME" or "NAME:ARGS"; it is the module's business to parse ARGS, and to
 * copy what it keeps. The function creates a handle, sets callbacks, asks for features, and returns. It runs before the
 * runtime is up: there is no domain, no thread, and no event yet.
 *
 * Callbacks run on the thread that does the work, several at once, newest handle first. There is no recursion guard: an
 * event raised by what a callback does is delivered as well. Arguments are valid during the callback only, unless its
 * comment says otherwise; records (MonoMethod, MonoClass, MonoImage ...) may be kept as keys. Under CoreCLR, callbacks
 * about calls run inside the program's managed code: they must be short and must not block.
 *
 * The words "any context", "normal context", "init window" and "borrowed" are explained in <mono/utils/mono-publib.h>.
 * Semantics: Mono's documentation of the profiler API, version 3, and the observed behaviour of Mono 6.8.
 */
#ifndef MONO_METADATA_PROFILER_H
#define MONO_METADATA_PROFILER_H

#include <mono/metadata/appdomain.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>

MONO_BEGIN_DECLS

/* For sources that support older versions; known at compile time only, nothing checks it at run time. */
#define MONO_PROFILER_API_VERSION 3

/* The module's own: define `struct _MonoProfiler` as you like. Every callback gets it back. */
typedef struct _MonoProfiler MonoProfiler;
typedef struct _MonoProfilerDesc *MonoProfilerHandle;

/* --- handles ------------------------------------------------------------------------------------------------------ */

typedef void (*MonoProfilerCleanupCallback) (MonoProfiler *prof);

/*
 * Loads a module by its desc, as --profile= does. For embedders, before the runtime starts: features that the module
 * enables are then granted, or outside Mono promised (a message says which of them the runtime does not have). A later
 * load works, but features can then no longer be enabled. A failure is not reported to the caller; outside Mono a
 * message says why (doc/messages.md). NULL means "log". Not async-safe.
 */
MONO_API void mono_profiler_load (const char *desc);

/*
 * Makes a handle: one set of callback slots. `prof` may be NULL. A module may make several; there is no way to destroy
 * one. NULL when memory is exhausted (outside Mono only). At any time, also before the runtime exists. Not async-safe.
 */
MONO_API MonoProfilerHandle mono_profiler_create (MonoProfiler *prof);

/*
 * Called once at the very end, after runtime_shutdown_end, when all callbacks of all handles were cleared; free `prof`
 * there. The handle is gone: no profiler function may be called on it. Not called when the process dies. Any context.
 */
MONO_API void mono_profiler_set_cleanup_callback (MonoProfilerHandle handle, MonoProfilerCleanupCallback cb);

/* --- coverage ----------------------------------------------------------------------------------------------------- */

/* One place of a method where execution is counted. The strings are borrowed, during the callback only. */
typedef struct {
	MonoMethod *method;
	uint32_t il_offset;
	uint32_t counter;      /* executions, modulo 2^32 */
	const char *file_name; /* NULL: no symbols; "": symbols without a document */
	uint32_t line;         /* from 1; 1 without symbols */
	uint32_t column;       /* from 1; 0: not known */
} MonoProfilerCoverageData;

/*
 * Nonzero: count this method. Asked when it is compiled and when it is considered for inlining (which a yes forbids),
 * possibly several times and on several threads: the answer must not change. The answers of all handles are ORed.
 */
typedef mono_bool (*MonoProfilerCoverageFilterCallback) (MonoProfiler *prof, MonoMethod *method);
typedef void (*MonoProfilerCoverageCallback) (MonoProfiler *prof, const MonoProfilerCoverageData *data);

/* Asks for coverage. Nonzero: granted. Init window; 0 ever after. */
MONO_API mono_bool mono_profiler_enable_coverage (void);

/*
 * Sets (NULL: removes) the filter. Without one nothing is counted. Methods already compiled stay as they are. Any
 * context.
 */
MONO_API void mono_profiler_set_coverage_filter_callback (MonoProfilerHandle handle,
                                                          MonoProfilerCoverageFilterCallback cb);

/*
 * Calls `cb` for each place of the method, by ascending IL offset. A method that was never compiled reports its places
 * with counter 0 if it has symbols. Returns 0 when coverage is off or the method has no IL body, else 1, also when
 * there was nothing to report. In Mono the counts of generic instances are kept per instance. Normal context,
 * runtime_shutdown_end included.
 */
MONO_API mono_bool mono_profiler_get_coverage_data (MonoProfilerHandle handle, MonoMethod *method,
                                                    MonoProfilerCoverageCallback cb);

/* --- sampling ----------------------------------------------------------------------------------------------------- */

typedef enum {
	MONO_PROFILER_SAMPLE_MODE_NONE    = 0, /* no samples until the mode changes */
	/* Mono: paced by the process's CPU time; as REAL where there is no such clock. Elsewhere: by each thread's own. */
	MONO_PROFILER_SAMPLE_MODE_PROCESS = 1,
	MONO_PROFILER_SAMPLE_MODE_REAL    = 2, /* paced by a monotonic clock */
} MonoProfilerSampleMode;

/*
 * Asks for sampling. Nonzero: sampling can be had. The first handle that asks owns the settings. It begins with mode
 * NONE and 100 Hz. Init window; 0 ever after.
 */
MONO_API mono_bool mono_profiler_enable_sampling (MonoProfilerHandle handle);

/*
 * Sets mode and frequency (samples of every thread per second). 0: the handle does not own the settings, or, outside
 * Mono, the frequency is 0 while the mode is not NONE (Mono crashes on it), or the mode is none of these. A frequency
 * beyond 20,000 is taken as that outside Mono. NONE holds at once there, other modes shortly after. Any context.
 */
MONO_API mono_bool mono_profiler_set_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode,
                                                  uint32_t freq);

/*
 * Writes the settings to the pointers that are not NULL, for everybody; nonzero when the handle owns them. Any context.
 */
MONO_API mono_bool mono_profiler_get_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode *mode,
                                                  uint32_t *freq);

/* --- features that cost something --------------------------------------------------------------------------------- */

/* Ask for gc_allocation, for exception_clause. Nonzero: granted. Init window; 0 ever after. */
MONO_API mono_bool mono_profiler_enable_allocations (void);
MONO_API mono_bool mono_profiler_enable_clauses (void);

/* --- call instrumentation ----------------------------------------------------------------------------------------- */

/* The state of one call, during one method_enter, method_leave or method_samplepoint, on its thread. */
typedef struct _MonoProfilerCallContext MonoProfilerCallContext;

/* What to instrument of a method; bits. A CONTEXT bit means nothing without the bit it belongs to. */
typedef enum {
	MONO_PROFILER_CALL_INSTRUMENTATION_NONE                = 0,
	MONO_PROFILER_CALL_INSTRUMENTATION_ENTER               = 1 << 1, /* method_enter */
	MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT       = 1 << 2, /* ... with a call context */
	MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE               = 1 << 3, /* method_leave */
	MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT       = 1 << 4, /* ... with a call context */
	MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL           = 1 << 5, /* method_tail_call, which replaces method_leave */
	MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE     = 1 << 6, /* method_exception_leave */
	MONO_PROFILER_CALL_INSTRUMENTATION_SAMPLEPOINT_CONTEXT = 1 << 7, /* method_samplepoint's; later Mono */
} MonoProfilerCallInstrumentationFlags;

/*
 * Says which bits a method gets. Asked on the thread that compiles, for wrappers too, again when the method is
 * considered for inlining (any bit forbids it), and by Mono again whenever an exception unwinds it: be quick,
 * thread-safe, and stick to the answer. All handles are asked and their bits ORed; events go to every handle that has
 * the callback, so with several modules a callback gets calls which its own filter did not ask for.
 *
 * For balanced stacks ask for ENTER, LEAVE, TAIL_CALL and EXCEPTION_LEAVE together:
 * enters = leaves + tail calls + exception leaves.
 */
typedef MonoProfilerCallInstrumentationFlags (*MonoProfilerCallInstrumentationFilterCallback) (MonoProfiler *prof,
                                                                                               MonoMethod *method);

/*
 * Sets (NULL: removes) the filter. Without one no call is instrumented. Code that was compiled already stays as it is;
 * in Mono that includes ahead-of-time code, on CoreCLR precompiled code of wanted methods is rejected. Any context.
 */
MONO_API void mono_profiler_set_call_instrumentation_filter_callback (MonoProfilerHandle handle,
                                                                      MonoProfilerCallInstrumentationFilterCallback cb);

/* Asks for the getters below. Nonzero: granted. Init window; 0 ever after. */
MONO_API mono_bool mono_profiler_enable_call_context_introspection (void);

/*
 * Copies of the values of a call, each in a buffer of exactly the size of its type (mono_type_size ()): release it with
 * mono_profiler_call_context_free_buffer (). A reference comes as the object's raw address, good until the next
 * collection; `ref` parameters as the address they hold. NULL: introspection was not enabled, the context is NULL,
 * there is no such value, or memory is exhausted. Only inside the callback that got the context, on its thread. Not
 * async-safe.
 *
 * _get_this      The `this` slot: the reference, or the address of the value for methods of structs. NULL in static
 *                methods.
 * _get_argument  Declared parameter `position`, from 0, `this` not counted. At the leave: its value by then.
 * _get_local     Local `position` of the IL body. NULL where it is not known; Mono 6.8 crashes here.
 * _get_result    At the leave, the returned value. NULL for void, and at the enter.
 */
MONO_API void *mono_profiler_call_context_get_this (MonoProfilerCallContext *context);
MONO_API void *mono_profiler_call_context_get_argument (MonoProfilerCallContext *context, uint32_t position);
MONO_API void *mono_profiler_call_context_get_local (MonoProfilerCallContext *context, uint32_t position);
MONO_API void *mono_profiler_call_context_get_result (MonoProfilerCallContext *context);
/* NULL is ignored. Not async-safe. */
MONO_API void mono_profiler_call_context_free_buffer (void *buffer);

/* --- values of events --------------------------------------------------------------------------------------------- */

/* What a code buffer holds, and what `data` of jit_code_buffer is. */
typedef enum {
	MONO_PROFILER_CODE_BUFFER_METHOD              = 0, /* MonoMethod */
	MONO_PROFILER_CODE_BUFFER_METHOD_TRAMPOLINE   = 1, /* not used any more */
	MONO_PROFILER_CODE_BUFFER_UNBOX_TRAMPOLINE    = 2, /* MonoMethod */
	MONO_PROFILER_CODE_BUFFER_IMT_TRAMPOLINE      = 3,
	MONO_PROFILER_CODE_BUFFER_GENERICS_TRAMPOLINE = 4,
	MONO_PROFILER_CODE_BUFFER_SPECIFIC_TRAMPOLINE = 5, /* its name, a C string */
	MONO_PROFILER_CODE_BUFFER_HELPER              = 6,
	MONO_PROFILER_CODE_BUFFER_MONITOR             = 7, /* not used any more */
	MONO_PROFILER_CODE_BUFFER_DELEGATE_INVOKE     = 8,
	MONO_PROFILER_CODE_BUFFER_EXCEPTION_HANDLING  = 9,
} MonoProfilerCodeBufferType;

/*
 * Steps of a collection, in the order in which they happen, which is not the order of the numbers. Pairs of stop and
 * start also occur without START and END (thread and domain work).
 */
typedef enum {
	MONO_GC_EVENT_PRE_STOP_WORLD            = 6,  /* the collector's lock is held, the world still runs */
	MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED     = 10, /* the locks for suspending are held as well */
	MONO_GC_EVENT_POST_STOP_WORLD           = 7,  /* the world is stopped: no allocation, no lock, plain reads only */
	MONO_GC_EVENT_START                     = 0,
	MONO_GC_EVENT_END                       = 5,
	MONO_GC_EVENT_PRE_START_WORLD           = 8,  /* still stopped: the one place for mono_gc_walk_heap () */
	MONO_GC_EVENT_POST_START_WORLD          = 9,  /* the world runs, locks are still held */
	MONO_GC_EVENT_POST_START_WORLD_UNLOCKED = 11, /* locks are free */
} MonoProfilerGCEvent;

/* --- events ----------------------------------------------------------------------------------------------------------
 * For each row (NAME, Type, arguments) of <mono/metadata/profiler-events.h> there are
 *
 *     typedef void (*MonoProfilerTypeCallback) (MonoProfiler *prof, arguments);
 *     void mono_profiler_set_NAME_callback (MonoProfilerHandle handle, MonoProfilerTypeCallback cb);
 *
 * The setter replaces the handle's callback, NULL removes it. At any time, any context. A thread that is just
 * delivering may call the old function once more.
 *
 * Unless a line says otherwise: on the thread that does the work, normal context, nothing is locked. "Half-built"
 * objects have only the properties that are named. Where the CoreCLR adapter cannot follow, a note
 * begins with "CLR:"; whether it raises an event exactly, by a rule, or not at all is in `doc/events.md`.
 *
 * The runtime
 *   runtime_initialized     The core library is up; the program's assembly is not loaded yet. Threads may be started
 *                           here.
 *   runtime_shutdown_begin  The end begins. Managed code may still run, events still flow.
 *   runtime_shutdown_end    The last event. Metadata can be read: write reports here. No thread can be attached any
 *                           more. On Mono neither of the two comes when the process dies (unhandled exception, exit (),
 *                           signals).
 *
 * Remoting contexts and domains (Mono only but for the root domain's loading, loaded and name)
 *   context_loaded          A context was registered, one per domain at least.
 *   context_unloaded        Its finalizer runs, on the finalizer thread.
 *   domain_loading          Half-built: no name, no id.
 *   domain_loaded           Usable; still without a name.
 *   domain_name             Once per domain. The root's is the file name of the program. `name` is borrowed.
 *   domain_unloading        AppDomain.Unload began, on a thread of the runtime's. Never for the root.
 *   domain_unloaded         Its assemblies are closed, the domain itself can still be read. Never for the root.
 *
 * The JIT
 *   jit_begin               Compilation begins; also for ahead-of-time code when it is bound. CLR: the first time code
 *                           of a method is prepared, and again for later tiers.
 *   jit_failed              It failed; there is no code.
 *   jit_done                Code can be found by address. `jinfo` may be NULL. There may be more of these than
 *                           jit_begin: one more for wrappers and for code that generic instances share, and one for
 *                           each thread of a race.
 *   jit_chunk_created       Memory for code was mapped. The first chunks come before modules are loaded. CLR: not
 *                           raised.
 *   jit_chunk_destroyed     It was unmapped. CLR: not raised.
 *   jit_code_buffer         Machine code of any kind; see MonoProfilerCodeBufferType. Methods' before their jit_done.
 *
 * Classes, and classes in domains
 *   class_loading           Half-built: name, namespace, image. The loader lock is held: look up and load nothing.
 *   class_failed            It could not be created.
 *   class_loaded            Created, with parent and flags; fields and methods come later. Arrays, pointers and type
 *                           parameters too. Bases are loaded inside their heirs' loading. For generic instances the
 *                           loader lock is still held.
 *   vtable_loading          Locks are held: look up and load nothing.
 *   vtable_failed           CLR: not raised.
 *   vtable_loaded           Before the first object of the class; the static constructor has not run. CLR: when the
 *                           class was loaded, or directly before gc_allocation: look up and load nothing.
 *
 * Images and assemblies
 *   image_loading           Half-built: the name of the file.
 *   image_failed            Not a valid image; it is closed next.
 *   image_loaded            Metadata can be read; the assembly does not exist yet, so classes cannot be loaded.
 *   image_unloading         It is not used any more.
 *   image_unloaded          The pointer is only a key now; outside Mono its names still answer.
 *   assembly_loading        Half-built: no name, an image. Nothing may follow when the load is refused.
 *   assembly_loaded         Usable. The core library's comes so early that no class can be loaded yet.
 *   assembly_unloading      Not at the end of the program.
 *   assembly_unloaded       Its image may be gone.
 *
 * Calls (of methods a filter selected)
 *   method_enter            The body begins; arguments are in place. `context` is NULL without ENTER_CONTEXT.
 *   method_leave            The body ends normally; the result is evaluated. `context` is NULL without LEAVE_CONTEXT.
 *   method_tail_call        Instead of method_leave: the frame is replaced by a call of `target`, NULL when that is not
 *                           known. The enter of the target follows.
 *   method_exception_leave  An exception unwinds the frame, after its finally blocks. `exception` may be NULL in Mono.
 *                           An exception that the method itself catches raises none. On Mono it also comes for frames
 *                           without method_enter.
 *   method_free             A dynamic method was freed.
 *   method_begin_invoke     Native code calls managed code (Main, static constructors, mono_runtime_invoke ()). CLR:
 *                           also what reflection invokes; as in method_enter the runtime must not be called.
 *   method_end_invoke       It came back, by return or by exception.
 *
 * Exceptions
 *   exception_throw         The search for a handler begins. Again for rethrows, and where an exception crosses a
 *                           reflective call. Mono: not for failed checks that the same method catches (it compiles them
 *                           to a jump).
 *   exception_clause        A handler is about to run; needs mono_profiler_enable_clauses (). `index` is its place in
 *                           the method's table of clauses. A filter comes as FILTER first and as NONE (catch) if it
 *                           accepts. A finally block that ends a try normally has no exception: NULL.
 *
 * The garbage collector
 *   gc_event                See MonoProfilerGCEvent; on the thread that triggered the collection. `is_serial`: nonzero
 *                           when the collector is not concurrent; in START and END Mono means the opposite.
 *   gc_allocation           Allocated and cleared, lengths set, constructor not run; needs
 *                           mono_profiler_enable_allocations (). Allocating here raises it again.
 *   gc_moves                World stopped. `count` pointers: old address, new address, old, new ... In batches; a
 *                           buffer of the runtime's.
 *   gc_resize               The heap has `size` bytes now; world stopped.
 *   gc_handle_created       `object` may be NULL. Also the runtime's own handles; the thread may be one it does not
 *                           know.
 *   gc_handle_deleted       As above.
 *   gc_finalizing           The finalizer thread woke up, also when there is nothing to do: a place for periodic work.
 *   gc_finalized            It is about to sleep again.
 *   gc_finalizing_object    Before and after one finalizer, on the finalizer thread.
 *   gc_finalized_object
 *   gc_root_register        Memory that the collector scans. `start` may be a small number instead of an address,
 *                           `size` 0 or 1, `name` NULL; `key` depends on `source` (MonoGCRootSource). CLR: kinds of
 *                           roots, with made-up addresses.
 *   gc_root_unregister      Also for roots that were never reported, also after thread_stopped. CLR: not raised.
 *   gc_roots                World stopped. Two parallel arrays: where a root is, what it refers to. In batches.
 *
 * Monitors
 *   monitor_contention      The calling thread must wait. One of the next two follows; the object may have moved by
 *                           then.
 *   monitor_failed          It gave up: timeout or interruption.
 *   monitor_acquired        It has the lock. Locks that are free at once raise nothing.
 *
 * Threads (`tid` is the pthread_t; tids are used again at once)
 *   thread_started          On the new thread, before managed code, after some other events of that thread. The main
 *                           thread too, and threads of the runtime's.
 *   thread_stopping         It is about to end; its domain can still be asked for. Not for the main thread.
 *   thread_stopped          The runtime has forgotten most of it.
 *   thread_exited           The last one: there is no current domain and no current thread any more.
 *   thread_name             On the thread that sets the name, which may be another one; may repeat. `name` is borrowed
 *                           UTF-8.
 *
 * Sampling
 *   sample_hit              In a signal handler on the sampled thread, which may be in any state. `ip` is where it was,
 *                           in any code; `context` the ucontext_t, for mono_stack_walk_async_safe (), which on Mono
 *                           may allocate: ask monocle_kit_aot_unprepared () (monocle/kit.h) before. Only what says
 *                           "any context" may be called. On Mono every thread is hit at each tick, sleeping ones
 *                           included; elsewhere so in mode REAL only.
 *
 * Later Mono
 *   inline_method           The JIT puts the body of `inlined_method` into `method`.
 *   method_samplepoint      At a safe point of an instrumented method. Never raised outside later Mono.
 */

#define MONO_PROFILER_DECLARE_EVENT(name, Type, ...) \
	typedef void (*MonoProfiler##Type##Callback) (__VA_ARGS__); \
	MONO_API void mono_profiler_set_##name##_callback (MonoProfilerHandle handle, MonoProfiler##Type##Callback cb);

#define MONO_PROFILER_EVENT_0(name, Type) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof)
#define MONO_PROFILER_EVENT_1(name, Type, type1, arg1) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof, type1 arg1)
#define MONO_PROFILER_EVENT_2(name, Type, type1, arg1, type2, arg2) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof, type1 arg1, type2 arg2)
#define MONO_PROFILER_EVENT_3(name, Type, type1, arg1, type2, arg2, type3, arg3) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof, type1 arg1, type2 arg2, type3 arg3)
#define MONO_PROFILER_EVENT_4(name, Type, type1, arg1, type2, arg2, type3, arg3, type4, arg4) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof, type1 arg1, type2 arg2, type3 arg3, type4 arg4)
#define MONO_PROFILER_EVENT_5(name, Type, type1, arg1, type2, arg2, type3, arg3, type4, arg4, type5, arg5) \
	MONO_PROFILER_DECLARE_EVENT (name, Type, MonoProfiler *prof, type1 arg1, type2 arg2, type3 arg3, type4 arg4, \
	                             type5 arg5)
#include <mono/metadata/profiler-events.h>
#undef MONO_PROFILER_EVENT_0
#undef MONO_PROFILER_EVENT_1
#undef MONO_PROFILER_EVENT_2
#undef MONO_PROFILER_EVENT_3
#undef MONO_PROFILER_EVENT_4
#undef MONO_PROFILER_EVENT_5
#undef MONO_PROFILER_DECLARE_EVENT

MONO_END_DECLS

#endif
