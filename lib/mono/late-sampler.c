/*
 * SPDX-License-Identifier: MIT
 *
 * late-sampler.c - see late-sampler.h. Mono's handler turns away threads that it does not know, so all that the kernel
 * lists are hit; ours block the signal.
 */
#include "late-sampler.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "background.h"
#include "look.h"
#include "mono-nested.h"
#include "mono-signal.h"
#include "nanoseconds.h"

enum { SIGNAL = SIGURG };

static struct sigaction monos;   /* what Mono does about its signal; written before the number */
static _Atomic int monos_number; /* 0: not known */

static atomic_bool is_there, is_ending;
static _Atomic (MonoProfilerSampleMode) mode;
static _Atomic uint32_t frequency;
static sem_t wake;
static pthread_t thread;

/* --- Mono's part -------------------------------------------------------------------------------------------------- */

void
monocle__late_sampler_learn (const void *context)
{
	static atomic_bool is_being_learnt;
	struct sigaction action;
	int number = monocle__mono_signal_under_way (context);
	if (!number || sigaction (number, NULL, &action) || !(action.sa_flags & SA_SIGINFO) ||
	    atomic_exchange (&is_being_learnt, true))
		return;
	monos = action;
	atomic_store (&monos_number, number);
}

bool
monocle__late_sampler_has_learnt (void)
{
	return atomic_load (&monos_number) != 0;
}

/* A crash reporter walks all threads by SIGTERM, which waits: no thread is to be walked twice at once. */
static void
on_signal (int number, siginfo_t *info, void *context)
{
	if (monocle__look_answer (info, context))
		return;
	int saved_errno = errno;
	bool is_wanted = mode != MONO_PROFILER_SAMPLE_MODE_NONE && !monocle__mono_signal_is_crashing ();
	errno = saved_errno;
	if (is_wanted)
		monocle__mono_nested_call (monos.sa_sigaction, monos_number, info, context);
}

static bool
take_signal (void)
{
	struct sigaction is, ours = monos;
	if (sigaction (SIGNAL, NULL, &is) || is.sa_flags & SA_SIGINFO || is.sa_handler != SIG_DFL)
		return false;
	ours.sa_sigaction = on_signal;
	sigaddset (&ours.sa_mask, SIGTERM);
	sigaddset (&ours.sa_mask, monos_number);
	return sigaction (SIGNAL, &ours, NULL) == 0;
}

bool
monocle__late_sampler_is (void (*handler) (int, siginfo_t *, void *))
{
	return handler == on_signal;
}

/* One that is on its way is ignored then. A handler that the program has set meanwhile is its own. */
static void
give_signal_back (void)
{
	struct sigaction is, was = { .sa_handler = SIG_DFL };
	if (sigaction (SIGNAL, NULL, &is) == 0 && is.sa_flags & SA_SIGINFO && is.sa_sigaction == on_signal)
		sigaction (SIGNAL, &was, NULL);
}

/* --- threads, on ours --------------------------------------------------------------------------------------------- */

typedef struct {
	pid_t tid;
	uint64_t used; /* CPU time when it was hit last */
} target;

typedef struct {
	target *targets;
	size_t count, room;
	nlink_t links;    /* of the kernel's folder: as many as there are threads, and two */
	uint64_t read_at; /* of CLOCK_MONOTONIC */
} list;

/* The clock of a thread has its number in it (clock_gettime's own macro is the kernel's). */
static uint64_t
used_by (pid_t tid)
{
	enum { SCHEDULER = 2, OF_THREAD = 4 };
	return monocle__nanoseconds ((clockid_t) (~(unsigned) tid << 3 | OF_THREAD | SCHEDULER));
}

static void
add (list *to, const list *before, pid_t tid)
{
	if (to->count == to->room) {
		size_t room = to->room ? 2 * to->room : 64;
		target *more = realloc (to->targets, room * sizeof *more);
		if (!more)
			return;
		to->targets = more;
		to->room = room;
	}
	target *one = &to->targets[to->count++];
	*one = (target) { .tid = tid };
	for (size_t i = 0; i < before->count; i++)
		if (before->targets[i].tid == tid) {
			*one = before->targets[i];
			return;
		}
	/* The first one of all is looked at from now on, one that came later from its beginning on. */
	if (!before->read_at)
		one->used = used_by (tid);
}

