/*
 * SPDX-License-Identifier: MIT
 *
 * module-ask.h - what a module says of its arguments, without a program to profile.
 */
#ifndef MONOCLE_TOOLS_MODULE_ASK_H
#define MONOCLE_TOOLS_MODULE_ASK_H

#include <stdbool.h>

#include "layout.h"

typedef enum {
	MONOCLE__ASK_RIGHT,   /* it understands them; its help was printed where that was wanted */
	MONOCLE__ASK_WRONG,   /* it does not; if it is one of the kit's, it has said so in a line on stderr */
	MONOCLE__ASK_UNKNOWN, /* it could not be asked */
} monocle__ask_answer;

/*
 * Lets the module at `path` read the arguments of `desc`, NAME[:ARGUMENTS], and then `help`, in a process of its own.
 * The help goes to the descriptor `out`; -1: nowhere.
 */
monocle__ask_answer monocle__module_ask (const monocle__layout *layout, const char *path, const char *desc, int out);

/* Is the file in a folder of ours, and can nobody else change it? Only such a module is asked without being told to. */
bool monocle__module_ask_is_ours (const monocle__layout *layout, const char *path);

/*
 * The same of one of Mono's own, which nobody else can change. They go on after an argument that they do not know, and
 * say so in words of their own: the argument, which the caller frees, or NULL.
 */
char *monocle__module_ask_unknown (const monocle__layout *layout, const char *path, const char *desc);

#endif
