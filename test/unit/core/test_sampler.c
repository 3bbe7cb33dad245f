/*
 * SPDX-License-Identifier: MIT
 *
 * test_sampler.c - samples under a scripted host, by each engine. CPU time is what counts, so a busy machine does no
 * harm; where the system refuses perf events the engine named "perf" is another one, which the rates must suit as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <monocle/host.h>
#include <mono/jit/jit.h>
#include <mono/metadata/threads.h>
#include "child.h"

enum {
	BUSY_MS = 400,
	TOLERANCE = 12,
	LOST = 48,           /* percent at most, where a virtual machine's interrupts take the thread's time */
	BUSY_MACHINE = 100,  /* percent */
	PATIENCE_MS = 30000, /* for what must happen, however busy the machine is */
};

/* The thread sanitizer keeps signals back until the thread calls something; its forked children start no threads. */
#if defined(__SANITIZE_THREAD__)
#define IS_DEFERRED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_DEFERRED 1
#endif
#endif
#ifndef IS_DEFERRED
#define IS_DEFERRED 0
#endif

/* What one thread saw of itself. */
typedef struct {
	pthread_t tid;
	atomic_uint hits, wrong;
	uint64_t used; /* CPU time, ns */
	sem_t stop;
	atomic_bool is_ready;
} witness;

enum { WITNESSES = 16 };
static witness witnesses[WITNESSES];
static atomic_uint witness_count, strangers, newer, older;
static MonoProfilerHandle owner;

static int
grant (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_SAMPLING;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = grant,
};

static witness *
self (void)
{
	for (unsigned i = 0; i < atomic_load (&witness_count); i++)
		if (pthread_equal (witnesses[i].tid, pthread_self ()))
			return &witnesses[i];
	return NULL;
}

/* errno is spoilt on purpose: the interrupted code must not see that. */
static void
on_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	witness *own = self ();
	errno = EDOM;
	if (!own) {
		atomic_fetch_add (&strangers, 1);
		return;
	}
	atomic_fetch_add (&own->hits, 1);
#ifdef CONTEXT_IS_READ /* the core knows this CPU */
	if ((greg_t) ip != ((const ucontext_t *) context)->uc_mcontext.gregs[REG_RIP])
		atomic_fetch_add (&own->wrong, 1);
#endif
	if (!mono_thread_current ())
		atomic_fetch_add (&own->wrong, 1);
}

static void
on_newer (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (&newer, 1);
}

static void
on_older (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	if (atomic_load (&newer) == atomic_load (&older))
		atomic_fetch_add (&strangers, 1); /* the newer handle was not asked first */
	atomic_fetch_add (&older, 1);
}

static void
start (void)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	owner = mono_profiler_create (NULL);
	CHECK (mono_profiler_enable_sampling (owner));
	mono_profiler_set_sample_hit_callback (owner, on_hit);
	monocle_host_startup_done ();
}

