/*
 * SPDX-License-Identifier: MIT
 *
 * background.h - threads of ours in a process that is not.
 */
#ifndef MONOCLE_BASE_BACKGROUND_H
#define MONOCLE_BASE_BACKGROUND_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Starts a plain thread that the runtime does not know, with all signals blocked. `stack`: its size in bytes, at least
 * what the system wants; 0: the usual. False: it could not be made.
 */
bool monocle__background_start (pthread_t *ret_thread, void *(*run) (void *data), void *data, size_t stack);
/* On such a thread: waits until `wake` is posted, for so long at the most. */
void monocle__background_sleep (sem_t *wake, uint64_t nanoseconds);

#endif
