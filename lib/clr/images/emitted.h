/*
 * SPDX-License-Identifier: MIT
 *
 * emitted.h - images that a program writes while it runs (Reflection.Emit). From the runtime's callbacks only.
 */
#ifndef MONOCLE_CLR_EMITTED_H
#define MONOCLE_CLR_EMITTED_H

#include <monocle/host.h>
#include "image.h"

/* Has the core ask for what can be asked now: of a new image, of a method that is compiled, of a class. */
void monocle__emitted_image (monocle__clr_image *image);
void monocle__emitted_method (FunctionID function);
void monocle__emitted_class_loaded (MonoClass *klass);
/* monocle_image_unload () of any image. */
void monocle__emitted_unload (monocle__clr_image *image);
/* What is known of such images, for the owner's questions. */
extern const monocle__describe_unreadable monocle__emitted_unreadable;

#endif