static uint64_t
clock_time (clockid_t clock)
{
	struct timespec now;
	clock_gettime (clock, &now);
	return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static uint64_t
cpu_time (void)
{
	return clock_time (CLOCK_THREAD_CPUTIME_ID);
}

/*
 * To a moment, not for a while: the kernel adds its slack to what is left of a sleep that a signal cut short, so under
 * 20,000 signals a second nothing ever passes of it.
 */
static void
pause_ms (long milliseconds)
{
	struct timespec end;
	clock_gettime (CLOCK_MONOTONIC, &end);
	long nanoseconds = end.tv_nsec + milliseconds % 1000 * 1000000;
	end.tv_sec += milliseconds / 1000 + nanoseconds / 1000000000;
	end.tv_nsec = nanoseconds % 1000000000;
	while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

static witness *
enroll (void)
{
	witness *own = &witnesses[atomic_load (&witness_count)];
	own->tid = pthread_self ();
	sem_init (&own->stop, 0, 0);
	atomic_fetch_add (&witness_count, 1);
	monocle_thread_attach ((uintptr_t) pthread_self ());
	return own;
}

/* Stays in user mode: clocks are read every some hundred thousand rounds only. */
static void
burn (witness *own, long milliseconds)
{
	volatile unsigned sink = 0;
	uint64_t from = cpu_time ();
	errno = EXDEV;
	while (cpu_time () - from < (uint64_t) milliseconds * 1000000)
		for (int i = 0; i < 200000; i++)
			sink += (unsigned) i;
	(void) sink;
	CHECK (errno == EXDEV);
	own->used += cpu_time () - from;
}

/* On a busy machine the sampler's thread may come late to a thread that is to be hit. */
static void
burn_until (witness *own, atomic_uint *count, unsigned more)
{
	unsigned before = atomic_load (count);
	for (int i = 0; i < PATIENCE_MS && atomic_load (count) - before < more; i += 50)
		burn (own, 50);
	CHECK (atomic_load (count) - before >= more);
}

static void *
sleeper (void *data)
{
	witness *own = enroll ();
	sem_post (data);
	while (sem_wait (&own->stop))
		;
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

static void *
burner (void *data)
{
	witness *own = enroll ();
	sem_post (data);
	burn (own, BUSY_MS);
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

static pthread_t
spawn (void *(*body) (void *) )
{
	pthread_t thread;
	sem_t is_there;
	sem_init (&is_there, 0, 0);
	CHECK (pthread_create (&thread, NULL, body, &is_there) == 0);
	while (sem_wait (&is_there))
		;
	return thread;
}

static MonocleSampling
state_now (void)
{
	MonocleSampling state = { .size = sizeof state };
	CHECK (monocle_sampling_state (&state));
	return state;
}

/* Setting the mode only tells the sampler's thread. */
static void
set_and_await (MonoProfilerSampleMode mode, uint32_t frequency)
{
	CHECK (mono_profiler_set_sample_mode (owner, mode, frequency));
	for (int i = 0; i < PATIENCE_MS; i++) {
		MonocleSampling state = state_now ();
		if (state.mode == mode && state.frequency == frequency)
			return;
		pause_ms (1);
	}
	CHECK (!"the mode takes effect");
}

static void
await_count (atomic_uint *count, unsigned more)
{
	unsigned before = atomic_load (count);
	for (int i = 0; i < PATIENCE_MS && atomic_load (count) - before < more; i++)
		pause_ms (1);
	CHECK (atomic_load (count) - before >= more);
}

static void
await_threads (uint32_t count)
{
	for (int i = 0; i < PATIENCE_MS && state_now ().threads != count; i++)
		pause_ms (1);
	CHECK (state_now ().threads == count);
}

static bool
is_near (const witness *own, uint32_t frequency, unsigned percent)
{
	double should = (double) own->used / 1e9 * frequency, is = atomic_load (&own->hits);
	unsigned fewer = percent < LOST ? LOST : percent;
	bool near = is > should * (100 - fewer) / 100 - 2 && is < should * (100 + percent) / 100 + 2;
	if (IS_DEFERRED)
		near = is > 0 || percent >= BUSY_MACHINE;
	if (!near)
		fprintf (stderr, "%s: %.0f hits, should be %.0f\n", state_now ().engine, is, should);
	return near;
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static void
use_engine (const char *engine)
{
	setenv ("MONOCLE_SAMPLER", engine, 1);
}

static void
process_mode (const char *engine, uint32_t frequency, unsigned percent)
{
	use_engine (engine);
	start ();
	witness *main_thread = enroll ();
	pthread_t idle = spawn (sleeper);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, frequency);
	pthread_t busy = spawn (burner);
	if (strcmp (state_now ().engine, engine)) /* it is refused here */
		percent = 99;
	burn (main_thread, BUSY_MS);
	burn_until (main_thread, &main_thread->hits, 1);
	pthread_join (busy, NULL);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	CHECK (is_near (&witnesses[0], frequency, percent) && is_near (&witnesses[2], frequency, percent));
	CHECK (atomic_load (&witnesses[1].hits) <= 1);
	for (int i = 0; i < 3; i++)
		CHECK (atomic_load (&witnesses[i].wrong) == 0);
	CHECK (atomic_load (&strangers) == 0);
	sem_post (&witnesses[1].stop);
	pthread_join (idle, NULL);
}

static void
by_perf_100 (void)
{
	process_mode ("perf", 100, TOLERANCE);
}

static void
by_perf_1000 (void)
{
	process_mode ("perf", 1000, TOLERANCE);
}

/* A processor that a virtual machine takes away for longer than a period misses hits, and its time counts as used. */
static void
by_perf_10000 (void)
{
	process_mode ("perf", 10000, 4 * TOLERANCE);
}

/*
 * The kernel looks at a timer when its tick meets the thread, and the pacer sees a thread when it gets its turn: on a
 * busy machine, where a turn may be shorter than a tick, that is seldom: beside six busy threads on two processors
 * 16 of 150 expirations of a plain timer are told.
 */
static void
by_timer_100 (void)
{
	process_mode ("timer", 100, BUSY_MACHINE);
}

static void
by_pacer_100 (void)
{
	process_mode ("paced", 100, BUSY_MACHINE);
}

/* A pool under a light load: each thread works for less than a period at a time, and waits. */
static void *
burster (void *data)
{
	enum { BURSTS = 500, BURST_NS = 300000, NAP_NS = 100000 };
	witness *own = enroll ();
	sem_post (data);
	for (int i = 0; i < BURSTS; i++) {
		volatile unsigned sink = 0;
		uint64_t from = cpu_time ();
		while (cpu_time () - from < BURST_NS)
			for (int k = 0; k < 20000; k++)
				sink += (unsigned) k;
		(void) sink;
		own->used += cpu_time () - from;
		clock_nanosleep (CLOCK_MONOTONIC, 0, &(struct timespec) { .tv_nsec = NAP_NS }, NULL);
	}
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

CHILD_TEST (what_is_left_of_a_period_is_kept_while_a_thread_waits)
{
	enum { THREADS = 2, FREQUENCY = 1000 };
	pthread_t threads[THREADS];
	use_engine ("perf");
	start ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, FREQUENCY);
	for (int i = 0; i < THREADS; i++)
		threads[i] = spawn (burster);
	unsigned percent = strcmp (state_now ().engine, "perf") ? 99 : 2 * TOLERANCE;
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	for (int i = 0; i < THREADS; i++)
		CHECK (is_near (&witnesses[i], FREQUENCY, percent));
}

CHILD_TEST (timers_are_chosen_where_the_tick_is_fine_enough)
{
	unsetenv ("MONOCLE_SAMPLER");
	start ();
	enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 10);
	CHECK_STRING (state_now ().engine, "timer");
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 2000);
	CHECK (strcmp (state_now ().engine, "timer"));
}

static void
busy_threads_are_hit_by_their_cpu_time_and_sleeping_ones_are_not (void **state)
{
	child_passes (by_perf_100);
	child_passes (by_perf_1000);
	child_passes (by_perf_10000);
	child_passes (by_timer_100);
	child_passes (by_pacer_100);
}

static void
coarse_timers (void)
{
	use_engine ("timer");
	start ();
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 10000);
	burn (own, 1500);
	burn_until (own, &own->hits, 1);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	MonocleSampling seen = state_now ();
	CHECK (seen.achieved < 2000);
	CHECK (seen.hits + seen.lost > seen.hits * 2); /* what timers could not tell is counted */
}

static void
a_rate_that_is_not_what_was_asked_for_is_said_once (void **state)
{
	char output[4096];
	if (child_run (coarse_timers, output, sizeof output))
		fail_msg ("%s", output);
	assert_non_null (strstr (output, "monocle: sampling at "));
	assert_non_null (strstr (output, " Hz instead of 10000 (timer)\n"));
	assert_null (strchr (strchr (output, '\n') + 1, '\n'));
}

CHILD_TEST (real_mode_hits_sleeping_threads_too_and_none_ends_it)
{
	start ();
	pthread_t idle = spawn (sleeper), another = spawn (sleeper);
	uint64_t begin = clock_time (CLOCK_MONOTONIC);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 200);
	await_count (&witnesses[0].hits, 50);
	await_count (&witnesses[1].hits, 50);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	pause_ms (50); /* a handler that has begun comes to its end */
	double ticks = (double) (clock_time (CLOCK_MONOTONIC) - begin) / 1e9 * 200;
	unsigned one = atomic_load (&witnesses[0].hits), other = atomic_load (&witnesses[1].hits);
	CHECK (one < ticks + 6 && other < ticks + 6);
	pause_ms (50);
	CHECK (atomic_load (&witnesses[0].hits) == one && atomic_load (&witnesses[1].hits) == other);
	for (int i = 0; i < 2; i++)
		sem_post (&witnesses[i].stop);
	pthread_join (idle, NULL);
	pthread_join (another, NULL);
}

