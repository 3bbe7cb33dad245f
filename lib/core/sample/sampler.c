/*
 * SPDX-License-Identifier: MIT
 *
 * sampler.c - when which thread is interrupted for sample_hit.
 *
 *      any context                 the sampler's thread                       a sampled thread
 *      set_sample_mode             apply: every thread gets an engine         attach: gets an engine
 *        store, sem_post    ──►    tick: paced signals                 ──►    signal: sample_hit
 *                                  check: rates, descriptors, the handler     detach: loses it
 *
 * Mode REAL: every attached thread at each tick, sleeping ones too, as Mono does. Those that run the sampler's thread
 * signals; it reads the stacks of those that wait in the kernel itself (sampler-asleep.c). Mode
 * PROCESS: a thread is hit as often as it uses a period of CPU time (Mono hits all of them whenever the process has
 * used one). What does that depends on what the system permits, for each thread by itself: a perf event, a timer on its
 * CPU clock when the kernel's tick is fine enough for the rate that was asked for, or the sampler's thread.
 * MONOCLE_SAMPLER=perf|timer|paced names the one to try first.
 *
 * The list of threads only grows; records are used again with their tids. Engines come and go under the lock, which
 * the signal handler never takes. The thread is made in the init window, since a signal handler may be the first to set
 * the mode; it has all signals blocked, and a forked child has none.
 */
#include "sampler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include "background.h"
#include "environment.h"
#include "invariant.h"
#include "log.h"
#include "nanoseconds.h"
#include "pause.h"

#define SECOND MONOCLE__NANOSECONDS_SECOND

enum {
	PERIOD_MIN_NS = 50000, /* beyond 20 kHz a thread would do little but being sampled */
	CHECK_NS = 250000000,  /* how often rates and descriptors are looked after */
	LOOK_NS = 20000000,    /* how often the signal is looked after while there are hits */
	IDLE_NS = 10000000,    /* the pacer looks at a process that does nothing so rarely at most */
	SHORT = 50,            /* a rate below so many percent of what can be is reported */
	LEAVE_NS = 1000000000, /* how long the end waits for handlers */
	END_NS = 2000000000,   /* how long the end waits for the last of them at most */
};

/* What is measured from one setting of the mode to the next. Written by the sampler's thread. */
typedef struct {
	uint64_t since;      /* ns */
	uint64_t hits, used; /* of all threads before */
	struct timeval user, system;
	uint64_t ticks, skipped; /* of the pacer */
} tally;

static _Atomic (monocle__sampled *) threads;
static _Atomic (uint64_t) settings; /* mode << 32 | frequency: one word, for setters in signal handlers */
static _Atomic (uint64_t) applied;  /* what the sampler's thread made of it */
static atomic_bool is_taken;        /* the program took the signal for itself */
static atomic_bool is_deaf;         /* that was seen, and the sampler's thread does not know yet */
static atomic_bool was_hit;         /* since the signal was looked after */
static _Atomic (pid_t) owner;       /* the process whose thread it is; 0: there is none */
static _Atomic (uint32_t) achieved; /* hits a second, as of the last check */
static sem_t changed;
static _Atomic (uint64_t) finished; /* what is applied, or about to be; NONE once all about the mode before was said */
static pthread_t own_thread;        /* while there is an owner */
static atomic_bool is_leaving;      /* it is to end */
static sem_t stopped;               /* posted whenever no samples are taken any more */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const monocle__engine *forced; /* by MONOCLE_SAMPLER; set before the thread begins */
static tally current;                 /* as all that follows: under the lock */
static const monocle__engine *ladder[4];
static int refusals[3]; /* errno values for which an engine is not tried again; as the ladder */

/* What is to be said. The lock is not held meanwhile: no thread may have to wait for a reader of our messages. */
static struct {
	const monocle__engine *without; /* threads had to be sampled otherwise */
	int error;
	uint32_t is, should; /* rates, and by what */
	const char *engine;
	bool is_taken;
} news;

