/*
 * SPDX-License-Identifier: MIT
 *
 * trust.c - may this process run the code that is in a file?
 *
 * The path is looked up as the kernel does it, one name after the other, with all symbolic links. Each folder, link and
 * file on this way is looked at before the next name, so that nobody who is not trusted can change any of them, before
 * the file is opened by the same path or after it: there is no race to win. What the kernel says of owner, mode and
 * list of access rights (ACL) is believed.
 */
#include "trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "environment.h"

enum { LINKS_MAX = 40, SYSTEM_GROUPS = 100 };

typedef struct {
	char done[PATH_MAX]; /* without links; "" is the root folder */
	char left[PATH_MAX]; /* names that are not looked up yet */
	unsigned links;
	char *reason;
	size_t size;
} walk;

/* --- the rule ----------------------------------------------------------------------------------------------------- */

/* Root may be a stranger in a user namespace; who owns the root folder takes its part there. */
static bool
owns_root_folder (uid_t user)
{
	struct stat status;
	return stat ("/", &status) == 0 && status.st_uid == user;
}

/* The library, or the program, that this code is a part of. */
static bool
owns_this_code (uid_t user)
{
	struct link_map *object = NULL;
	struct stat status;
	Dl_info info;
	if (!dladdr1 ((void *) owns_this_code, &info, (void **) &object, RTLD_DL_LINKMAP) || !object)
		return false;
	return stat (object->l_name[0] ? object->l_name : "/proc/self/exe", &status) == 0 && status.st_uid == user;
}

/*
 * Root, the process's own user, and the owner of our own file, whose code runs here already: so a container's root can
 * use what was built outside of it by one user. Rights that are not the caller's trust nobody for such reasons.
 */
static bool
is_trusted (uid_t user)
{
	if (user == 0 || user == geteuid ())
		return true;
	return monocle__environment_is_believed () && (owns_root_folder (user) || owns_this_code (user));
}

/*
 * Systems that let the group write by default (umask 002) give each user a group of its own, with the user's number;
 * where the numbers differ nothing tells such a group from one that all users share. Root's group is root; and what
 * root gives to one of the system's own groups is root's decision (Debian's staff).
 */
static bool
is_owners_group (const struct stat *status)
{
	return status->st_gid == status->st_uid || status->st_gid == 0 ||
	       (status->st_uid == 0 && status->st_gid < SYSTEM_GROUPS);
}

/* A list of access rights may name further users; the group's part of the mode is what they may have at most. */
static bool
has_access_list (const char *path)
{
	return lgetxattr (path, "system.posix_acl_access", NULL, 0) > 0;
}

static bool
others_can_write (const char *path, const struct stat *status)
{
	bool group_can = status->st_mode & S_IWGRP;
	return (status->st_mode & S_IWOTH) || (group_can && (!is_owners_group (status) || has_access_list (path)));
}

/*
 * The rule for each folder and file on the way: its owner is trusted, and nobody else can write to it. In a folder with
 * the sticky bit, as /tmp, others can write, but can neither rename nor replace what is not theirs: there the owner of
 * the next name decides, which this rule asks anyway. Of a link only the owner counts. 0 or -EPERM.
 */