/* --- handles and contexts ----------------------------------------------------------------------------------------- */

CHILD_TEST (all_handles_are_told_newest_first_and_the_first_owner_sets_the_mode)
{
	start ();
	mono_profiler_set_sample_hit_callback (owner, on_older);
	MonoProfilerHandle second = mono_profiler_create (NULL);
	mono_profiler_set_sample_hit_callback (second, on_newer);
	CHECK (!mono_profiler_set_sample_mode (second, MONO_PROFILER_SAMPLE_MODE_REAL, 100));
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	burn_until (own, &newer, 10);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	CHECK (atomic_load (&older) == atomic_load (&newer));
	CHECK (atomic_load (&strangers) == 0);
}

static void
hit_then_stop (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (&newer, 1);
	mono_profiler_set_sample_mode (owner, MONO_PROFILER_SAMPLE_MODE_NONE, 100);
}

CHILD_TEST (a_handler_may_set_the_mode_and_it_holds_at_once)
{
	start ();
	mono_profiler_set_sample_hit_callback (owner, hit_then_stop);
	witness *own = enroll ();
	CHECK (mono_profiler_set_sample_mode (owner, MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000));
	burn_until (own, &newer, 1);
	burn (own, 100);
	CHECK (atomic_load (&newer) == 1);
}

