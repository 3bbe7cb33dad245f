/*
 * SPDX-License-Identifier: MIT
 *
 * test_sampler_asleep.c - threads that wait in system calls which a signal would end early, under a scripted host. Not
 * for the thread sanitizer, which keeps a signal back until the thread's call is over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <monocle/host.h>
#include "child.h"

enum { LONG_MS = 600000 };

static int
grant (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_SAMPLING;
}

static int (*walked) (const ucontext_t *context, monocle_frame_visitor visit, void *data); /* NULL: as lost */

static int
walk_stack (void *data, const void *context, uint32_t flags, monocle_frame_visitor visit, void *visitor)
{
	return walked ? walked (context, visit, visitor) : MONOCLE_E_UNKNOWN;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.enable = grant,
	.walk_stack = walk_stack,
};

/* A thread that waits in `wait`, for its pipe to be written to or for SIGUSR1. */
typedef struct sleeper {
	int (*wait) (int fd); /* 0, or the errno value that it failed with */
	bool is_hidden;       /* the kernel knows another list of robust locks than glibc's */
	bool is_closed;       /* all signals wait */
	int pipe[2];
	pthread_t thread;
	atomic_int os_id;
	atomic_int result;
	atomic_bool is_over;
	atomic_uint asleep, hits; /* how often it was told of */
} sleeper;

static int
wait_in_poll (int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	return poll (&one, 1, LONG_MS) < 0 ? errno : 0;
}

static void
hide (void)
{
	static struct {
		void *next, *offset, *pending;
	} head = { &head, NULL, NULL };
	CHECK (syscall (SYS_set_robust_list, &head, sizeof head) == 0);
}

static void *
sleep_there (void *data)
{
	sleeper *own = data;
	sigset_t all;
	sigfillset (&all);
	if (own->is_hidden)
		hide ();
	if (own->is_closed)
		pthread_sigmask (SIG_SETMASK, &all, NULL);
	monocle_thread_attach ((uintptr_t) pthread_self ());
	atomic_store (&own->os_id, gettid ());
	atomic_store (&own->result, own->wait (own->pipe[0]));
	atomic_store (&own->is_over, true);
	monocle_thread_detach ((uintptr_t) pthread_self ());
	return NULL;
}

/* "NUMBER (NAME) S ..." once it waits. */
static void
await_sleep (const sleeper *own)
{
	char path[64], text[256] = "";
	const char *end = NULL;
	while (!atomic_load (&own->os_id))
		sched_yield ();
	snprintf (path, sizeof path, "/proc/self/task/%d/stat", atomic_load (&own->os_id));
	while (!end || end[2] != 'S') {
		FILE *file = fopen (path, "r");
		CHECK (file && fgets (text, sizeof text, file));
		fclose (file);
		CHECK ((end = strrchr (text, ')')));
	}
}

static void
lay_down (sleeper *own)
{
	CHECK (pipe (own->pipe) == 0);
	atomic_store (&own->result, -1);
	CHECK (pthread_create (&own->thread, NULL, sleep_there, own) == 0);
	await_sleep (own);
}

/* What its wait came to. */
static int
wake (sleeper *own)
{
	CHECK (write (own->pipe[1], "", 1) == 1);
	CHECK (pthread_join (own->thread, NULL) == 0);
	return atomic_load (&own->result);
}

static uintptr_t
ask (const sleeper *own, uint32_t milliseconds)
{
	const uint64_t os_id = (uint64_t) atomic_load (&own->os_id);
	uintptr_t tid = 1;
	monocle_threads_ask (&os_id, 1, milliseconds, &tid);
	return tid;
}

/* --- which pthread_self () a thread has --------------------------------------------------------------------------- */

CHILD_TEST (a_thread_is_known_and_its_wait_goes_on)
{
	sleeper one = { .wait = wait_in_poll };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == (uintptr_t) one.thread);
	CHECK (wake (&one) == 0);
}

CHILD_TEST (a_thread_that_blocks_all_signals_is_known)
{
	sleeper one = { .wait = wait_in_poll, .is_closed = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, 0) == (uintptr_t) one.thread);
	CHECK (wake (&one) == 0);
}

CHILD_TEST (a_thread_that_has_ended_is_not_known)
{
	sleeper one = { .wait = wait_in_poll };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (wake (&one) == 0);
	CHECK (ask (&one, LONG_MS) == 0);
}

CHILD_TEST (a_thread_with_another_list_answers_by_itself)
{
	sleeper one = { .wait = wait_in_poll, .is_hidden = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == (uintptr_t) one.thread);
	CHECK (wake (&one) == EINTR);
}

