/*
 * SPDX-License-Identifier: MIT
 *
 * module-check.h - are the modules that a command line names there, and do they understand what they are given?
 */
#ifndef MONOCLE_TOOLS_MODULE_CHECK_H
#define MONOCLE_TOOLS_MODULE_CHECK_H

#include <stdbool.h>

#include "command/desc-list.h"
#include "layout.h"

/*
 * An hour of a load test is too long to learn of a slip of the pen. 0, or MONOCLE__EXIT_USAGE after one line on stderr
 * about the first that is wrong. Only our own modules are asked about their arguments.
 */
int monocle__module_check (const monocle__layout *layout, const monocle__desc_list *descs);

/* The module that `name` may have been meant for. False: none is like it. */
bool monocle__module_check_guess (const monocle__layout *layout, const char *name, char *ret_meant, size_t size);

/* Prints what the module of `desc`, NAME[:ARGUMENTS], says of its arguments. 0, or an exit code after one line. */
int monocle__module_check_help (const monocle__layout *layout, const char *desc);

#endif
