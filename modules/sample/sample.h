/*
 * SPDX-License-Identifier: MIT
 *
 * sample.h - what the module `sample` is made of.
 */
#ifndef MONOCLE_MODULES_SAMPLE_H
#define MONOCLE_MODULES_SAMPLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/profiler.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

/* --- sample.c ----------------------------------------------------------------------------------------------------- */

/* Was the module started, and has it not gone since? Any thread. */
bool sample_is_started (void);

/* --- thread.c: what is kept of each thread ------------------------------------------------------------------------ */

struct thread_place {
	_Atomic uintptr_t thread;  /* its pthread_self (); 0: never taken */
	uint64_t last;             /* the clock at its last sample */
	uint64_t hit;              /* the clock at its last hit */
	uint64_t began;            /* the monotonic clock then */
	_Atomic uint32_t snapshot; /* the number of the last snapshot that it is in */
	_Atomic int tid;           /* as the kernel counts, known by then */
	uint32_t hits;             /* since that began */
	bool has_name;             /* or needs none */
	bool collects;             /* the thread has set off a collection, which is not over */
	uint32_t epoch;            /* the one that `last` and `hit` belong to: cost.c */
};

/* Which thread a sample is of: the calling one, or one that sleeps and is looked at from another one. */
struct subject {
	uintptr_t tid; /* its pthread_self () */
	int asleep;    /* 0: the calling one; else its number in the kernel */
};

/* The calling thread. Async-safe, as are the next two. */
struct subject subject_self (void);
int subject_number (const struct subject *subject);
enum { THREAD_NAME = 16 };
/* As the kernel has it; "": it has ended. */
void subject_name (const struct subject *subject, char name[THREAD_NAME]);
/* The name of the process's first thread, as the kernel has it. Normal context. */
void subject_program (char name[THREAD_NAME]);

/* The calling thread's place. NULL: it has none. Async-safe. */
struct thread_place *thread_find (void);
struct thread_place *thread_find_of (uintptr_t tid);
/* The same, taken if need be; a new one's readings are 0. NULL: no room. Async-safe. */
struct thread_place *thread_take (void);
struct thread_place *thread_take_of (uintptr_t tid);
/* Is the thread that the kernel calls `tid` in the snapshot of this number? Any thread. */
bool thread_is_in_snapshot (int tid, uint32_t snapshot);
/* The thread that pthread_self () calls `thread` has ended. Any context. */
void thread_end (uintptr_t thread);

/* --- cost.c: what a thread has used since it was looked at last --------------------------------------------------- */

enum cost_kind { COST_CPU, COST_WALL };

/*
 * `period`: nanoseconds between samples. `sleepers`: the runtime hits threads that do nothing. `late`: it ran already,
 * and what a thread has used before its first hit does not count. Init.
 */
void cost_init (enum cost_kind kind, uint64_t period, bool sleepers, bool late);
/* What is in no sample because it was the cost of hitting sleepers, in nanoseconds. Async-safe. */
uint64_t cost_left_out (void);
/* The calling thread is counted from now on. Any context. */
void cost_begin (void);
/*
 * What the calling thread has used since its last sample, in nanoseconds; 0: too little for a sample, it will be in the
 * next one. Followed by cost_done (), which takes the work in between out of the next weight. Async-safe.
 */
uint64_t cost_take (void);
void cost_done (void);
/* The same of a thread that sleeps, which uses no CPU time. Nothing follows. */
uint64_t cost_take_asleep (uintptr_t tid);
/* Nothing is counted any more; again, from now on. Normal context. */
void cost_stop (void);
void cost_start (void);
/* The calling thread ends: all that is in no sample yet. 0 in wall mode. */
uint64_t cost_rest (void);

/* --- frames.c: where a hit gathers the frames of its stack -------------------------------------------------------- */

enum { FRAMES_BUFFERS = 64 };

struct frames {
	monocle_kit_frame *buffers;
	size_t each;
	atomic_bool is_taken[FRAMES_BUFFERS];
};

