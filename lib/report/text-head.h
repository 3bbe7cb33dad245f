/*
 * SPDX-License-Identifier: MIT
 *
 * text-head.h - what stands above a table for people: the profile's name, when it was, and what it says of itself.
 */
#ifndef MONOCLE_REPORT_TEXT_HEAD_H
#define MONOCLE_REPORT_TEXT_HEAD_H

#include "report.h"

/* `without`: comments that begin so are in the table; NULL: none are. */
void monocle__text_head (FILE *out, const monocle__profile *profile, const monocle__report_options *options,
                         const char *without);

#endif
