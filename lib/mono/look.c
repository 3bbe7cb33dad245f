/*
 * SPDX-License-Identifier: MIT
 *
 * look.c - see look.h.
 *
 * Mono's handler of its sampler's signal is what makes a thread fit to be walked: it turns away threads that Mono does
 * not know, and marks the others. So a look has that handler called on each thread, without Mono's sampler: by SIGURG,
 * which no program dies of, with the number of the thread's place in a table.
 *
 *      the thread that looks                               a thread
 *      FREE -> ASKED, SIGURG  ──►                          ASKED -> INSIDE, Mono's handler --sample_hit--> on_hit (),
 *      until all have come, or time is over                INSIDE -> SEEN
 *
 * All handles are told of that hit; those of modules ask whether it is a look's (lending.h, late-handle.h). While Mono
 * stops the world no thread is walked but the one that does it (see modules/sample/sample.c); nor is one that is in
 * Mono's handler already. They are sent the signal again.
 *
 * Which handler that is: when Mono has started, one real-time signal more has a handler than before.
 */
#include "look.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>
#include "control/control-stacks.h"
#include "late-sampler.h"
#include "lending.h"
#include "mono-nested.h"
#include "mono-signal.h"
#include "nanoseconds.h"
#include "read-file.h"
#include "umbrella.h"

enum { SIGNAL = SIGURG, MOST = 1 << 12 };
enum { FREE, ASKED, INSIDE, SEEN, REFUSED };

/* Places in it are found by what a signal carries; they are never freed. */
static struct target {
	_Atomic (pid_t) tid;
	_Atomic int state;
} targets[MOST];
static atomic_size_t count;                /* 0: no look is under way */
static const MonocleLook *_Atomic current; /* NULL: it is only seen how Mono does it */

static struct {
	MonoProfilerHandle (*create) (MonoProfiler *prof);
	void (*set_sample_hit) (MonoProfilerHandle handle, MonoProfilerSampleHitCallback callback);
	void (*set_gc_event) (MonoProfilerHandle handle, MonoProfilerGCEvent2Callback callback);
	void (*set_initialized) (MonoProfilerHandle handle, MonoProfilerRuntimeInitializedCallback callback);
	void (*set_thread_name) (MonoProfilerHandle handle, MonoProfilerThreadNameCallback callback);
	void (*set_shutdown) (MonoProfilerHandle handle, MonoProfilerRuntimeShutdownBeginCallback callback);
} mono;
static MonoProfilerHandle handle; /* of looks */

static bool was_free[NSIG];      /* signals without a handler before Mono started */
static struct sigaction monos;   /* what Mono does about its signal; written before the number */
static _Atomic int monos_number; /* 0: not known */
static atomic_bool world_stops;
static _Atomic (pthread_t) stopper; /* the thread that stops it */

/* --- on the thread itself: async-safe ----------------------------------------------------------------------------- */

static struct target *
own_target (void)
{
	size_t end = atomic_load (&count);
	pid_t own = end ? (pid_t) syscall (SYS_gettid) : 0;
	for (size_t i = 0; i < end; i++)
		if (atomic_load (&targets[i].tid) == own)
			return &targets[i];
	return NULL;
}

bool
monocle__look_is_here (void)
{
	const struct target *own = own_target ();
	int state = own ? atomic_load (&own->state) : FREE;
	return state == INSIDE || state == SEEN;
}

/* Of each hit while there is a look. */
static void
on_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	struct target *own = own_target ();
	int inside = INSIDE;
	if (!own || !atomic_compare_exchange_strong (&own->state, &inside, SEEN))
		return;
	const MonocleLook *look = atomic_load (&current);
	monocle__mono_nested_look ();
	if (look)
		look->hit (look->data, ip, context);
}

static bool
may_be_walked (const ucontext_t *context)
{
	bool is_hit = sigismember (&context->uc_sigmask, monos_number);
	bool is_stopped = world_stops && !pthread_equal (stopper, pthread_self ());
	return !is_hit && !is_stopped && !monocle__mono_signal_is_crashing ();
}

