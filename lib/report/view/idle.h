/*
 * SPDX-License-Identifier: MIT
 *
 * idle.h - which samples of elapsed time are of threads that have nothing to do.
 *
 * The module sample labels what a thread that waits waits for. One that waits for work, a timer or I/O, with none of
 * the program's own code on its stack, is one of the framework's or the runtime's that nobody needs now.
 */
#ifndef MONOCLE_REPORT_IDLE_H
#define MONOCLE_REPORT_IDLE_H

#include "profile.h"

/* Has the profile what tells them? */
bool monocle__idle_is_told (const monocle__profile *profile);
/* By their labels, and by monocle__origin of each function. */
bool monocle__idle_is (const monocle__profile *profile, size_t sample, const uint8_t *origins);

#endif
