/*
 * SPDX-License-Identifier: MIT
 *
 * managed-lock.h - locks that are objects themselves, as of .NET 11 on, and whose monitors they are.
 */
#ifndef MONOCLE_CLR_MANAGED_LOCK_H
#define MONOCLE_CLR_MANAGED_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <monocle/host.h>

/* Is it an object of System.Threading.Lock? */
bool monocle__managed_lock_is (MonoObject *object);
/*
 * Finds out, once, how the runtime lays out what follows. False: this runtime is not understood, which is said in a
 * line. On a thread of the runtime, in normal context.
 */
bool monocle__managed_lock_prepare (void);
/*
 * The object whose monitor is the lock that the runtime's events call `id`. NULL: no object's, so it is a lock that the
 * program made. `ret_signalled`, unless NULL: a thread that waits for it was told to wake up, and has not said yet
 * whether it has it. After monocle__managed_lock_prepare (), while the collector is held.
 */
MonoObject *monocle__managed_lock_owner (uintptr_t id, bool *ret_signalled);

#endif
