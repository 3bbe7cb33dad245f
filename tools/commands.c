/*
 * SPDX-License-Identifier: MIT
 *
 * commands.c - the table of commands.
 */
#include "commands.h"

#define COMMAND(name) &monocle__command_##name,
const monocle__command *const monocle__commands[] = {
#include "commands.def"
};
#undef COMMAND
const size_t monocle__command_count = sizeof monocle__commands / sizeof *monocle__commands;
