/*
 * SPDX-License-Identifier: MIT
 *
 * sample.c - profiler module: where the program spends its time, by looking at it now and then.
 *
 *   mono --profile=sample app.exe              CPU time by stack
 *   mono --profile=sample:mode=wall app.exe    time by stack, of waiting threads too
 *   mono --profile=sample:help
 *
 * A hit is taken in a signal handler: its weight is cost.c's, its stack the runtime's walk, and one call puts it into
 * the kit's ring. Names come later, on the kit's drain thread (name.c).
 */
#include "sample.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

#include "drain-thread.h"

MONOCLE_KIT_SUMMARY ("where the time goes, by sampling");
MONOCLE_KIT_WHEN_EMPTY ("the program used too little CPU time to be seen (--profile=sample:mode=wall shows waiting; "
                        "--profile=calls counts every call)");

enum { MODE_CPU, MODE_WALL, MODE_NONE };
static uint32_t option_mode;
static uint64_t option_freq = 100, option_depth = 256, option_buffer = 1 << 20, option_paths;
static bool option_threads, option_native, option_raw, option_lines, option_async;
static const char *option_output, *option_snapshot;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key        kind                        value            choices      help */
	{ "mode",     MONOCLE_KIT_OPTION_CHOICE, &option_mode,    "cpu|wall|none",
	  "what is measured; none: there are snapshots only" },
	{ "freq",     MONOCLE_KIT_OPTION_U64,    &option_freq,    "HZ",        "samples per second of each thread",
	  1, 10000 },
	{ "threads",  MONOCLE_KIT_OPTION_FLAG,   &option_threads, NULL,        "keep threads apart" },
	{ "native",   MONOCLE_KIT_OPTION_FLAG,   &option_native,  NULL,        "native functions too" },
	{ "raw",      MONOCLE_KIT_OPTION_FLAG,   &option_raw,     NULL,
	  "async and iterator methods as compiled, and all frames" },
	{ "lines",    MONOCLE_KIT_OPTION_FLAG,   &option_lines,   NULL,        "the source line of each frame" },
	{ "depth",    MONOCLE_KIT_OPTION_U64,    &option_depth,   NULL,        "frames kept of a stack, innermost first",
	  1, 1000 },
	{ "buffer",   MONOCLE_KIT_OPTION_U64,    &option_buffer,  "BYTES",     "for stacks that wait to be counted",
	  1 << 16, 1 << 30 },
	{ "paths",    MONOCLE_KIT_OPTION_U64,    &option_paths,   "SIZE",
	  "memory for stacks, what is beyond is folded; 0: 64m, or less where there is little" },
	{ "output",   MONOCLE_KIT_OPTION_STRING, &option_output,  "FILE",
	  "where the profile goes, else %e_%t_%p.sample.pb.gz: %p process, %t time, %e program, +FILE, |COMMAND, #FD" },
	{ "snapshot", MONOCLE_KIT_OPTION_STRING, &option_snapshot, "FILE",
	  "stacks of all threads on SIGUSR2 and (not on Mono) at the end, each into a file of its own" },
	{ "async",    MONOCLE_KIT_OPTION_FLAG,   &option_async,   NULL,
	  "snapshots have the async methods that wait, too, which costs a collection (not on Mono)" },
	{ NULL },
};
/* clang-format on */

static atomic_bool is_started;
static monocle_kit_stacks *the_stacks;
static MonoProfilerHandle the_handle;
static struct frames the_frames;
static char program_name[THREAD_NAME]; /* of a Mono that ran already: threads have names that nobody told us */
static bool is_late; /* Mono ran already: its threads began without us, and its sampler is there when we end */
static _Atomic uint64_t taken, weight; /* samples, and their nanoseconds */

/* --- in the signal handler ---------------------------------------------------------------------------------------- */

static void
name_thread (const struct subject *subject)
{
	struct thread_place *place = thread_find_of (subject->tid);
	char name[THREAD_NAME];
	if (!place || place->has_name)
		return;
	place->has_name = true;
	const char *known = runtime_thread_name (subject, program_name, name);
	if (!known)
		return;
	monocle_kit_stacks_thread_name (the_stacks, subject->tid, known);
	snapshot_thread_name (subject->tid, known);
}

/* Time that passes while a thread waits is not what it does: the profile tells the two apart. `context`: of a hit. */
static void
add_sample (const struct stack *stack, const struct subject *subject, const void *context, const uint64_t values[2])
{
	uint32_t count = stack->count;
	if (option_mode == MODE_WALL && state_is_waiting (subject, context))
		stack->frames[count++] = (monocle_kit_frame) { (void *) MONOCLE_KIT_FRAME_WAITING, 0 };
	if (monocle_kit_stacks_add (the_stacks, stack->frames, count, subject->tid, values)) {
		taken++;
		weight += values[1];
	}
}