/* `count`: the frames in each buffer. False: no memory. Normal context. */
bool frames_init (struct frames *frames, size_t count);
/* Nobody has one of them. */
void frames_leave (struct frames *frames);
/* NULL: all of them are in use. Async-safe. */
monocle_kit_frame *frames_take (struct frames *frames);
void frames_give_back (struct frames *frames, const monocle_kit_frame *taken);

/* --- stack.c: the frames of one thread's stack -------------------------------------------------------------------- */

enum { STACK_MORE = 2 }; /* frames than are asked for: [truncated], and the thread's state */

struct stack {
	monocle_kit_frame *frames;
	uint32_t count, room; /* without the more */
	bool has_native;      /* native functions are frames, too */
	bool has_lines;       /* frames are places in methods */
	bool is_cut;
	unsigned work;     /* of the runtime, above the first managed frame: runtime.c */
	uintptr_t ip;      /* where the thread was */
	uintptr_t running; /* the same while it is there: of the calling thread; else 0 */
};

/* False: the walk lost its way. `from`: a signal's context. Async-safe. */
typedef bool (*stack_walker) (struct stack *stack, const void *from);
bool stack_walk (struct stack *stack, const void *from);
/* `from`: a MonocleAsleep. */
bool stack_walk_asleep (struct stack *stack, const void *from);
/* What the walk leaves to be said of where the stack begins and ends. Async-safe. */
void stack_complete (struct stack *stack, const struct subject *subject, bool whole);

/* --- name.c: how code is called in the profile -------------------------------------------------------------------- */

/*
 * `raw`: shows `Program/<Main>d__0:MoveNext ()` as it is. `lines`: addresses are places in methods. `late`: a Mono that
 * runs already, which has lines if it was started with --debug. Init.
 */
void name_init (bool raw, bool lines, bool late);
/* The end of an attach: nobody has a key of these any more. */
void name_leave (void);
/* resolve and name of monocle_kit_stacks_config. */
uint32_t name_resolve (void *data, uintptr_t address, void **ret_keys, uint32_t capacity);
size_t name_of (void *key, char *buffer, size_t size);
/* NULL: it is no method's. */
MonoMethod *name_method (void *key);
/* The same with lines, and as in the source, whatever the module was told. */
uint32_t name_resolve_place (void *data, uintptr_t address, void **ret_keys, uint32_t capacity);
size_t name_of_place (void *key, char *buffer, size_t size);

/* --- plumbing.c: which frames say nothing to the reader ----------------------------------------------------------- */

/* shorten of monocle_kit_stacks_config. */
uint32_t plumbing_leave_out (void *data, uint64_t *keys, uint32_t count);

/* --- runtime.c: whose time it was when no managed code ran -------------------------------------------------------- */

/* What a library's code does, as bits. */
enum runtime_work { RUNTIME_COMPILES = 1, RUNTIME_COLLECTS = 2, RUNTIME_WORKS = 4, RUNTIME_STARTS = 8 };

/* Which libraries are loaded by now; asked again and again while the runtime starts. Normal context. */
void runtime_look (void);
/* The calling thread begins a collection, or is done with it. Normal context, or with the world stopped. */
void runtime_set_collecting (bool does);
/* What the thread has said so far, as runtime_work. Async-safe. */
unsigned runtime_own_work (uintptr_t tid);
/* Of the code at an address; 0: none of the runtime's. Async-safe, as is all that follows. */
unsigned runtime_work_at (uintptr_t ip);
/* How a stack without managed frames is shown, given what is on it and how the kernel calls its thread. */
uintptr_t runtime_frame_alone (unsigned work, const char *thread_name);
/*
 * What the profile calls a thread of which the runtime has told no name; NULL: its number. For the process's first
 * thread and the runtime's own there are words. Of others the name that the kernel has counts, which is put into
 * `name`; not that of `program`, which every thread begins with, and none where `program` is "".
 */