static MonoProfilerSampleMode
mode_of (uint64_t setting)
{
	return (MonoProfilerSampleMode) (setting >> 32);
}

static uint64_t
period_of (uint64_t setting)
{
	uint64_t period = (uint32_t) setting ? SECOND / (uint32_t) setting : SECOND;
	return period < PERIOD_MIN_NS ? PERIOD_MIN_NS : period;
}

monocle__sampled *
monocle__sampler_first (void)
{
	return atomic_load_explicit (&threads, memory_order_acquire);
}

bool
monocle__sampler_is_on (void)
{
	return mode_of (atomic_load_explicit (&settings, memory_order_acquire)) != MONO_PROFILER_SAMPLE_MODE_NONE &&
	       !atomic_load_explicit (&is_taken, memory_order_relaxed);
}

/*
 * A program that takes the signal over may call the handler that it found: then there are to be no more signals either.
 */
bool
monocle__sampler_hears (void)
{
	if (monocle__sampler_signal_is_ours ()) {
		if (!atomic_load_explicit (&was_hit, memory_order_relaxed))
			atomic_store_explicit (&was_hit, true, memory_order_relaxed);
		return true;
	}
	if (!atomic_exchange (&is_deaf, true))
		sem_post (&changed);
	return false;
}

/* Not in a forked child, where the sampler's thread does not exist and the lock may be held for ever. */
static bool
is_owner (void)
{
	pid_t pid = atomic_load (&owner);
	return pid && pid == getpid ();
}

/* --- engines ------------------------------------------------------------------------------------------------------ */

