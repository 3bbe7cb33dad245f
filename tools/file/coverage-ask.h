/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-ask.h - having a running process bring its coverage file up to date.
 */
#ifndef MONOCLE_TOOLS_COVERAGE_ASK_H
#define MONOCLE_TOOLS_COVERAGE_ASK_H

#include <stdbool.h>

#include "cover-file.h"

/* Does the process that writes the file still run? Not known, and so false, of one of another machine or container. */
bool monocle__coverage_ask_is_running (const struct monocle__cover_header *header);

/*
 * Asks the process to renew the counters in its file, if it keeps them elsewhere and runs, and waits at most two
 * seconds. What is wrong is said in one line; the file has what it had then.
 */
void monocle__coverage_ask (const char *path, const struct monocle__cover_header *header);

#endif
