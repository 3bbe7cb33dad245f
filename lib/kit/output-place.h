/*
 * SPDX-License-Identifier: MIT
 *
 * output-place.h - in which folder a file goes that the user gave no name.
 */
#ifndef MONOCLE_KIT_OUTPUT_PLACE_H
#define MONOCLE_KIT_OUTPUT_PLACE_H

#include "output-name.h"

/*
 * As monocle__output_expand (), and whether what is named is a file that can be written. The default name is in the
 * folder from which `monocle run` was called, else in the current one; where that cannot be written, in the folder of
 * the run or the one for temporary files, which is logged unless the run tells it. 0 or -errno.
 */
int monocle__output_place (const char *output, const struct monocle__output_words *words, char *path, size_t size,
                           enum monocle__output_kind *ret_kind);

#endif
