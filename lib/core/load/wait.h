/*
 * SPDX-License-Identifier: MIT
 *
 * wait.h - MONOCLE_WAIT: a debugger is waited for.
 */
#ifndef MONOCLE_LOAD_WAIT_H
#define MONOCLE_LOAD_WAIT_H

/*
 * Comes back when a debugger has attached itself, when the time is over, or at once when the variable does not ask to
 * wait. One line says what is waited for. Normal context, before the first module is sought.
 */
void monocle__wait_for_debugger (void);

#endif