static void
take_sample (const struct subject *subject, uint64_t used, bool is_snapshot, uintptr_t ip, stack_walker walk_it,
             const void *from)
{
	enum { FEW = 16 };
	monocle_kit_frame few[FEW + STACK_MORE], *frames = frames_take (&the_frames);
	struct stack stack = { .frames = frames ? frames : few, .ip = ip };
	stack.room = frames ? (uint32_t) option_depth : FEW;
	stack.has_native = option_native;
	stack.has_lines = option_lines;
	stack.work = runtime_own_work (subject->tid);
	stack.running = subject->asleep ? 0 : ip;
	uint64_t values[2] = { 1, used };
	name_thread (subject);
	bool whole = walk_it (&stack, from);
	stack_complete (&stack, subject, whole);
	if (used)
		add_sample (&stack, subject, subject->asleep ? NULL : from, values);
	if (is_snapshot && !whole && !subject->asleep)
		snapshot_cut ();
	if (is_snapshot)
		snapshot_add (stack.frames, stack.count, subject, subject->asleep ? NULL : from);
	if (frames)
		frames_give_back (&the_frames, frames);
}

static atomic_bool world_stops; /* Mono is stopping all threads */

/*
 * Mono's walk may map memory, and marks the thread meanwhile. A Mono that stops the world asks each thread that has
 * stopped whether it has this mark, and aborts where one has that stopped by itself: a hit comes upon those as well. So
 * no thread is walked until all have stopped, but for the one that stops them; what it used stays for its next hit.
 */
static void
sample_hit (MonoProfiler *profiler, const mono_byte *ip, const void *context)
{
	int saved_errno = errno;
	struct subject self = subject_self ();
	if (!monocle_event_support)
		monocle_kit_crash_look_out (context);
	if (world_stops && !(runtime_own_work (self.tid) & RUNTIME_COLLECTS)) {
		errno = saved_errno;
		return;
	}
	uint64_t used = option_mode == MODE_NONE ? 0 : cost_take ();
	uint32_t snapshot = snapshot_under_way ();
	bool is_snapshot = snapshot && snapshot_wants_thread (snapshot, &self);
	if (used || is_snapshot) {
		take_sample (&self, used, is_snapshot, (uintptr_t) ip, stack_walk, context);
		cost_done ();
	}
	errno = saved_errno;
}

/* --- of a thread that is not to be woken up, on the host's -------------------------------------------------------- */

