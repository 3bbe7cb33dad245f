/*
 * SPDX-License-Identifier: MIT
 *
 * socket.c - see socket.h. In a container the process has another root folder, in which the folder is looked up without
 * leaving it (openat2 (2)); where the kernel has no such call, the checks of the socket alone have to do.
 */
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

bool
monocle__live_socket_is_allowed (const monocle__live_process *process)
{
	return geteuid () == 0 || geteuid () == process->user;
}

static int
open_below (int root, const char *folder)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = (int) syscall (SYS_openat2, root, folder, &how, sizeof how);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL)) {
		while (*folder == '/')
			folder++;
		fd = openat (root, *folder ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return fd;
}

int
monocle__live_socket_open_folder (const monocle__live_process *process)
{
	char path[40];
	int root, folder;
	snprintf (path, sizeof path, "/proc/%d/%s", (int) process->pid, process->folder[0] == '/' ? "root" : "cwd");
	root = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	folder = process->folder[0] == '/' ? open_below (root, process->folder)
	                                   : openat (root, process->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	close (root);
	return folder;
}

static const char *
user_name (uid_t user, char *buffer, size_t size)
{
	const struct passwd *entry = getpwuid (user);
	if (entry)
		snprintf (buffer, size, "%s", entry->pw_name);
	else
		snprintf (buffer, size, "%u", (unsigned) user);
	return buffer;
}

/* The file itself, held and checked; -1 and the end of a sentence. */
static int
open_checked (const monocle__live_process *process, int folder, char *ret_error, size_t size)
{
	char name[80];
	struct stat status;
	int file;
	snprintf (name, sizeof name, "dotnet-diagnostic-%d-%llu-socket", (int) process->inner_pid,
	          (unsigned long long) process->start);
	file = openat (folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0 && process->diagnostics[0]) {
		snprintf (ret_error, size, "has no diagnostics socket: diagnostics off (%s)", process->diagnostics);
		return -1;
	}
	if (file < 0) {
		snprintf (ret_error, size, "has no diagnostics socket in %s%s", process->folder,
		          errno == ENOENT ? ": it was removed, or the runtime has not begun" : "");
		return -1;
	}
	if (fstat (file, &status) != 0 || !S_ISSOCK (status.st_mode)) {
		snprintf (ret_error, size, "has no diagnostics socket: %s in %s is no socket", name, process->folder);
	} else if (status.st_uid != process->user) {
		snprintf (ret_error, size, "has no diagnostics socket of its own: user %u made %s in %s",
		          (unsigned) status.st_uid, name, process->folder);
	} else {
		return file;
	}
	close (file);
	return -1;
}

/* Who called listen () is who will answer. */
static bool
is_peer (const monocle__live_process *process, int fd, char *ret_error, size_t size)
{
	struct ucred peer = { 0 };
	socklen_t length = sizeof peer;
	if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == process->pid &&
	    peer.uid == process->user && monocle__live_process_is_there (process))
		return true;
	snprintf (ret_error, size, "has a diagnostics socket on which process %d of user %u listens", (int) peer.pid,
	          (unsigned) peer.uid);
	return false;
}

/* The name in /proc leads to the very file that was checked, and is short, whatever the folder's is. */
static int
connect_file (const monocle__live_process *process, int file, char *ret_error, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	snprintf (address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file);
	if (fd < 0 || connect (fd, (struct sockaddr *) &address, sizeof address) != 0) {
		if (errno == ECONNREFUSED)
			snprintf (ret_error, size, "has a diagnostics socket on which nobody listens");
		else if (errno == EAGAIN)
			snprintf (ret_error, size, "does not accept connections on its diagnostics socket");
		else
			snprintf (ret_error, size, "cannot be connected to: %s", strerror (errno));
	} else if (is_peer (process, fd, ret_error, size)) {
		return fd;
	}
	if (fd >= 0)
		close (fd);
	return -1;
}

int
monocle__live_socket_connect (const monocle__live_process *process, char *ret_error, size_t size)
{
	char name[64];
	int folder, file, fd;
	if (!monocle__live_socket_is_allowed (process)) {
		snprintf (ret_error, size, "is another user's (%s)", user_name (process->user, name, sizeof name));
		return -1;
	}
	folder = monocle__live_socket_open_folder (process);
	if (folder < 0) {
		snprintf (ret_error, size,
		          errno == EACCES || errno == EPERM ? "cannot be looked into: %s" : "has no folder for its socket: %s",
		          strerror (errno));
		return -1;
	}
	file = open_checked (process, folder, ret_error, size);
	close (folder);
	fd = file < 0 ? -1 : connect_file (process, file, ret_error, size);
	if (file >= 0)
		close (file);
	return fd;
}