/* How often in a second the kernel looks at CPU timers. */
static uint32_t
tick_rate (void)
{
	struct timespec tick;
	if (clock_getres (CLOCK_REALTIME_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
		return 100;
	return (uint32_t) (SECOND / (uint64_t) tick.tv_nsec);
}

/* In the init window: no thread changes the environment yet. */
static const monocle__engine *
forced_engine (void)
{
	static const monocle__engine *const all[] = { &monocle__engine_perf, &monocle__engine_timer,
		                                          &monocle__engine_paced };
	const char *name = monocle__variable ("MONOCLE_SAMPLER");
	if (!name || !*name)
		return NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp (all[i]->name, name) == 0)
			return all[i];
	monocle_log ("MONOCLE_SAMPLER=%s is none of perf, timer, paced; it is ignored", name);
	return NULL;
}

/* NULL, and what is there already, are left out. */
static void
add_engine (const monocle__engine *engine)
{
	size_t at = 0;
	while (ladder[at] && ladder[at] != engine)
		at++;
	MONOCLE__INVARIANT (at + 1 < sizeof ladder / sizeof *ladder); /* the last stays NULL */
	if (engine)
		ladder[at] = engine;
}

/*
 * Best first. In mode REAL nothing depends on CPU time. Where the tick is fine enough by far a timer, which rides on
 * it, is better than an event, which has to be stopped and started at each switch of threads: a web server, whose
 * threads work in bursts, does little else.
 */
static void
choose_ladder (uint64_t setting)
{
	uint32_t frequency = (uint32_t) setting, ticks = tick_rate ();
	memset (ladder, 0, sizeof ladder);
	memset (refusals, 0, sizeof refusals);
	if (mode_of (setting) != MONO_PROFILER_SAMPLE_MODE_REAL) {
		add_engine (forced);
		add_engine (!forced && frequency <= ticks / 2 ? &monocle__engine_timer : NULL);
		add_engine (!forced ? &monocle__engine_perf : NULL);
		add_engine (frequency <= ticks ? &monocle__engine_timer : NULL);
	}
	add_engine (&monocle__engine_paced);
}

/* Refusals that hold for this thread or this moment only. */
static bool
is_passing (int error)
{
	return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM || error == ENOSPC;
}

/* Nobody minds which engine it is, unless one was asked for, or there is not enough of it. */
static void
note_refusal (const monocle__engine *engine, int error)
{
	if (!is_passing (error) && engine != forced)
		return;
	news.without = engine;
	news.error = error;
}

/* By the setting that is applied, or is about to be. */
static void
arm (monocle__sampled *thread, uint64_t setting)
{
	uint64_t period = period_of (setting);
	bool is_real = mode_of (setting) == MONO_PROFILER_SAMPLE_MODE_REAL;
	if (!atomic_load (&thread->os_id) || atomic_load (&thread->engine) || (thread->is_stranger && is_real))
		return;
	thread->clock = UINT64_MAX; /* nothing before counts */
	if (!monocle__sampler_account (thread))
		return;
	MONOCLE__INVARIANT (ladder[0] && period >= PERIOD_MIN_NS);
	for (size_t i = 0; ladder[i]; i++) {
		atomic_store (&thread->engine, ladder[i]); /* its first hit may come before `open` is back, and asks for more */
		int error = refusals[i] ? refusals[i] : ladder[i]->open (thread, period);
		if (error)
			atomic_store (&thread->engine, NULL);
		if (error == 0 || error == ESRCH)
			return;
		note_refusal (ladder[i], error);
		if (!is_passing (error))
			refusals[i] = error;
	}
}

static void
disarm (monocle__sampled *thread)
{
	const monocle__engine *engine = atomic_exchange (&thread->engine, NULL);
	if (!engine)
		return;
	monocle__sampler_account (thread);
	engine->close (thread);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void
enlist (monocle__sampled *thread)
{
	if (atomic_exchange (&thread->is_listed, true))
		return;
	thread->next = atomic_load (&threads);
	while (!atomic_compare_exchange_weak (&threads, &thread->next, thread))
		;
}

static bool
is_applied_on (void)
{
	return mode_of (atomic_load (&applied)) != MONO_PROFILER_SAMPLE_MODE_NONE && !atomic_load (&is_taken);
}

/* What was taken in under the id that this thread has. Under the lock. */
static void
forget_stranger (pid_t os_id)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (thread->is_stranger && atomic_load (&thread->os_id) == os_id) {
			disarm (thread);
			atomic_store (&thread->os_id, 0);
		}
}

/* A record without a thread, or a new one, which stays in the list. NULL: no memory. Under the lock. */
static monocle__sampled *
free_stranger (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (thread->is_stranger && !atomic_load (&thread->os_id))
			return thread;
	monocle__sampled *fresh = calloc (1, sizeof *fresh);
	if (fresh) {
		fresh->is_stranger = true;
		enlist (fresh);
	}
	return fresh;
}

static bool
is_known (pid_t os_id)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->os_id) == os_id)
			return true;
	return false;
}

/* Either the thread that attaches itself at this moment is known here, or it finds the record and takes it away. */
void
monocle__sampler_take_in (pid_t os_id)
{
	pthread_mutex_lock (&lock);
	monocle__sampled *thread = is_applied_on () && !is_known (os_id) ? free_stranger () : NULL;
	if (thread) {
		atomic_store (&thread->signalled, false);
		atomic_store (&thread->os_id, os_id);
		MONOCLE__PAUSE (sampler_stranger_known);
		arm (thread, atomic_load (&applied));
	}
	pthread_mutex_unlock (&lock);
}

void
monocle__sampler_detach (monocle__sampled *thread)
{
	if (is_owner ()) {
		pthread_mutex_lock (&lock);
		disarm (thread);
		pthread_mutex_unlock (&lock);
	}
	atomic_store (&thread->os_id, 0);
}

/*
 * Either the sampler's thread finds this one in the list when it applies a mode, or it has owner and mode set before
 * they are read here. Who had the tid before may have gone without a word.
 */
