/*
 * SPDX-License-Identifier: MIT
 *
 * live-text.h - what others chose, as text of ours: fit to be printed.
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

/* A text that ends with a NUL; it gets no longer. */
void monocle__live_text_clean (char *text);
/* The same of a copy, which is cut to `size` with its NUL. */
void monocle__live_text_copy (char *to, size_t size, const char *from);

#endif