CHILD_TEST (attached_threads_are_hit_and_tool_threads_are_not)
{
	start ();
	mono_threads_attach_tools_thread ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 1000);
	pause_ms (100);
	CHECK (atomic_load (&strangers) == 0);
	mono_thread_detach (mono_thread_current ());
	mono_thread_attach (NULL);
	if (!IS_DEFERRED)
		await_count (&strangers, 11);
	unsigned before = atomic_load (&strangers);
	mono_thread_detach (mono_thread_current ());
	pause_ms (50);
	CHECK (atomic_load (&strangers) <= before + 1);
}

/* --- threads that nobody attaches --------------------------------------------------------------------------------- */

static atomic_uint unattached_hits, attached_hits;
static atomic_bool is_over, may_attach;
static char meant[] = ".meant one", unmeant[] = ".unmeant";

static void
on_unattached (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (mono_thread_current () ? &attached_hits : &unattached_hits, 1);
}

static void
spin_until (atomic_bool *flag)
{
	volatile unsigned sink = 0;
	while (!atomic_load (flag) && !atomic_load (&is_over))
		for (int i = 0; i < 1000; i++)
			sink += (unsigned) i;
	(void) sink;
}

/* Runs under the name that it is given, and attaches itself when it may. */
static void *
stranger (void *name)
{
	CHECK (pthread_setname_np (pthread_self (), name) == 0);
	spin_until (&may_attach);
	if (atomic_load (&may_attach))
		monocle_thread_attach ((uintptr_t) pthread_self ());
	spin_until (&is_over);
	return NULL;
}

CHILD_TEST (threads_that_nobody_attaches_are_sampled_if_they_have_that_name)
{
	pthread_t threads[2];
	CHECK (monocle_sampling_include (".meant "));
	CHECK (monocle_sampling_include (".meant "));
	CHECK (!monocle_sampling_include (".another"));
	CHECK (!monocle_sampling_include ("too long a name."));
	start ();
	mono_profiler_set_sample_hit_callback (owner, on_unattached);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 200);
	CHECK (pthread_create (&threads[0], NULL, stranger, unmeant) == 0);
	CHECK (pthread_create (&threads[1], NULL, stranger, meant) == 0);
	await_count (&unattached_hits, 20);
	CHECK (state_now ().threads == 1);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 200);
	CHECK (state_now ().threads == 0); /* all of them wait nearly always */
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 200);
	await_count (&unattached_hits, 20);
	atomic_store (&may_attach, true);
	await_count (&attached_hits, 20);
	await_threads (2);
	atomic_store (&is_over, true);
	pthread_join (threads[0], NULL);
	pthread_join (threads[1], NULL);
}