static int
judge (walk *at, const struct stat *status)
{
	const char *path = at->done[0] ? at->done : "/";
	bool writable = !S_ISLNK (status->st_mode) && others_can_write (path, status);
	bool sticky = S_ISDIR (status->st_mode) && (status->st_mode & S_ISVTX);
	if (!is_trusted (status->st_uid))
		snprintf (at->reason, at->size,
		          "%s belongs to user %u, who is neither root nor the user of this process nor the owner of Monocle;"
		          " a copy of your own mends that",
		          path, (unsigned) status->st_uid);
	else if (writable && !sticky && (status->st_mode & S_IWOTH))
		snprintf (at->reason, at->size, "every user can write to %s; chmod go-w %s mends that", path, path);
	else if (writable && !sticky)
		snprintf (at->reason, at->size, "its group %u%s can write to %s; chmod go-w %s mends that",
		          (unsigned) status->st_gid, has_access_list (path) ? " or users of its access list" : "", path, path);
	else
		return 0;
	return -EPERM;
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

static int
fail (walk *at, int error)
{
	snprintf (at->reason, at->size, "%s: %s", at->done[0] ? at->done : "/", strerror (error));
	return -EPERM;
}

static void
leave_folder (walk *at)
{
	char *slash = strrchr (at->done, '/');
	if (slash)
		*slash = '\0';
}

/* Nothing is there now; who could put something there? */
static int
fail_absent (walk *at)
{
	struct stat status;
	snprintf (at->reason, at->size, "every user could put a file at %s", at->done);
	leave_folder (at);
	const char *folder = at->done[0] ? at->done : "/";
	if (lstat (folder, &status) || others_can_write (folder, &status))
		return -EPERM;
	at->reason[0] = '\0';
	return -ENOENT;
}

/* What the link says takes the place of its name. */
static int
follow (walk *at)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t length = readlink (at->done, target, sizeof target - 1);
	if (length < 0)
		return fail (at, errno);
	target[length] = '\0';
	if (++at->links > LINKS_MAX)
		return fail (at, ELOOP);
	if (snprintf (joined, sizeof joined, "%s/%s", target, at->left) >= (int) sizeof joined)
		return fail (at, ENAMETOOLONG);
	strcpy (at->left, joined);
	leave_folder (at);
	if (target[0] == '/')
		at->done[0] = '\0';
	return 0;
}

static int
look_up (walk *at, const char *name)
{
	struct stat status;
	size_t length = strlen (at->done);
	if (length + strlen (name) + 2 > sizeof at->done)
		return fail (at, ENAMETOOLONG);
	at->done[length] = '/';
	strcpy (at->done + length + 1, name);
	if (lstat (at->done, &status))
		return errno == ENOENT ? fail_absent (at) : fail (at, errno);
	int error = judge (at, &status);
	if (error || !S_ISLNK (status.st_mode))
		return error;
	return follow (at);
}

/* One name of those that are left, which may become others. */
static int
step (walk *at)
{
	char name[PATH_MAX];
	size_t length = strcspn (at->left, "/");
	memcpy (name, at->left, length);
	name[length] = '\0';
	length += at->left[length] == '/';
	memmove (at->left, at->left + length, strlen (at->left + length) + 1);
	if (!name[0] || !strcmp (name, "."))
		return 0;
	if (strcmp (name, "..") == 0) {
		leave_folder (at);
		return 0;
	}
	return look_up (at, name);
}

static int
go (walk *at, const char *path)
{
	char here[PATH_MAX] = "";
	struct stat status;
	if (path[0] != '/' && !getcwd (here, sizeof here))
		return fail (at, errno);
	if (snprintf (at->left, sizeof at->left, "%s/%s", here, path) >= (int) sizeof at->left)
		return fail (at, ENAMETOOLONG);
	int error = stat ("/", &status) ? fail (at, errno) : judge (at, &status);
	while (!error && at->left[0])
		error = step (at);
	return error;
}

int
monocle__trust_path (const char *path, char *ret_reason, size_t size)
{
	walk at = { .reason = ret_reason, .size = size };
	return go (&at, path);
}

/* The sticky bit keeps strangers from what is there, not from adding to it. */
int
monocle__trust_folder (const char *path, char *ret_reason, size_t size)
{
	walk at = { .reason = ret_reason, .size = size };
	struct stat status;
	int error = go (&at, path);
	const char *folder = at.done[0] ? at.done : "/";
	if (error)
		return error;
	if (lstat (folder, &status))
		return fail (&at, errno);
	if (!others_can_write (folder, &status))
		return 0;
	snprintf (ret_reason, size, "others can put files into %s", folder);
	return -EPERM;
}