CHILD_TEST (a_thread_with_another_list_that_blocks_all_signals_is_asked_in_vain_and_not_waited_for)
{
	sleeper one = { .wait = wait_in_poll, .is_hidden = true, .is_closed = true };
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	lay_down (&one);
	CHECK (ask (&one, LONG_MS) == 0);
	CHECK (wake (&one) == 0);
}

/* --- mode REAL ---------------------------------------------------------------------------------------------------- */

static int
in_ppoll (int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	return ppoll (&one, 1, NULL, NULL) < 0 ? errno : 0;
}

static int
in_select (int fd)
{
	fd_set set;
	FD_ZERO (&set);
	FD_SET (fd, &set);
	return select (fd + 1, &set, NULL, NULL, NULL) < 0 ? errno : 0;
}

static int
in_pselect (int fd)
{
	fd_set set;
	FD_ZERO (&set);
	FD_SET (fd, &set);
	return pselect (fd + 1, &set, NULL, NULL, NULL, NULL) < 0 ? errno : 0;
}

static int
in_epoll (int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1 (0);
	CHECK (epoll >= 0 && epoll_ctl (epoll, EPOLL_CTL_ADD, fd, &event) == 0);
	int result = epoll_wait (epoll, &event, 1, -1) < 0 ? errno : 0;
	close (epoll);
	return result;
}

static int
in_nanosleep (int fd)
{
	return nanosleep (&(struct timespec) { .tv_sec = LONG_MS }, NULL) ? errno : 0;
}

static int
in_clock_nanosleep (int fd)
{
	return clock_nanosleep (CLOCK_REALTIME, 0, &(struct timespec) { .tv_sec = LONG_MS }, NULL);
}

static int
in_pause (int fd)
{
	return pause () ? errno : 0;
}

static int
in_sigtimedwait (int fd)
{
	sigset_t set;
	sigemptyset (&set);
	sigaddset (&set, SIGUSR2);
	return sigtimedwait (&set, NULL, &(struct timespec) { .tv_sec = LONG_MS }) < 0 ? errno : 0;
}

static int
in_semop (int fd)
{
	struct sembuf one = { .sem_op = -1 };
	int id = semget (IPC_PRIVATE, 1, 0600);
	CHECK (id >= 0);
	int result = semop (id, &one, 1) ? errno : 0;
	semctl (id, 0, IPC_RMID);
	return result;
}

static int
in_msgrcv (int fd)
{
	struct {
		long type;
		char text[1];
	} message;
	int id = msgget (IPC_PRIVATE, 0600);
	CHECK (id >= 0);
	int result = msgrcv (id, &message, sizeof message.text, 0, 0) < 0 ? errno : 0;
	msgctl (id, IPC_RMID, NULL);
	return result;
}

