/*
 * SPDX-License-Identifier: MIT
 *
 * control.h - the other end of a process's control socket: doc/control.md.
 */
#ifndef MONOCLE_LIVE_CONTROL_H
#define MONOCLE_LIVE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MONOCLE__LIVE_CONTROL_REASON = 512 };

/*
 * Connects to the process, wherever it lies: in this PID namespace or one below. Who listens there is checked: it is
 * the process itself, and of the user that it belongs to. A descriptor, which the caller closes; -1, and ret_reason
 * says why, as the end of a sentence. A process without a socket is -1 and *ret_is_absent.
 */
int monocle__live_control_connect (pid_t pid, bool *ret_is_absent, char ret_reason[MONOCLE__LIVE_CONTROL_REASON]);

/*
 * Asks for one thing: `words` without the version ("stop calls"). `line` gets each line of the answer but the last one.
 * 0; 1 the process refused, -1 it did not answer in `seconds`, or not as it should: ret_reason.
 */
int monocle__live_control_ask (int fd, const char *words, unsigned seconds, void (*line) (void *data, const char *text),
                               void *data, char ret_reason[MONOCLE__LIVE_CONTROL_REASON]);

#endif