static void
sample_asleep (MonoProfiler *profiler, uintptr_t tid, uint64_t os_id, const MonocleAsleep *asleep)
{
	struct subject subject = { .tid = tid, .asleep = (int) os_id };
	uint64_t used = option_mode == MODE_NONE ? 0 : cost_take_asleep (tid);
	uint32_t snapshot = snapshot_under_way ();
	bool is_snapshot = snapshot && snapshot_wants_thread (snapshot, &subject);
	if (used || is_snapshot)
		take_sample (&subject, used, is_snapshot, asleep->frames[0].ip, stack_walk_asleep, asleep);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* The calling thread. */
static void
begin_thread (void)
{
	cost_begin ();
	if (!monocle_event_support)
		monocle_kit_aot_thread_begin ();
}

static void
thread_started (MonoProfiler *profiler, uintptr_t tid)
{
	if (tid == (uintptr_t) pthread_self ())
		begin_thread ();
}

/*
 * What a thread used since it was hit last, or ever when its life was short, is in the total: its stack is not known.
 */
static void
thread_stopping (MonoProfiler *profiler, uintptr_t tid)
{
	static const monocle_kit_frame unsampled = { (void *) MONOCLE_KIT_FRAME_UNSAMPLED, 0 };
	uint64_t values[2] = { 0, 0 };
	if (option_mode != MODE_NONE && tid == (uintptr_t) pthread_self () && (values[1] = cost_rest ()))
		monocle_kit_stacks_add (the_stacks, &unsampled, 1, (uint64_t) pthread_self (), values);
}

static void
thread_exited (MonoProfiler *profiler, uintptr_t tid)
{
	thread_end (tid);
	if (!monocle_event_support)
		monocle_kit_aot_thread_end (tid);
	monocle_kit_stacks_thread_end (the_stacks, tid);
	snapshot_thread_end (tid);
}

/* --- Mono's sampler ----------------------------------------------------------------------------------------------- */

static sem_t sampler_began;

static void
note_sampler (uintptr_t tid, const char *name)
{
	if (tid == (uintptr_t) pthread_self () && !strcmp (name, "Profiler Sampler"))
		sem_post (&sampler_began);
}

/*
 * Mono waits at its end for each thread that is not marked as one of its own. Its sampler marks itself, and when the
 * program ends before that, Mono waits for ever. The sampler takes its name right after the mark.
 */
static void
await_sampler (void)
{
	enum { PATIENCE_S = 10 }; /* on a machine where that thread hardly gets its turn */
	struct timespec end;
	clock_gettime (CLOCK_MONOTONIC, &end);
	end.tv_sec += PATIENCE_S;
	while (sem_clockwait (&sampler_began, CLOCK_MONOTONIC, &end) && errno == EINTR)
		;
}

/* --- more events -------------------------------------------------------------------------------------------------- */

static void
note_own_name (void)
{
	struct thread_place *place = thread_take ();
	if (place)
		place->has_name = true;
}

static void
thread_name (MonoProfiler *profiler, uintptr_t tid, const char *name)
{
	if (!monocle_event_support)
		note_sampler (tid, name);
	if (tid == (uintptr_t) pthread_self ())
		note_own_name ();
	monocle_kit_stacks_thread_name (the_stacks, tid, name);
	snapshot_thread_name (tid, name);
}

static void
assembly_loaded (MonoProfiler *profiler, MonoAssembly *assembly)
{
	if (monocle_event_support)
		runtime_look ();
	else
		monocle_kit_aot_look ();
}

/* --- collections: on the thread that collects --------------------------------------------------------------------- */

static void
suspension (MonoProfiler *profiler, MonocleSuspensionPhase phase, MonocleSuspensionReason reason, uint64_t nanoseconds)
{
	bool is_gc = reason == MONOCLE_SUSPENSION_FOR_GC || reason == MONOCLE_SUSPENSION_FOR_GC_PREPARATION;
	if (phase == MONOCLE_SUSPENSION_SUSPENDING && is_gc)
		runtime_set_collecting (true);
	else if (phase == MONOCLE_SUSPENSION_RESUMED || phase == MONOCLE_SUSPENSION_ABORTED)
		runtime_set_collecting (false);
}

static void
gc_event (MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD)
		runtime_set_collecting (true);
	else if (event == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		world_stops = true;
	else if (event == MONO_GC_EVENT_POST_STOP_WORLD)
		world_stops = false;
	else if (event == MONO_GC_EVENT_POST_START_WORLD_UNLOCKED)
		runtime_set_collecting (false);
}

/* CoreCLR's gc_event comes from its event provider, which would cost more than all the rest. */
static void
hear_of_collections (void)
{
	if (!monocle_event_support)
		mono_profiler_set_gc_event_callback (the_handle, gc_event);
	else if (monocle_event_support ("suspension"))
		monocle_profiler_set_suspension_callback (the_handle, suspension);
	if (monocle_sampling_include)
		monocle_sampling_include (".NET ");
	if (option_async)
		mono_profiler_set_gc_event_callback (the_handle, async_gc_event);
}

/* --- what goes away must have its name before --------------------------------------------------------------------- */

static void
domain_unloading (MonoProfiler *profiler, MonoDomain *domain)
{
	monocle_kit_stacks_sync (the_stacks, 200);
}

static void
image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	monocle_kit_stacks_sync (the_stacks, 200);
}

/* --- the rate ----------------------------------------------------------------------------------------------------- */

/* Of the whole process, as far as the kernel's tick tells. */
static double
kernel_share (void)
{
	struct rusage usage;
	getrusage (RUSAGE_SELF, &usage);
	double user = (double) usage.ru_utime.tv_sec + (double) usage.ru_utime.tv_usec / 1e6;
	double system = (double) usage.ru_stime.tv_sec + (double) usage.ru_stime.tv_usec / 1e6;
	return user + system > 0 ? system / (user + system) : 0;
}

/*
 * Mono does not say how it samples. Events come in user mode only: a program that spends its time in system calls is
 * hit less often than was asked for, and each of its samples weighs more.
 */