void
monocle__sampler_attach (monocle__sampled *thread, pid_t os_id)
{
	pid_t was = atomic_load (&thread->os_id);
	if (was == os_id)
		return;
	if (was)
		monocle__sampler_detach (thread);
	atomic_store (&thread->signalled, false);
	atomic_store (&thread->os_id, os_id);
	MONOCLE__PAUSE (sampler_thread_known);
	enlist (thread);
	MONOCLE__PAUSE (sampler_thread_listed);
	if (!is_owner ())
		return;
	pthread_mutex_lock (&lock);
	forget_stranger (os_id);
	if (is_applied_on ())
		arm (thread, atomic_load (&applied));
	bool is_paced = atomic_load (&thread->engine) == &monocle__engine_paced;
	pthread_mutex_unlock (&lock);
	if (is_paced) /* the sampler's thread may not have had anything to do so far */
		sem_post (&changed);
}

/* --- rates -------------------------------------------------------------------------------------------------------- */

static void
sum (uint64_t *ret_hits, uint64_t *ret_used, uint64_t *ret_lost)
{
	*ret_used = 0;
	monocle__sampler_asleep_count (ret_hits, ret_lost);
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next) {
		*ret_hits += atomic_load_explicit (&thread->hits, memory_order_relaxed);
		*ret_used += atomic_load_explicit (&thread->used, memory_order_relaxed);
		*ret_lost += atomic_load_explicit (&thread->overruns, memory_order_relaxed) +
		             atomic_load_explicit (&thread->missed, memory_order_relaxed);
	}
}

static void
begin_tally (void)
{
	uint64_t lost;
	struct rusage usage;
	getrusage (RUSAGE_SELF, &usage);
	memset (&current, 0, sizeof current);
	current.since = monocle__nanoseconds (CLOCK_MONOTONIC);
	current.user = usage.ru_utime;
	current.system = usage.ru_stime;
	sum (&current.hits, &current.used, &lost);
	atomic_store (&achieved, 0);
}

static double
seconds_between (struct timeval from, struct timeval to)
{
	return (double) (to.tv_sec - from.tv_sec) + (double) (to.tv_usec - from.tv_usec) / 1e6;
}

/*
 * Events do not report CPU time that passes inside the kernel. The kernel knows this share by its tick, which is a
 * fifth off for threads that work in bursts.
 */
static double
user_share (void)
{
	struct rusage usage;
	getrusage (RUSAGE_SELF, &usage);
	double user = seconds_between (current.user, usage.ru_utime);
	double system = seconds_between (current.system, usage.ru_stime);
	return user + system > 0 ? user / (user + system) : 1;
}

static const char *
engine_name (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next) {
		const monocle__engine *engine = atomic_load (&thread->engine);
		if (engine)
			return engine->name;
	}
	return "";
}

/* Under the lock, with every thread accounted for. */
static void
measure (uint64_t setting)
{
	uint64_t hits, used, lost, elapsed = monocle__nanoseconds (CLOCK_MONOTONIC) - current.since;
	bool is_real = mode_of (setting) == MONO_PROFILER_SAMPLE_MODE_REAL;
	sum (&hits, &used, &lost);
	MONOCLE__INVARIANT (hits >= current.hits && used >= current.used); /* threads are never forgotten */
	double seconds = (double) (is_real ? elapsed : used - current.used) / SECOND;
	if (seconds <= 0)
		return;
	double rate = (double) (is_real ? current.ticks : hits - current.hits) / seconds;
	atomic_store (&achieved, (uint32_t) (rate + 0.5));
	double should = (double) (uint32_t) setting * (is_real || seconds < 1 ? 1 : user_share ());
	if (seconds >= 1 && rate * 100 < should * SHORT) {
		news.is = (uint32_t) (rate + 0.5);
		news.should = (uint32_t) setting;
		news.engine = engine_name ();
	}
}

