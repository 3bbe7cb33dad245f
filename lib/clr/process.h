/*
 * SPDX-License-Identifier: MIT
 *
 * process.h - is this process one that the user means?
 */
#ifndef MONOCLE_CLR_PROCESS_H
#define MONOCLE_CLR_PROCESS_H

#include <stdbool.h>

/*
 * False for processes that filters exclude (MONOCLE_ENABLED, MONOCLE_PROCESS) and for the SDK's own: the command line,
 * MSBuild, build servers, test runners (not test hosts). MONOCLE_RUN_ALL=1, and being the very command that `monocle
 * run` started, lift the latter. *ret_reason: static text.
 */
bool monocle__process_is_meant (const char **ret_reason);

#endif
