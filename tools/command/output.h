/*
 * SPDX-License-Identifier: MIT
 *
 * output.h - writing results so that a full disk or a closed pipe is told, once.
 */
#ifndef MONOCLE_TOOLS_OUTPUT_H
#define MONOCLE_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report.h"

/*
 * From now on a closed pipe and a file that has grown to its limit (ulimit -f) are errors that are told, not a silent
 * death. Children inherit this: what starts some of the user's does so before.
 */
void monocle__output_begin (void);

/*
 * Flushes the stream and looks at its errors. When the output is not complete, says so in one line (`name` NULL: it is
 * standard output) and answers MONOCLE__EXIT_FAILED, else 0. Where nobody reads standard output any more there is
 * nothing to say; the exit code is the shell's for SIGPIPE. Does not close.
 */
int monocle__output_finish (FILE *stream, const char *name);

/* Writes everything to the stream; 0, or -1 when memory is exhausted. */
typedef int (*monocle__output_writer) (FILE *out, const void *context);

/*
 * Where a result goes. A name that the user gave is written as the shell's `>` writes it. Under a name that we chose
 * another user may have put something, if the folder lets them: what is there is only replaced when it is a regular
 * file that the user owns and that has no second name, never a link, a pipe or a device.
 */
typedef struct {
	const char *path; /* "-": standard output */
	bool chosen;      /* the name is ours */
	bool kept;        /* what is there already stays; with `chosen` only */
	bool is_private;  /* a new file can be read by its user only; else it follows the mask */
} monocle__output_place;

/*
 * Has a result written to a file, and prints the file's name when it is complete. What goes wrong is said in one line,
 * and a file of which only a part could be written is taken away again. `title` is what the result is made of. The exit
 * code.
 */
int monocle__output_file (monocle__output_place place, const char *title, monocle__output_writer write,
                          const void *context);

/* The same for the flame graph of a profile: a page, or, under a name that ends in .svg, a picture. */
int monocle__output_flame (monocle__output_place place, const char *title, const monocle__profile *profile,
                           const monocle__report_options *options);

/* The name of a file made of a profile: `path` with `extension` in place of its own. The caller frees. */
char *monocle__output_name (const char *path, const char *extension);

/* Columns of the stream's terminal, 0 when it is not one. */
size_t monocle__output_width (FILE *stream);
/* May text be bold? A terminal, and neither NO_COLOR nor TERM=dumb. */
bool monocle__output_bold (FILE *stream);
/* Is the locale's text UTF-8? */
bool monocle__output_is_utf8 (void);
/* What replaces a missing middle: "…" where it is, else "..". */
const char *monocle__output_ellipsis (void);

/* Does the name end so? */
bool monocle__output_ends_with (const char *path, const char *ending);
/* Does it ask for a picture without a script? */
bool monocle__output_is_picture (const char *path);
/* Is the name of a page one that says that it is none: .svg, .json, .pb.gz, ...? Says so and returns true. */
bool monocle__output_refuse_page (const char *path);
/*
 * The same of a name that asks for what is no data; with `is_drawn` a page, a picture and a file for speedscope have
 * such names.
 */
bool monocle__output_refuse_data (const char *path, bool is_drawn);

#endif
