/*
 * SPDX-License-Identifier: MIT
 *
 * run-picture.c - see run-picture.h.
 */
#include "run-picture.h"

#include "command/output.h"
#include "format.h"
#include "path.h"
#include "report.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool
is_page (const char *output)
{
	return monocle__output_ends_with (output, ".html") || monocle__output_ends_with (output, ".htm");
}

bool
monocle__run_picture_is_wanted (const char *output)
{
	return is_page (output) || monocle__output_is_picture (output) || monocle__output_ends_with (output, ".json");
}

int
monocle__run_picture_write (const monocle__profile *profile, const char *part, const char *output)
{
	/* The page folds, and leaves idle threads out, by itself; the rest is as monocle flame and convert write it. */
	const monocle__view_options view = { .fold = !is_page (output),
		                                 .tell_images = true,
		                                 .idle = is_page (output)                    ? MONOCLE__IDLE_MARKED
		                                       : monocle__output_is_picture (output) ? MONOCLE__IDLE_LEFT_OUT
		                                                                             : MONOCLE__IDLE_SHOWN };
	monocle__profile *shown = monocle__view_new (profile, &view);
	const monocle__report_options page = {
		.title = monocle__path_base_name (output), .foldable = true, .folded = true, .editor = MONOCLE__REPORT_VSCODE
	};
	const monocle__convert_options data = { .title = page.title, .value = monocle__profile_main_value (profile) };
	int fd = open (part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), error = 0, result;
	FILE *out = fd < 0 ? NULL : fdopen (fd, "wb");
	if (!out) {
		error = -errno;
		monocle__profile_free (shown);
		return error;
	}
	if (!shown)
		result = -1;
	else if (is_page (output))
		result = monocle__report_flame (out, shown, &page);
	else
		result = (monocle__output_is_picture (output) ? monocle__svg_convert : monocle__speedscope_convert) (out, shown,
		                                                                                                     &data);
	monocle__profile_free (shown);
	if (result != 0)
		error = -ENOMEM;
	if (error == 0 && (fflush (out) != 0 || ferror (out)))
		error = errno ? -errno : -EIO;
	if (fclose (out) != 0 && error == 0)
		error = -errno;
	return error;
}
