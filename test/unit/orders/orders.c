/*
 * SPDX-License-Identifier: MIT
 *
 * orders.c - see orders.h. A thread at a point sleeps on a word of its own; the driver, the main thread of a child
 * process, writes there. The choices are in memory that the child shares with the test, so that they outlive it.
 *
 * No sanitizer looks into this file: see meson.build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "orders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { CHOICES = 4096, STEPS = 10000, MET = 256, ORDERS_MAX = 20000, HANG_S = 10, BROKEN = 98, NAPS = 3 };

/* --- the threads ------------------------------------------------------------------------------------------------- */

/* What the word of a thread says. ABSENT: a signal that has not been sent, a thread that has not been adopted. */
enum { ABSENT, STOPPED, RUNS, RAISES, DONE };

/* What a thread that is stopped waits for: nothing, a step of another thread, that or time, a lock and so on. */
enum wait { GOES_ON, WAITS, SLEEPS, LOCKS, TAKES, LISTENS, AWAITS };

typedef struct turner turner;
struct turner {
	const orders_thread *what;
	turner *interrupts; /* of a signal: the thread that it is for */
	turner *inside;     /* of a thread: the signal whose handler it is in */
	pthread_t thread;
	pid_t tid;
	uint32_t turn;
	const char *at; /* the point that it is at, or was at last */
	enum wait waits;
	bool (*is_so) (void);
	const void *on;     /* the lock, the semaphore or the condition */
	bool passes;        /* points are none */
	bool is_told;       /* the condition was signalled */
	bool has_limit;     /* the wait may end by time */
	unsigned timeouts;  /* how many more of them may */
	unsigned arrived;   /* how many steps there had been when it came to where it waits */
	unsigned last_word; /* of the destructors that run when a thread ends */
};

static const orders *task;
static turner turners[ORDERS_THREADS];
static unsigned turner_count;
static uint32_t arrivals;    /* changes when a thread stops or ends: the driver sleeps on it */
static unsigned steps_taken; /* that may have changed something for others */
static unsigned naps;        /* how often time alone let threads go on since the last of them */
static bool looked_in_vain;  /* what follows is the same as without that look: no other ways are tried */
static bool all_run_freely;
static __thread turner *volatile self; /* a handler inside raise () reads it */
static pthread_key_t end_of_thread;

static uint32_t
load (const uint32_t *word)
{
	return __atomic_load_n (word, __ATOMIC_ACQUIRE);
}