CHILD_TEST (a_thread_that_nobody_attached_is_forgotten_when_it_has_ended)
{
	pthread_t thread;
	CHECK (monocle_sampling_include (".meant "));
	start ();
	mono_profiler_set_sample_hit_callback (owner, on_unattached);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 200);
	for (int round = 0; round < 2; round++) {
		atomic_store (&is_over, false);
		CHECK (pthread_create (&thread, NULL, stranger, meant) == 0);
		await_count (&unattached_hits, 20);
		atomic_store (&is_over, true);
		pthread_join (thread, NULL);
		await_threads (0);
	}
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

CHILD_TEST (nothing_is_hit_after_the_host_has_ended)
{
	start ();
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	burn_until (own, &own->hits, 10);
	monocle_host_shutdown ();
	CHECK (state_now ().mode == MONO_PROFILER_SAMPLE_MODE_NONE && state_now ().threads == 0);
	unsigned hits = atomic_load (&own->hits);
	burn (own, 100);
	CHECK (atomic_load (&own->hits) == hits);
}

/* Counts instead of libc's: what wants an amount of time to pass is seen, however fast or slow the machine is. */
static atomic_uint naps;

__attribute__ ((visibility ("default"))) int
nanosleep (const struct timespec *time, struct timespec *ret_rest)
{
	atomic_fetch_add (&naps, 1);
	return clock_nanosleep (CLOCK_MONOTONIC, 0, time, ret_rest);
}

CHILD_TEST (the_end_waits_for_the_samplers_thread_and_not_for_time_to_pass)
{
	start ();
	enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	monocle_host_shutdown ();
	CHECK (atomic_load (&naps) == 0);
	CHECK (state_now ().mode == MONO_PROFILER_SAMPLE_MODE_NONE);
}

/* --- a guest in a foreign process --------------------------------------------------------------------------------- */

static atomic_uint foreign, foreign_sender;

static void
programs_handler (int number, siginfo_t *info, void *context)
{
	atomic_fetch_add (&foreign, 1);
	atomic_store (&foreign_sender, (unsigned) info->si_pid);
}

CHILD_TEST (the_programs_own_signals_reach_its_handler_and_ours_do_not)
{
	struct sigaction action = { .sa_sigaction = programs_handler, .sa_flags = SA_SIGINFO };
	CHECK (sigaction (monocle_sampling_signal (), &action, NULL) == 0);
	start ();
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	CHECK (kill (getpid (), monocle_sampling_signal ()) == 0);
	CHECK (raise (monocle_sampling_signal ()) == 0);
	burn_until (own, &own->hits, 10);
	CHECK (atomic_load (&foreign) == 2 && (pid_t) atomic_load (&foreign_sender) == getpid ());
}

static void
unhandled (void)
{
	start ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 100);
	CHECK (kill (getpid (), monocle_sampling_signal ()) == 0);
	pause_ms (20);
	CHECK (signal (monocle_sampling_signal (), SIG_DFL) != SIG_DFL);
	witness *own = enroll ();
	burn (own, 700);
	unsigned hits = atomic_load (&own->hits);
	burn (own, 100);
	CHECK (atomic_load (&own->hits) == hits);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0); /* what is to be said has been said by then */
	CHECK (state_now ().threads == 0);
}

static void
a_program_that_takes_the_signal_back_lives_on_without_samples (void **state)
{
	char output[4096];
	assert_int_equal (child_run (unhandled, output, sizeof output), 0);
	assert_non_null (strstr (output, "monocle: sampling ends: the program handles signal "));
}

/*
 * An event sends two unheard, and two more where a handler that was inside has just asked for them; the kernel stops
 * it a little late. Were nothing done, there would be thousands.
 */
enum { CROWD = 4, UNWANTED = CROWD * 5 };

static struct sigaction found;
static atomic_bool is_taken;

static void
chaining_handler (int number, siginfo_t *info, void *context)
{
	atomic_fetch_add (&foreign, 1);
	found.sa_sigaction (number, info, context);
}