static void
note_engine (void)
{
	MonocleSampling state = { .size = sizeof state };
	char text[160];
	if (!monocle_sampling_state || !monocle_sampling_state (&state) || !state.engine || !*state.engine)
		return;
	int length = snprintf (text, sizeof text, "%s", state.engine);
	if (state.lost)
		snprintf (text + length, sizeof text - (size_t) length, "; %llu hits came while the one before was under way",
		          (unsigned long long) state.lost);
	else if (!strcmp (state.engine, "perf"))
		snprintf (text + length, sizeof text - (size_t) length,
		          "; %.0f %% of the CPU time was the kernel's, where no sample is taken", 100 * kernel_share ());
	monocle_kit_stacks_note (the_stacks, "engine", text);
}

static void
note_rate (void)
{
	char text[200];
	double seconds = (double) weight / 1e9, left_out = (double) cost_left_out () / 1e9;
	if (!seconds)
		return;
	int length = snprintf (text, sizeof text, "%llu Hz asked for, %.0f Hz achieved: %llu samples in %.2f seconds of %s",
	                       (unsigned long long) option_freq, (double) taken / seconds, (unsigned long long) taken,
	                       seconds, option_mode == MODE_WALL ? "threads' time" : "CPU");
	if (left_out >= 0.005)
		snprintf (text + length, sizeof text - (size_t) length, "; %.2f more went into hitting sleepers", left_out);
	monocle_kit_stacks_note (the_stacks, "rate", text);
	note_engine ();
}

/* Once a second, on the drain thread. */
static void
beat (void *data)
{
	note_rate ();
	snapshot_beat ();
}

/*
 * By now Mono has its own handler of SIGUSR2, which switches --trace on and off. A program's handler comes later and
 * stays.
 */
static void
runtime_initialized (MonoProfiler *profiler)
{
	snapshot_listen (!monocle_event_support);
	if (!monocle_event_support && !is_late)
		await_sampler ();
}

static void
runtime_shutdown_begin (MonoProfiler *profiler)
{
	note_engine ();                       /* While there is one. */
	if (monocle_event_support || is_late) /* Mono's sampler has ended before Mono's own event. */
		snapshot_last ();
	mono_profiler_set_sample_mode (the_handle, MONO_PROFILER_SAMPLE_MODE_NONE, (uint32_t) option_freq);
	monocle_kit_stacks_close (the_stacks);
	snapshot_close ();
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static bool
read_options (const char *desc)
{
	int result = monocle_kit_options_parse ("sample", desc, options);
	if (result > 0)
		_exit (0); /* The user asked for help, not for a program. */
	if (!result && option_native && !monocle_stack_walk_async_safe)
		monocle_kit_log ("sample", "this runtime walks managed frames only; the innermost native one is shown");
	if (!result && option_async && !monocle_event_support) {
		monocle_kit_log ("sample", "async methods that wait cannot be found on Mono; snapshots have threads only");
		option_async = false;
	}
	return result == 0;
}

static MonoProfilerSampleMode
sample_mode (void)
{
	static const MonoProfilerSampleMode modes[] = {
		[MODE_CPU] = MONO_PROFILER_SAMPLE_MODE_PROCESS,
		[MODE_WALL] = MONO_PROFILER_SAMPLE_MODE_REAL,
		[MODE_NONE] = MONO_PROFILER_SAMPLE_MODE_NONE,
	};
	return modes[option_mode];
}

/* What is asked for besides; without it there are samples all the same. */
static void
open_snapshots (monocle_kit_stacks_config config)
{
	config.module = "snapshot";
	config.output = option_snapshot;
	config.values[0] = (monocle_kit_value_type) { "threads", "count" };
	config.values[1] = (monocle_kit_value_type) { NULL, NULL };
	config.period = 1;
	config.threads = true;
	config.pieces = true;
	config.beat = NULL;
	if (option_async) {
		config.values[1] = config.values[0];
		config.values[0] = (monocle_kit_value_type) { "async", "count" };
		snapshot_take_async ((uint32_t) option_depth);
	}
	snapshot_init (&config, the_handle, sample_mode (), (uint32_t) option_freq);
}

static monocle_kit_stacks *
open_stacks (const char *desc)
{
	char *runtime = mono_get_runtime_build_info ();
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "sample",
		.output = option_output,
		.desc = desc,
		.runtime = runtime,
		.values = { { "samples", "count" }, { option_mode == MODE_WALL ? "wall" : "cpu", "nanoseconds" } },
		.period = 1000000000u / option_freq,
		.threads = option_threads,
		.buffer = option_buffer,
		.paths = option_paths,
		.resolve = name_resolve,
		.name = name_of,
		.begin = drain_thread_begin,
		.beat = beat,
		.shorten = option_raw || !monocle_event_support ? NULL : plumbing_leave_out,
	};
	monocle_kit_stacks *stacks = monocle_kit_stacks_open (&config);
	if (stacks && option_snapshot)
		open_snapshots (config);
	else
		snapshot_init (NULL, the_handle, sample_mode (), (uint32_t) option_freq);
	mono_free (runtime);
	return stacks;
}

