/*
 * SPDX-License-Identifier: MIT
 *
 * control.c - see control.h.
 *
 * The way to the socket: a thread of the process has the name of the one that serves it, and descriptors of its own;
 * one of these is a socket, and the kernel's table of the process's network namespace says where that is bound. The
 * path is then walked from the process's root, one folder after the other and through no link, and the last folder must
 * be one that its user alone can enter. All of /proc is read through one descriptor of /proc/PID: another process that
 * gets the number is not met.
 */
#include "control.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "control-words.h"

struct search {
	int process; /* /proc/PID */
	pid_t pid;
	uid_t user; /* whose the process is */
	char *reason;
};

static __attribute__ ((format (printf, 2, 3))) int
fail (char *reason, const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (reason, MONOCLE__LIVE_CONTROL_REASON, format, arguments);
	va_end (arguments);
	return -1;
}

/* --- /proc -------------------------------------------------------------------------------------------------------- */

static FILE *
open_text (int at, const char *name)
{
	int fd = openat (at, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen (fd, "r") : NULL;
	if (fd >= 0 && !file)
		close (fd);
	return file;
}

static DIR *
open_folder (int at, const char *name)
{
	int fd = openat (at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
	if (fd >= 0 && !folder)
		close (fd);
	return folder;
}

/* The effective one. */
static bool
read_user (int process, uid_t *ret_user)
{
	FILE *status = open_text (process, "status");
	char *line = NULL;
	size_t size = 0;
	unsigned user;
	bool found = false;
	while (status && !found && getline (&line, &size, status) > 0)
		found = sscanf (line, "Uid: %*u %u", &user) == 1;
	free (line);
	if (status)
		fclose (status);
	if (found)
		*ret_user = (uid_t) user;
	return found;
}

static bool
is_server (int tasks, const char *tid)
{
	char name[64], text[32] = "";
	snprintf (name, sizeof name, "%.20s/comm", tid);
	FILE *file = open_text (tasks, name);
	bool is_read = file && fgets (text, sizeof text, file);
	if (file)
		fclose (file);
	return is_read && !strcmp (text, MONOCLE__CONTROL_THREAD "\n");
}

/* The path of the listening socket with this inode, in a folder of the right name. */
static bool
read_path (const struct search *search, unsigned long inode, char ret_path[PATH_MAX])
{
	FILE *table = open_text (search->process, "net/unix");
	char *line = NULL;
	size_t size = 0;
	bool found = false;
	while (table && !found && getline (&line, &size, table) > 0) {
		unsigned flags, type;
		unsigned long number;
		int at = 0;
		line[strcspn (line, "\n")] = '\0';
		/* Num: RefCount Protocol Flags Type St Inode Path; 10000: it listens. */
		if (sscanf (line, "%*s %*x %*x %x %x %*x %lu %n", &flags, &type, &number, &at) == 3 && at && number == inode &&
		    flags & 0x10000 && line[at] == '/' && strlen (line + at) < PATH_MAX) {
			strcpy (ret_path, line + at);
			found = true;
		}
	}
	free (line);
	if (table)
		fclose (table);
	return found;
}

static bool
find_path_of_thread (const struct search *search, int tasks, const char *tid, char ret_path[PATH_MAX])
{
	char name[64], link[64];
	snprintf (name, sizeof name, "%.20s/fd", tid);
	DIR *fds = open_folder (tasks, name);
	struct dirent *entry;
	bool found = false;
	while (fds && !found && (entry = readdir (fds))) {
		ssize_t length = readlinkat (dirfd (fds), entry->d_name, link, sizeof link - 1);
		unsigned long inode;
		link[length > 0 ? length : 0] = '\0';
		found = sscanf (link, "socket:[%lu]", &inode) == 1 && read_path (search, inode, ret_path);
	}
	if (fds)
		closedir (fds);
	return found;
}

/* False: there is no such thread, or it does not listen (yet). */
static bool
find_path (const struct search *search, char ret_path[PATH_MAX])
{
	DIR *tasks = open_folder (search->process, "task");
	struct dirent *entry;
	bool found = false;
	while (tasks && !found && (entry = readdir (tasks)))
		found = isdigit ((unsigned char) *entry->d_name) && is_server (dirfd (tasks), entry->d_name) &&
		        find_path_of_thread (search, dirfd (tasks), entry->d_name, ret_path);
	if (tasks)
		closedir (tasks);
	return found;
}

/* --- the folder --------------------------------------------------------------------------------------------------- */

/* Walks from the root of the process; `path` ends before its last part, and is cut apart. -1: errno. */
static int
walk (const struct search *search, char *path)
{
	int at = openat (search->process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *rest = NULL;
	for (char *part = strtok_r (path, "/", &rest); part && at >= 0; part = strtok_r (NULL, "/", &rest)) {
		int next = strcmp (part, "..") ? openat (at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		close (at);
		at = next;
	}
	return at;
}

/* The folder of the socket, where it is one that the process's user alone can enter. */
static int
open_place (const struct search *search, const char *path)
{
	static const char prefix[] = MONOCLE__CONTROL_FOLDER;
	char parts[PATH_MAX];
	struct stat status;
	strcpy (parts, path);
	char *name = strrchr (parts, '/');
	*name++ = '\0';
	const char *folder = strrchr (parts, '/');
	if (strcmp (name, MONOCLE__CONTROL_SOCKET) || !folder || strncmp (folder + 1, prefix, sizeof prefix - 1))
		return fail (search->reason, "it listens at %.300s, which is no control socket", path);
	int fd = walk (search, parts);
	if (fd < 0)
		return fail (search->reason, "the folder of its control socket cannot be entered: %s", strerror (errno));
	if (fstat (fd, &status) == 0 && status.st_uid == search->user && (status.st_mode & 0777) == 0700)
		return fd;
	close (fd);
	return fail (search->reason, "the folder of its control socket is not its user's alone");
}

/* --- the socket --------------------------------------------------------------------------------------------------- */

static bool
is_the_process (const struct search *search, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == search->pid &&
	       peer.uid == search->user;
}

static int
connect_in (const struct search *search, int folder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = 5 };
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf (address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" MONOCLE__CONTROL_SOCKET, folder);
	/* Where the queue of those who wait is full, connect () waits as long as send () may. */
	if (fd >= 0 && setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
	    connect (fd, (const struct sockaddr *) &address, sizeof address) == 0) {
		if (is_the_process (search, fd))
			return fd;
		fail (search->reason, "another process listens at its control socket");
	} else {
		fail (search->reason, "its control socket does not answer: %s", strerror (errno));
	}
	if (fd >= 0)
		close (fd);
	return -1;
}

static int
search_process (struct search *search, bool *ret_is_absent)
{
	char path[PATH_MAX];
	uid_t self = geteuid ();
	if (!read_user (search->process, &search->user))
		return fail (search->reason, "it cannot be looked at");
	if (self != 0 && self != search->user)
		return fail (search->reason, "it belongs to another user");
	if (!find_path (search, path)) {
		*ret_is_absent = true;
		return fail (search->reason, "it has no control socket: it is not profiled, or MONOCLE_CONTROL=0");
	}
	int folder = open_place (search, path);
	int fd = folder >= 0 ? connect_in (search, folder) : -1;
	if (folder >= 0)
		close (folder);
	return fd;
}

int
monocle__live_control_connect (pid_t pid, bool *ret_is_absent, char ret_reason[MONOCLE__LIVE_CONTROL_REASON])
{
	char name[32];
	struct search search = { .pid = pid, .reason = ret_reason };
	*ret_is_absent = false;
	snprintf (name, sizeof name, "/proc/%d", (int) pid);
	search.process = open (name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (search.process < 0)
		return fail (ret_reason, errno == ENOENT ? "there is no such process" : "it cannot be looked at");
	int fd = search_process (&search, ret_is_absent);
	close (search.process);
	return fd;
}

/* --- a conversation ----------------------------------------------------------------------------------------------- */

static uint64_t
milliseconds (void)
{
	struct timespec now;
	clock_gettime (CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

static int
send_request (int fd, const char *words, char *reason)
{
	char line[MONOCLE__CONTROL_LINE];
	int length = snprintf (line, sizeof line, "monocle %d %s\n", monocle__control_words_version (words), words);
	if (length >= (int) sizeof line)
		return fail (reason, "what is asked for is too long");
	for (int done = 0; done < length;) {
		ssize_t sent = send (fd, line + done, (size_t) (length - done), MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return fail (reason, "its control socket was closed: %s", strerror (errno));
		done += (int) sent;
	}
	return 0;
}

/* Up to and with the last line of an answer, with a NUL. -1: reason. */
struct reader {
	char *text;
	size_t length, taken;
};

enum { ANSWER_MOST = 1 << 20 };

static int
read_more (int fd, struct reader *reader, uint64_t deadline, char *reason)
{
	uint64_t now = milliseconds ();
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	if (now >= deadline || poll (&polled, 1, (int) (deadline - now)) == 0)
		return fail (reason, "it does not answer");
	if (reader->length == ANSWER_MOST)
		return fail (reason, "its answer is too long");
	ssize_t got = recv (fd, reader->text + reader->length, ANSWER_MOST - reader->length, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0)
		return fail (reason, "it has hung up");
	reader->length += (size_t) got;
	return 0;
}

/* The next line that is there, without its line feed; NULL: none is whole. */
static char *
next_line (struct reader *reader)
{
	char *line = reader->text + reader->taken, *end = memchr (line, '\n', reader->length - reader->taken);
	if (!end)
		return NULL;
	*end = '\0';
	reader->taken = (size_t) (end + 1 - reader->text);
	return line;
}

static bool
is_last (const char *line, char *reason, int *ret_result)
{
	static const char error[] = MONOCLE__CONTROL_ERROR " ";
	bool is_error = !strncmp (line, error, sizeof error - 1);
	if (is_error)
		fail (reason, "%s", line + sizeof error - 1);
	*ret_result = is_error;
	return is_error || !strcmp (line, MONOCLE__CONTROL_OK);
}

static int
read_answer (int fd, struct reader *reader, uint64_t deadline, void (*line) (void *data, const char *text), void *data,
             char *reason)
{
	int result = 0;
	for (;;) {
		char *text;
		while ((text = next_line (reader))) {
			if (is_last (text, reason, &result))
				return result;
			line (data, text);
		}
		if (read_more (fd, reader, deadline, reason) < 0)
			return -1;
	}
}

int
monocle__live_control_ask (int fd, const char *words, unsigned seconds, void (*line) (void *data, const char *text),
                           void *data, char ret_reason[MONOCLE__LIVE_CONTROL_REASON])
{
	struct reader reader = { .text = malloc (ANSWER_MOST) };
	uint64_t deadline = milliseconds () + seconds * UINT64_C (1000);
	int result = -1;
	if (!reader.text)
		fail (ret_reason, "out of memory");
	else if (send_request (fd, words, ret_reason) == 0)
		result = read_answer (fd, &reader, deadline, line, data, ret_reason);
	free (reader.text);
	return result;
}