/* In the middle of it all, and then waits until the sampler has seen it. */
static void
take_over (void (*handler) (int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	for (int i = 0; i < PATIENCE_MS && state_now ().hits < 20; i++)
		pause_ms (1);
	CHECK (state_now ().hits >= 20);
	CHECK (sigaction (monocle_sampling_signal (), NULL, &found) == 0);
	CHECK (sigaction (monocle_sampling_signal (), &action, NULL) == 0);
	await_threads (0);
}

/* Works until the sampler has seen it, and a while longer: nothing may come late. */
static void *
bystander (void *data)
{
	witness *own = enroll ();
	sem_post (data);
	while (!atomic_load (&is_taken))
		burn (own, 5);
	burn (own, 100);
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

static void
crowd_taken_over (const char *engine, MonoProfilerSampleMode mode, void (*handler) (int, siginfo_t *, void *))
{
	pthread_t busy[CROWD];
	use_engine (engine);
	start ();
	set_and_await (mode, strcmp (engine, "timer") ? 10000 : 100);
	for (int i = 0; i < CROWD; i++)
		busy[i] = spawn (bystander);
	take_over (handler);
	atomic_store (&is_taken, true);
	for (int i = 0; i < CROWD; i++)
		pthread_join (busy[i], NULL);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0); /* what is to be said has been said by then */
	if (atomic_load (&foreign) > UNWANTED)
		fprintf (stderr, "%s: %u signals too many\n", engine, atomic_load (&foreign));
	CHECK (atomic_load (&foreign) <= UNWANTED);
}

#define TAKEN_OVER(name, engine, mode) \
	static void name (void) \
	{ \
		crowd_taken_over (engine, MONO_PROFILER_SAMPLE_MODE_##mode, programs_handler); \
	} \
	static void name##_and_chained (void) \
	{ \
		crowd_taken_over (engine, MONO_PROFILER_SAMPLE_MODE_##mode, chaining_handler); \
	}

TAKEN_OVER (perf_taken_over, "perf", PROCESS)
TAKEN_OVER (timer_taken_over, "timer", PROCESS)
TAKEN_OVER (pacer_taken_over, "paced", PROCESS)
TAKEN_OVER (wall_taken_over, "", REAL)

static void
a_program_that_takes_the_signal_over_gets_few_of_ours_and_a_line_says_so (void **state)
{
	static void (*const bodies[]) (void) = {
		perf_taken_over,  perf_taken_over_and_chained,  timer_taken_over, timer_taken_over_and_chained,
		pacer_taken_over, pacer_taken_over_and_chained, wall_taken_over,  wall_taken_over_and_chained,
	};
	char output[4096];
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		int status = child_run (bodies[i], output, sizeof output);
		if (status)
			print_error ("body %zu: %s\n", i, output);
		assert_int_equal (status, 0);
		assert_non_null (strstr (output, "monocle: sampling ends: the program handles signal "));
	}
}

/* The sampler would look at the signal later than that. */
CHILD_PRINTS (a_program_that_takes_the_signal_over_and_ends_is_told_too,
              "monocle: sampling ends: the program handles signal 23 itself\n")
{
	start ();
	enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 1);
	CHECK (signal (monocle_sampling_signal (), SIG_IGN) != SIG_ERR);
	monocle_host_shutdown ();
	_exit (0);
}

static void
close_everything (void)
{
	use_engine ("perf");
	start ();
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	int null = open ("/dev/null", O_RDWR);
	struct rlimit limit;
	getrlimit (RLIMIT_NOFILE, &limit);
	/* Its own file stands wherever one of ours stood. */
	for (int fd = 3; fd < (int) limit.rlim_cur && fd < 5000; fd++)
		if (fd != null && fcntl (fd, F_GETFD) >= 0)
			CHECK (dup2 (null, fd) == fd);
	pause_ms (600);
	burn_until (own, &own->hits, 20);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	CHECK (fcntl (null, F_GETFD) >= 0);
	for (int fd = 1000; fd < 1100; fd++)
		if (fcntl (fd, F_GETFD) >= 0)
			CHECK (write (fd, "x", 1) == 1);
}

static void
closed_descriptors_are_opened_again_and_nobody_elses_are_closed (void **state)
{
	if (!IS_DEFERRED) /* such a program races with whoever has descriptors */
		child_passes (close_everything);
}

static void
few_descriptors (void)
{
	struct rlimit limit = { 8, 8 };
	use_engine ("perf");
	CHECK (setrlimit (RLIMIT_NOFILE, &limit) == 0);
	start ();
	pthread_t busy[4];
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 100);
	for (int i = 0; i < 4; i++)
		busy[i] = spawn (burner);
	for (int i = 0; i < 4; i++)
		pthread_join (busy[i], NULL);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0); /* what is to be said has been said by then */
	for (int i = 0; i < 4; i++)
		CHECK (is_near (&witnesses[i], 100, BUSY_MACHINE));
	CHECK (state_now ().hits > 0);
	int fd = open ("/dev/null", O_RDONLY);
	CHECK (fd >= 0);
}

