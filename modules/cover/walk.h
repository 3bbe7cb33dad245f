/*
 * SPDX-License-Identifier: MIT
 *
 * walk.h - methods that never run are in the file too.
 */
#ifndef MONOCLE_MODULES_COVER_WALK_H
#define MONOCLE_MODULES_COVER_WALK_H

#include <mono/metadata/image.h>

/* An image was loaded: its methods are going to be looked at. Any thread. */
void walk_add (MonoImage *image);
/* It goes. What was not looked at is not in the file. Any thread. */
void walk_forget (MonoImage *image);
/* The runtime is up: now there is time. */
void walk_begin (void);
/* Looks at what is left, and ends the thread. */
void walk_end (void);

#endif