static void
read_threads (list *of, uint64_t now)
{
	list fresh = { .read_at = now, .links = of->links };
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *entry;
	pid_t self = (pid_t) syscall (SYS_gettid), tid;
	while (tasks && (entry = readdir (tasks)))
		if ((tid = atoi (entry->d_name)) > 0 && tid != self)
			add (&fresh, of, tid);
	if (tasks)
		closedir (tasks);
	if (!fresh.count)
		return;
	free (of->targets);
	*of = fresh;
}

/* Where as many came as went, a twentieth of a second may go by. */
static void
know_threads (list *of)
{
	enum { FRESH_NS = 50000000 };
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	struct stat status = { .st_nlink = of->links };
	stat ("/proc/self/task", &status);
	if (of->count && status.st_nlink == of->links && now - of->read_at < FRESH_NS)
		return;
	of->links = status.st_nlink;
	read_threads (of, now);
}

static void
hit (const target *one)
{
	syscall (SYS_tgkill, getpid (), one->tid, SIGNAL);
}

static void
hit_all (list *of, MonoProfilerSampleMode now, uint64_t period)
{
	know_threads (of);
	for (size_t i = 0; i < of->count; i++) {
		target *one = &of->targets[i];
		uint64_t used = now == MONO_PROFILER_SAMPLE_MODE_PROCESS ? used_by (one->tid) : 0;
		if (now == MONO_PROFILER_SAMPLE_MODE_PROCESS && used - one->used < period / 2)
			continue;
		one->used = used;
		hit (one);
	}
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static uint64_t
period_of (uint32_t hertz)
{
	return UINT64_C (1000000000) / (hertz ? hertz : 1);
}

static void *
run (void *nothing)
{
	list threads = { .count = 0 };
	uint64_t deadline = 0;
	prctl (PR_SET_NAME, "monocle-sample");
	while (!is_ending) {
		MonoProfilerSampleMode now = mode;
		uint64_t period = period_of (frequency), time = monocle__nanoseconds (CLOCK_MONOTONIC);
		if (now == MONO_PROFILER_SAMPLE_MODE_NONE) {
			while (sem_wait (&wake) && errno == EINTR)
				;
			continue;
		}
		/* What was missed is not made up for. */
		deadline = deadline + period > time ? deadline + period : time;
		if (deadline > time + period)
			deadline = time + period;
		if (deadline > time)
			monocle__background_sleep (&wake, deadline - time);
		if (!is_ending && now == mode)
			hit_all (&threads, now, period);
	}
	free (threads.targets);
	return NULL;
}

bool
monocle__late_sampler_begin (void)
{
	if (is_there || !monocle__late_sampler_has_learnt () || !take_signal ())
		return false;
	monocle__mono_nested_init ();
	mode = MONO_PROFILER_SAMPLE_MODE_NONE;
	frequency = 100;
	is_ending = false;
	sem_init (&wake, 0, 0);
	is_there = monocle__background_start (&thread, run, NULL, 0);
	if (!is_there)
		give_signal_back ();
	return is_there;
}

void
monocle__late_sampler_end (void)
{
	if (!atomic_exchange (&is_there, false))
		return;
	mode = MONO_PROFILER_SAMPLE_MODE_NONE;
	is_ending = true;
	sem_post (&wake);
	pthread_join (thread, NULL);
	give_signal_back ();
}

bool
monocle__late_sampler_set_mode (MonoProfilerSampleMode wanted, uint32_t hertz)
{
	if (!is_there || !hertz)
		return false;
	frequency = hertz;
	mode = wanted;
	sem_post (&wake);
	return true;
}

bool
monocle__late_sampler_get_mode (MonoProfilerSampleMode *ret_mode, uint32_t *ret_frequency)
{
	if (!is_there)
		return false;
	if (ret_mode)
		*ret_mode = mode;
	if (ret_frequency)
		*ret_frequency = frequency;
	return true;
}
