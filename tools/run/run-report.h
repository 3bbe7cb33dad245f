/*
 * SPDX-License-Identifier: MIT
 *
 * run-report.h - what a run has found, on stderr when its command has ended.
 */
#ifndef MONOCLE_TOOLS_RUN_REPORT_H
#define MONOCLE_TOOLS_RUN_REPORT_H

#include "command/desc-list.h"
#include "file/run-folder.h"
#include "module/layout.h"

#include <time.h>

/*
 * Of the profiles of one process their first rows, where they are, and how to see more. Of several processes a row
 * each, the dearest first, and the rows of that one. Coverage is none of them.
 */
void monocle__run_report (const monocle__run_folder *folder, const monocle__layout *layout);

/*
 * Mono's own modules do not tell what they wrote. Names their files, where the program that ran in this folder has
 * written one since `start`, a time of CLOCK_REALTIME_COARSE, as files have.
 */
void monocle__run_report_monos (const monocle__desc_list *descs, const struct timespec *start);

#endif
