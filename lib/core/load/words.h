/*
 * SPDX-License-Identifier: MIT
 *
 * words.h - a text of options as words.
 */
#ifndef MONOCLE_LOAD_WORDS_H
#define MONOCLE_LOAD_WORDS_H

/*
 * Splits text as Mono splits MONO_ENV_OPTIONS. *ret_words is a NULL-terminated array in one allocation, which the
 * caller frees with free (). The count, MONOCLE_E_INVALID for a quote that is never closed, or MONOCLE_E_NO_MEMORY.
 */
int monocle__words_split (const char *text, char ***ret_words);

#endif