static void
threads_beyond_the_descriptors_are_sampled_by_other_means (void **state)
{
	char output[4096];
	assert_int_equal (child_run (few_descriptors, output, sizeof output), 0);
	if (!strstr (output, "cannot be had")) /* perf events are refused here */
		assert_non_null (strstr (output, "monocle: not all threads can be sampled by perf ("));
}

/* A child does nothing of it, holds none of its parent's events, and disturbs none. */
CHILD_TEST (a_forked_child_is_not_sampled_and_its_parent_still_is)
{
	int status;
	use_engine ("perf");
	start ();
	witness *own = enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_PROCESS, 1000);
	burn (own, 50);
	pid_t child = fork ();
	if (child == 0) {
		unsigned before = atomic_load (&own->hits);
		for (int fd = 3; fd < 1100; fd++)
			if (fcntl (fd, F_GETFD) >= 0 && fcntl (fd, F_GETSIG) == monocle_sampling_signal ())
				_exit (98);
		mono_profiler_set_sample_mode (owner, MONO_PROFILER_SAMPLE_MODE_REAL, 1000);
		if (!IS_DEFERRED)
			pthread_join (spawn (burner), NULL);
		burn (own, 100);
		_exit (atomic_load (&own->hits) == before && !atomic_load (&witnesses[1].hits) ? 0 : 97);
	}
	while (waitpid (child, &status, 0) < 0)
		CHECK (errno == EINTR);
	CHECK (WIFEXITED (status) && WEXITSTATUS (status) == 0);
	burn_until (own, &own->hits, 20);
}

/* The program replaces itself while signals are on their way. */
static void
executes (void)
{
	char *words[] = { "true", NULL };
	start ();
	enroll ();
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 20000);
	execv ("/bin/true", words);
	_exit (1);
}

static void
a_program_that_replaces_itself_is_not_hurt_by_what_is_on_its_way (void **state)
{
	for (int i = 0; i < 20; i++)
		child_passes (executes);
}

/* --- threads that meet -------------------------------------------------------------------------------------------- */

static atomic_bool is_over;
static atomic_uint short_lives;

static void *
short_life (void *data)
{
	volatile unsigned sink = 0;
	monocle_thread_attach ((uintptr_t) pthread_self ());
	for (int i = 0; i < 20000; i++)
		sink += (unsigned) i;
	(void) sink;
	monocle_thread_detach ((uintptr_t) pthread_self ());
	atomic_fetch_add (&short_lives, 1);
	return NULL;
}

static void *
parent (void *data)
{
	pthread_t thread;
	while (!atomic_load (&is_over))
		if (pthread_create (&thread, NULL, short_life, NULL) == 0)
			pthread_join (thread, NULL);
	return NULL;
}

CHILD_TEST (threads_come_and_go_while_modes_change)
{
	pthread_t parents[3];
	start ();
	mono_profiler_set_sample_hit_callback (owner, on_newer);
	for (int i = 0; i < 3; i++)
		CHECK (pthread_create (&parents[i], NULL, parent, NULL) == 0);
	for (int i = 0; i < 60 || (i < PATIENCE_MS / 10 && (short_lives <= 50 || !newer)); i++) {
		static const uint32_t rates[] = { 100, 10000, 1000 };
		mono_profiler_set_sample_mode (owner, (MonoProfilerSampleMode) (i % 3), rates[i % 7 % 3]);
		pause_ms (10);
		state_now ();
	}
	atomic_store (&is_over, true);
	for (int i = 0; i < 3; i++)
		pthread_join (parents[i], NULL);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0);
	CHECK (atomic_load (&short_lives) > 50 && atomic_load (&newer) > 0);
	CHECK (state_now ().threads == 0);
}