/* A wait with a limit is the one that a signal's handler ends, whatever its flags. */
static void
sleep_on (const uint32_t *word, uint32_t value, long ns)
{
	struct timespec limit = { .tv_sec = ns ? 0 : 3600, .tv_nsec = ns };
	syscall (SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static void
set_turn (turner *of, uint32_t turn)
{
	__atomic_store_n (&of->turn, turn, __ATOMIC_RELEASE);
	syscall (SYS_futex, &of->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void
tell_driver (turner *of, uint32_t turn)
{
	__atomic_store_n (&of->turn, turn, __ATOMIC_RELEASE);
	__atomic_fetch_add (&arrivals, 1, __ATOMIC_RELEASE);
	syscall (SYS_futex, &arrivals, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The signal that the driver has chosen arrives here and now. */
static void
interrupt (turner *me)
{
	turner *handler = me->inside;
	__atomic_store_n (&me->turn, STOPPED, __ATOMIC_RELEASE);
	handler->tid = me->tid;
	self = handler;
	if (handler->what->send)
		handler->what->send ();
	else
		raise (handler->what->signal);
	self = me;
	me->inside = NULL;
	tell_driver (handler, DONE);
}

static void
stop_at (turner *me, const char *name, enum wait waits, const void *on)
{
	int saved = errno;
	uint32_t turn;

	me->at = name;
	me->waits = waits;
	me->on = on;
	tell_driver (me, STOPPED);
	while ((turn = load (&me->turn)) != RUNS) {
		if (turn == RAISES)
			interrupt (me);
		else
			sleep_on (&me->turn, turn, 0);
	}
	errno = saved;
}

/* One that the thread had blocked at the point comes later, in one of the thread's own turns. */
static void
run_handler (int signal)
{
	for (unsigned i = 0; i < turner_count; i++)
		if (turners[i].what->signal == signal)
			turners[i].what->run ();
}

/* The last of its destructors: those of other keys may make each other's values again, and have points. */
static void
end_turns (void *value)
{
	turner *me = value;
	if (++me->last_word < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific (end_of_thread, me);
		return;
	}
	self = NULL;
	tell_driver (me, DONE);
}

static void
take_part (turner *me)
{
	self = me;
	me->tid = (pid_t) syscall (SYS_gettid);
	pthread_setspecific (end_of_thread, me);
}

static void *
run_thread (void *turner_of_it)
{
	turner *me = turner_of_it;
	take_part (me);
	stop_at (me, "begin", GOES_ON, NULL);
	me->what->run ();
	return NULL;
}

/* A thread of the library's own takes part from the point on that its row names. */
static turner *
adopt (const char *name)
{
	for (unsigned i = 0; i < turner_count; i++) {
		const char *adopts = turners[i].what->adopts;
		if (adopts && strcmp (adopts, name) == 0 && !turners[i].tid) {
			take_part (&turners[i]);
			return &turners[i];
		}
	}
	return NULL;
}

static void
pause_here (const char *name, bool waits)
{
	if (__atomic_load_n (&all_run_freely, __ATOMIC_ACQUIRE))
		return;
	turner *me = self ? self : adopt (name);
	if (me && (waits || !me->passes))
		stop_at (me, name, waits ? WAITS : GOES_ON, NULL);
}

void
orders_pass (void (*body) (void))
{
	self->passes = true;
	body ();
	self->passes = false;
}

int __real_sched_yield (void);

static bool
takes_turns (void)
{
	return self && !__atomic_load_n (&all_run_freely, __ATOMIC_ACQUIRE);
}

void
orders_await (bool (*is_so) (void))
{
	self->is_so = is_so;
	while (!is_so ()) {
		if (takes_turns ())
			stop_at (self, "await", AWAITS, NULL);
		else
			__real_sched_yield ();
	}
}

static void
forget_in_child (void)
{
	atomic_store (&monocle__pause_calls, NULL);
	self = NULL;
}

/* --- what is shared with the test -------------------------------------------------------------------------------- */

/* Threads by their bits. What was chosen is the `chosen`th of them, beginning with the one that had the last turn. */
typedef struct {
	uint8_t able, count, chosen;
} choice;

typedef struct {
	uint8_t thread;
	const char *from;
} step;

static struct shared {
	unsigned orders;
	unsigned prefix; /* so many choices are given */
	unsigned choices;
	choice choice[CHOICES];
	unsigned steps;
	step step[STEPS];
	unsigned met_count;
	const char *met[MET];
	uint32_t progress; /* changes with each step */
	bool is_complete, is_reported;
	char message[1024];
} * shared;

/* ThreadSanitizer's word for an order. */
void __tsan_on_report (void *report);

void
__tsan_on_report (void *report)
{
	if (shared)
		shared->is_reported = true;
}

__attribute__ ((format (printf, 1, 2), noreturn)) static void
break_off (const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (shared->message, sizeof shared->message, format, arguments);
	va_end (arguments);
	_exit (BROKEN);
}

static void
note_met (const char *name)
{
	for (unsigned i = 0; i < shared->met_count; i++)
		if (shared->met[i] == name)
			return;
	if (shared->met_count < MET)
		shared->met[shared->met_count++] = name;
}

/* --- one order --------------------------------------------------------------------------------------------------- */

static bool
is_driver_word (unsigned long address)
{
	return address >= (unsigned long) turners && address < (unsigned long) (turners + ORDERS_THREADS);
}

/* A file of /proc about a thread, as text; empty when the thread has gone. */
static void
read_about (pid_t tid, const char *name, char *ret_text, size_t size)
{
	char path[64];
	snprintf (path, sizeof path, "/proc/self/task/%d/%s", (int) tid, name);
	int file = open (path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read (file, ret_text, size - 1);
	if (file >= 0)
		close (file);
	ret_text[length > 0 ? length : 0] = '\0';
}

/*
 * The state follows the name, which is in parentheses. It is asked after the system call: a thread that was woken for
 * another processor has its call until that processor takes it up, but sleeps no more.
 */
static bool
is_asleep (pid_t tid)
{
	char text[256];
	read_about (tid, "stat", text, sizeof text);
	const char *end = strrchr (text, ')');
	return end && strncmp (end, ") S", 3) == 0;
}

/* Whether a thread waits in the kernel for what another one does; or sleeps there, where that counts. */
static bool
is_in_wait (pid_t tid, bool sleep_counts)
{
	static const int waits[] = { SYS_poll,          SYS_ppoll,           SYS_epoll_wait, SYS_epoll_pwait,
		                         SYS_select,        SYS_pselect6,        SYS_wait4,      SYS_waitid,
		                         SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_accept,     SYS_pause,
		                         SYS_accept4,       SYS_recvfrom,        SYS_recvmsg,    SYS_futex_waitv };
	char text[256];
	read_about (tid, "syscall", text, sizeof text);
	char *end = text;
	long number = strtol (text, &end, 10);
	if (end == text || !is_asleep (tid))
		return false;
	if (number == SYS_futex)
		return !is_driver_word (strtoul (end, NULL, 16));
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
		if (number == waits[i])
			return true;
	return sleep_counts && (number == SYS_nanosleep || number == SYS_clock_nanosleep);
}

static bool
takes_part (pid_t tid)
{
	for (unsigned i = 0; i < turner_count; i++)
		if (turners[i].tid == tid)
			return true;
	return false;
}

/* Threads of the library's that take no turns may let one go on that waits for them. */
static bool
others_wait (void)
{
	bool all = true;
	DIR *tasks = opendir ("/proc/self/task");
	const struct dirent *entry;
	while (tasks && all && (entry = readdir (tasks))) {
		pid_t tid = (pid_t) atol (entry->d_name);
		all = tid == getpid () || tid <= 0 || takes_part (tid) || is_in_wait (tid, true);
	}
	if (tasks)
		closedir (tasks);
	return all;
}

static bool
is_blocked (const turner *of)
{
	return is_in_wait (of->tid, false) && others_wait ();
}

/* False: the thread has said its last, and is still on its way out. The library joins threads of its own. */
static bool
is_buried (turner *of)
{
	if (of->what->adopts)
		return syscall (SYS_tgkill, getpid (), of->tid, 0) != 0;
	if (of->tid && of->thread) {
		pthread_join (of->thread, NULL);
		of->thread = 0;
	}
	return true;
}

/* Whether it does nothing before the driver or another thread lets it. */
static bool
is_still (turner *of)
{
	uint32_t turn = load (&of->turn);
	if (turn == DONE)
		return is_buried (of);
	return turn == STOPPED || (turn == ABSENT && of->what->signal) || (turn == RUNS && is_blocked (of));
}

/*
 * Twice: what was still at first may have been woken by one that was looked at later. The thread that is inside a
 * handler is stopped.
 */
static void
wait_until_still (void)
{
	enum { A_LOOK_NS = 300000 };

	for (int times = 0; times < 2;) {
		uint32_t before = load (&arrivals);
		bool still = true;
		for (unsigned i = 0; still && i < turner_count; i++)
			still = is_still (&turners[i]);
		times = still ? times + 1 : 0;
		if (!still)
			sleep_on (&arrivals, before, A_LOOK_NS);
	}
}

/* As the C library has them; asking it would order threads for ThreadSanitizer. */
static bool
is_free (const turner *of)
{
	int value = 0;
	if (of->waits == LOCKS)
		return __atomic_load_n (&((const pthread_mutex_t *) of->on)->__data.__lock, __ATOMIC_ACQUIRE) == 0;
	return sem_getvalue ((sem_t *) (uintptr_t) of->on, &value) == 0 && value > 0;
}

static bool
is_able (const turner *of)
{
	if (of->what->signal && load (&of->turn) == ABSENT)
		return load (&of->interrupts->turn) == STOPPED && !of->interrupts->inside &&
		       (!of->what->may_come || of->what->may_come ());
	if (load (&of->turn) != STOPPED || of->inside)
		return false;
	switch (of->waits) {
	case WAITS:
	case SLEEPS: return of->arrived != steps_taken;
	case LOCKS:
	case TAKES: return is_free (of) || (of->has_limit && of->timeouts);
	case AWAITS: return of->is_so ();
	case LISTENS: return of->is_told || (of->has_limit && of->timeouts);
	default: return true;
	}
}

/* The threads that may get the next turn, as bits, and in the order of choices. */
static unsigned
list_able (int last, unsigned switched, uint8_t *ret_bits, int *ret_list)
{
	unsigned count = 0;
	*ret_bits = 0;
	for (unsigned i = 0; i < turner_count; i++) {
		unsigned number = last < 0 ? i : (i + (unsigned) last) % turner_count;
		if (!is_able (&turners[number]))
			continue;
		*ret_bits |= (uint8_t) (1 << number);
		ret_list[count++] = (int) number;
		if ((int) number == last && task->switches && switched >= task->switches)
			return count;
	}
	return count;
}

static const char *
state_of (const turner *of)
{
	uint32_t turn = load (&of->turn);
	return turn == DONE   ? "has ended"
	     : turn == ABSENT ? "has not come"
	     : turn == RUNS   ? "is blocked after"
	                      : "waits at";
}

static void
say_that_all_wait (void)
{
	char text[sizeof shared->message];
	size_t size = 0;

	for (unsigned i = 0; i < turner_count && size < sizeof text; i++)
		size += (size_t) snprintf (text + size, sizeof text - size, "; %s %s %s", turners[i].what->name,
		                           state_of (&turners[i]), turners[i].at ? turners[i].at : "");
	break_off ("no thread can go on%.900s", text);
}

/* Who sleeps looks again, though no other thread has done anything: some time has passed. Not so for ever. */
static void
let_time_pass (void)
{
	bool sleeps = false;
	for (unsigned i = 0; i < turner_count; i++)
		sleeps |= load (&turners[i].turn) == STOPPED && turners[i].waits == SLEEPS;
	if (!sleeps || naps == NAPS)
		say_that_all_wait ();
	naps++;
	steps_taken++;
}

/* A signal that did not come before its thread ended is over; threads of the library's may wait for ever. */
static bool
is_over (void)
{
	for (unsigned i = 0; i < turner_count; i++) {
		bool unsent = turners[i].what->signal && load (&turners[i].turn) == ABSENT;
		if (load (&turners[i].turn) != DONE && !unsent && !turners[i].what->adopts && !turners[i].what->stays)
			return false;
	}
	return true;
}

/* The order that MONOCLE_ORDER gives, after the name; NULL: none. */
static const char *given;

static int
choose_given (const int *able, unsigned count)
{
	size_t size = strcspn (given, " ");
	for (unsigned i = 0; i < count; i++) {
		const char *name = turners[able[i]].what->name;
		if (strlen (name) != size || strncmp (name, given, size) != 0)
			continue;
		given += size;
		given += strspn (given, " ");
		return able[i];
	}
	break_off ("%.*s cannot go on here", (int) size, given);
}

static int
choose (const int *able, unsigned count, uint8_t bits)
{
	if (given && *given)
		return choose_given (able, count);
	if (count == 1 || looked_in_vain)
		return able[0];
	if (shared->choices == CHOICES)
		break_off ("an order of more than %d choices", CHOICES);
	choice *now = &shared->choice[shared->choices++];
	if (shared->choices > shared->prefix)
		*now = (choice) { .able = bits, .count = (uint8_t) count };
	else if (now->able != bits)
		break_off ("the threads that can go on are others than before (%x, %x): something else than points decides",
		           bits, now->able);
	return able[now->chosen];
}

static void
let_go (turner *of, bool others_are_able)
{
	bool was_waiting = load (&of->turn) == STOPPED && (of->waits == WAITS || of->waits == SLEEPS);
	const char *was_at = of->at;

	if (shared->steps == STEPS)
		break_off ("an order of more than %d steps", STEPS);
	shared->step[shared->steps++] = (step) { .thread = (uint8_t) (of - turners), .from = of->at ? of->at : "arrives" };
	__atomic_fetch_add (&shared->progress, 1, __ATOMIC_RELAXED);
	if (load (&of->turn) == ABSENT) {
		__atomic_store_n (&of->turn, RUNS, __ATOMIC_RELEASE);
		of->interrupts->inside = of;
		set_turn (of->interrupts, RAISES);
	} else {
		set_turn (of, RUNS);
	}
	wait_until_still ();
	/* Having looked in vain changes nothing for others. */
	bool in_vain = was_waiting && of->waits && of->at == was_at && load (&of->turn) == STOPPED;
	looked_in_vain |= in_vain && others_are_able;
	steps_taken += !in_vain;
	naps = in_vain ? naps : 0;
	of->arrived = steps_taken;
}

static void
take_turns (void)
{
	int last = -1;
	unsigned switched = 0;

	for (;;) {
		int able[ORDERS_THREADS];
		uint8_t bits;
		for (unsigned i = 0; i < turner_count; i++)
			if (turners[i].at)
				note_met (turners[i].at);
		unsigned count = list_able (last, switched, &bits, able);
		if (count == 0 && is_over ())
			return;
		if (count == 0) {
			let_time_pass ();
			continue;
		}
		int next = choose (able, count, bits);
		switched += last >= 0 && next != last && able[0] == last;
		last = next;
		let_go (&turners[next], count > 1);
	}
}

static turner *
turner_named (const char *name)
{
	for (unsigned i = 0; i < turner_count; i++)
		if (strcmp (turners[i].what->name, name) == 0)
			return &turners[i];
	break_off ("there is no thread %s", name);
}

static void
begin_turner (turner *of)
{
	if (of->what->signal) {
		struct sigaction action = { .sa_handler = run_handler };
		of->interrupts = turner_named (of->what->interrupts);
		if (of->what->run && sigaction (of->what->signal, &action, NULL))
			break_off ("signal %d: %s", of->what->signal, strerror (errno));
		return;
	}
	if (of->what->adopts)
		return;
	__atomic_store_n (&of->turn, RUNS, __ATOMIC_RELEASE);
	int problem = pthread_create (&of->thread, NULL, run_thread, of);
	if (problem)
		break_off ("no thread %s: %s", of->what->name, strerror (problem));
}

static void
run_order (void)
{
	shared->orders++;
	shared->choices = shared->steps = 0;
	memset (turners, 0, sizeof turners);
	for (turner_count = 0; turner_count < ORDERS_THREADS && task->threads[turner_count].name; turner_count++)
		turners[turner_count] =
		    (turner) { .what = &task->threads[turner_count], .timeouts = task->threads[turner_count].timeouts };
	steps_taken = 1;
	naps = 0;
	looked_in_vain = false;
	__atomic_store_n (&all_run_freely, false, __ATOMIC_RELEASE);
	if (task->prepare)
		task->prepare ();
	for (unsigned i = 0; i < turner_count; i++)
		begin_turner (&turners[i]);
	wait_until_still ();
	take_turns ();
	if (task->check)
		task->check ();
	__atomic_store_n (&all_run_freely, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < turner_count; i++)
		if (load (&turners[i].turn) == STOPPED)
			set_turn (&turners[i], RUNS);
	if (task->clean_up)
		task->clean_up ();
	for (unsigned i = 0; !task->fresh && i < turner_count; i++)
		if (turners[i].thread)
			pthread_join (turners[i].thread, NULL);
	if (shared->is_reported)
		break_off ("a sanitizer has reported");
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

/* The next order: the last choice that has another way takes that. */
static void
turn_choices (void)
{
	unsigned depth = shared->choices;
	while (depth > 0 && shared->choice[depth - 1].chosen + 1 == shared->choice[depth - 1].count)
		depth--;
	if (depth > 0)
		shared->choice[depth - 1].chosen++;
	shared->prefix = depth;
	shared->is_complete = depth == 0 || given;
}

static void
run_in_child (void)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS };
	unsigned limit = task->at_most ? task->at_most : ORDERS_MAX;

	/* An order that crashes says so by its signal, and not by a handler of the test's. */
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		signal (faults[i], SIG_DFL);
	pthread_key_create (&end_of_thread, end_turns);
	pthread_atfork (NULL, NULL, forget_in_child);
	atomic_store (&monocle__pause_calls, pause_here);
	do {
		run_order ();
		turn_choices ();
		if (shared->orders >= limit && !shared->is_complete)
			break_off ("more than %u orders: it has too many points, or needs a limit of switches", limit);
	} while (!shared->is_complete && !task->fresh);
	_exit (0);
}

/* The status that the child ended with. One that makes no step for a long time is killed. */
static int
wait_for_child (pid_t child)
{
	int status = 0;
	int file = (int) syscall (SYS_pidfd_open, child, 0);
	struct pollfd end = { .fd = file, .events = POLLIN };
	uint32_t before = ~0u;

	for (;;) {
		uint32_t now = __atomic_load_n (&shared->progress, __ATOMIC_RELAXED);
		if (file < 0 || poll (&end, 1, HANG_S * 1000) > 0)
			break;
		if (now == before) {
			snprintf (shared->message, sizeof shared->message, "it hangs: no step in %d seconds", HANG_S);
			kill (child, SIGKILL);
		}
		before = now;
	}
	while (waitpid (child, &status, 0) < 0 && errno == EINTR)
		;
	if (file >= 0)
		close (file);
	return status;
}

static void
print_order (int status)
{
	fprintf (stderr, "%s: order %u fails: ", task->name, shared->orders);
	if (shared->message[0])
		fprintf (stderr, "%s\n", shared->message);
	else if (WIFSIGNALED (status))
		fprintf (stderr, "signal %d\n", WTERMSIG (status));
	else
		fprintf (stderr, "exit code %d\n", WEXITSTATUS (status));
	for (unsigned i = 0; i < shared->steps; i++)
		fprintf (stderr, "  %3u  %-10s %s\n", i + 1, task->threads[shared->step[i].thread].name, shared->step[i].from);
	fprintf (stderr, "alone: MONOCLE_ORDER='%s:", task->name);
	for (unsigned i = 0; i < shared->steps; i++)
		fprintf (stderr, " %s", task->threads[shared->step[i].thread].name);
	fprintf (stderr, "'\n");
}

static bool
is_met (const char *name, size_t size)
{
	for (unsigned i = 0; i < shared->met_count; i++)
		if (strlen (shared->met[i]) == size && strncmp (shared->met[i], name, size) == 0)
			return true;
	return false;
}

static bool
points_are_met (void)
{
	for (const char *name = task->meets; name && *name;) {
		size_t size = strcspn (name, " ");
		if (!is_met (name, size)) {
			fprintf (stderr, "%s: no order meets %.*s\n", task->name, (int) size, name);
			return false;
		}
		name += size + strspn (name + size, " ");
	}
	return true;
}

/* Runs all orders, or the next one. */
static bool
child_holds (void)
{
	fflush (NULL);
	pid_t child = fork ();
	assert_true (child >= 0);
	if (child == 0)
		run_in_child ();
	int status = wait_for_child (child);
	if (status)
		print_order (status);
	return status == 0;
}

/* False: MONOCLE_ORDER asks for another test's. */
static bool
is_asked_for (const char *name)
{
	const char *asked = getenv ("MONOCLE_ORDER");
	size_t size = strlen (name);

	given = NULL;
	if (!asked || !*asked)
		return true;
	if (strncmp (asked, name, size) != 0 || asked[size] != ':')
		return false;
	given = asked + size + 1;
	given += strspn (given, " ");
	return true;
}

bool
orders_hold (const orders *what, unsigned *ret_count)
{
	bool hold = true;
	unsigned count = 0;

	if (is_asked_for (what->name)) {
		task = what;
		shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert_true (shared != MAP_FAILED);
		while (hold && !shared->is_complete)
			hold = child_holds ();
		count = shared->orders;
		hold = hold && (given || points_are_met ());
		munmap (shared, sizeof *shared);
		shared = NULL;
		printf ("%s: %u orders\n", what->name, count);
	}
	*ret_count = count;
	return hold;
}

unsigned
orders_run (const orders *what)
{
	unsigned count;

	assert_true (orders_hold (what, &count));
	return count;
}

/* --- what the library under test waits by ------------------------------------------------------------------------ */

/*
 * The linker leads these calls here (--wrap). A thread that takes turns waits at a point, where a signal can reach it,
 * too; one that is let go for the end of an order waits as ever.
 */
int __real_pthread_mutex_lock (pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock (pthread_mutex_t *mutex);
int __real_sem_wait (sem_t *semaphore);
int __wrap_sem_wait (sem_t *semaphore);
int __real_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);
int __wrap_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until);
int __real_sem_timedwait (sem_t *semaphore, const struct timespec *until);
int __wrap_sem_timedwait (sem_t *semaphore, const struct timespec *until);
int __real_pthread_cond_wait (pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait (pthread_cond_t *condition, pthread_mutex_t *mutex);
int __real_pthread_cond_signal (pthread_cond_t *condition);
int __wrap_pthread_cond_signal (pthread_cond_t *condition);
int __real_pthread_cond_broadcast (pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast (pthread_cond_t *condition);
int __real_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
int __real_nanosleep (const struct timespec *time, struct timespec *ret_rest);
int __wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest);
int __real_usleep (useconds_t time);
int __wrap_usleep (useconds_t time);
int __wrap_sched_yield (void);

int
__wrap_pthread_mutex_lock (pthread_mutex_t *mutex)
{
	while (takes_turns ()) {
		int problem = pthread_mutex_trylock (mutex);
		if (problem != EBUSY)
			return problem;
		pid_t owner = __atomic_load_n (&mutex->__data.__owner, __ATOMIC_RELAXED);
		if (owner && !takes_part (owner))
			break; /* such a thread gives it up by itself */
		if (owner)
			stop_at (self, "lock", LOCKS, mutex);
	}
	return __real_pthread_mutex_lock (mutex);
}

/* Whether the wait ends with or without what it was for; *ret_error is 0 or that of its time. */
static bool
take_semaphore (sem_t *semaphore, bool has_limit, int *ret_error)
{
	while (takes_turns ()) {
		if (sem_trywait (semaphore) == 0) {
			*ret_error = 0;
			return true;
		}
		self->has_limit = has_limit;
		stop_at (self, "semaphore", TAKES, semaphore);
		if (takes_turns () && !is_free (self)) {
			self->timeouts--;
			*ret_error = ETIMEDOUT;
			return true;
		}
	}
	return false;
}

static int
result_of (int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

int
__wrap_sem_wait (sem_t *semaphore)
{
	int error;
	return take_semaphore (semaphore, false, &error) ? result_of (error) : __real_sem_wait (semaphore);
}

int
__wrap_sem_clockwait (sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	int error;
	return take_semaphore (semaphore, true, &error) ? result_of (error)
	                                                : __real_sem_clockwait (semaphore, clock, until);
}

int
__wrap_sem_timedwait (sem_t *semaphore, const struct timespec *until)
{
	int error;
	return take_semaphore (semaphore, true, &error) ? result_of (error) : __real_sem_timedwait (semaphore, until);
}

static int
listen_to (pthread_cond_t *condition, pthread_mutex_t *mutex, bool has_limit)
{
	int error = 0;
	__atomic_store_n (&self->is_told, false, __ATOMIC_RELAXED);
	self->has_limit = has_limit;
	pthread_mutex_unlock (mutex);
	stop_at (self, "condition", LISTENS, condition);
	if (takes_turns () && !__atomic_load_n (&self->is_told, __ATOMIC_RELAXED)) {
		self->timeouts--;
		error = ETIMEDOUT;
	}
	__wrap_pthread_mutex_lock (mutex);
	return error;
}

int
__wrap_pthread_cond_wait (pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	return takes_turns () ? listen_to (condition, mutex, false) : __real_pthread_cond_wait (condition, mutex);
}

int
__wrap_pthread_cond_timedwait (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
	return takes_turns () ? listen_to (condition, mutex, true)
	                      : __real_pthread_cond_timedwait (condition, mutex, until);
}

/* The first that listens, or all. */
static void
tell_listeners (const pthread_cond_t *condition, bool all)
{
	for (unsigned i = 0; i < turner_count; i++) {
		turner *of = &turners[i];
		if (load (&of->turn) != STOPPED || of->waits != LISTENS || of->on != condition || of->is_told)
			continue;
		__atomic_store_n (&of->is_told, true, __ATOMIC_RELAXED);
		if (!all)
			return;
	}
}

int
__wrap_pthread_cond_signal (pthread_cond_t *condition)
{
	tell_listeners (condition, false);
	return __real_pthread_cond_signal (condition);
}

int
__wrap_pthread_cond_broadcast (pthread_cond_t *condition)
{
	tell_listeners (condition, true);
	return __real_pthread_cond_broadcast (condition);
}

int
__wrap_nanosleep (const struct timespec *time, struct timespec *ret_rest)
{
	if (!takes_turns ())
		return __real_nanosleep (time, ret_rest);
	stop_at (self, "sleep", SLEEPS, NULL);
	return 0;
}

int
__wrap_usleep (useconds_t time)
{
	if (!takes_turns ())
		return __real_usleep (time);
	stop_at (self, "sleep", SLEEPS, NULL);
	return 0;
}

int
__wrap_sched_yield (void)
{
	if (!takes_turns ())
		return __real_sched_yield ();
	stop_at (self, "yield", SLEEPS, NULL);
	return 0;
}
