/*
 * SPDX-License-Identifier: MIT
 *
 * ext.h - what only some hosts can tell: events beyond Mono's, whole stacks, and what this host delivers at all.
 *
 * Every function here is a weak symbol: NULL on real Mono, so that one module file loads everywhere. Test before the
 * first call:
 *
 *     if (monocle_event_support && monocle_event_support ("exception_phase"))
 *             monocle_profiler_set_exception_phase_callback (handle, on_phase);
 *
 * Callbacks are set and cleared like Mono's, in any context, and run newest handle first. Their rows are in
 * <monocle/ext-events.h>; doc/events.md says for each what it costs the program.
 */
#ifndef MONOCLE_EXT_H
#define MONOCLE_EXT_H

#include <stdint.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>

MONO_BEGIN_DECLS

/* Hosts know that they have them: <monocle/host.h> includes this file. */
#if defined(__GNUC__) && !defined(MONOCLE_HOST_H)
#define MONOCLE_EXT MONO_API __attribute__ ((weak))
#else
#define MONOCLE_EXT MONO_API
#endif

typedef enum {
	MONOCLE_SUPPORT_NONE  = 0, /* never, or not yet */
	MONOCLE_SUPPORT_RULE  = 1, /* by a rule of doc/events.md */
	MONOCLE_SUPPORT_EXACT = 2, /* as Mono would; an event that Mono does not have: as the runtime reports it */
} MonocleSupport;

/*
 * What this host delivers of the event of that name: one of Mono's ("gc_event") or of this file's. NONE for names that
 * are unknown. A host that does not say is assumed to deliver all of Mono's events. Any context.
 */
MONOCLE_EXT MonocleSupport monocle_event_support (const char *event);

/* --- exception_phase: the two passes of an exception, frame by frame, on the throwing thread ----------------------
 * `method` is NULL in the _LEAVE phases and for frames without metadata. `exception` is only given with CATCHER_ENTER.
 * From UNWIND_ENTER on nothing may be loaded: look at records, do not look for new ones.
 */
typedef enum {
	MONOCLE_EXCEPTION_SEARCH_ENTER  = 0, /* first pass: is there a handler in this frame? */
	MONOCLE_EXCEPTION_SEARCH_LEAVE  = 1,
	MONOCLE_EXCEPTION_FILTER_ENTER  = 2, /* a filter of this frame runs */
	MONOCLE_EXCEPTION_FILTER_LEAVE  = 3,
	MONOCLE_EXCEPTION_CATCHER_FOUND = 4, /* the first pass ends */
	MONOCLE_EXCEPTION_UNWIND_ENTER  = 5, /* second pass: this frame is going */
	MONOCLE_EXCEPTION_UNWIND_LEAVE  = 6,
	MONOCLE_EXCEPTION_FINALLY_ENTER = 7, /* a finally or fault block of this frame runs */
	MONOCLE_EXCEPTION_FINALLY_LEAVE = 8,
	MONOCLE_EXCEPTION_CATCHER_ENTER = 9, /* the second pass ends, the catch block is going to run */
	MONOCLE_EXCEPTION_CATCHER_LEAVE = 10,
} MonocleExceptionPhase;

/* --- suspension: the runtime stops all managed threads -------------------------------------------------------------
 * On the thread that stops the others. `nanoseconds`: with SUSPENDED and ABORTED since it began to stop them, with
 * RESUMED too, which is the pause as a whole; else 0. Between SUSPENDED and RESUMING the world is stopped: plain reads
 * only, no allocation.
 */
typedef enum {
	MONOCLE_SUSPENSION_SUSPENDING = 0,
	MONOCLE_SUSPENSION_SUSPENDED  = 1,
	MONOCLE_SUSPENSION_ABORTED    = 2,
	MONOCLE_SUSPENSION_RESUMING   = 3,
	MONOCLE_SUSPENSION_RESUMED    = 4,
} MonocleSuspensionPhase;

/* The values are the CLR's COR_PRF_SUSPEND_REASON. */
typedef enum {
	MONOCLE_SUSPENSION_FOR_OTHER              = 0,
	MONOCLE_SUSPENSION_FOR_GC                 = 1,
	MONOCLE_SUSPENSION_FOR_APPDOMAIN_SHUTDOWN = 2,
	MONOCLE_SUSPENSION_FOR_CODE_PITCHING      = 3,
	MONOCLE_SUSPENSION_FOR_SHUTDOWN           = 4,
	MONOCLE_SUSPENSION_FOR_DEBUGGER           = 6,
	MONOCLE_SUSPENSION_FOR_GC_PREPARATION     = 7,
	MONOCLE_SUSPENSION_FOR_REJIT              = 8,
	MONOCLE_SUSPENSION_FOR_PROFILER           = 9,
} MonocleSuspensionReason;

