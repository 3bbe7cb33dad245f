/*
 * SPDX-License-Identifier: MIT
 *
 * poll.h - on Mono: its counters are copied into the file, once a second, when a reader asks, and at the end.
 */
#ifndef MONOCLE_MODULES_COVER_POLL_H
#define MONOCLE_MODULES_COVER_POLL_H

#include <mono/metadata/image.h>
#include <mono/metadata/object.h>

/* The runtime is up. */
void poll_begin (void);
/* A method that is wanted was compiled, an instance perhaps. On the thread that did it. */
void poll_add (MonoMethod *method);
/* An image goes: what its methods have counted is copied for the last time. */
void poll_forget (MonoImage *image);
/* The thread ends, and the counters are copied. Again, later: they are copied once more. */
void poll_end (void);

#endif
