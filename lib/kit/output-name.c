/*
 * SPDX-License-Identifier: MIT
 *
 * output-name.c - where a profile goes: expanding `output=`, and writing what it names.
 *
 * A regular file is written beside itself and renamed, so that no reader sees half of it. What is not a regular file (a
 * terminal, /dev/null, a pipe, a link) is written in place, as the shell's `>` writes it: a rename would replace it.
 *
 * What is new can be read by its user only, like the spool that it was made of: names, paths and messages of a program
 * are its user's. A file that was there keeps its modes.
 */
#include "output-name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmdline.h"
#include "environment.h"
#include "path.h"
#include "patience.h"

/* A pipe's reader takes nothing for so long: it never will. */
enum { READER_MS = 5000 };

#define DEFAULT_NAME "%e_%t_%p.%m."

/* --- names -------------------------------------------------------------------------------------------------------- */

struct text {
	char *at, *end;
};

static void
put (struct text *text, const char *more)
{
	size_t length = strlen (more), room = (size_t) (text->end - text->at);
	if (length >= room)
		length = room; /* The caller sees at == end: too long. */
	memcpy (text->at, more, length);
	text->at += length;
}

static void
put_number (struct text *text, uint64_t number)
{
	char digits[24];
	snprintf (digits, sizeof digits, "%llu", (unsigned long long) number);
	put (text, digits);
}

static void
put_time (struct text *text, time_t time)
{
	char stamp[32];
	struct tm parts;
	localtime_r (&time, &parts);
	strftime (stamp, sizeof stamp, "%Y%m%d_%H%M%S", &parts);
	put (text, stamp);
}

/* Part of a file's name, whatever it holds: it chooses no folder. Control characters of ASCII are taken out. */
static void
put_name (struct text *text, const char *name)
{
	for (; *name; name++) {
		const char letter[] = { *name == '/' || (unsigned char) *name < ' ' || *name == 0x7f ? '_' : *name, '\0' };
		put (text, letter);
	}
}

static void
put_letter (struct text *text, char letter, const struct monocle__output_words *words, unsigned number)
{
	const char other[] = { '%', letter, '\0' };
	switch (letter) {
	case 'p': put_number (text, words->pid); break;
	case 't': put_time (text, words->time); break;
	case 'e': put_name (text, words->program); break;
	case 'm': put_name (text, words->module); break;
	case 'n': put_number (text, number); break;
	case '%': put (text, "%"); break;
	default: put (text, other); break;
	}
}

/* One expansion with `number` for %n; whether there was one goes to ret_numbered. */
static int
expand (const char *template, const struct monocle__output_words *words, unsigned number, char *path, size_t size,
        bool *ret_numbered)
{
	struct text text = { path, path + size - 1 };
	*ret_numbered = false;
	for (const char *c = template; *c; c++) {
		const char plain[] = { *c, '\0' };
		if (*c != '%' || !c[1]) {
			put (&text, plain);
			continue;
		}
		*ret_numbered |= *++c == 'n';
		put_letter (&text, *c, words, number);
	}
	*text.at = '\0';
	return text.at == text.end ? -ENAMETOOLONG : 0;
}

/* Puts the current directory before a relative path; the program may change it later. */
static int
make_absolute (char *path, size_t size)
{
	char directory[PATH_MAX];
	if (*path == '/')
		return 0;
	if (!getcwd (directory, sizeof directory))
		return -errno;
	size_t before = strlen (directory), length = strlen (path);
	if (before + length + 2 > size)
		return -ENAMETOOLONG;
	memmove (path + before + 1, path, length + 1);
	memcpy (path, directory, before);
	path[before] = '/';
	return 0;
}