/* The last state is written when nothing of the look is in use any more. */
bool
monocle__look_answer (const siginfo_t *info, void *context)
{
	uintptr_t place = (uintptr_t) info->si_value.sival_ptr - (uintptr_t) targets;
	struct target *own = &targets[place / sizeof *targets];
	int asked = ASKED, saved_errno = errno;
	if (info->si_code != SI_QUEUE || place >= sizeof targets || place % sizeof *targets)
		return false;
	if (atomic_load (&own->tid) != (pid_t) syscall (SYS_gettid) || !may_be_walked (context) ||
	    !atomic_compare_exchange_strong (&own->state, &asked, INSIDE)) {
		errno = saved_errno;
		return true;
	}
	siginfo_t shown = *info;
	monocle__mono_nested_call (monos.sa_sigaction, monos_number, &shown, context);
	int inside = INSIDE; /* where Mono has turned it away */
	if (!atomic_compare_exchange_strong (&own->state, &inside, REFUSED))
		atomic_store (&own->state, FREE);
	errno = saved_errno;
	return true;
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
	monocle__look_answer (info, context);
}

/* --- the signal --------------------------------------------------------------------------------------------------- */

typedef enum { SIGNAL_IS_MINE, SIGNAL_IS_LATES, SIGNAL_IS_PROGRAMS } signal_owner;

/* A thread that is looked at is hit by nobody else meanwhile. */
static signal_owner
take_signal (struct sigaction *ret_before)
{
	struct sigaction ours = monos;
	if (sigaction (SIGNAL, NULL, ret_before))
		return SIGNAL_IS_PROGRAMS;
	if (ret_before->sa_flags & SA_SIGINFO && monocle__late_sampler_is (ret_before->sa_sigaction))
		return SIGNAL_IS_LATES;
	if (ret_before->sa_flags & SA_SIGINFO || ret_before->sa_handler != SIG_DFL)
		return SIGNAL_IS_PROGRAMS;
	ours.sa_sigaction = on_signal;
	sigaddset (&ours.sa_mask, SIGTERM);
	sigaddset (&ours.sa_mask, monos_number);
	return sigaction (SIGNAL, &ours, NULL) ? SIGNAL_IS_PROGRAMS : SIGNAL_IS_MINE;
}

/* One that is on its way is ignored then. A handler that the program has set meanwhile is its own. */
static void
give_signal_back (const struct sigaction *before)
{
	struct sigaction is;
	if (sigaction (SIGNAL, NULL, &is) == 0 && is.sa_flags & SA_SIGINFO && is.sa_sigaction == on_signal)
		sigaction (SIGNAL, before, NULL);
}

static bool
send (const struct target *to)
{
	siginfo_t info = { .si_signo = SIGNAL, .si_code = SI_QUEUE };
	info.si_pid = getpid ();
	info.si_uid = getuid ();
	info.si_value.sival_ptr = (void *) to;
	return syscall (SYS_rt_tgsigqueueinfo, info.si_pid, (pid_t) to->tid, SIGNAL, &info) == 0;
}

/* --- all threads -------------------------------------------------------------------------------------------------- */

static bool
has_blocked (pid_t tid)
{
	char status[4096];
	monocle__read_file_of_thread ((uint64_t) tid, "status", status, sizeof status);
	const char *line = strstr (status, "\nSigBlk:");
	return line && strtoull (line + strlen ("\nSigBlk:"), NULL, 16) >> (SIGNAL - 1) & 1;
}

/* Threads with all signals blocked, as ours are, would not come. */
static size_t
list (void)
{
	DIR *tasks = opendir ("/proc/self/task");
	const struct dirent *entry;
	size_t found = 0;
	while (tasks && found < MOST && (entry = readdir (tasks))) {
		pid_t tid = atoi (entry->d_name);
		if (tid <= 0 || tid == (pid_t) syscall (SYS_gettid) || has_blocked (tid))
			continue;
		atomic_store (&targets[found].tid, tid);
		atomic_store (&targets[found++].state, ASKED);
	}
	if (tasks)
		closedir (tasks);
	return found;
}

