/*
 * SPDX-License-Identifier: MIT
 *
 * process-settings.h - what a process was started with, out of the text of its environment.
 */
#ifndef MONOCLE_LIVE_PROCESS_SETTINGS_H
#define MONOCLE_LIVE_PROCESS_SETTINGS_H

#include "process.h"

/*
 * Fills what process.h has from the environment. Kind and program are known before. `variables` are "NAME=VALUE", a NUL
 * behind each: texts that others chose. 0 or -ENOMEM.
 */
int monocle__live_process_settings_take (monocle__live_process *process, const char *variables, size_t length);

#endif
