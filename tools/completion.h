/*
 * SPDX-License-Identifier: MIT
 *
 * completion.h - what a word of a command line of ours may become, for the shells' completion.
 */
#ifndef MONOCLE_TOOLS_COMPLETION_H
#define MONOCLE_TOOLS_COMPLETION_H

#include <stddef.h>
#include <stdio.h>

/*
 * `words` are those behind `monocle`; the last one is being typed. Writes a line for each word that the last one may
 * become, all of it: WORD, a tab, a few words about it. A WORD that ends in = or : goes on. What only the shell can
 * offer is a line that begins with a colon:
 *
 *   :files PREFIX ENDS    the files whose names end in one of ENDS (a blank between two; none: all files), and folders;
 *                         PREFIX is what stands before the name in the word, "--output="
 *   :programs             what can be started
 *   :open                 no word that is offered is the last of its kind: more may follow it without a blank
 *   :command INDEX        a command line of its own; words[INDEX] is its first word
 *
 * with a tab where a blank is shown.
 */
void monocle__completion_write (FILE *out, char *const *words, size_t count);

#endif
