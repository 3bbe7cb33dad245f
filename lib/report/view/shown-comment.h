/*
 * SPDX-License-Identifier: MIT
 *
 * shown-comment.h - a profile's comments in the words that people use.
 */
#ifndef MONOCLE_REPORT_SHOWN_COMMENT_H
#define MONOCLE_REPORT_SHOWN_COMMENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "desc: sample:threads,output=/tmp/..." -> "desc: sample:threads"; "runtime: 6.8.0.105 (...)" -> "runtime: Mono
 * 6.8.0.105"; what was asked for and achieved is one rate. false: it stays as it is.
 */
bool monocle__shown_comment (const char *comment, char *buffer, size_t size);

/* What people call the runtime that says "10.0.12 (CoreCLR)" or "6.8.0.105 (Debian ...)" of itself. */
void monocle__shown_comment_runtime (const char *runtime, char *buffer, size_t size);

#endif
