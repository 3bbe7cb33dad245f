/*
 * SPDX-License-Identifier: MIT
 *
 * control-place.c - see control-place.h.
 *
 * $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm, whichever is there and no stranger can take things away from. What was
 * left by processes that were killed is removed on the way: folders of this user, older than a minute, in which nobody
 * listens. Only the thread of control-server.c gets here, whose descriptors are its own.
 */
#include "control-place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "control-words.h"
#include "environment.h"

enum { BACKLOG = 64, LOOKED_AT_MOST = 4096, LEFT_OVER_AFTER = 60 };

/* --- folders ------------------------------------------------------------------------------------------------------ */

/* Where others may write they must not be able to take away what is ours. */
static bool
is_safe (const char *folder)
{
	struct stat status;
	if (stat (folder, &status) || !S_ISDIR (status.st_mode))
		return false;
	bool is_owned = status.st_uid == 0 || status.st_uid == geteuid ();
	return is_owned && (!(status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_mode & S_ISVTX);
}

/* False: the name is too long for a socket. */
static bool
set_folder (monocle__control_place *place, const char *parent, const char *name)
{
	size_t most = sizeof place->address.sun_path;
	place->address.sun_family = AF_UNIX;
	return snprintf (place->folder, most, "%s/%s", parent, name) < (int) most &&
	       snprintf (place->address.sun_path, most, "%s/%s/" MONOCLE__CONTROL_SOCKET, parent, name) < (int) most;
}

static bool
make_folder (monocle__control_place *place, const char *parent)
{
	uint64_t random;
	char name[sizeof MONOCLE__CONTROL_FOLDER + 16];
	if (syscall (SYS_getrandom, &random, sizeof random, 0) != (long) sizeof random)
		return false;
	snprintf (name, sizeof name, MONOCLE__CONTROL_FOLDER "%016llx", (unsigned long long) random);
	/* mkdir follows no link, and takes nothing that is there. A umask may have taken away what we need. */
	return set_folder (place, parent, name) && mkdir (place->folder, 0700) == 0 && chmod (place->folder, 0700) == 0;
}

void
monocle__control_place_remove (const monocle__control_place *place)
{
	unlink (place->address.sun_path);
	rmdir (place->folder);
}

/* --- what others have left ---------------------------------------------------------------------------------------- */

/* Does nobody listen there any more? One that is just being made is young. */
static bool
is_left_over (const monocle__control_place *place)
{
	struct stat status;
	if (lstat (place->folder, &status) || !S_ISDIR (status.st_mode) || status.st_uid != geteuid () ||
	    time (NULL) - status.st_mtime < LEFT_OVER_AFTER)
		return false;
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_dead = fd >= 0 && connect (fd, (const struct sockaddr *) &place->address, sizeof place->address) &&
	               (errno == ECONNREFUSED || errno == ENOENT);
	if (fd >= 0)
		close (fd);
	return is_dead;
}

static void
clean (const char *parent)
{
	static const char prefix[] = MONOCLE__CONTROL_FOLDER;
	DIR *directory = opendir (parent);
	struct dirent *entry;
	for (int i = 0; directory && i < LOOKED_AT_MOST && (entry = readdir (directory)); i++) {
		monocle__control_place place;
		if (!strncmp (entry->d_name, prefix, sizeof prefix - 1) && set_folder (&place, parent, entry->d_name) &&
		    is_left_over (&place))
			monocle__control_place_remove (&place);
	}
	if (directory)
		closedir (directory);
}

/* --- the socket --------------------------------------------------------------------------------------------------- */

static int
listen_at (const monocle__control_place *place)
{
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind (fd, (const struct sockaddr *) &place->address, sizeof place->address) == 0 &&
	    chmod (place->address.sun_path, 0600) == 0 && listen (fd, BACKLOG) == 0)
		return fd;
	if (fd >= 0)
		close (fd);
	return -1;
}

static int
make_in (const char *folder, monocle__control_place *ret_place)
{
	char *parent = folder && *folder == '/' ? realpath (folder, NULL) : NULL;
	int fd = -1;
	if (parent && is_safe (parent)) {
		clean (parent);
		if (make_folder (ret_place, parent)) {
			fd = listen_at (ret_place);
			if (fd < 0)
				monocle__control_place_remove (ret_place);
		}
	}
	free (parent);
	return fd;
}

static char *chosen[2];

/* A second time, in a process that was attached to again, changes nothing. */
void
monocle__control_place_begin (void)
{
	static const char *const variables[] = { "XDG_RUNTIME_DIR", "TMPDIR" };
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *folder = monocle__variable (variables[i]);
		if (folder && !chosen[i])
			chosen[i] = strdup (folder);
	}
}

int
monocle__control_place_make (monocle__control_place *ret_place)
{
	const char *const folders[] = { chosen[0], chosen[1], "/tmp", "/dev/shm" };
	int fd = -1;
	for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
		fd = make_in (folders[i], ret_place);
	return fd;
}
