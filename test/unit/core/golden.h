/*
 * SPDX-License-Identifier: MIT
 *
 * golden.h - what real Mono said of oracle/shapes.cs (oracle/shapes.tsv), line by line.
 */
#ifndef MONOCLE_TEST_GOLDEN_H
#define MONOCLE_TEST_GOLDEN_H

#include <stddef.h>

/* Reads the file, once; fails the calling test when it cannot. */
void golden_read (const char *path);
/* How many of its lines begin with `kind`. */
size_t golden_lines (const char *kind);
/*
 * Looks every line of `text`, which is cut into pieces, up. Returns how many are not there, after printing each beside
 * those that Mono has for the same subject; *ret_count: how many different lines there were.
 */
size_t golden_compare (char *text, size_t *ret_count);

#endif
