/*
 * SPDX-License-Identifier: MIT
 *
 * program-config.h - what the configuration beside a .NET program says of profilers.
 */
#ifndef MONOCLE_TOOLS_PROGRAM_CONFIG_H
#define MONOCLE_TOOLS_PROGRAM_CONFIG_H

#include <stdbool.h>

/*
 * May APP.runtimeconfig.json switch profilers off? `word` is a word of the command: the assembly, or the program of the
 * same name; a relative one is in `folder`, which is "" or ends with a slash.
 */
bool monocle__program_config_disables (const char *folder, const char *word);

#endif
