/*
 * SPDX-License-Identifier: MIT
 *
 * child.c - vfork, exec, wait, and signals in between.
 *
 * The child stays in our process group, so the terminal sends Ctrl-C and Ctrl-Z to both of us: such signals, known by
 * their origin in the kernel, are not passed on a second time. Ctrl-Z stops us by its default, as it does the child,
 * and the shell continues both. What is sent to us alone is passed on. A signal that was ignored when we were
 * started (nohup) stays ignored in both; libuv's spawn would reset it, which is why it is not used here.
 *
 * A program may take its time to end, so one request to end is only passed on, however long ago it was, and so are
 * those that follow it at once. Who asks us again after PATIENCE_MS wants it to end: it is killed.
 */
#include "child.h"

#include "command/command.h"
#include "nanoseconds.h"
#include "patience.h"
#include "start-hint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };

enum { PASSED_ON = sizeof passed_on / sizeof *passed_on, PATIENCE_MS = 5000 };

/* Written while the signals are blocked. */
static volatile pid_t child_pid;
/* Written by the handler, which nothing that is passed on interrupts. */
static volatile uint64_t asked_to_end; /* by CLOCK_MONOTONIC; 0: not yet */
static volatile bool was_killed;
/* In milliseconds. Set before the handler is. */
static unsigned patience;

/* Async-safe. Was the child asked to end long ago? SIGHUP and SIGQUIT have other meanings for many programs. */
static bool
is_overdue (int signal_number)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (signal_number != SIGTERM && signal_number != SIGINT)
		return false;
	if (asked_to_end == 0)
		asked_to_end = now;
	return now - asked_to_end > (uint64_t) patience * 1000000;
}

/* Async-safe. From the terminal the child has it already. */
static void
pass_on (int signal_number, siginfo_t *info, void *context)
{
	int saved = errno;
	if (child_pid > 0 && info->si_code <= 0) {
		was_killed = is_overdue (signal_number);
		kill (child_pid, was_killed ? SIGKILL : signal_number);
	}
	errno = saved;
}

/* Blocks what is passed on and sets the handlers; what is ignored stays so. */
static void
signals_take (struct sigaction *old_actions, sigset_t *old_mask)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t *blocked = &action.sa_mask;
	sigemptyset (blocked);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaddset (blocked, passed_on[i]);
	sigprocmask (SIG_BLOCK, blocked, old_mask);
	for (size_t i = 0; i < PASSED_ON; i++) {
		sigaction (passed_on[i], NULL, &old_actions[i]);
		if (old_actions[i].sa_handler != SIG_IGN)
			sigaction (passed_on[i], &action, NULL);
	}
}

static void
signals_give_back (const struct sigaction *old_actions)
{
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaction (passed_on[i], &old_actions[i], NULL);
}

/* In the child, which has our memory until it is another program: never returns. A text may be a shell's script. */
static void __attribute__ ((noreturn)) become (char *const *argv, bool is_binary, const struct sigaction *old_actions,
                                               const sigset_t *old_mask, volatile int *ret_error)
{
	signals_give_back (old_actions);
	sigprocmask (SIG_SETMASK, old_mask, NULL);
	if (is_binary)
		execv (argv[0], argv);
	else
		execvp (argv[0], argv);
	*ret_error = errno;
	_exit (MONOCLE__EXIT_NOT_FOUND);
}

/* Until it is collected the dead child keeps its number, so no signal can go to a stranger with the same one. */
static int
wait_for (pid_t pid, bool *ret_signalled)
{
	siginfo_t info;
	int status;
	while (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
		continue;
	child_pid = 0;
	while (waitpid (pid, &status, 0) < 0) {
		if (errno != EINTR)
			return MONOCLE__EXIT_RUN_FAILED;
	}
	*ret_signalled = WIFSIGNALED (status);
	return WIFSIGNALED (status) ? MONOCLE__EXIT_SIGNAL + WTERMSIG (status) : WEXITSTATUS (status);
}

/* ENOENT for a file that is there means that what its first line (or its ELF header) asks for is not. */
static int
cannot_start (const char *name, int error)
{
	bool is_path = strchr (name, '/') != NULL;
	char *hint = monocle__start_hint (name);
	struct stat status;
	int code = MONOCLE__EXIT_CANNOT_EXECUTE;
	if (error == ENOENT && is_path && stat (name, &status) == 0) {
		monocle__say ("cannot execute %s: the interpreter it asks for is missing", name);
	} else if (error == ENOENT || error == ENOTDIR) {
		monocle__say ("cannot find '%s'%s%s", name, is_path ? "" : " along PATH", hint);
		code = MONOCLE__EXIT_NOT_FOUND;
	} else {
		monocle__say ("cannot execute %s: %s%s", name, strerror (error), hint);
	}
	free (hint);
	return code;
}

static int
start_and_wait (char *const *argv, const struct sigaction *old_actions, const sigset_t *old_mask,
                monocle__child *ret_child)
{
	volatile int error = 0;
	bool is_binary = monocle__start_hint_is_binary (argv[0]);
	pid_t pid = vfork (); /* nothing is copied, and we go on when it runs or cannot */
	if (pid == 0)
		become (argv, is_binary, old_actions, old_mask, &error);
	if (pid < 0) {
		monocle__say ("cannot start a process: %s", strerror (errno));
		return MONOCLE__EXIT_RUN_FAILED;
	}
	child_pid = pid;
	sigprocmask (SIG_SETMASK, old_mask, NULL);
	int code = wait_for (pid, &ret_child->signalled);
	if (error)
		return cannot_start (argv[0], error);
	if (was_killed)
		monocle__say ("the program had not ended %u seconds after it was asked to; asked again, it was killed",
		              patience / 1000);
	ret_child->pid = pid;
	return code;
}

int
monocle__child_run (char *const *argv, monocle__child *ret_child)
{
	struct sigaction old_actions[PASSED_ON];
	sigset_t old_mask;
	int code;
	*ret_child = (monocle__child) { 0 };
	patience = monocle__patience (PATIENCE_MS);
	signals_take (old_actions, &old_mask);
	code = start_and_wait (argv, old_actions, &old_mask, ret_child);
	signals_give_back (old_actions);
	sigprocmask (SIG_SETMASK, &old_mask, NULL);
	return code;
}