/* Each thing once. Without the lock. */
static void
tell_news (void)
{
	pthread_mutex_lock (&lock);
	typeof (news) now = news;
	memset (&news, 0, sizeof news);
	pthread_mutex_unlock (&lock);
	if (now.is_taken) {
		MONOCLE__PAUSE (sampler_news_due);
		monocle_log ("sampling ends: the program handles signal %d itself", monocle_sampling_signal ());
	}
	if (now.should)
		MONOCLE__LOG_ONCE ("sampling at %u Hz instead of %u (%s)", now.is, now.should, now.engine);
	if (now.without && is_passing (now.error))
		MONOCLE__LOG_ONCE ("not all threads can be sampled by %s (%s); the others are sampled by other means",
		                   now.without->name, strerror (now.error));
	else if (now.without)
		MONOCLE__LOG_ONCE ("sampling: MONOCLE_SAMPLER=%s cannot be had (%s); threads are sampled by other means",
		                   now.without->name, strerror (now.error));
}

/* A program that closes all descriptors has closed ours; what has their numbers now is its own. */
static void
look_after (monocle__sampled *thread)
{
	const monocle__engine *engine = atomic_load (&thread->engine);
	if (!engine && !thread->is_stranger)
		return;
	if (!monocle__sampler_account (thread) && thread->is_stranger) { /* its end is not told */
		disarm (thread);
		atomic_store (&thread->os_id, 0);
		return;
	}
	if (!engine || engine->is_intact (thread))
		return;
	disarm (thread);
	arm (thread, atomic_load (&applied));
}

static void
disarm_all (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		disarm (thread);
}

static void
check (void)
{
	pthread_mutex_lock (&lock);
	if (!monocle__sampler_signal_is_ours () && !atomic_exchange (&is_taken, true)) {
		disarm_all ();
		news.is_taken = true;
	}
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		look_after (thread);
	measure (atomic_load (&applied));
	pthread_mutex_unlock (&lock);
	monocle__sampler_strangers_look ();
	tell_news ();
}

/* --- the sampler's thread ----------------------------------------------------------------------------------------- */

/*
 * In the child only this thread lives, so no other one is in a module; copies of descriptors would keep the parent's
 * events alive.
 */
static void
forget_in_child (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next) {
		monocle__sampler_perf_forget (thread);
		if (thread->tid != (uintptr_t) pthread_self ())
			atomic_store (&thread->is_inside, false);
	}
	monocle__sampler_asleep_forked ();
}

static bool
prepare_signal (void)
{
	static bool watches_forks;
	if (!monocle__sampler_signal_install ()) {
		monocle_log ("no samples: signal %d cannot be handled: %s", monocle_sampling_signal (), strerror (errno));
		return false;
	}
	if (!watches_forks)
		pthread_atfork (NULL, NULL, forget_in_child);
	watches_forks = true;
	return true;
}

static void
apply (uint64_t setting)
{
	bool is_on = mode_of (setting) != MONO_PROFILER_SAMPLE_MODE_NONE && prepare_signal ();
	if (!is_on)
		setting = (uint32_t) setting;
	if (is_applied_on ())
		check ();
	pthread_mutex_lock (&lock);
	disarm_all ();
	MONOCLE__PAUSE (sampler_disarmed);
	if (is_on && !atomic_load (&is_taken)) {
		choose_ladder (setting);
		begin_tally ();
		for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
			arm (thread, setting);
		MONOCLE__PAUSE (sampler_armed);
	}
	if (mode_of (setting) != MONO_PROFILER_SAMPLE_MODE_REAL)
		monocle__sampler_asleep_forget ();
	atomic_store (&applied, setting); /* who sees it counts threads that have their engines */
	MONOCLE__PAUSE (sampler_applied);
	pthread_mutex_unlock (&lock);
	tell_news ();
	if (is_on)
		return;
	atomic_store (&finished, setting);
	sem_post (&stopped);
}

/* Short slices, so that the pacer gets its turn at once where threads outnumber CPUs: for kernels from 6.12 on. */
static void
prepare_thread (void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = { .size = sizeof attributes };
	pthread_setname_np (pthread_self (), "monocle-sampler");
	prctl (PR_SET_TIMERSLACK, 1ul);
	if (syscall (SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) || attributes.policy != SCHED_OTHER)
		return;
	attributes.runtime = 100000;
	syscall (SYS_sched_setattr, 0, &attributes, 0);
}

