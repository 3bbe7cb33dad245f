/*
 * SPDX-License-Identifier: MIT
 *
 * image.h - finding images, and keeping one while it is asked about.
 */
#ifndef MONOCLE_MODEL_IMAGE_H
#define MONOCLE_MODEL_IMAGE_H

#include "records.h"

/* NULL while the host cannot tell. */
const monocle__image_desc *monocle__image_describe (MonoImage *image);
/* Brackets every question to the host about what is in `image`; false: it is gone, do not ask. NULL image: true. */
bool monocle__image_ask_begin (MonoImage *image);
void monocle__image_ask_end (MonoImage *image);
/*
 * For those who read an image's own bytes: `MONOCLE__HELD MonoImage *held = monocle__image_hold (image);` keeps them
 * where they are to the end of the block. NULL: the image is gone, or there is none.
 */
#define MONOCLE__HELD __attribute__ ((cleanup (monocle__image_let_go)))
MonoImage *monocle__image_hold (MonoImage *image);
void monocle__image_let_go (MonoImage **held);
MonoImage *monocle__image_first (void);
MonoImage *monocle__image_corlib (void);
bool monocle__image_is_loaded (MonoImage *image);
/*
 * What modules see as the image of a class that is known by name only: one for each assembly (""; "<unknown>" is its
 * name then). It is in no list, has no file, and nothing is asked about it. NULL: no memory. Any context.
 */
MonoImage *monocle__image_absent (const char *assembly);

#endif
