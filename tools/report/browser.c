/*
 * SPDX-License-Identifier: MIT
 *
 * browser.c - see browser.h. The browser is given the file's path and not an address, so that no letter of a name
 * means anything else. It lives in a session of its own, and writes to nobody's terminal.
 */
#include "browser.h"

#include "command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 16 };

/* 0, or the error for which it cannot be started. */
static int
start (char *const *argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	pid_t pid;
	int error;
	posix_spawn_file_actions_init (&actions);
	posix_spawnattr_init (&attributes);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen (&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	sigemptyset (&defaults); /* those that monocle__output_begin () ignores */
	sigaddset (&defaults, SIGPIPE);
	sigaddset (&defaults, SIGXFSZ);
	posix_spawnattr_setsigdefault (&attributes, &defaults);
	posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp (&pid, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy (&attributes);
	posix_spawn_file_actions_destroy (&actions);
	return error;
}

/* "firefox", or with arguments of its own: "firefox --new-window %s". */
static int
start_command (char *command, char *path)
{
	char *argv[WORDS_MOST + 2], *rest, *word;
	size_t count = 0;
	bool is_told = false;
	for (word = strtok_r (command, " \t", &rest); word && count < WORDS_MOST; word = strtok_r (NULL, " \t", &rest)) {
		bool is_path = strcmp (word, "%s") == 0;
		argv[count++] = is_path ? path : word;
		is_told = is_told || is_path;
	}
	if (!is_told)
		argv[count++] = path;
	argv[count] = NULL;
	return count > 1 ? start (argv) : ENOENT;
}

/* The first of a list that can be started. The error of the last one. */
static int
start_one (const char *list, char *path)
{
	char *commands = monocle__format ("%s", list), *rest, *command;
	int error = ENOENT;
	for (command = strtok_r (commands, ":", &rest); command && error; command = strtok_r (NULL, ":", &rest))
		error = start_command (command, path);
	free (commands);
	return error;
}

static bool
has_display (void)
{
	const char *x = getenv ("DISPLAY"), *wayland = getenv ("WAYLAND_DISPLAY");
	return (x && *x) || (wayland && *wayland);
}

void
monocle__browser_open (const char *path)
{
	const char *browser = getenv ("BROWSER");
	char *whole = realpath (path, NULL);
	int error = 0;
	bool is_chosen = browser && *browser;
	if (!whole)
		monocle__say ("cannot open %s: %s", path, strerror (errno));
	else if (!is_chosen && !has_display ())
		monocle__say ("there is no display for a browser here; open %s in one", whole);
	else if ((error = start_one (is_chosen ? browser : "xdg-open", whole)))
		monocle__say ("cannot start %s: %s; open %s in a browser", is_chosen ? browser : "xdg-open", strerror (error),
		              whole);
	free (whole);
}
