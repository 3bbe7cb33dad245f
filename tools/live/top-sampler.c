/*
 * SPDX-License-Identifier: MIT
 *
 * top-sampler.c - see top-sampler.h. The child is told to end when we do, whatever ends us.
 */
#include "top-sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Nothing of it is kept: the key w writes what was seen until then. */
static void
be_child (pid_t parent, pid_t target, int said)
{
	char number[16];
	int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	sigemptyset (&none);
	sigprocmask (SIG_SETMASK, &none, NULL);
	snprintf (number, sizeof number, "%d", (int) target);
	dup2 (nothing, STDIN_FILENO);
	dup2 (nothing, STDOUT_FILENO);
	dup2 (said, STDERR_FILENO);
	setpgid (0, 0);
	if (prctl (PR_SET_PDEATHSIG, SIGINT) == 0 && getppid () == parent)
		execl ("/proc/self/exe", "monocle", "attach", number, "-q", "--duration=240h", "--profile=sample", "-o",
		       "/dev/null", (char *) NULL);
	_exit (1);
}

int
monocle__top_sampler_begin (monocle__top_sampler *sampler, pid_t target)
{
	int ends[2];
	pid_t parent = getpid ();
	if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	pid_t child = fork ();
	int error = child < 0 ? -errno : 0;
	if (child == 0)
		be_child (parent, target, ends[1]);
	close (ends[1]);
	if (error)
		close (ends[0]);
	else
		*sampler = (monocle__top_sampler) { .child = child, .target = target, .said = ends[0] };
	return error;
}

/* False: it has not ended. */
static bool
has_ended (monocle__top_sampler *sampler)
{
	pid_t ended = waitpid (sampler->child, NULL, WNOHANG);
	return ended == sampler->child || (ended < 0 && errno == ECHILD);
}

static void
forget (monocle__top_sampler *sampler)
{
	close (sampler->said);
	*sampler = (monocle__top_sampler) { 0 };
}

void
monocle__top_sampler_look (monocle__top_sampler *sampler, char *ret_reason, size_t size)
{
	static const char prefix[] = "monocle: ";
	char text[512];
	ret_reason[0] = '\0';
	if (!sampler->child || !has_ended (sampler))
		return;
	ssize_t length = read (sampler->said, text, sizeof text - 1);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn (text, "\n")] = '\0';
	bool is_ours = strncmp (text, prefix, strlen (prefix)) == 0;
	snprintf (ret_reason, size, "%s", text[0] ? text + (is_ours ? strlen (prefix) : 0) : "sampling has ended");
	forget (sampler);
}

void
monocle__top_sampler_end (monocle__top_sampler *sampler)
{
	enum { PAUSE_NS = 10000000, TIMES = 300 };
	if (!sampler->child)
		return;
	kill (sampler->child, SIGINT);
	for (int i = 0; i < TIMES && !has_ended (sampler); i++)
		nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
	forget (sampler);
}
