/* SPDX-License-Identifier: MIT */
/* native.c - what torture.exe does by way of C: threads that the runtime did not make, signals, children. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT      __attribute__ ((visibility ("default")))
#define MAX_THREADS 64

typedef int (*callback) (int n);

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct caller {
	pthread_t thread;
	callback call; /* NULL: only uses the processor until `stop` */
	int rounds;
	size_t alternate; /* bytes of its stack for signals; 0 leaves the one it has */
	long sum;
};

static struct caller spinners[MAX_THREADS];
static int spinner_count;
static atomic_int stop, spinning;

static void *
caller_run (void *argument)
{
	struct caller *caller = argument;
	stack_t alternate = { .ss_size = caller->alternate };
	if (caller->alternate) {
		alternate.ss_sp = mmap (NULL, alternate.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sigaltstack (&alternate, NULL);
	}
	if (!caller->call) {
		spinning++;
		while (!stop)
			caller->sum = 1;
	}
	for (int round = 0; caller->call && round < caller->rounds; round++)
		caller->sum += caller->call (round);
	/* The stack for signals is left mapped: the runtime may still have a word with this thread. */
	return NULL;
}

static int
caller_start (struct caller *caller, size_t stack)
{
	pthread_attr_t attributes;
	pthread_attr_init (&attributes);
	if (stack)
		pthread_attr_setstacksize (&attributes, stack);
	int error = pthread_create (&caller->thread, &attributes, caller_run, caller);
	pthread_attr_destroy (&attributes);
	return error;
}

/* Calls `call` with 0, 1, 2 … on each of `threads` threads; answers the sum of what it returned, or -1. */
EXPORT long torture_call (callback call, int threads, int rounds, size_t stack, size_t alternate);

long
torture_call (callback call, int threads, int rounds, size_t stack, size_t alternate)
{
	struct caller callers[MAX_THREADS];
	long sum = 0;
	for (int i = 0; i < threads; i++) {
		callers[i] = (struct caller) { .call = call, .rounds = rounds, .alternate = alternate };
		if (caller_start (&callers[i], stack))
			return -1;
	}
	for (int i = 0; i < threads; i++) {
		pthread_join (callers[i].thread, NULL);
		sum += callers[i].sum;
	}
	return sum;
}

EXPORT int torture_spin_begin (int threads, size_t stack, size_t alternate);

int
torture_spin_begin (int threads, size_t stack, size_t alternate)
{
	spinner_count = threads;
	for (int i = 0; i < threads; i++) {
		spinners[i] = (struct caller) { .alternate = alternate };
		if (caller_start (&spinners[i], stack))
			return -1;
	}
	return 0;
}

/* How many threads were running to the end. */
EXPORT int torture_spin_end (void);

int
torture_spin_end (void)
{
	int sum = 0;
	while (spinning < spinner_count)
		sched_yield ();
	stop = 1;
	for (int i = 0; i < spinner_count; i++) {
		pthread_join (spinners[i].thread, NULL);
		sum += (int) spinners[i].sum;
	}
	return sum;
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static atomic_int ticks, signals;

static void
count_tick (int number)
{
	ticks++;
}

static void
count_signal (int number)
{
	signals++;
}

/* A timer of the CPU time that sends SIGPROF, as profilers of the last century had it; 0 ends it. */
EXPORT int torture_profile_timer (int microseconds);

int
torture_profile_timer (int microseconds)
{
	struct sigaction action = { .sa_handler = count_tick, .sa_flags = SA_RESTART };
	struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };
	return sigaction (SIGPROF, &action, NULL) || setitimer (ITIMER_PROF, &timer, NULL);
}

EXPORT int torture_timer_ticks (void);

int
torture_timer_ticks (void)
{
	return ticks;
}

/* SIGUSR2 to this thread, each after the one before it arrived; answers how many did. */
EXPORT int torture_signal_self (int times);

int
torture_signal_self (int times)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	sigaction (SIGUSR2, &action, NULL);
	for (int i = 0; i < times; i++)
		pthread_kill (pthread_self (), SIGUSR2);
	return signals;
}

/* --- children ----------------------------------------------------------------------------------------------------- */

static int
ended_with (pid_t child, int code)
{
	int status = 0;
	while (waitpid (child, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED (status) && WEXITSTATUS (status) == code;
}

/* Children that use memory and end; answers how many ended with the code that they were to end with. */
EXPORT int torture_fork (int times);

int
torture_fork (int times)
{
	int good = 0;
	for (int i = 0; i < times; i++) {
		pid_t child = fork ();
		if (child == 0) {
			memset (malloc (10000), i, 10000);
			_exit (i);
		}
		good += ended_with (child, i);
	}
	return good;
}

static pid_t
vfork_true (void)
{
	static char *const arguments[] = { "true", NULL };
	static char *const nothing[] = { NULL };
	pid_t child = vfork ();
	if (child == 0) {
		execve ("/bin/true", arguments, nothing);
		_exit (99);
	}
	return child;
}

EXPORT int torture_vfork_exec (int times);

int
torture_vfork_exec (int times)
{
	int good = 0;
	for (int i = 0; i < times; i++)
		good += ended_with (vfork_true (), 0);
	return good;
}

/* --- descriptors, rights ------------------------------------------------------------------------------------------ */

#define MAX_DESCRIPTORS 4096
static int taken[MAX_DESCRIPTORS];
static int taken_count;

/* All that are left, of a limit that is low enough for it. */
EXPORT int torture_take_descriptors (void);

int
torture_take_descriptors (void)
{
	struct rlimit limit;
	getrlimit (RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_cur < 512 ? limit.rlim_cur : 512;
	setrlimit (RLIMIT_NOFILE, &limit);
	while (taken_count < MAX_DESCRIPTORS) {
		int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			break;
		taken[taken_count++] = fd;
	}
	return taken_count;
}

EXPORT int torture_give_descriptors (void);

int
torture_give_descriptors (void)
{
	int given = 0;
	while (taken_count > 0)
		given += close (taken[--taken_count]) == 0;
	return given;
}

EXPORT int torture_undumpable (void);

int
torture_undumpable (void)
{
	return prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* An empty folder within the working folder becomes the root; the working folder itself stays outside. */
EXPORT int torture_chroot (void);

int
torture_chroot (void)
{
	return mkdir ("empty", 0700) || chroot ("empty");
}

EXPORT int torture_say (const char *text);

int
torture_say (const char *text)
{
	return write (1, text, strlen (text)) < 0;
}
