/*
 * SPDX-License-Identifier: MIT
 *
 * sampler.h - what the files of the sampler share. See sampler.c for how they work together.
 */
#ifndef MONOCLE_SAMPLER_H
#define MONOCLE_SAMPLER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <mono/metadata/profiler.h>
#include <monocle/host.h>
#include <monocle/stacks.h>

typedef struct monocle__engine monocle__engine;

/*
 * A thread that can be sampled. It is part of the thread's record, so it is never freed; the thread that gets the same
 * tid next takes it over. What has no remark is under the sampler's lock.
 */
typedef struct monocle__sampled {
	struct monocle__sampled *next; /* set once, when it enters the list */
	uintptr_t tid;                 /* set once, too. 0: a stranger */
	atomic_bool is_listed;
	atomic_bool is_inside; /* the handler runs on this thread; written by it */
	_Atomic (pid_t) os_id; /* 0: there is no such thread (any more). Written by whoever attaches, detaches */
	const monocle__engine *_Atomic engine; /* NULL: it is not sampled. Written under the lock */
	_Atomic (int) fd;                      /* perf: the event, and its number by which it is known again */
	uint64_t event;
	_Atomic (timer_t) timer;
	_Atomic (uint64_t) due, period; /* timer: CPU time at its next hit, and from one to the next */
	uint64_t clock;                 /* of its CPU time, as last read */
	uint64_t credit;                /* paced: CPU time that no signal was sent for yet */
	uint64_t looked, asked, ready;  /* paced: when it was last looked at, how long it was ready by then */
	atomic_bool signalled;          /* paced: a signal is on its way. Set by the pacer, cleared by the handler */
	struct monocle__watch *watch;   /* real: what is known of its wait: sampler-asleep.c's. NULL: nothing */
	atomic_bool is_closed;          /* paced: it has not answered, since it blocks the signal. The same */
	_Atomic (uint64_t) used;        /* CPU time while it was sampled */
	_Atomic (uint64_t) hits;        /* written by the handler on this thread */
	_Atomic (uint64_t) overruns;    /* the same: hits that were due while one was on its way */
	_Atomic (uint64_t) missed;      /* the same of the pacer */
	_Atomic (int) look;             /* its part in a look at all threads: sampler-look.c's */
	atomic_bool has_one_body;       /* a module that knows one body of each method takes its sample. Written by it */
	bool is_stranger;               /* nobody attaches it. Written before it enters the list; sampler-strangers.c */
} monocle__sampled;

/*
 * A way to have a thread interrupted as its CPU time passes. Under the lock, on any thread.
 *
 * The program may take the signal over at any moment, and then it gets what we send. So no engine goes on by itself: it
 * sends a signal or two, and no more until the handler has asked for more.
 */
struct monocle__engine {
	const char *name;
	int (*open) (monocle__sampled *thread, uint64_t period); /* period: ns. 0 or an errno value */
	void (*close) (monocle__sampled *thread);
	bool (*is_intact) (monocle__sampled *thread); /* false: the program took it away */
	/* After a hit, on the thread itself, in the handler. Returns how many more were due meanwhile. Without the lock */
	uint64_t (*again) (monocle__sampled *thread, const siginfo_t *info);
};

extern const monocle__engine monocle__engine_perf;  /* the kernel's task clock as an event of each thread */
extern const monocle__engine monocle__engine_timer; /* a timer on each thread's CPU clock, up to the kernel's tick */
extern const monocle__engine monocle__engine_paced; /* the sampler's thread looks at all CPU clocks at each tick */

/* --- sampler.c ---------------------------------------------------------------------------------------------------- */

/* Mode NONE, which may be set from now on; there is no thread yet. Idempotent; normal context. */
void monocle__sampler_prepare (uint32_t frequency);
/* Makes the sampler's thread, prepared or not. Idempotent; false: no thread can be had. Normal context. */
bool monocle__sampler_begin (uint32_t frequency);
void monocle__sampler_set (MonoProfilerSampleMode mode, uint32_t frequency);           /* any context */
void monocle__sampler_get (MonoProfilerSampleMode *ret_mode, uint32_t *ret_frequency); /* any context */
/* Are samples wanted right now? Any context. */
bool monocle__sampler_is_on (void);
/* The handler was called. False: not by the kernel, since the program has taken the signal over. */
bool monocle__sampler_hears (void);
/* No thread will be interrupted once this returns and what is on its way has arrived. Normal context. */
void monocle__sampler_end (void);
/*
 * After that, or when no hit is delivered any more: waits, with a bound, for threads that are inside a module's
 * callback. False: one does not come out.
 */
bool monocle__sampler_await_handlers (void);
/*
 * After that: ends the sampler's thread and gives the signal back. No thread is, or will be, inside a module's
 * callback. False: one is, and everything stays. Normal context.
 */
