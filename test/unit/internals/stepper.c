/*
 * SPDX-License-Identifier: MIT
 *
 * stepper.c - see stepper.h. The child stops by itself before and after the operation; the parent steps so many
 * instructions from there and then lets it go on with a signal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "stepper.h"
#include "child.h"
#include "crowd.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fewer instructions than any operation has; more than any has, so that a turn ends. */
enum { AT_LEAST = 5, AT_MOST = 20000, NOT_TRACED = 98 };

static const interrupted *task;

static void
run_interruption (int signal)
{
	int saved = errno;

	crowd_as_another (task->interrupt);
	errno = saved;
}

static void
take_turns (void)
{
	struct sigaction action = { .sa_handler = run_interruption };

	if (ptrace (PTRACE_TRACEME, 0, NULL, NULL))
		_exit (NOT_TRACED);
	CHECK (!sigaction (SIGUSR1, &action, NULL));
	for (;;) {
		task->prepare ();
		kill (getpid (), SIGSTOP);
		task->operate ();
		kill (getpid (), SIGSTOP);
		task->check ();
	}
}

/* The signal that the child stopped for; -1 and its status when it is gone. */
static int
wait_for_stop (pid_t child, int *ret_status)
{
	while (waitpid (child, ret_status, 0) != child)
		;
	return WIFSTOPPED (*ret_status) ? WSTOPSIG (*ret_status) : -1;
}

static int
resume (pid_t child, int how, int signal, int *ret_status)
{
	ptrace (how, child, NULL, (void *) (intptr_t) signal);
	return wait_for_stop (child, ret_status);
}

/* One turn: it is interrupted after `steps` instructions. True: it has less. -1 in `ret_stop`: the child is gone. */
static bool
turn (pid_t child, int steps, int *ret_stop, int *ret_status)
{
	int stop = SIGTRAP;

	for (int i = 0; i < steps && stop == SIGTRAP; i++)
		stop = resume (child, PTRACE_SINGLESTEP, 0, ret_status);
	if (stop == SIGTRAP)
		stop = resume (child, PTRACE_CONT, SIGUSR1, ret_status);
	else
		steps = -1;
	*ret_stop = stop;
	return steps < 0;
}

/* How many turns there were; -1: the child has failed, as the status says. */
static int
all_turns (pid_t child, int *ret_status)
{
	int stop = wait_for_stop (child, ret_status);

	for (int steps = 0; stop == SIGSTOP && steps < AT_MOST; steps++) {
		bool over = turn (child, steps, &stop, ret_status);
		if (over && stop == SIGSTOP)
			return steps;
		if (stop == SIGSTOP)
			stop = resume (child, PTRACE_CONT, 0, ret_status);
	}
	return -1;
}

void
stepper_run (const interrupted *what)
{
	int status = 0;
	cpu_set_t before, here;

	/* Both on one processor: they take turns anyway, and that is several times as fast. */
	assert_int_equal (sched_getaffinity (0, sizeof before, &before), 0);
	CPU_ZERO (&here);
	CPU_SET (sched_getcpu (), &here);
	sched_setaffinity (0, sizeof here, &here);
	task = what;
	pid_t child = fork ();
	assert_true (child >= 0);
	if (child == 0)
		take_turns ();
	int turns = all_turns (child, &status);
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	sched_setaffinity (0, sizeof before, &before);
	if (turns < 0 && WIFEXITED (status) && WEXITSTATUS (status) == NOT_TRACED) {
		print_message ("processes may not be traced here\n");
		return;
	}
	print_message ("%d turns\n", turns);
	assert_true (turns >= AT_LEAST);
}
