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
