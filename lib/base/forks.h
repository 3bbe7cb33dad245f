/*
 * SPDX-License-Identifier: MIT
 *
 * forks.h - a program forks while nobody has its runtime stopped for us, or asks it what takes its locks.
 *
 * A child of fork () has one thread, and a copy of what the others were at. Where one of ours had the runtime stopped,
 * or one of its locks, nobody undoes that in the child: its next return into managed code waits for ever. The program's
 * own collections do the same to it, but it is not to meet more of that because it is looked at.
 */
#ifndef MONOCLE_BASE_FORKS_H
#define MONOCLE_BASE_FORKS_H

/*
 * Before any module is loaded: what a module does before a fork, where it may wait for a thread of its own, is then
 * done before the gate is looked at.
 */
void monocle__forks_begin (void);
/*
 * Around what stops the runtime, or has it take locks; as often as _release () will be called. A fork that is under
 * way, or waits, is waited for, and what wants to fork waits for the last holder; about a second at the most, since
 * each may have what the other needs. Any thread, not from a signal handler.
 */
void monocle__forks_hold (void);
void monocle__forks_release (void);

#endif
