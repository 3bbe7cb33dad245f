/*
 * SPDX-License-Identifier: MIT
 *
 * live-text.h - a runtime's text as ours.
 */
#ifndef MONOCLE_LIVE_LIVE_TEXT_H
#define MONOCLE_LIVE_LIVE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * UTF-16 units, lowest byte first, up to a NUL or the end of `count`, as UTF-8 that is fit to be printed, with a NUL.
 * What is too long for the buffer is cut between characters; surrogates without a partner are replaced.
 */
void monocle__live_text (const uint8_t *units, size_t count, char *buffer, size_t size);

#endif