/* --- control ------------------------------------------------------------------------------------------------------ */

enum { CONTROL_MS = 2000 };

static bool
start (void *data)
{
	cost_start ();
	snapshot_set_mode (sample_mode ());
	return true;
}

static bool
stop (void *data)
{
	cost_stop ();
	snapshot_set_mode (MONO_PROFILER_SAMPLE_MODE_NONE);
	return true;
}

static bool
reset (void *data)
{
	taken = weight = 0;
	return monocle_kit_stacks_reset (the_stacks, CONTROL_MS);
}

static bool
show (void *data, char *ret_path, size_t size)
{
	snprintf (ret_path, size, "%s", monocle_kit_stacks_file (the_stacks));
	return monocle_kit_stacks_sync (the_stacks, CONTROL_MS);
}

static const monocle_kit_control control = {
	.size = sizeof control, .module = "sample", .start = start, .stop = stop, .reset = reset, .snapshot = show
};

/* --- init --------------------------------------------------------------------------------------------------------- */

/* Who enables first owns the rate; another module's samples are ours too. */
static bool
begin_sampling (void)
{
	if (!mono_profiler_enable_sampling (the_handle)) {
		monocle_kit_log_failure ("sample", "this runtime cannot be sampled; the program runs unprofiled");
		return false;
	}
	if (!mono_profiler_set_sample_mode (the_handle, sample_mode (), (uint32_t) option_freq))
		monocle_kit_log ("sample", "another module chose how samples are taken; mode= and freq= are not followed");
	return true;
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_sample (const char *desc);

/* Mono has no domain before it starts. */
static void
see_whether_late (void)
{
	is_late = !monocle_event_support && mono_get_root_domain ();
	if (is_late)
		subject_program (program_name);
}

bool
sample_is_started (void)
{
	return is_started;
}

void
mono_profiler_init_sample (const char *desc)
{
	is_started = true;
	if (!read_options (desc))
		return;
	see_whether_late ();
	cost_init (option_mode == MODE_WALL ? COST_WALL : COST_CPU, 1000000000u / option_freq, !monocle_event_support,
	           is_late);
	name_init (option_raw, option_lines, is_late);
	if (!monocle_event_support)
		monocle_kit_crash_look_out (NULL);
	the_handle = mono_profiler_create (NULL);
	if (!frames_init (&the_frames, option_depth + STACK_MORE)) {
		monocle_kit_log_failure ("sample", "no memory; the program runs unprofiled");
		return;
	}
	if (!begin_sampling () || !(the_stacks = open_stacks (desc)))
		return;
	if (!is_late)
		begin_thread ();
	monocle_kit_control_register (&control);
	sem_init (&sampler_began, 0, 0);
	mono_profiler_set_sample_hit_callback (the_handle, sample_hit);
	if (monocle_event_support && monocle_event_support ("sample_asleep"))
		monocle_profiler_set_sample_asleep_callback (the_handle, sample_asleep);
	mono_profiler_set_assembly_loaded_callback (the_handle, assembly_loaded);
	mono_profiler_set_thread_started_callback (the_handle, thread_started);
	mono_profiler_set_thread_stopping_callback (the_handle, thread_stopping);
	mono_profiler_set_thread_exited_callback (the_handle, thread_exited);
	mono_profiler_set_thread_name_callback (the_handle, thread_name);
	mono_profiler_set_domain_unloading_callback (the_handle, domain_unloading);
	mono_profiler_set_image_unloading_callback (the_handle, image_unloading);
	hear_of_collections ();
	mono_profiler_set_runtime_initialized_callback (the_handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_begin_callback (the_handle, runtime_shutdown_begin);
}

/* --- the end of an attach ----------------------------------------------------------------------------------------- */

__attribute__ ((visibility ("default"))) void monocle_profiler_leave_sample (void);

/* No thread is in here any more, nor will be: what is left is given back, and the library closed. */
void
monocle_profiler_leave_sample (void)
{
	is_started = false;
	monocle_kit_control_forget ("sample");
	snapshot_leave ();
	monocle_kit_stacks_free (the_stacks);
	frames_leave (&the_frames);
	monocle_kit_aot_threads_end ();
	drain_thread_leave ();
	name_leave ();
}