/* thread_suspension: one thread was stopped, or may go on. On the thread that stops the others; plain reads only. */

/* --- code ----------------------------------------------------------------------------------------------------------
 * jit_inlining: the compiler considers compiling `callee` into `caller`. *allowed is what was decided so far; a
 * callback that sets it to 0 forbids it, for all. Normal context, on a compiling thread.
 */

/* code_search: precompiled code of a method is looked for. *allowed as above in BEGIN; in END NULL. */
typedef enum {
	MONOCLE_CODE_SEARCH_BEGIN = 0,
	MONOCLE_CODE_FOUND        = 1,
	MONOCLE_CODE_NOT_FOUND    = 2,
} MonocleCodeSearch;

/* rejit: a method gets another body. `version`: the runtime's number of it; `result`: an HRESULT, negative: failed. */
typedef enum {
	MONOCLE_REJIT_BEGIN = 0,
	MONOCLE_REJIT_END   = 1,
	MONOCLE_REJIT_ERROR = 2,
} MonocleRejitPhase;

/*
 * --- load_failed: `result` is the runtime's HRESULT, `name` what is known of the thing's name, "" when nothing is. --
 */
typedef enum {
	MONOCLE_LOAD_ASSEMBLY = 0,
	MONOCLE_LOAD_IMAGE    = 1,
	MONOCLE_LOAD_CLASS    = 2,
} MonocleLoadKind;

/*
 * thread_os_id: the thread that modules know as `tid` has this number in the system. After thread_started, on itself.
 */

/* --- transition: control passes between managed and native code ----------------------------------------------------
 * On the calling thread. `method`: the managed side's declaration, NULL when it has none. Short and without blocking,
 * as call events.
 */
typedef enum {
	MONOCLE_TRANSITION_TO_NATIVE  = 0,
	MONOCLE_TRANSITION_TO_MANAGED = 1,
} MonocleTransition;

typedef enum {
	MONOCLE_TRANSITION_CALL   = 0,
	MONOCLE_TRANSITION_RETURN = 1,
} MonocleTransitionReason;

/*
 * survivors: in a collection, world stopped: these ranges of the heap were kept. `now_at`: where each went, NULL:
 * nothing moved. What lies in a collected generation and in no range is dead.
 */

/*
 * class_unloaded: a class went with its image, between image_unloading and image_unloaded. Its record is a tombstone:
 * the name still answers, and no other class will have the pointer. Of classes that were met while they were there:
 * loaded while somebody listened, or asked about. Normal context.
 */

/*
 * allocation_sampled: one allocation out of many, where gc_allocation would cost too much or cannot be had any more. On
 * the allocating thread; the object is not there yet. `size`: its bytes. `stands_for`: the bytes that were allocated
 * for each such sample, an estimate: the sum over the samples of a class is about what the class allocated, and each
 * stands for about stands_for / size objects. `klass` is NULL when the runtime does not name it.
 */

/* --- stacks: walks that know more than Mono's --------------------------------------------------------------------- */

typedef enum {
	MONOCLE_FRAME_MANAGED = 0, /* code of a method */
	MONOCLE_FRAME_NATIVE  = 1, /* of the runtime, of libraries, of the system */
	MONOCLE_FRAME_STUB    = 2, /* managed code that is no method's: what the runtime generates for itself */
} MonocleFrameKind;

/* One frame of a stack. Valid during the visit. */
typedef struct {
	MonoMethod *method;      /* NULL: native, a stub, or managed code that has no name (yet) */
	const void *start;       /* of that piece of code; NULL: native or unknown */
	uintptr_t ip;            /* where it goes on: after a call, except in the frame that was interrupted */
	uintptr_t sp, fp;        /* of the frame, there; 0: unknown */
	uint32_t native_offset;  /* from `start` to the running instruction: of a call, not after it */
	uint32_t kind;           /* MonocleFrameKind */
	mono_bool has_inlined;   /* methods became parts of this code: monocle_inlined_at () tells which */
} monocle_frame;

/* Nonzero stops the walk. Inside a signal handler it has to be async-safe. */
typedef int (*monocle_frame_visitor) (const monocle_frame *frame, void *data);

enum {
	MONOCLE_WALK_NATIVE = 1, /* native frames too, as far as they can be told */
};

