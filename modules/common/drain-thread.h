/*
 * SPDX-License-Identifier: MIT
 *
 * drain-thread.h - the kit's drain thread asks the runtime for names. Compiled into each module that needs it.
 */
#ifndef MONOCLE_MODULES_DRAIN_THREAD_H
#define MONOCLE_MODULES_DRAIN_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/object.h>

/* `begin` of monocle_kit_stacks_config: makes the thread known to a runtime that insists. */
void drain_thread_begin (void *data);

/* The end of an attach, when the drain thread has ended. */
void drain_thread_leave (void);

/* The method whose code is at `address`; NULL: none. On the drain thread. */
MonoMethod *drain_thread_method_at (uintptr_t address);

/* A monocle_kit_name_method for methods: full name and image. On the drain thread. */
size_t drain_thread_name (void *method, char *buffer, size_t size);

#endif
