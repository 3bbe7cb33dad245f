/*
 * SPDX-License-Identifier: MIT
 *
 * control-snapshot.c - see control-snapshot.h. A spool is consistent at every instant, and so is a file of coverage:
 * the process has nothing to do but to go on. What a process says of its files is looked at from its own root folder,
 * and believed of another user's process only where the file is that user's: root could read all others, too.
 */
#include "control-snapshot.h"

#include "command/command.h"
#include "command/output.h"
#include "coverage.h"
#include "file/coverage-live.h"
#include "file/take-over.h"

#include <monocle/kit.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process has some modules, each with a file; one that names more is not itself. */
enum { FILES_MOST = 256 };

void
monocle__control_snapshot_add (monocle__control_files *files, const char *line)
{
	if (!strchr (line, ' ') || files->count == FILES_MOST)
		return;
	char **longer = realloc (files->lines, (files->count + 1) * sizeof *longer);
	if (!longer)
		return;
	files->lines = longer;
	files->lines[files->count++] = monocle__format ("%s", line);
}

void
monocle__control_snapshot_free (monocle__control_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free (files->lines[i]);
	free (files->lines);
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

typedef struct {
	const char *module;
	char *path; /* as we reach it */
	char *read; /* the same file, for the reader: a path that nobody can exchange where it is another user's */
	const char *ending;
	monocle__output_place place;
} source;

typedef struct {
	void *data;
	size_t length;
} bytes;

static int
write_bytes (FILE *out, const void *context)
{
	const bytes *b = context;
	fwrite (b->data, 1, b->length, out);
	return 0;
}

static int
write_profile (const source *s)
{
	bytes b;
	const char *error;
	if (monocle_kit_spool_read (s->read, &b.data, &b.length, &error)) {
		monocle__say ("%s: %s", s->path, error);
		return MONOCLE__EXIT_FAILED;
	}
	int code = monocle__output_file (s->place, s->path, write_bytes, &b);
	free (b.data);
	return code;
}

static int
write_counters (FILE *out, const void *context)
{
	return monocle__coverage_write (out, context);
}

static int
write_coverage (const source *s)
{
	monocle__coverage_live live;
	monocle__coverage *coverage = monocle__coverage_new ();
	const char *error = "out of memory";
	int code = MONOCLE__EXIT_FAILED;
	if (monocle__coverage_live_open (&live, s->read, false) == 0 && monocle__coverage_live_take (&live, false) == 0) {
		if (coverage && monocle__coverage_add (coverage, live.copy, live.size, &error) == 0)
			code = monocle__output_file (s->place, s->path, write_counters, coverage);
		else
			monocle__say ("%s: %s", s->path, error);
	}
	monocle__coverage_live_close (&live);
	monocle__coverage_free (coverage);
	return code;
}

typedef struct {
	int fd;
	off_t length;
} text;

/* Lines of text are written whole; the process adds more, which is not waited for. */
static int
copy_text (FILE *out, const void *context)
{
	char buffer[1 << 14];
	const text *from = context;
	off_t left = from->length;
	while (left > 0) {
		ssize_t got = read (from->fd, buffer, left < (off_t) sizeof buffer ? (size_t) left : sizeof buffer);
		if (got <= 0)
			break;
		fwrite (buffer, 1, (size_t) got, out);
		left -= got;
	}
	return 0;
}

/* The process says what it writes: a device or a pipe would be read without an end, or waited for. */
static int
write_text (const source *s)
{
	text from = { .fd = open (s->read, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) };
	struct stat status;
	int code = MONOCLE__EXIT_FAILED;
	if (from.fd < 0 || fstat (from.fd, &status) != 0) {
		monocle__say ("%s: %s", s->path, strerror (errno));
	} else if (!S_ISREG (status.st_mode)) {
		monocle__say ("%s: it is not a file", s->path);
	} else {
		from.length = status.st_size;
		code = monocle__output_file (s->place, s->path, copy_text, &from);
	}
	if (from.fd >= 0)
		close (from.fd);
	return code;
}

/* clang-format off */
/* By the ending of the file that the process writes. */
static const struct {
	const char *ending, *made; /* of what is made of it; NULL: its own */
	int (*write) (const source *s);
} kinds[] = {
	{ ".spool", ".pb.gz", write_profile },
	{ ".mcov",  ".mcov",  write_coverage },
	{ "",       ".log",   write_text },
};
/* clang-format on */

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool
is_folder (const char *output)
{
	size_t length = output ? strlen (output) : 0;
	return length && output[length - 1] == '/';
}

/* MODULE.PID.N and the ending, with the first number that is free. */
static char *
choose_name (const char *folder, const char *module, pid_t pid, const char *ending)
{
	for (unsigned number = 1;; number++) {
		char *name = monocle__format ("%s%s.%d.%u%s", folder, module, (int) pid, number, ending);
		if (access (name, F_OK) || number == UINT_MAX)
			return name;
		free (name);
	}
}

static size_t
kind_of (const char *path)
{
	size_t kind = 0, length = strlen (path);
	while (strlen (kinds[kind].ending) > length ||
	       strcmp (path + length - strlen (kinds[kind].ending), kinds[kind].ending))
		kind++;
	return kind;
}

/* A file of that user. -1 after one line. */
static int
open_owned (const char *path, uid_t user)
{
	struct stat status;
	int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		monocle__say ("%s: %s", path, strerror (errno));
	} else if (fstat (fd, &status) != 0 || status.st_uid != user || !S_ISREG (status.st_mode)) {
		monocle__say ("%s: it is no file of the user that the process belongs to", path);
		close (fd);
		fd = -1;
	} else if (status.st_size > MONOCLE__TAKE_OVER_MOST) {
		monocle__say ("%s: it is larger than the 1 GB that are taken from another user", path);
		close (fd);
		fd = -1;
	}
	return fd;
}