static int
in_recv_with_a_limit (int fd)
{
	struct timeval limit = { .tv_sec = LONG_MS };
	char byte;
	int pair[2];
	CHECK (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK (setsockopt (pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
	int result = recv (pair[0], &byte, 1, 0) < 0 ? errno : 0;
	close (pair[0]);
	close (pair[1]);
	return result;
}

/* It is begun again by the kernel, so such a thread is interrupted where its stack cannot be walked. */
static int
in_read (int fd)
{
	char byte;
	return read (fd, &byte, 1) < 0 ? errno : 0;
}

enum { SLEEPERS = 16 };
static sleeper sleepers[SLEEPERS];
static atomic_uint wrong;

static void
on_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	for (int i = 0; i < SLEEPERS; i++)
		if (atomic_load (&sleepers[i].os_id) == gettid ())
			atomic_fetch_add (&sleepers[i].hits, 1);
}

static void
on_asleep (MonoProfiler *prof, uintptr_t tid, uint64_t os_id, const MonocleAsleep *stack)
{
	for (int i = 0; i < SLEEPERS; i++)
		if (atomic_load (&sleepers[i].os_id) == (int) os_id) {
			if (tid != (uintptr_t) sleepers[i].thread || stack->size != sizeof *stack || !stack->count)
				atomic_fetch_add (&wrong, 1);
			atomic_fetch_add (&sleepers[i].asleep, 1);
		}
}

static MonoProfilerHandle
start (void)
{
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	CHECK (mono_profiler_enable_sampling (handle));
	mono_profiler_set_sample_hit_callback (handle, on_hit);
	monocle_profiler_set_sample_asleep_callback (handle, on_asleep);
	monocle_host_startup_done ();
	return handle;
}

static void
on_end (int number)
{
}

/* Not before this does the wait come to its end. */
static void
end_wait (sleeper *own)
{
	CHECK (!atomic_load (&own->is_over));
	CHECK (write (own->pipe[1], "", 1) == 1);
	while (!atomic_load (&own->is_over)) { /* the first signal may come between the wait's end and its own */
		pthread_kill (own->thread, SIGUSR1);
		sched_yield ();
	}
	CHECK (pthread_join (own->thread, NULL) == 0);
	CHECK (atomic_load (&own->result) == 0 || atomic_load (&own->result) == EINTR);
}

static const struct {
	const char *name;
	int (*wait) (int fd);
	bool is_hit;
} waits[] = {
	{ "poll", wait_in_poll },
	{ "ppoll", in_ppoll },
	{ "select", in_select },
	{ "pselect", in_pselect },
	{ "epoll_wait", in_epoll },
	{ "nanosleep", in_nanosleep },
	{ "clock_nanosleep", in_clock_nanosleep },
	{ "pause", in_pause },
	{ "sigtimedwait", in_sigtimedwait },
	{ "semop", in_semop },
	{ "msgrcv", in_msgrcv },
	{ "recv", in_recv_with_a_limit },
	{ "read", in_read, true },
};
enum { WAITS = sizeof waits / sizeof *waits };

CHILD_TEST (no_wait_is_ended_and_every_thread_is_told_of)
{
	enum { TIMES = 5 };
	MonoProfilerHandle handle = start ();
	struct sigaction action = { .sa_handler = on_end };
	CHECK (sigaction (SIGUSR1, &action, NULL) == 0);
	for (int i = 0; i < WAITS; i++) {
		sleepers[i].wait = waits[i].wait;
		lay_down (&sleepers[i]);
	}
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	for (int i = 0; i < WAITS; i++)
		while (atomic_load (waits[i].is_hit ? &sleepers[i].hits : &sleepers[i].asleep) < TIMES) {
			CHECK (!atomic_load (&sleepers[i].is_over));
			sched_yield ();
		}
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	for (int i = 0; i < WAITS; i++) {
		CHECK (!atomic_load (waits[i].is_hit ? &sleepers[i].asleep : &sleepers[i].hits));
		end_wait (&sleepers[i]);
	}
	CHECK (!atomic_load (&wrong));
	MonocleSampling state = { .size = sizeof state };
	CHECK (monocle_sampling_state (&state) && state.hits >= TIMES * WAITS);
}

#ifdef CONTEXT_IS_READ /* the core knows this CPU */

static atomic_uint walks;

/* Two frames, the first where the context is. */
static int
walk_two (const ucontext_t *context, monocle_frame_visitor visit, void *data)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	monocle_frame frame = { .ip = (uintptr_t) registers[REG_RIP],
		                    .sp = (uintptr_t) registers[REG_RSP],
		                    .kind = MONOCLE_FRAME_NATIVE };
	CHECK (frame.ip && frame.sp && !registers[REG_RBP]);
	CHECK (((const uint8_t *) frame.ip)[-2] == 0x0f && ((const uint8_t *) frame.ip)[-1] == 0x05); /* syscall */
	atomic_fetch_add (&walks, 1);
	return visit (&frame, data) || visit (&(monocle_frame) { .ip = 42, .kind = MONOCLE_FRAME_NATIVE }, data);
}

static void
on_two (MonoProfiler *prof, uintptr_t tid, uint64_t os_id, const MonocleAsleep *stack)
{
	if (!stack->is_whole || stack->count != 2 || stack->frames[1].ip != 42)
		atomic_fetch_add (&wrong, 1);
	on_asleep (prof, tid, os_id, stack);
}

CHILD_TEST (the_frames_are_the_hosts)
{
	MonoProfilerHandle handle = start ();
	walked = walk_two;
	monocle_profiler_set_sample_asleep_callback (handle, on_two);
	sleepers[0].wait = wait_in_poll;
	lay_down (&sleepers[0]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	while (!atomic_load (&sleepers[0].asleep))
		sched_yield ();
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	CHECK (wake (&sleepers[0]) == 0);
	CHECK (!atomic_load (&wrong));
}

/* The thread goes on while its stack is walked. */
static int
walk_and_wake (const ucontext_t *context, monocle_frame_visitor visit, void *data)
{
	int result = walk_two (context, visit, data);
	CHECK (write (sleepers[0].pipe[1], "", 1) == 1);
	while (!atomic_load (&sleepers[0].is_over))
		sched_yield ();
	return result;
}

CHILD_TEST (what_was_read_of_a_thread_that_went_on_is_not_told)
{
	MonoProfilerHandle handle = start ();
	walked = walk_and_wake;
	sleepers[0].wait = wait_in_poll;
	lay_down (&sleepers[0]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	MonocleSampling state = { .size = sizeof state };
	while (!state.lost) {
		CHECK (monocle_sampling_state (&state));
		sched_yield ();
	}
	CHECK (pthread_join (sleepers[0].thread, NULL) == 0);
	CHECK (atomic_load (&walks) == 1 && !atomic_load (&sleepers[0].asleep));
}

/* As long as a thread sleeps its stack is walked once. */
CHILD_TEST (a_thread_in_any_call_is_left_alone_where_its_stack_can_be_walked)
{
	MonoProfilerHandle handle = start ();
	walked = walk_two;
	monocle_profiler_set_sample_asleep_callback (handle, on_two);
	sleepers[0].wait = in_read;
	lay_down (&sleepers[0]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	while (atomic_load (&sleepers[0].asleep) < 5)
		sched_yield ();
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	CHECK (wake (&sleepers[0]) == 0);
	CHECK (atomic_load (&walks) == 1 && !atomic_load (&sleepers[0].hits) && !atomic_load (&wrong));
}

CHILD_TEST (all_threads_are_interrupted_where_a_module_listens_to_hits_alone)
{
	MonoProfilerHandle handle = start (), other = mono_profiler_create (NULL);
	walked = walk_two;
	mono_profiler_set_sample_hit_callback (other, on_hit);
	sleepers[0].wait = in_read;
	sleepers[1].wait = wait_in_poll;
	lay_down (&sleepers[0]);
	lay_down (&sleepers[1]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	while (atomic_load (&sleepers[0].hits) < 5 || atomic_load (&sleepers[1].asleep) < 5)
		sched_yield ();
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	CHECK (!atomic_load (&sleepers[0].asleep) && !atomic_load (&sleepers[1].hits));
	CHECK (wake (&sleepers[0]) == 0 && wake (&sleepers[1]) == 0);
}

CHILD_TEST (nothing_is_walked_where_no_module_listens)
{
	MonoProfilerHandle handle = start ();
	walked = walk_two;
	monocle_profiler_set_sample_asleep_callback (handle, NULL);
	sleepers[0].wait = wait_in_poll;
	sleepers[1].wait = in_read;
	lay_down (&sleepers[0]);
	lay_down (&sleepers[1]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	while (atomic_load (&sleepers[1].hits) < 5)
		sched_yield ();
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	CHECK (!atomic_load (&walks) && !atomic_load (&sleepers[0].hits));
	CHECK (wake (&sleepers[0]) == 0 && wake (&sleepers[1]) == 0);
}

/* What it does is over in a forked child, where the thread that does it is not. */
static atomic_bool is_held, is_let_go;

static void
on_held (MonoProfiler *prof, uintptr_t tid, uint64_t os_id, const MonocleAsleep *stack)
{
	atomic_store (&is_held, true);
	while (!atomic_load (&is_let_go))
		sched_yield ();
}

CHILD_TEST (a_child_that_is_forked_meanwhile_ends_alone)
{
	int status;
	MonoProfilerHandle handle = start ();
	walked = walk_two;
	monocle_profiler_set_sample_asleep_callback (handle, on_held);
	sleepers[0].wait = wait_in_poll;
	lay_down (&sleepers[0]);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_REAL, 200));
	while (!atomic_load (&is_held))
		sched_yield ();
	pid_t child = fork ();
	if (!child) {
		monocle_host_shutdown ();
		CHECK (monocle_host_leave () == MONOCLE_OK);
		_exit (0);
	}
	CHECK (waitpid (child, &status, 0) == child && status == 0);
	atomic_store (&is_let_go, true);
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_NONE, 0));
	CHECK (wake (&sleepers[0]) == 0);
}

#endif

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_thread_is_known_and_its_wait_goes_on),
		cmocka_unit_test (a_thread_that_blocks_all_signals_is_known),
		cmocka_unit_test (a_thread_that_has_ended_is_not_known),
		cmocka_unit_test (a_thread_with_another_list_answers_by_itself),
		cmocka_unit_test (a_thread_with_another_list_that_blocks_all_signals_is_asked_in_vain_and_not_waited_for),
		cmocka_unit_test (no_wait_is_ended_and_every_thread_is_told_of),
#ifdef CONTEXT_IS_READ
		cmocka_unit_test (the_frames_are_the_hosts),
		cmocka_unit_test (what_was_read_of_a_thread_that_went_on_is_not_told),
		cmocka_unit_test (a_thread_in_any_call_is_left_alone_where_its_stack_can_be_walked),
		cmocka_unit_test (all_threads_are_interrupted_where_a_module_listens_to_hits_alone),
		cmocka_unit_test (nothing_is_walked_where_no_module_listens),
		cmocka_unit_test (a_child_that_is_forked_meanwhile_ends_alone),
#endif
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
