/*
 * SPDX-License-Identifier: MIT
 *
 * commands.h - which commands there are.
 */
#ifndef MONOCLE_TOOLS_COMMANDS_H
#define MONOCLE_TOOLS_COMMANDS_H

#include <stddef.h>

#include "command/command.h"

#define COMMAND(name) extern const monocle__command monocle__command_##name;
#include "commands.def"
#undef COMMAND

/* In the order of the help. */
extern const monocle__command *const monocle__commands[];
extern const size_t monocle__command_count;

#endif
