/*
 * SPDX-License-Identifier: MIT
 *
 * run-log.h - what the log of the module `events` has in it, in a few words.
 */
#ifndef MONOCLE_TOOLS_RUN_LOG_H
#define MONOCLE_TOOLS_RUN_LOG_H

/* "1,234 lines: 600 class_loaded, 300 jit_done, ..."; NULL: it is no such log, or a very long one. The caller frees. */
char *monocle__run_log_summary (const char *path);

#endif
