/*
 * SPDX-License-Identifier: MIT
 *
 * image-failure.h - files that turn out to be no image.
 */
#ifndef MONOCLE_CLR_IMAGE_FAILURE_H
#define MONOCLE_CLR_IMAGE_FAILURE_H

#include "corprof.h"

/* An exception is thrown: does it say that a file is not an image? Then modules are told. Callbacks. */
void monocle__image_failure_thrown (ObjectID object);

#endif
