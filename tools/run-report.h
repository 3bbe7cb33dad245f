/*
 * SPDX-License-Identifier: MIT
 *
 * run-report.h - what a run has found, on stderr when its command has ended.
 */
#ifndef MONOCLE_TOOLS_RUN_REPORT_H
#define MONOCLE_TOOLS_RUN_REPORT_H

#include "layout.h"
#include "run-folder.h"

/*
 * Of the profiles of one process their first rows, where they are, and how to see more. Of several processes a row
 * each, the dearest first, and the rows of that one. Coverage is none of them.
 */
void monocle__run_report (const monocle__run_folder *folder, const monocle__layout *layout);

#endif
