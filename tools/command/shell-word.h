/*
 * SPDX-License-Identifier: MIT
 *
 * shell-word.h - a text as a word that a person can type into a shell.
 */
#ifndef MONOCLE_TOOLS_SHELL_WORD_H
#define MONOCLE_TOOLS_SHELL_WORD_H

/*
 * Quoted only where it must be; what must not be printed has an escape, which not every shell knows. The caller frees.
 */
char *monocle__shell_word (const char *text);

#endif
