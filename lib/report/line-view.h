/*
 * SPDX-License-Identifier: MIT
 *
 * line-view.h - a profile whose functions are lines: what costs is the line that was running, not the whole method.
 */
#ifndef MONOCLE_REPORT_LINE_VIEW_H
#define MONOCLE_REPORT_LINE_VIEW_H

#include "profile.h"

/* Does it know the line of any frame? */
bool monocle__line_view_is_possible (const monocle__profile *profile);

/*
 * Frames whose line is known become functions with that line and the method's name, behind FILE:LINE if that is
 * `for_people`. Others stay their methods, without source and line. Sums stay. NULL: out of memory.
 */
monocle__profile *monocle__line_view_new (const monocle__profile *profile, bool for_people);

#endif