const char *runtime_thread_name (const struct subject *subject, const char *program, char name[THREAD_NAME]);
/*
 * What is shown above other frames; 0: nothing, the time is the innermost one's own. What a managed method calls in the
 * runtime is a helper of its own; what a stub calls prepares code and types.
 */
uintptr_t runtime_frame_above (unsigned work, bool is_above_stub);

/* --- stub.c: what glue of CoreCLR's does -------------------------------------------------------------------------- */

/* The frame that shows a stub in which a thread is: its kind, else MONOCLE_KIT_FRAME_STUB. Async-safe. */
uintptr_t stub_frame (uintptr_t ip);

/* --- state.c: what each thread did before a snapshot, or a sample, disturbed it ----------------------------------- */

enum { STATE_PLACES = 1 << 14 };

struct states {
	_Atomic uint32_t places[STATE_PLACES]; /* number of a thread << 7 | its letter; 0: nothing */
};

/* Looks at all threads. Async-safe; one at a time for each table. */
void state_look (struct states *states);
/*
 * What the thread was seen to do, as an outermost frame; 0: not known. `context`: the ucontext_t of the signal that it
 * is in, if it is the calling one, or NULL. Async-safe.
 */
uintptr_t state_frame (struct states *states, const struct subject *subject, const void *context);
/* Does it wait, or did it until the signal came, by what is known of it alone? Async-safe. */
bool state_is_waiting (const struct subject *subject, const void *context);

/* --- async.c: which async methods wait for which ------------------------------------------------------------------ */

/* Of each collection. */
void async_gc_event (MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial);
/*
 * Collects, and puts every chain into the profile, as a stack of a thread of its own: innermost, a method that awaits
 * none of the others, then the one that awaits it, and so on, `depth` at most. `say` gets a line of what is missing.
 * Normal context, on a thread that the runtime may stop, or does not know.
 */
void async_take (monocle_kit_stacks *stacks, uint32_t depth, void (*say) (void *data, const char *line), void *data);

/* --- snapshot.c: the stacks of all threads, once ------------------------------------------------------------------ */

/* Opens the profile of snapshots, none without `config`; mode and frequency are what is set again after each. Init. */
bool snapshot_init (const monocle_kit_stacks_config *config, MonoProfilerHandle handle, MonoProfilerSampleMode mode,
                    uint32_t frequency);
/* Async methods that wait are in it from now on, in chains of `depth` at most. Init. */
void snapshot_take_async (uint32_t depth);
/*
 * SIGUSR2 takes a snapshot from now on. `replaces`: a handler that has it now is replaced; else a handler that is there
 * stays, and that is logged. Nothing happens without init.
 */
void snapshot_listen (bool replaces);
/* What is set again after each from now on. Normal context. */
void snapshot_set_mode (MonoProfilerSampleMode mode);
/* The number of the snapshot that wants stacks now; 0: none. Async-safe, as is add. */
uint32_t snapshot_under_way (void);
/* Is the thread not in this snapshot yet? Then it is from now on. Async-safe. */
bool snapshot_wants_thread (uint32_t snapshot, const struct subject *subject);
/* There is room for one more in `frames`. `context`: as state_frame () has it. */
void snapshot_add (monocle_kit_frame *frames, uint32_t count, const struct subject *subject, const void *context);
/* A stack of it ends where Mono has to be asked about an address first. Async-safe. */
void snapshot_cut (void);
void snapshot_thread_name (uintptr_t tid, const char *name);
void snapshot_thread_end (uintptr_t tid);
/* Now and then, on any thread: a snapshot that has lasted ends. */
void snapshot_beat (void);
/* The last one; waits for it. Then, with no more hits to come, the end. Nothing happens without init. */
void snapshot_last (void);
void snapshot_close (void);
/* Afterwards, when no thread is in the module any more: gives signal and memory back. */
void snapshot_leave (void);

#endif
