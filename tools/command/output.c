/*
 * SPDX-License-Identifier: MIT
 *
 * output.c - streams, terminals and their errors.
 */
#include "output.h"

#include "command.h"
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void
monocle__output_begin (void)
{
	signal (SIGPIPE, SIG_IGN);
	signal (SIGXFSZ, SIG_IGN);
}

int
monocle__output_finish (FILE *stream, const char *name)
{
	bool failed = ferror (stream) != 0;

	/* Of an earlier error errno is gone and stdio does not try again: one more byte asks the kernel why. */
	errno = 0;
	if (failed) {
		clearerr (stream);
		putc ('\n', stream);
	}
	if (fflush (stream) != 0 || failed) {
		if (errno == EPIPE && !name) /* whoever reads has seen enough: as if SIGPIPE had ended us */
			return MONOCLE__EXIT_SIGNAL + SIGPIPE;
		monocle__say ("cannot write %s: %s", name ? name : "to standard output",
		              errno ? strerror (errno) : "output error");
		return MONOCLE__EXIT_FAILED;
	}
	return MONOCLE__EXIT_OK;
}

static int
write_stream (FILE *out, const char *name, const char *title, monocle__output_writer write, const void *context)
{
	if (write (out, context) != 0) {
		monocle__say ("%s: out of memory", title);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (out, name);
}

/*
 * Empties what has a name that we chose, if it is a plain file of the user's own that has no other name. Looking comes
 * before emptying, and a pipe is not waited for. -1 with errno; EMLINK: it is something else.
 */
static int
open_again (const char *path)
{
	int fd = open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int error = 0;
	if (fd < 0) {
		if (errno == ENXIO) /* a pipe without a reader, or a socket */
			errno = EMLINK;
		return -1;
	}
	if (fstat (fd, &status) != 0)
		error = errno;
	else if (!S_ISREG (status.st_mode) || status.st_uid != geteuid () || status.st_nlink != 1)
		error = EMLINK;
	else if (ftruncate (fd, 0) != 0)
		error = errno;
	if (error == 0)
		return fd;
	close (fd);
	errno = error;
	return -1;
}

static int
open_descriptor (const monocle__output_place *place)
{
	mode_t mode = place->is_private ? 0600 : 0666;
	int fd;
	if (!place->chosen)
		return open (place->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	fd = open (place->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return fd < 0 && errno == EEXIST && !place->kept ? open_again (place->path) : fd;
}

static FILE *
open_place (const monocle__output_place *place)
{
	int fd = open_descriptor (place);
	FILE *stream = fd < 0 ? NULL : fdopen (fd, "w");
	if (fd < 0 && errno == EEXIST)
		monocle__say ("%s is there already; name another file with -o", place->path);
	else if (fd < 0 && errno == ELOOP && place->chosen)
		monocle__say ("%s is a symbolic link; name the file to write with -o", place->path);
	else if (fd < 0 && errno == EMLINK && place->chosen)
		monocle__say ("%s is there and is not a plain file of yours alone; name the file to write with -o",
		              place->path);
	else if (!stream)
		monocle__say ("cannot write %s: %s", place->path, strerror (errno));
	if (fd >= 0 && !stream)
		close (fd);
	return stream;
}

int
monocle__output_file (monocle__output_place place, const char *title, monocle__output_writer write, const void *context)
{
	struct stat status;
	FILE *out;
	int result;
	if (strcmp (place.path, "-") == 0)
		return write_stream (stdout, NULL, title, write, context);
	out = open_place (&place);
	if (!out)
		return MONOCLE__EXIT_FAILED;
	result = write_stream (out, place.path, title, write, context);
	if (fclose (out) != 0 && result == 0) {
		monocle__say ("cannot write %s: %s", place.path, strerror (errno));
		result = MONOCLE__EXIT_FAILED;
	}
	if (result == 0) {
		monocle__print_line ("%s", place.path);
		return monocle__output_finish (stdout, NULL);
	}
	if (lstat (place.path, &status) == 0 && S_ISREG (status.st_mode))
		unlink (place.path);
	return result;
}

typedef struct {
	const monocle__profile *profile;
	const monocle__report_options *options;
	bool is_picture;
} flame;

static int
write_flame (FILE *out, const void *context)
{
	const flame *f = context;
	return (f->is_picture ? monocle__report_svg : monocle__report_flame) (out, f->profile, f->options);
}

int
monocle__output_flame (monocle__output_place place, const char *title, const monocle__profile *profile,
                       const monocle__report_options *options)
{
	flame f = { profile, options, monocle__output_is_picture (place.path) };
	return monocle__output_file (place, title, write_flame, &f);
}

/* How much of a name is left without `end`, which has `end_length` letters. */
static size_t
length_without (const char *name, size_t length, const char *end, size_t end_length)
{
	bool is_there = length > end_length && memcmp (name + length - end_length, end, end_length) == 0;
	return is_there ? length - end_length : length;
}

char *
monocle__output_name (const char *path, const char *extension)
{
	static const char *const ends[] = { ".spool", ".mcov", ".gz", ".pb", ".pprof", ".json", ".txt", ".folded" };
	size_t length = strlen (path);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		length = length_without (path, length, ends[i], strlen (ends[i]));
	/* Of ".collapsed.txt" the last part is gone by now. */
	for (size_t i = 0; i < monocle__file_format_count; i++) {
		const char *own = monocle__file_formats[i].extension;
		if (monocle__file_formats[i].parse)
			length = length_without (path, length, own, 1 + strcspn (own + 1, "."));
	}
	return monocle__format ("%.*s%s", (int) length, path, extension);
}

bool
monocle__output_ends_with (const char *path, const char *ending)
{
	size_t length = strlen (path), end_length = strlen (ending);
	return length > end_length && strcmp (path + length - end_length, ending) == 0;
}

bool
monocle__output_is_picture (const char *path)
{
	return monocle__output_ends_with (path, ".svg");
}

/* The list ends with a NULL. */
static bool
ends_with_one (const char *path, const char *const *endings)
{
	while (*endings && !monocle__output_ends_with (path, *endings))
		endings++;
	return *endings != NULL;
}

bool
monocle__output_refuse_page (const char *path)
{
	static const char *const others[] = {
		".svg", ".png", ".pdf", ".json", ".gz", ".pb", ".txt", ".mcov", ".csv", NULL
	};
	if (!ends_with_one (path, others))
		return false;
	monocle__say ("-o %s: what is written is a page, OUT.html; monocle convert writes other formats", path);
	return true;
}

bool
monocle__output_refuse_data (const char *path, bool is_drawn)
{
	static const char *const never[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", NULL };
	static const char *const drawn[] = { ".html", ".htm", ".svg", ".json", NULL };
	if (!ends_with_one (path, never) && (is_drawn || !ends_with_one (path, drawn)))
		return false;
	if (is_drawn)
		monocle__say ("-o %s: a profile is written, or a page OUT.html, a picture OUT.svg, or OUT.json for speedscope",
		              path);
	else
		monocle__say ("-o %s: a profile or coverage is written; monocle flame, html and convert make other files of it",
		              path);
	return true;
}

size_t
monocle__output_width (FILE *stream)
{
	const char *columns = getenv ("COLUMNS");
	struct winsize size;
	size_t width;
	if (!isatty (fileno (stream)))
		return 0;
	if (columns && monocle__try_number (columns, &width) && width > 0)
		return width;
	if (ioctl (fileno (stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

bool
monocle__output_bold (FILE *stream)
{
	const char *no_color = getenv ("NO_COLOR"), *term = getenv ("TERM");
	return isatty (fileno (stream)) && !(no_color && *no_color) && !(term && strcmp (term, "dumb") == 0);
}

bool
monocle__output_is_utf8 (void)
{
	return strcmp (nl_langinfo (CODESET), "UTF-8") == 0;
}

const char *
monocle__output_ellipsis (void)
{
	return monocle__output_is_utf8 () ? "\xe2\x80\xa6" : "..";
}
