/* SPDX-License-Identifier: MIT
 *
 * output.c - streams, terminals and their errors.
 */
#include "output.h"

#include "command.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

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

int
monocle__output_file (const char *output, const char *title, monocle__output_writer write, const void *context)
{
	struct stat status;
	FILE *out;
	int result;

	if (strcmp (output, "-") == 0)
		return write_stream (stdout, NULL, title, write, context);
	out = fopen (output, "we");
	if (!out) {
		monocle__say ("cannot write %s: %s", output, strerror (errno));
		return MONOCLE__EXIT_FAILED;
	}
	result = write_stream (out, output, title, write, context);
	if (fclose (out) != 0 && result == 0) {
		monocle__say ("cannot write %s: %s", output, strerror (errno));
		result = MONOCLE__EXIT_FAILED;
	}
	if (result == 0) {
		printf ("%s\n", output);
		return monocle__output_finish (stdout, NULL);
	}
	if (lstat (output, &status) == 0 && S_ISREG (status.st_mode))
		unlink (output);
	return result;
}

typedef struct {
	const monocle__profile *profile;
	const monocle__report_options *options;
} flame;

static int
write_flame (FILE *out, const void *context)
{
	const flame *f = context;

	return monocle__report_flame (out, f->profile, f->options);
}

int
monocle__output_flame (const char *output, const char *title, const monocle__profile *profile,
                       const monocle__report_options *options)
{
	flame f = { profile, options };

	return monocle__output_file (output, title, write_flame, &f);
}

char *
monocle__output_name (const char *path, const char *extension)
{
	static const char *const ends[] = {
		".gz", ".pb", ".pprof", ".json", ".txt", ".folded", ".collapsed", ".speedscope"
	};
	size_t length = strlen (path);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen (ends[i]);
		if (length > end && memcmp (path + length - end, ends[i], end) == 0)
			length -= end;
	}
	return monocle__format ("%.*s%s", (int)length, path, extension);
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

const char *
monocle__output_ellipsis (void)
{
	return strcmp (nl_langinfo (CODESET), "UTF-8") == 0 ? "\xe2\x80\xa6" : "..";
}