static bool
is_done (const struct target *at)
{
	int state = atomic_load (&at->state);
	return state == FREE || state == REFUSED;
}

/* How many have not come yet. `is_time`: to be sent another signal. */
static size_t
look_on (size_t end, bool is_time)
{
	size_t left = 0;
	for (size_t i = 0; i < end; i++) {
		int asked = ASKED;
		if (is_done (&targets[i]))
			continue;
		if (is_time && atomic_load (&targets[i].state) == ASKED && !send (&targets[i]))
			atomic_compare_exchange_strong (&targets[i].state, &asked, REFUSED);
		left += !is_done (&targets[i]);
	}
	return left;
}

/* Who has not come by now is not let in any more. How many that are; -1: one is inside and does not come out. */
static int
call_back (size_t end)
{
	enum { STEP_NS = 1000000, STEPS = 2000 };
	int missing = 0;
	bool is_out = true;
	for (size_t i = 0; i < end && is_out; i++) {
		int asked = ASKED;
		if (atomic_compare_exchange_strong (&targets[i].state, &asked, REFUSED))
			missing += !has_blocked (targets[i].tid);
		for (int k = 0; !is_done (&targets[i]) && (is_out = k < STEPS); k++)
			nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
	}
	return is_out ? missing : -1;
}

static int
look_at (uint32_t milliseconds, mono_bool (*is_over) (void))
{
	enum { STEP_NS = 500000, STEPS_A_SIGNAL = 8 };
	uint64_t until = monocle__nanoseconds (CLOCK_MONOTONIC) + milliseconds * UINT64_C (1000000);
	size_t end = list ();
	atomic_store (&count, end);
	mono.set_sample_hit (handle, on_hit);
	for (unsigned step = 0; look_on (end, step % STEPS_A_SIGNAL == 0); step++) {
		if (monocle__nanoseconds (CLOCK_MONOTONIC) >= until || is_over ())
			break;
		nanosleep (&(struct timespec) { 0, STEP_NS }, NULL);
	}
	int missing = call_back (end);
	mono.set_sample_hit (handle, NULL);
	if (missing >= 0)
		atomic_store (&count, 0);
	return missing >= 0 ? missing : MONOCLE_STACKS_STUCK;
}

static mono_bool (*is_over) (void); /* of the request that is under way */

static int
look (const MonocleLook *at, uint32_t milliseconds)
{
	struct sigaction before;
	signal_owner whose = take_signal (&before);
	if (whose == SIGNAL_IS_PROGRAMS)
		return -1;
	atomic_store (&current, at);
	int result = look_at (milliseconds, is_over);
	if (whose == SIGNAL_IS_MINE)
		give_signal_back (&before);
	return result;
}

const char *
monocle__look_take (MonocleStacks *request)
{
	const char *folders[PLACES_MAX + 1];
	places list_of;
	if (!monocle__lending_is_tight ())
		return "a module that Monocle has not started has Mono's sampler, or may have it";
	if (!atomic_load (&monos_number)) /* it is known when Mono has started */
		return "Mono has not started yet";
	monocle__place_find_all (&list_of);
	for (size_t i = 0; i <= list_of.count; i++)
		folders[i] = i < list_of.count ? list_of.folders[i] : NULL;
	request->look = look;
	is_over = request->is_over;
	const char *error = monocle__control_stacks_take (request, folders);
	monocle__place_free_all (&list_of);
	return error;
}

/* --- Mono starts -------------------------------------------------------------------------------------------------- */

static sem_t sampler_began;

static void
on_thread_name (MonoProfiler *prof, uintptr_t tid, const char *name)
{
	if (tid == (uintptr_t) pthread_self () && !strcmp (name, "Profiler Sampler"))
		sem_post (&sampler_began);
}

/* Mono waits at its end for a sampler that has not marked itself by then: see modules/sample/sample.c. */
static void
await_sampler (void)
{
	enum { PATIENCE_S = 10 };
	struct timespec end;
	clock_gettime (CLOCK_MONOTONIC, &end);
	end.tv_sec += PATIENCE_S;
	while (sem_clockwait (&sampler_began, CLOCK_MONOTONIC, &end) && errno == EINTR)
		;
	mono.set_thread_name (handle, NULL);
}