/* --- threads that block the signal -------------------------------------------------------------------------------- */

static void *
closed (void *data)
{
	sigset_t all, before;
	witness *own = enroll ();
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	sem_post (data);
	while (sem_wait (&own->stop))
		;
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	while (sem_wait (&own->stop))
		;
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

CHILD_TEST (a_thread_that_blocks_the_signal_counts_when_it_lets_it_come)
{
	start ();
	enroll ();
	pthread_t thread = spawn (closed);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 200);
	await_threads (1);
	CHECK (atomic_load (&witnesses[1].hits) == 0);
	sem_post (&witnesses[1].stop);
	await_count (&witnesses[1].hits, 1);
	await_threads (2);
	sem_post (&witnesses[1].stop);
	pthread_join (thread, NULL);
}

static atomic_uint long_hits;

static void
on_long_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	atomic_fetch_add (&long_hits, 1);
	pause_ms (100);
}

/* The next signal waits until the handler has ended, as with a thread that blocks it. */
CHILD_TEST (a_thread_that_is_long_inside_the_handler_counts)
{
	start ();
	mono_profiler_set_sample_hit_callback (owner, on_long_hit);
	pthread_t thread = spawn (sleeper);
	set_and_await (MONO_PROFILER_SAMPLE_MODE_REAL, 200);
	await_count (&long_hits, 1);
	for (int i = 0; i < 30; i++) {
		CHECK (state_now ().threads == 1);
		pause_ms (5);
	}
	set_and_await (MONO_PROFILER_SAMPLE_MODE_NONE, 0); /* until then the thread would come to nothing else */
	sem_post (&witnesses[0].stop);
	pthread_join (thread, NULL);
}

/* With --full: what depends on rates, and a storm. */
int
main (int argc, char **argv)
{
	const struct CMUnitTest rates[] = {
		cmocka_unit_test (busy_threads_are_hit_by_their_cpu_time_and_sleeping_ones_are_not),
		cmocka_unit_test (what_is_left_of_a_period_is_kept_while_a_thread_waits),
		cmocka_unit_test (a_rate_that_is_not_what_was_asked_for_is_said_once),
		cmocka_unit_test (threads_come_and_go_while_modes_change),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (timers_are_chosen_where_the_tick_is_fine_enough),
		cmocka_unit_test (real_mode_hits_sleeping_threads_too_and_none_ends_it),
		cmocka_unit_test (all_handles_are_told_newest_first_and_the_first_owner_sets_the_mode),
		cmocka_unit_test (a_handler_may_set_the_mode_and_it_holds_at_once),
		cmocka_unit_test (attached_threads_are_hit_and_tool_threads_are_not),
		cmocka_unit_test (threads_that_nobody_attaches_are_sampled_if_they_have_that_name),
		cmocka_unit_test (a_thread_that_nobody_attached_is_forgotten_when_it_has_ended),
		cmocka_unit_test (nothing_is_hit_after_the_host_has_ended),
		cmocka_unit_test (the_end_waits_for_the_samplers_thread_and_not_for_time_to_pass),
		cmocka_unit_test (the_programs_own_signals_reach_its_handler_and_ours_do_not),
		cmocka_unit_test (a_program_that_takes_the_signal_back_lives_on_without_samples),
		cmocka_unit_test (a_program_that_takes_the_signal_over_gets_few_of_ours_and_a_line_says_so),
		cmocka_unit_test (a_program_that_takes_the_signal_over_and_ends_is_told_too),
		cmocka_unit_test (closed_descriptors_are_opened_again_and_nobody_elses_are_closed),
		cmocka_unit_test (threads_beyond_the_descriptors_are_sampled_by_other_means),
		cmocka_unit_test (a_forked_child_is_not_sampled_and_its_parent_still_is),
		cmocka_unit_test (a_program_that_replaces_itself_is_not_hurt_by_what_is_on_its_way),
		cmocka_unit_test (a_thread_that_blocks_the_signal_counts_when_it_lets_it_come),
		cmocka_unit_test (a_thread_that_is_long_inside_the_handler_counts),
	};
	if (argc > 1 && strcmp (argv[1], "--full") == 0)
		return cmocka_run_group_tests (rates, NULL, NULL);
	return cmocka_run_group_tests (tests, NULL, NULL);
}
