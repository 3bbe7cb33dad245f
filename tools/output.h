/* SPDX-License-Identifier: MIT
 *
 * output.h - writing results so that a full disk or a closed pipe is told, once.
 */
#ifndef MONOCLE_TOOLS_OUTPUT_H
#define MONOCLE_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Flushes the stream and looks at its errors. When the output is not complete, says so in one line (`name` NULL: it is
 * standard output) and answers MONOCLE__EXIT_FAILED, else 0. Does not close.
 */
int monocle__output_finish (FILE *stream, const char *name);

/* Columns of the terminal behind the stream, 0 when it is none. */
size_t monocle__output_width (FILE *stream);
/* May text be bold? A terminal, and neither NO_COLOR nor TERM=dumb. */
bool monocle__output_bold (FILE *stream);
/* What stands for a missing middle: "…" where the locale is UTF-8, else "..". */
const char *monocle__output_ellipsis (void);

#endif
