/*
 * SPDX-License-Identifier: MIT
 *
 * child.c - one test, one process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/wait.h>
#include "child.h"

enum { OUTPUT_MAX = 16384, SECONDS_MAX = 60 };

static void
be_child (void (*body) (void), int output)
{
	alarm (SECONDS_MAX);
	dup2 (output, STDOUT_FILENO);
	dup2 (output, STDERR_FILENO);
	close (output);
	setenv ("MONOCLE_LOG", "stderr", 0); /* whatever variables a test sets */
	setvbuf (stdout, NULL, _IONBF, 0);
	body ();
	_exit (0);
}

int
child_run (void (*body) (void), char *ret_output, size_t size)
{
	int ends[2], status;
	size_t have = 0;
	ssize_t got;

	fflush (NULL);
	assert_int_equal (pipe (ends), 0);
	pid_t pid = fork ();
	assert_true (pid >= 0);
	if (pid == 0) {
		close (ends[0]);
		be_child (body, ends[1]);
	}
	close (ends[1]);
	while (have < size - 1 && (got = read (ends[0], ret_output + have, size - 1 - have)) > 0)
		have += (size_t) got;
	ret_output[have] = '\0';
	close (ends[0]);
	while (waitpid (pid, &status, 0) < 0)
		assert_int_equal (errno, EINTR);
	return status;
}

void
child_passes (void (*body) (void))
{
	char output[OUTPUT_MAX];
	int status = child_run (body, output, sizeof output);

	if (status != 0)
		fail_msg ("status 0x%x: %s", (unsigned) status, output);
}

void
child_prints (void (*body) (void), const char *should)
{
	char output[OUTPUT_MAX];
	int status = child_run (body, output, sizeof output);

	if (status != 0)
		fail_msg ("status 0x%x: %s", (unsigned) status, output);
	assert_string_equal (output, should);
}
