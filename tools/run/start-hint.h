/*
 * SPDX-License-Identifier: MIT
 *
 * start-hint.h - what somebody meant who named no program: an assembly, a project, or a file that is not along PATH.
 */
#ifndef MONOCLE_TOOLS_START_HINT_H
#define MONOCLE_TOOLS_START_HINT_H

#include <stdbool.h>

/* Is the file that `name` is the path of no text? The system refuses it, or a shell would take it for a script. */
bool monocle__start_hint_is_binary (const char *name);

/* "; ./shop.dll is an assembly: -- dotnet shop.dll" about the first word of a command that cannot be started, or "". */
char *monocle__start_hint (const char *name);

#endif