bool monocle__sampler_leave (void);
/* A thread came, on itself or (`os_id`: its number) on another; a thread went, on any thread. */
void monocle__sampler_attach (monocle__sampled *thread, pid_t os_id);
void monocle__sampler_detach (monocle__sampled *thread);
/* The thread's CPU time, ns; false: there is none of that number. Any context. */
bool monocle__sampler_clock (pid_t os_id, uint64_t *ret_clock);
/* Adds to `used` what the thread used since this was asked last. False: it runs no more. Under the lock. */
bool monocle__sampler_account (monocle__sampled *thread);
monocle__sampled *monocle__sampler_first (void);
/* A thread that nobody attaches is sampled from now on, until it ends or is attached. On the sampler's thread. */
void monocle__sampler_take_in (pid_t os_id);

/* --- sampler-paced.c: on the sampler's thread --------------------------------------------------------------------- */

/* Signals every thread that has an engine and is not to be told of as asleep. */
void monocle__sampler_paced_all (void);
/* Signals those of engine paced that have used a period of CPU time and run. True: some thread used some. */
bool monocle__sampler_paced_used (uint64_t period, uint64_t now);

/* --- sampler-perf.c ----------------------------------------------------------------------------------------------- */

/* In a forked child: gives the parent's events back without disturbing them. */
void monocle__sampler_perf_forget (monocle__sampled *thread);

/* --- sampler-strangers.c ------------------------------------------------------------------------------------------ */

/* Takes in those threads that have come; without the lock. On the sampler's thread. */
void monocle__sampler_strangers_look (void);
/* The calling thread, when it is such a one; else NULL. In the handler. */
monocle__sampled *monocle__sampler_stranger (void);

/* --- sampler-signal.c --------------------------------------------------------------------------------------------- */

/* Installs the handler. Idempotent; false: it cannot be. */
bool monocle__sampler_signal_install (void);
/* Gives the signal back, unless somebody has put his handler over ours. */
void monocle__sampler_signal_remove (void);
/* Is the handler still the one that the kernel knows? */
bool monocle__sampler_signal_is_ours (void);
/* Does it wait at this thread, which has it blocked? As it may while one is inside a handler. */
bool monocle__sampler_signal_waits (pid_t os_id);
/* Sends the signal to a thread of this process. 0 or an errno value. */
int monocle__sampler_signal_send (pid_t os_id, union sigval mark);
/* What a timer sends so that the handler knows it. */
union sigval monocle__sampler_signal_mark (void);

/* --- sampler-asleep.c: on the sampler's thread -------------------------------------------------------------------- */

/*
 * At a tick of mode REAL: is the thread left alone, because it waits in a system call that a signal would end early, or
 * because its stack can be read from outside? It is told of in this tick. Under the lock.
 */
bool monocle__sampler_asleep_is (monocle__sampled *thread);
/* Tells sample_asleep of those threads, without the lock. */
void monocle__sampler_asleep_tell (void);
/* No thread will be asked about any more, or only after a long time: gives memory back. */
void monocle__sampler_asleep_forget (void);
/* In a forked child, where the thread that told is not. */
void monocle__sampler_asleep_forked (void);
/* Is a module told, at this moment? Any context, as is the next one. */
bool monocle__sampler_asleep_is_telling (void);
/*
 * Looks at one thread, whatever is sampled, and tells `look` of it when it waits in the kernel and its stack can be
 * read from there. AGAIN: it went on meanwhile, and a signal would end what it waits for. On any thread but a sampled
 * one, one at a time.
 */
typedef enum { MONOCLE__ASLEEP_NOT, MONOCLE__ASLEEP_TOLD, MONOCLE__ASLEEP_AGAIN } monocle__sampler_asleep_answer;
monocle__sampler_asleep_answer monocle__sampler_asleep_once (uintptr_t tid, pid_t os_id, const MonocleLook *look);
/* How often that was told, and how often not, as the thread went on while its stack was read. */
void monocle__sampler_asleep_count (uint64_t *ret_hits, uint64_t *ret_lost);

/* --- sampler-look.c ----------------------------------------------------------------------------------------------- */

/*
 * MonocleStacks's `look`, for threads that are attached; MONOCLE_E_REFUSED: the program has taken the signal. Ends
 * early when `is_over` says so.
 */
int monocle__sampler_look (const MonocleLook *look, uint32_t milliseconds, mono_bool (*is_over) (void));
/* What a thread is sent that is looked at, and its answer, in the handler. */
union sigval monocle__sampler_look_mark (void);
void monocle__sampler_look_answer (monocle__sampled *thread, const void *context);

/* --- sampler-ask.c ------------------------------------------------------------------------------------------------ */

/* What a thread is sent that is asked who it is; it answers in the handler. */
union sigval monocle__sampler_ask_mark (void);
void monocle__sampler_ask_answer (void);

#endif
