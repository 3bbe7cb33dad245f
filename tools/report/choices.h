/*
 * SPDX-License-Identifier: MIT
 *
 * choices.h - the values of options that are rows of the library's tables.
 */
#ifndef MONOCLE_TOOLS_CHOICES_H
#define MONOCLE_TOOLS_CHOICES_H

#include "command/options.h"

/* Each is the `choice` of an option row; the index is that of the table. */
monocle__choice monocle__choices_sort (size_t index);
monocle__choice monocle__choices_report_format (size_t index);
monocle__choice monocle__choices_file_format (size_t index);
monocle__choice monocle__choices_coverage_format (size_t index);
/* Those of profiles, and after them those of coverage. */
monocle__choice monocle__choices_convert_format (size_t index);

#endif