static int
expand_file (const char *template, const struct monocle__output_words *words, char *path, size_t size,
             enum monocle__output_kind *ret_kind)
{
	struct stat status;
	bool numbered = false;
	for (unsigned number = 1; number < MONOCLE__OUTPUT_NUMBER_MOST; number++) {
		int error = expand (template, words, number, path, size, &numbered);
		if (!error)
			error = make_absolute (path, size);
		if (error)
			return error;
		if (!numbered || lstat (path, &status) != 0)
			break;
	}
	*ret_kind = numbered ? MONOCLE__OUTPUT_NEW : MONOCLE__OUTPUT_FILE;
	return 0;
}

/* In a folder: "" or what ends with a slash. */
static int
expand_default (const char *folder, const struct monocle__output_words *words, char *path, size_t size,
                enum monocle__output_kind *ret_kind)
{
	char template[PATH_MAX];
	int length = snprintf (template, sizeof template, "%s%s%s", folder, DEFAULT_NAME, words->ending);
	int error =
	    (size_t) length >= sizeof template ? -ENAMETOOLONG : expand_file (template, words, path, size, ret_kind);
	*ret_kind = MONOCLE__OUTPUT_NEW;
	return error;
}

int
monocle__output_expand (const char *output, const struct monocle__output_words *words, char *path, size_t size,
                        enum monocle__output_kind *ret_kind)
{
	char with_pid[PATH_MAX];
	bool numbered;
	output = output ? output : "";
	if (*output == '|' || *output == '#') {
		*ret_kind = *output == '|' ? MONOCLE__OUTPUT_COMMAND : MONOCLE__OUTPUT_FD;
		return expand (output + 1, words, 1, path, size, &numbered);
	}
	if (*output == '+') {
		if (snprintf (with_pid, sizeof with_pid, "%s.%%p", output + 1) >= (int) sizeof with_pid)
			return -ENAMETOOLONG;
		output = with_pid;
	}
	if (!*output || output[strlen (output) - 1] == '/')
		return expand_default (output, words, path, size, ret_kind);
	return expand_file (output, words, path, size, ret_kind);
}

/* --- the program's name ------------------------------------------------------------------------------------------- */

static bool
is_managed_name (const char *word)
{
	return *word != '-' && monocle__cmdline_is_assembly (word);
}

static const char *
find_managed (const char *arguments, size_t length)
{
	for (const char *word = arguments; word < arguments + length; word += strlen (word) + 1)
		if (is_managed_name (word))
			return word;
	return NULL;
}

void
monocle__program_name (char *name, size_t size)
{
	char arguments[4096];
	size_t length = monocle__cmdline_read (arguments, sizeof arguments);
	monocle__cmdline_program (arguments, length, name, size);
}

void
monocle__output_name_subject (char *name, size_t size)
{
	char arguments[4096];
	size_t length = monocle__cmdline_read (arguments, sizeof arguments);
	monocle__cmdline_subject (arguments, length, name, size);
}

bool
monocle__program_path (char *path, size_t size)
{
	char arguments[4096];
	size_t length = monocle__cmdline_read (arguments, sizeof arguments);
	const char *managed = find_managed (arguments, length);
	if (managed)
		snprintf (path, size, "%s", managed);
	return managed != NULL;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

int
monocle__output_name_open (const char *path, int flags)
{
	int fd = open (path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags, MONOCLE__OUTPUT_MODE);
	return fd < 0 ? -errno : fd;
}

const char *
monocle__output_name_problem (const char *path, int error)
{
	struct stat status;
	bool is_pipe = stat (path, &status) == 0 && S_ISFIFO (status.st_mode);
	return is_pipe && (error == -ENXIO || error == -ETIMEDOUT) ? "nobody reads this pipe" : strerror (-error);
}

/* 0: more can be written. */
static int
await_reader (int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLOUT };
	int found = poll (&polled, 1, (int) monocle__patience (READER_MS));
	if (found < 0)
		return errno == EINTR ? 0 : -errno;
	return found ? 0 : -ETIMEDOUT;
}