static void
on_gc_event (MonoProfiler *prof, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event == MONO_GC_EVENT_PRE_STOP_WORLD)
		stopper = pthread_self ();
	else if (event == MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED)
		world_stops = true;
	else if (event == MONO_GC_EVENT_POST_STOP_WORLD)
		world_stops = false;
}

static bool
is_free (int number, struct sigaction *ret_action)
{
	return sigaction (number, NULL, ret_action) ||
	       (!(ret_action->sa_flags & SA_SIGINFO) &&
	        (ret_action->sa_handler == SIG_DFL || ret_action->sa_handler == SIG_IGN));
}

static void
note_signals (void)
{
	struct sigaction unused;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		was_free[number] = is_free (number, &unused);
}

/* Is the code in the same file as Mono's? The toolkit's handler (lib/kit/crash.c) may be there before it already. */
static bool
is_monos (const void *code)
{
	Dl_info its, own;
	return dladdr (code, &its) && dladdr ((const void *) mono.create, &own) &&
	       (its.dli_fbase == own.dli_fbase || (its.dli_fname && strstr (its.dli_fname, "/libmonocle-kit.so")));
}

/* The one that Mono has taken for its sampler meanwhile; 0: none, or more than one. */
static int
find_signal (struct sigaction *ret_action)
{
	int found = 0;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction action;
		if (!was_free[number] || is_free (number, &action) || !(action.sa_flags & SA_SIGINFO) ||
		    !is_monos ((const void *) action.sa_sigaction))
			continue;
		if (found)
			return 0;
		found = number;
		*ret_action = action;
	}
	return found;
}

/*
 * While there is one thread, and it does not walk: from a few hits it is known how a hit is marked, which later comes
 * upon walks of Mono's own (mono-nested.h).
 */
static void
learn_mark (void)
{
	enum { HITS = 4 };
	struct sigaction before;
	monocle__mono_nested_init ();
	if (take_signal (&before) != SIGNAL_IS_MINE)
		return;
	mono.set_sample_hit (handle, on_hit);
	for (int i = 0; i < HITS; i++) {
		targets[0].tid = (pid_t) syscall (SYS_gettid);
		targets[0].state = ASKED;
		atomic_store (&count, 1);
		send (&targets[0]);
		atomic_store (&count, 0);
	}
	mono.set_sample_hit (handle, NULL);
	give_signal_back (&before);
}

static void
on_initialized (MonoProfiler *prof)
{
	struct sigaction action;
	int number = find_signal (&action);
	await_sampler ();
	mono.set_initialized (handle, NULL);
	if (!number)
		return;
	monos = action;
	atomic_store (&monos_number, number);
	learn_mark ();
}

/* Nothing is to be asked of a Mono that takes itself apart. */
static void
on_shutdown (MonoProfiler *prof)
{
	monocle__control_stacks_hold (true);
}

#define FIND(member, name) (*(void **) &mono.member = dlsym (RTLD_DEFAULT, name))

bool
monocle__look_begin (void)
{
	if (!FIND (create, "mono_profiler_create") || !FIND (set_sample_hit, "mono_profiler_set_sample_hit_callback") ||
	    !FIND (set_gc_event, "mono_profiler_set_gc_event_callback") ||
	    !FIND (set_initialized, "mono_profiler_set_runtime_initialized_callback") ||
	    !FIND (set_thread_name, "mono_profiler_set_thread_name_callback") ||
	    !FIND (set_shutdown, "mono_profiler_set_runtime_shutdown_begin_callback") || !(handle = mono.create (NULL)))
		return false;
	sem_init (&sampler_began, 0, 0);
	note_signals ();
	mono.set_gc_event (handle, on_gc_event);
	mono.set_thread_name (handle, on_thread_name);
	mono.set_initialized (handle, on_initialized);
	mono.set_shutdown (handle, on_shutdown);
	return true;
}