/*
 * sample_asleep: what sample_hit is for other threads, in mode REAL, for a thread that waits in the kernel: it is not
 * interrupted. After any signal poll (), nanosleep () and the like fail with EINTR, which the program takes for an
 * error, so in such calls threads never get sample_hit; in others they get sample_hit where a module listens to that
 * alone, or where the stack cannot be walked to its root from outside. On a thread of the core's, normal context: `tid`
 * is the thread that sleeps, `os_id` the number that the system knows it by, `stack` its stack at this tick. It may
 * have woken up by now, and ended. The first frame is where it waits, the others are return addresses. Valid during the
 * callback.
 */
typedef struct {
	uint32_t size;               /* sizeof (MonocleAsleep) */
	uint32_t count;              /* 1 at least */
	const monocle_frame *frames; /* innermost first, native ones too; 1024 at most */
	mono_bool is_whole;          /* the last one is the thread's root */
} MonocleAsleep;

/*
 * As mono_stack_walk_async_safe (), with whole frames, native ones among them when `flags` asks for these. Innermost
 * first. 0: the root of the stack was reached; 1: the visitor stopped; negative: the walk lost its way before the root,
 * what was visited is right. Only inside sample_hit, with its context; async-safe there.
 */
MONOCLE_EXT int monocle_stack_walk_async_safe (void *initial_sig_context, uint32_t flags, monocle_frame_visitor visit,
                                               void *data);

/*
 * The first walk that meets code of which nothing is known, as of a DynamicMethod that was compiled before an attach,
 * shows a stub; the host then asks its runtime. Nonzero: it is about to, or does. *ret_found: how much of such code was
 * found since the process began, which walks show from then on. Any context.
 */
MONOCLE_EXT mono_bool monocle_code_awaited (uint64_t *ret_found);

/*
 * Which IL the code at `ip` came from: of the running instruction, so that a return address is one too much. By the
 * compiler's map of that piece of code, whichever tier it is of; an inlined call is the place of the call. True: there
 * is code of *ret_method, and *ret_il_offset is UINT32_MAX where the map says nothing. False: there is none, and both
 * are untouched. Any thread; normal context.
 */
MONOCLE_EXT mono_bool monocle_il_offset_at (const void *ip, MonoMethod **ret_method, uint32_t *ret_il_offset);

/* A method whose code at some place became a part of another one's, and where in its IL. */
typedef struct {
	MonoMethod *method;
	uint32_t il_offset; /* of the outer ones: of the call that was inlined */
} monocle_inlined;

/*
 * The methods that the code at `ip` is of, innermost first: those that were inlined there, and last the one that was
 * compiled. `ip` is as monocle_il_offset_at () wants it. How many there are in `ret`, `capacity` at most; 0: nothing
 * was inlined there, or that is not known. CoreCLR tells it of what is compiled while the program runs with
 * DOTNET_RichDebugInfo=1 in its environment, and while somebody samples; Mono never does. Any thread; normal context.
 */
MONOCLE_EXT uint32_t monocle_inlined_at (const void *ip, monocle_inlined *ret, uint32_t capacity);

/* --- sampling: how it goes ---------------------------------------------------------------------------------------- */

typedef struct {
	uint32_t size;                /* set by the caller to sizeof (MonocleSampling) */
	MonoProfilerSampleMode mode;  /* NONE: no samples now. What was set is here once all threads have it */
	uint32_t frequency;           /* as asked for */
	uint32_t achieved;            /* hits in a second of CPU time of each thread (REAL: of time), 0.25 s ago */
	const char *engine;           /* "perf", "timer", "paced": of most threads; "": none */
	uint32_t threads;             /* that are sampled now; without those that are seen to block the signal */
	uint64_t hits;                /* since the process began, as are the next two */
	uint64_t lost;                /* due, while the one before was still on its way */
	uint64_t nanoseconds;         /* CPU time of sampled threads */
} MonocleSampling;

/* Fills *ret_state, as much of it as its `size` says. 0: it is NULL or too small for any of it. Any context. */
MONOCLE_EXT mono_bool monocle_sampling_state (MonocleSampling *ret_state);

/*
 * A runtime has threads of its own that no event announces, such as those of a parallel collector. From now on those
 * whose name in the kernel begins with `name` (".NET ") are sampled as well, for all handles, in mode PROCESS. In
 * sample_hit such a thread has no MonoThread and no domain, and its end is not told. One name, 15 bytes at most, which
 * is copied. 0: there is another one already, or it is too long. Init.
 */
MONOCLE_EXT mono_bool monocle_sampling_include (const char *name);

/*
 * Call filters are asked about a method when it is compiled. This asks them again, about all methods, and code that
 * runs already gets the probes that they want now, or loses those that they do not want any more. Nonzero: it is under
 * way on a thread of the host; calls that begin later are told as the filters say. A call that runs is told to its end
 * as it was begun. 0: this host does not do it, or not here. Not async-safe; not in a call probe.
 */