static int
write_source (source *s, uid_t user, int (*write) (const source *s))
{
	if (user == geteuid ()) {
		s->read = s->path;
		return write (s);
	}
	int fd = open_owned (s->path, user), code = MONOCLE__EXIT_FAILED;
	if (fd < 0)
		return code;
	s->read = monocle__format ("/proc/self/fd/%d", fd);
	code = write (s);
	free (s->read);
	close (fd);
	return code;
}

/* `line` is cut apart. */
static int
write_one (char *line, pid_t pid, uid_t user, const char *output)
{
	char *path = strchr (line, ' ');
	*path++ = '\0';
	size_t kind = kind_of (path);
	bool is_chosen = !output || is_folder (output);
	char *name = is_chosen && !strchr (line, '/') ? choose_name (output ? output : "", line, pid, kinds[kind].made)
	                                              : monocle__format ("%s", output ? output : "snapshot");
	source s = { .module = line, .place = { .path = name, .chosen = is_chosen } };
	s.path = monocle__format ("/proc/%d/root%s", (int) pid, path);
	int code = write_source (&s, user, kinds[kind].write);
	free (s.path);
	free (name);
	return code;
}

int
monocle__control_snapshot_write (const monocle__control_files *files, pid_t pid, uid_t user, const char *output)
{
	int code = MONOCLE__EXIT_OK;
	if (files->count == FILES_MOST) {
		monocle__say ("process %d names more files than modules can have", (int) pid);
		return MONOCLE__EXIT_FAILED;
	}
	if (files->count > 1 && output && !is_folder (output)) {
		monocle__say ("%zu modules have a file each: name one of them, or a folder, as in -o %s/", files->count,
		              output);
		return MONOCLE__EXIT_FAILED;
	}
	for (size_t i = 0; i < files->count; i++) {
		int one = write_one (files->lines[i], pid, user, output);
		code = one ? one : code;
	}
	return code;
}
