/*
 * SPDX-License-Identifier: MIT
 *
 * log-file.c - see log-file.h.
 *
 * A line leaves in one write, so that those of several threads and processes do not mix; the file is opened for each,
 * because a guest keeps no descriptor open. In a folder that everybody can write to, somebody else may have put a link
 * under the name of the file, to have us write at the end of one of ours: only links of root and of the process's own
 * user are followed. Where we choose the name none is, and the file must be the user's own.
 */
#include "log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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

/* --- a file that we choose ---------------------------------------------------------------------------------------- */

/* 0 or an error. What has a megabyte gets one line more. `owner`: it must be the process's own user's. */
static int
write_bounded (int fd, const char *line, size_t length, bool owner)
{
	static const char end[] = "monocle: the messages of this process end here: there is a megabyte of them\n";
	static atomic_bool said;
	struct stat status;
	if (fstat (fd, &status) != 0)
		return errno;
	if (!S_ISREG (status.st_mode) || (owner && (status.st_uid != geteuid () || status.st_nlink != 1)))
		return EPERM;
	if ((uint64_t) status.st_size + length <= MONOCLE__LOG_PLACE_MOST)
		return write_quietly (fd, line, length);
	return atomic_exchange_explicit (&said, true, memory_order_relaxed) ? 0 : write_quietly (fd, end, sizeof end - 1);
}

/* What could not be written, of this process and this library, and how much of it the folder knows of. */
static atomic_uint lost, told;
static _Atomic pid_t loser;

/*
 * A file of holes needs no room: its size is the number. Threads that count at once end with the highest. Without a
 * descriptor it is told with the next line.
 */
static void
tell_lost (int folder)
{
	char name[64];
	unsigned number;
	int fd;
	snprintf (name, sizeof name, "%d.%jx." MONOCLE__LOG_PLACE_LOST, (int) getpid (), (uintmax_t) (uintptr_t) &lost);
	while ((number = atomic_load (&lost)) != atomic_load (&told)) {
		fd = openat (folder, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (fd < 0 || ftruncate (fd, number) != 0)
			number = 0;
		if (fd >= 0)
			close (fd);
		if (!number)
			return;
		atomic_store (&told, number);
	}
}

static void
lose (void)
{
	pid_t self = getpid ();
	if (atomic_exchange (&loser, self) != self) {
		atomic_store (&lost, 0);
		atomic_store (&told, 0);
	}
	atomic_fetch_add (&lost, 1);
}

/* Is it no fault of the folder, but of the moment? */
static bool
is_loss (int error)
{
	return error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG || error == EMFILE || error == ENFILE ||
	       error == ENOMEM;
}

static int
open_folder (const char *path)
{
	return open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* 0 or an error; a line that was counted is done with. `handed`: NULL, or the file that the command reads. */
static int
write_in_run (const char *folder_path, const char *handed, const char *line, size_t length)
{
	char name[32];
	int folder = open_folder (folder_path), fd = -1, error = 0;
	snprintf (name, sizeof name, "%d." MONOCLE__LOG_PLACE_MESSAGES, (int) getpid ());
	if (handed || folder >= 0)
		fd = handed ? open_file (handed) : openat (folder, name, FLAGS | O_NOFOLLOW, 0600);
	error = fd < 0 ? errno : write_bounded (fd, line, length, false);
	if (fd >= 0)
		close (fd);
	if (is_loss (error)) {
		lose ();
		error = 0;
	}
	if (folder >= 0) {
		tell_lost (folder);
		close (folder);
	}
	return error;
}

static bool
write_beside (const char *path, const char *line, size_t length)
{
	char name[48];
	int folder = path && *path == '/' ? open_folder (path) : -1, fd = -1, error = EPERM;
	snprintf (name, sizeof name, "monocle.%d.log", (int) getpid ());
	if (folder >= 0)
		fd = openat (folder, name, FLAGS | O_NOFOLLOW, 0600);
	if (fd >= 0)
		error = write_bounded (fd, line, length, true);
	if (fd >= 0)
		close (fd);
	if (folder >= 0)
		close (folder);
	return !error;
}

/* --- the way of a line -------------------------------------------------------------------------------------------- */

/* Nobody waits in a folder, or it is gone: then stderr is the program's own, however we were loaded. */
static void
write_alone (const monocle__log_place *place, const char *line, size_t length)
{
	if (!place->run[0] && (place->is_stderr || monocle__log_place_is_for_people ()))
		write_quietly (STDERR_FILENO, line, length);
	else if (!write_beside (monocle__log_place_start (), line, length) &&
	         !write_beside (monocle__variable ("TMPDIR"), line, length))
		write_beside ("/tmp", line, length);
}

static void
write_without_file (const monocle__log_place *place, const char *line, size_t length)
{
	if (!place->run[0] || write_in_run (place->run, NULL, line, length) != 0)
		write_alone (place, line, length);
}

static void
complain (const monocle__log_place *place, int error)
{
	static atomic_bool said;
	char line[512] = "monocle: MONOCLE_LOG=", name[256] = "";
	if (atomic_exchange_explicit (&said, true, memory_order_relaxed))
		return;
	append (name, sizeof name, place->file);
	append (line, sizeof line, name);
	append (line, sizeof line, strlen (name) < strlen (place->file) ? "...: " : ": ");
	append (line, sizeof line, reason_of (error));
	append (line, sizeof line,
	        place->run[0] || !place->is_stderr ? "; messages go where they go without it"
	                                           : "; messages stay on standard error");
	size_t length = monocle__utf8_clean (line, strlen (line));
	line[length] = '\n';
	write_without_file (place, line, length + 1);
}

/* 0 or an error. */
static int
write_file (const char *path, const char *line, size_t length)
{
	int fd = open_file (path);
	int error = fd < 0 ? errno : write_quietly (fd, line, length);
	if (fd >= 0)
		close (fd);
	return error;
}

/*
 * What came with an attach is read by its command alone: the program may have changed its root folder or its user, or
 * have no descriptor left; then nobody hears us.
 */
void
monocle__log_file_write (const monocle__log_place *place, const char *line, size_t length)
{
	int saved_errno = errno;
	if (place->is_handed) {
		write_in_run (place->run, place->file, line, length);
	} else {
		int error = place->file[0] ? write_file (place->file, line, length) : 0;
		if (error)
			complain (place, error);
		if (error || !place->file[0])
			write_without_file (place, line, length);
	}
	errno = saved_errno;
}
