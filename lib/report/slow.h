/*
 * SPDX-License-Identifier: MIT
 *
 * slow.h - the calls that took longer than a threshold, as a profile of `calls` has them.
 */
#ifndef MONOCLE_REPORT_SLOW_H
#define MONOCLE_REPORT_SLOW_H

#include "report.h"

/*
 * The longest first; of the options `title`, `limit`, `width` and `ellipsis` count, and with `tree` the callers of each
 * call are there, too.
 */
#define REPORT_FORMAT(name, is_for_people) monocle__report_writer monocle__slow_##name;
#include "report-formats.def"
#undef REPORT_FORMAT

#endif