/* Must the sampler's thread send signals itself? */
static bool
is_pacing (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->engine) == &monocle__engine_paced)
			return true;
	return false;
}

/* Ticks that are past are not made up for. Returns when the next one is due. */
static uint64_t
tick (uint64_t setting, uint64_t due, uint64_t now)
{
	static uint64_t idle;
	uint64_t period = period_of (setting), late = (now - due) / period;
	MONOCLE__INVARIANT (now >= due);
	bool is_real = mode_of (setting) == MONO_PROFILER_SAMPLE_MODE_REAL;
	pthread_mutex_lock (&lock);
	current.ticks++;
	current.skipped += late;
	if (is_real)
		monocle__sampler_paced_all ();
	else if (monocle__sampler_paced_used (period, now))
		idle = 0;
	else if (idle < IDLE_NS / period)
		idle = idle ? idle * 2 : 1;
	pthread_mutex_unlock (&lock);
	if (is_real)
		monocle__sampler_asleep_tell ();
	due += (late + 1 + (is_real ? 0 : idle)) * period;
	MONOCLE__INVARIANT (due > now); /* what is past is not made up for */
	return due;
}

static void
wait_until (uint64_t due)
{
	struct timespec until = monocle__nanoseconds_timespec (due);
	if (sem_clockwait (&changed, CLOCK_MONOTONIC, &until) == 0)
		while (sem_trywait (&changed) == 0)
			;
}

/*
 * Between two checks. While there are no hits nobody can have taken the signal over unless nothing runs, or it has just
 * happened. Returns when to look next.
 */
static uint64_t
look (uint64_t now)
{
	if (!monocle__sampler_signal_is_ours ())
		atomic_store (&is_deaf, true);
	return now + (atomic_exchange (&was_hit, false) ? LOOK_NS : CHECK_NS);
}

static uint64_t
earliest (uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t first = a < b ? a : b;
	return first < c ? first : c;
}

/* As long as the mode is what it was, and the signal ours. */
static void
serve (uint64_t setting)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC), next_tick = now, next_check = now + CHECK_NS,
	         next_look = now;
	monocle__sampler_strangers_look ();
	MONOCLE__PAUSE (sampler_serves);
	while (atomic_load (&settings) == setting && !atomic_load (&is_taken)) {
		now = monocle__nanoseconds (CLOCK_MONOTONIC);
		if (!is_pacing ())
			next_tick = UINT64_MAX;
		else if (next_tick == UINT64_MAX)
			next_tick = now;
		if (now >= next_tick)
			next_tick = tick (setting, next_tick, now);
		if (now >= next_look)
			next_look = look (now);
		if (now >= next_check || atomic_exchange (&is_deaf, false)) {
			check ();
			next_check = now + CHECK_NS;
		}
		wait_until (earliest (next_tick, next_look, next_check));
	}
}

/*
 * A mode is told before it is looked at once more and applied: the thread that sets NONE waits for it, or this one sees
 * that there is another mode by now.
 */
static void *
run (void *nothing)
{
	prepare_thread ();
	for (;;) {
		MONOCLE__PAUSE (sampler_looks);
		uint64_t setting = atomic_load (&settings);
		if (mode_of (setting) != MONO_PROFILER_SAMPLE_MODE_NONE) {
			MONOCLE__PAUSE (sampler_mode_read);
			atomic_store (&finished, setting);
			MONOCLE__PAUSE (sampler_mode_told);
			if (atomic_load (&settings) != setting)
				continue;
		}
		apply (setting);
		if (is_applied_on ())
			serve (setting);
		while (atomic_load (&settings) == setting && !atomic_load (&is_leaving))
			sem_wait (&changed);
		if (atomic_load (&is_leaving))
			return NULL;
	}
}

/* --- for feature.c and host.c ------------------------------------------------------------------------------------- */

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;