static int
write_all (int fd, const char *data, size_t length)
{
	int error = 0;
	while (length && !error) {
		ssize_t n = write (fd, data, length);
		if (n > 0) {
			data += n;
			length -= (size_t) n;
		} else if (n == 0 || errno != EINTR) {
			error = n == 0 ? -EIO : errno == EAGAIN ? await_reader (fd) : -errno;
		}
	}
	return error;
}

/* The signal would be this thread's, in a program that never asked for it. */
int
monocle__output_write_all (int fd, const char *data, size_t length)
{
	sigset_t signals, before, pending;
	sigemptyset (&signals);
	sigaddset (&signals, SIGPIPE);
	pthread_sigmask (SIG_BLOCK, &signals, &before);
	bool was_pending = sigpending (&pending) == 0 && sigismember (&pending, SIGPIPE);
	int error = write_all (fd, data, length);
	if (error == -EPIPE && !was_pending)
		sigtimedwait (&signals, NULL, &(struct timespec) { 0 });
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	return error;
}

int
monocle__output_check_limit (uint64_t begin, size_t length)
{
	struct rlimit limit;
	if (getrlimit (RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return begin > limit.rlim_cur || length > limit.rlim_cur - begin ? -EFBIG : 0;
}

static int
write_in_place (const char *path, const void *data, size_t length)
{
	int fd = monocle__output_name_open (path, O_CREAT | O_TRUNC);
	if (fd < 0)
		return fd;
	int error = monocle__output_write_all (fd, data, length);
	if (close (fd) && !error)
		error = -errno;
	return error;
}

/* Gives the finished file its name. -EEXIST when a NEW one is taken. */
static int
put_in_place (const char *part, const char *path, enum monocle__output_kind kind)
{
	if (kind == MONOCLE__OUTPUT_FILE)
		return rename (part, path) ? -errno : 0;
	if (renameat2 (AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (link (part, path))
		return -errno;
	unlink (part);
	return 0;
}

/* The number goes before the first dot of the file name that a suffix follows. */
int
monocle__output_number_name (const char *path, unsigned number, char *numbered, size_t size)
{
	const char *name = monocle__path_base_name (path);
	const char *dot = name + strlen (name);
	for (int dots = 0; dots < 3; dots++) {
		const char *before = dot;
		while (before > name && *--before != '.')
			;
		if (before == name)
			break;
		dot = before;
	}
	int length = snprintf (numbered, size, "%.*s-%u%s", (int) (dot - path), path, number, dot);
	return length < 0 || (size_t) length >= size ? -ENAMETOOLONG : 0;
}

static int
put_in_place_numbered (const char *part, char *path, size_t size, enum monocle__output_kind kind)
{
	char numbered[PATH_MAX];
	int error = put_in_place (part, path, kind);
	if (kind != MONOCLE__OUTPUT_NEW)
		return error;
	for (unsigned number = 2; error == -EEXIST && number < MONOCLE__OUTPUT_NUMBER_MOST; number++) {
		error = monocle__output_number_name (path, number, numbered, sizeof numbered);
		if (!error)
			error = put_in_place (part, numbered, kind);
		if (!error && strlen (numbered) < size)
			strcpy (path, numbered);
	}
	return error;
}

static int
write_file (char *path, size_t size, enum monocle__output_kind kind, const void *data, size_t length)
{
	struct stat status;
	char part[PATH_MAX];
	int error = monocle__output_check_limit (0, length);
	if (error)
		return error;
	bool replaces = kind == MONOCLE__OUTPUT_FILE && lstat (path, &status) == 0;
	if (replaces && !S_ISREG (status.st_mode))
		return write_in_place (path, data, length);
	if (snprintf (part, sizeof part, "%s.%d.part", path, (int) getpid ()) >= (int) sizeof part)
		return -ENAMETOOLONG;
	unlink (part);
	int fd = open (part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MONOCLE__OUTPUT_MODE);
	if (fd < 0)
		return -errno;
	error = monocle__output_write_all (fd, data, length);
	if (replaces && fchmod (fd, status.st_mode & 0777))
		errno = 0; /* It stays its user's. */
	if (close (fd) && !error)
		error = -errno;
	if (!error)
		error = put_in_place_numbered (part, path, size, kind);
	if (error)
		unlink (part);
	return error;
}

/* What is not a regular file has no limit. */
static int
check_descriptor (int fd, size_t length)
{
	struct stat status;
	if (fstat (fd, &status) || !S_ISREG (status.st_mode))
		return 0;
	off_t at = fcntl (fd, F_GETFL) & O_APPEND ? status.st_size : lseek (fd, 0, SEEK_CUR);
	return at < 0 ? -errno : monocle__output_check_limit ((uint64_t) at, length);
}

int
monocle__output_descriptor (const char *number)
{
	char *end;
	long fd = strtol (number, &end, 10);
	return *number == '\0' || *end || fd < 0 || fd > INT_MAX ? -EBADF : (int) fd;
}

static int
write_descriptor (const char *number, const void *data, size_t length)
{
	int fd = monocle__output_descriptor (number);
	int error = fd < 0 ? fd : check_descriptor (fd, length);
	return error ? error : monocle__output_write_all (fd, data, length);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static bool
profiles (const char *variable)
{
	static const char *const names[] = { "MONOCLE_", "CORECLR_ENABLE_PROFILING=", "CORECLR_PROFILER", "MONO_PROFILE=" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp (variable, names[i], strlen (names[i])) == 0)
			return true;
	return strncmp (variable, "MONO_ENV_OPTIONS=", 17) == 0 && strstr (variable, "--profile");
}

/* This process's, but for what would have the command profiled. The caller frees it. NULL: no memory. */
static char **
plain_environment (void)
{
	char *const *all = monocle__variables ();
	size_t count = 0, kept = 0;
	while (all[count])
		count++;
	char **plain = calloc (count + 1, sizeof *plain);
	for (size_t i = 0; plain && i < count && all[i]; i++)
		if (!profiles (all[i]))
			plain[kept++] = all[i];
	return plain;
}

int
monocle__output_spawn (const char *command, pid_t *ret_child)
{
	char *arguments[] = { "sh", "-c", (char *) command, NULL };
	char **environment = plain_environment ();
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t child;
	if (!environment || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		int error = environment ? -errno : -ENOMEM;
		free (environment);
		return error;
	}
	posix_spawn_file_actions_init (&actions);
	posix_spawn_file_actions_adddup2 (&actions, ends[1], STDIN_FILENO);
	int error = posix_spawn (&child, "/bin/sh", &actions, NULL, arguments, environment);
	posix_spawn_file_actions_destroy (&actions);
	free (environment);
	close (ends[1]);
	if (error) {
		close (ends[0]);
		return -error;
	}
	*ret_child = child;
	return ends[0];
}

int
monocle__output_send (int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t n = send (fd, data, length, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return -errno;
		data += n > 0 ? n : 0;
		length -= n > 0 ? (size_t) n : 0;
	}
	return 0;
}

/* The program's own waitpid may have been faster; then ECHILD ends this. */
void
monocle__output_await (pid_t child)
{
	while (waitpid (child, NULL, 0) < 0 && errno == EINTR)
		;
}

static int
write_command (const char *command, const char *data, size_t length)
{
	pid_t child;
	int fd = monocle__output_spawn (command, &child);
	if (fd < 0)
		return fd;
	int error = monocle__output_send (fd, data, length);
	close (fd);
	if (!error)
		monocle__output_await (child);
	return error;
}

int
monocle__output_write (char *path, size_t size, enum monocle__output_kind kind, const void *data, size_t length)
{
	switch (kind) {
	case MONOCLE__OUTPUT_COMMAND: return write_command (path, data, length);
	case MONOCLE__OUTPUT_FD: return write_descriptor (path, data, length);
	default: return write_file (path, size, kind, data, length);
	}
}
