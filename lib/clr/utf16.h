/*
 * SPDX-License-Identifier: MIT
 *
 * utf16.h - the runtime's text as ours.
 */
#ifndef MONOCLE_CLR_UTF16_H
#define MONOCLE_CLR_UTF16_H

#include <stddef.h>
#include "corprof.h"

/* UTF-16 to UTF-8, as many whole characters as fit, terminated; lone surrogates become U+FFFD. `size` is at least 1. */
void monocle__utf16_to_utf8 (const WCHAR *from, size_t length, char *to, size_t size);

#endif
