/*
 * SPDX-License-Identifier: MIT
 *
 * log-file.c - where a line of ours goes.
 *
 * A line leaves in one write, so that those of several threads and processes do not mix; the file is opened for each,
 * because a guest keeps no descriptor open. In a folder that everybody can write to, somebody else may have put a link
 * under the name of the file, to have us write at the end of one of ours: only links of root and of the process's own
 * user are followed.
 */
#include "log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"
#include "utf8.h"

/* Without O_NONBLOCK a pipe would wait for its reader. */
enum { FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

static bool
is_our_link (const char *path)
{
	struct stat status;
	return lstat (path, &status) == 0 && S_ISLNK (status.st_mode) &&
	       (status.st_uid == 0 || status.st_uid == geteuid ());
}

/* A descriptor, or -1 and errno: EPERM is a link of somebody else. */
static int
open_file (const char *path)
{
	int fd = open (path, FLAGS | O_NOFOLLOW, 0666);
	if (fd >= 0 || errno != ELOOP)
		return fd;
	if (is_our_link (path))
		return open (path, FLAGS, 0666);
	errno = EPERM;
	return -1;
}

/*
 * 0 or an error. A reader's absence must not become the program's death: SIGPIPE is held back and taken away.
 */
static int
write_quietly (int fd, const char *line, size_t length)
{
	sigset_t pipe_signal, before, pending;
	struct timespec no_wait = { 0, 0 };
	sigemptyset (&pipe_signal);
	sigaddset (&pipe_signal, SIGPIPE);
	sigemptyset (&pending);
	sigpending (&pending);
	bool was_pending = sigismember (&pending, SIGPIPE) == 1;
	pthread_sigmask (SIG_BLOCK, &pipe_signal, &before);
	ssize_t written;
	do
		written = write (fd, line, length);
	while (written < 0 && errno == EINTR);
	int error = written < 0 ? errno : 0;
	if (error == EPIPE && !was_pending)
		while (sigtimedwait (&pipe_signal, NULL, &no_wait) < 0 && errno == EINTR)
			;
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	return error;
}

static const char *
reason_of (int error)
{
	switch (error) {
	case EPERM: return "it is a link of another user, or may not be written to";
	case ENXIO: return "nobody reads this pipe";
	case EAGAIN: return "the reader of this pipe does not keep up";
	case EISDIR: return "it is a folder";
	case ENOENT: return "its folder does not exist";
	case EACCES: return "permission denied";
	case ENAMETOOLONG: return "the name is too long";
	case ENOSPC: return "no space left";
	default: return "it cannot be written";
	}
}

static void
append (char *line, size_t size, const char *text)
{
	size_t length = strlen (line);
	for (; *text && length + 1 < size; text++)
		line[length++] = *text;
	line[length] = '\0';
}

static void
complain (const char *path, int error)
{
	static atomic_bool said;
	char line[512] = "monocle: MONOCLE_LOG=", name[256] = "";
	if (atomic_exchange_explicit (&said, true, memory_order_relaxed))
		return;
	append (name, sizeof name, path);
	append (line, sizeof line, name);
	append (line, sizeof line, strlen (name) < strlen (path) ? "...: " : ": ");
	append (line, sizeof line, reason_of (error));
	append (line, sizeof line, "; messages stay on standard error");
	size_t length = monocle__utf8_clean (line, strlen (line));
	line[length] = '\n';
	write_quietly (STDERR_FILENO, line, length + 1);
}

/*
 * The file is a setting, not a variable: we are attached, and the program was promised that its stderr is its own. It
 * may have changed its root folder or its user, or have no descriptor left: then nobody hears us.
 */
static bool
is_attached (void)
{
	const char *value = NULL;
	return monocle_host_setting && monocle_host_setting ("MONOCLE_LOG", &value) && value && *value;
}

void
monocle__log_file_write (const char *path, const char *line, size_t length)
{
	int saved_errno = errno, error = 0;
	bool is_file = path && path[0];
	int fd = is_file ? open_file (path) : STDERR_FILENO;
	if (fd >= 0)
		error = write_quietly (fd, line, length);
	else
		error = errno;
	if (is_file && fd >= 0)
		close (fd);
	if (is_file && error && !is_attached ()) {
		complain (path, error);
		write_quietly (STDERR_FILENO, line, length);
	}
	errno = saved_errno;
}