/* Under `once`. */
static void
prepare (uint32_t frequency)
{
	static bool is_prepared;
	if (is_prepared)
		return;
	sem_init (&changed, 0, 0);
	sem_init (&stopped, 0, 0);
	atomic_store (&settings, frequency);
	is_prepared = true;
}

void
monocle__sampler_prepare (uint32_t frequency)
{
	pthread_mutex_lock (&once);
	prepare (frequency);
	pthread_mutex_unlock (&once);
}

bool
monocle__sampler_begin (uint32_t frequency)
{
	pthread_mutex_lock (&once);
	if (!atomic_load (&owner)) {
		prepare (frequency);
		forced = forced_engine ();
		if (monocle__background_start (&own_thread, run, NULL, 0))
			atomic_store (&owner, getpid ());
	}
	pthread_mutex_unlock (&once);
	return atomic_load (&owner) != 0;
}

void
monocle__sampler_set (MonoProfilerSampleMode mode, uint32_t frequency)
{
	atomic_store (&settings, (uint64_t) mode << 32 | frequency);
	MONOCLE__PAUSE (sampler_mode_set);
	sem_post (&changed);
}

void
monocle__sampler_get (MonoProfilerSampleMode *ret_mode, uint32_t *ret_frequency)
{
	uint64_t setting = atomic_load (&settings);
	if (ret_mode)
		*ret_mode = mode_of (setting);
	if (ret_frequency)
		*ret_frequency = (uint32_t) setting;
}

void
monocle__sampler_end (void)
{
	if (!is_owner ())
		return;
	monocle__sampler_set (MONO_PROFILER_SAMPLE_MODE_NONE, (uint32_t) atomic_load (&settings));
	struct timespec until = monocle__nanoseconds_timespec (monocle__nanoseconds (CLOCK_MONOTONIC) + END_NS);
	while (mode_of (atomic_load (&finished)) != MONO_PROFILER_SAMPLE_MODE_NONE &&
	       (sem_clockwait (&stopped, CLOCK_MONOTONIC, &until) == 0 || errno == EINTR))
		;
}

static bool
is_any_inside (void)
{
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		if (atomic_load (&thread->is_inside))
			return true;
	return monocle__sampler_asleep_is_telling ();
}

/* A thread that is inside the handler entered it before there was nothing to tell, or sees that there is nothing. */
bool
monocle__sampler_await_handlers (void)
{
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + LEAVE_NS;
	while (is_any_inside ()) {
		if (monocle__nanoseconds (CLOCK_MONOTONIC) >= end)
			return false;
		nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
	}
	return true;
}

bool
monocle__sampler_leave (void)
{
	monocle__sampler_end ();
	if (!monocle__sampler_await_handlers ())
		return false;
	MONOCLE__PAUSE (sampler_left);
	if (is_owner ()) {
		atomic_store (&is_leaving, true);
		sem_post (&changed);
		pthread_join (own_thread, NULL);
		atomic_store (&is_leaving, false);
		atomic_store (&owner, 0);
	}
	monocle__sampler_signal_remove ();
	atomic_store (&is_taken, false);
	atomic_store (&is_deaf, false);
	return true;
}

mono_bool
monocle_sampling_state (MonocleSampling *ret_state)
{
	uint64_t hits, used, lost, setting = atomic_load (&applied);
	uint32_t size = ret_state ? ret_state->size : 0;
	if (size < offsetof (MonocleSampling, threads))
		return 0;
	sum (&hits, &used, &lost);
	MonocleSampling state = {
		.size = size,
		.mode = mode_of (setting),
		.frequency = (uint32_t) setting,
		.achieved = atomic_load (&achieved),
		.engine = engine_name (),
		.hits = hits,
		.lost = lost,
		.nanoseconds = used,
	};
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		state.threads += atomic_load (&thread->engine) && !atomic_load (&thread->is_closed);
	memcpy (ret_state, &state, size < sizeof state ? size : sizeof state);
	return 1;
}