MONOCLE_EXT mono_bool monocle_reinstrument (void);

/*
 * Of a method that the runtime itself suspends and resumes (MethodImplAttributes.Async) the signature says Task<T> or
 * ValueTask<T>, and the method's code returns T: this is T. NULL: it is no such method, or nothing is in its task. In a
 * filter or jit_begin, as mono_method_signature ().
 */
MONOCLE_EXT MonoType *monocle_method_get_awaited_type (MonoMethod *method);
/*
 * What such a method returned, a T, as mono_profiler_call_context_get_result () gives the results of others: a copy, to
 * be freed by mono_profiler_call_context_free_buffer (). That function says NULL of it, because who reads it by the
 * signature would take it for an object. NULL, too, where the method was suspended and did not return. Only for
 * modules that import that function as well, or none of its kind. Where a context may be read.
 */
MONOCLE_EXT void *monocle_call_context_get_awaited_result (MonoProfilerCallContext *context);

/* --- coverage: what is counted, and where the counters lie ----------------------------------------------------------
 * Mono counts executions of each sequence point in memory of its own, and mono_profiler_get_coverage_data () copies
 * them. A host that instruments IL can do better: counters in a module's memory, which a file may hold (it outlives a
 * process that is killed), hits instead of executions, and the ways out of branches.
 */
typedef enum {
	MONOCLE_COVERAGE_HITS   = 1, /* a byte that becomes 1. Exact whatever threads do */
	MONOCLE_COVERAGE_COUNTS = 4, /* 32 bits: how often. Threads that run the same place at once lose additions */
} MonocleCoverageMode;

/* A source file. Lives as long as the image that was compiled from it. */
typedef struct {
	const char *path;    /* as the symbols have it */
	const uint8_t *hash; /* of the source as it was compiled; NULL: unknown */
	uint32_t hash_size;  /* 32: SHA-256, 20: SHA-1, 16: MD5 */
} MonocleCoverageDocument;

/* A sequence point that a person can see. Without symbols: an offset where the stack is empty, document NULL. */
typedef struct {
	const MonocleCoverageDocument *document;
	uint32_t il_offset;
	uint32_t start_line, start_column;
	uint32_t end_line, end_column; /* the column after the last one; 0: unknown */
	uint32_t counter;              /* index; what always runs equally often may share one */
	uint32_t beyond;               /* 1: control never comes here, unless a method returns that says it does not */
} MonocleCoveragePoint;

/* A way out of a conditional branch or a switch that a person wrote. */
typedef struct {
	uint32_t il_offset;     /* of the branch */
	uint32_t target_offset; /* where this way leads */
	uint32_t point;         /* the point that the branch belongs to: the last one at or before it */
	uint32_t path;          /* 0: falls through; 1: jumps; of a switch: 1 + case */
	uint32_t counter;
	uint32_t of_switch;     /* 0 or 1 */
} MonocleCoverageArm;

/* Of a method's definition: all its instances share it. Ascending by il_offset. Valid during the callback. */
typedef struct {
	MonoMethod *method;
	uint32_t kickoff; /* token of the method that a person wrote whose body this MoveNext has; 0: it is none */
	uint32_t point_count, arm_count, counter_count;
	const MonocleCoveragePoint *points;
	const MonocleCoverageArm *arms;
} MonocleCoveragePlan;

/*
 * A method gets its counters: the callback answers where they are, `counter_count` of them, each of the mode's size and
 * aligned to it, readable and writable as long as the process lives. NULL: the method is not counted. Asked again about
 * a method (its body is made anew) it answers the same place. On a compiling thread, under locks: no managed code.
 */
typedef void *(*MonocleCoverageCounters) (void *data, const MonocleCoveragePlan *plan);

/*
 * Init window, after mono_profiler_enable_coverage (): counters lie where `counters` says. One module may have this,
 * the first that asks. 0: another one has it, or it is too late.
 */
MONOCLE_EXT mono_bool monocle_coverage_set_counters (MonocleCoverageMode mode, MonocleCoverageCounters counters,
                                                     void *data);

/*
 * Shows what would be counted of a method, compiled or not; `counter` of its points is as in the callback above.
 * 0: it has no body, or the host does not say. Reads symbols: normal context.
 */
MONOCLE_EXT mono_bool monocle_coverage_plan (MonoMethod *method,
                                             void (*show) (void *data, const MonocleCoveragePlan *plan), void *data);

#define MONOCLE_EXT_EVENT_ROW(name, setter, Callback, parameters, ...) \
	typedef void (*Callback) parameters; \
	MONOCLE_EXT void setter (MonoProfilerHandle handle, Callback cb);
#include <monocle/event-rows.h>

MONO_END_DECLS

#endif
