/*
 * SPDX-License-Identifier: MIT
 *
 * run-picture.h - `run -o x.html`, `x.svg`, `x.json`: what a run has collected, for a browser, a document, speedscope.
 */
#ifndef MONOCLE_TOOLS_RUN_PICTURE_H
#define MONOCLE_TOOLS_RUN_PICTURE_H

#include <stdbool.h>

#include "profile.h"

/* Does the name ask for another format than a profile's own? */
bool monocle__run_picture_is_wanted (const char *output);
/* Writes the profile to `part` in the format that `output` asks for. 0 or -errno. */
int monocle__run_picture_write (const monocle__profile *profile, const char *part, const char *output);

#endif
