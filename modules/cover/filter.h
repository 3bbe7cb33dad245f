/*
 * SPDX-License-Identifier: MIT
 *
 * filter.h - which methods are counted.
 */
#ifndef MONOCLE_MODULES_COVER_FILTER_H
#define MONOCLE_MODULES_COVER_FILTER_H

#include <stdbool.h>

#include <mono/metadata/image.h>
#include <mono/metadata/object.h>

/* Could a method of this image be wanted? Any thread. */
bool filter_wants_image (MonoImage *image);
/* The same answer for the same method, ever. Any thread. */
bool filter_wants (MonoMethod *method);

#endif
