/*
 * SPDX-License-Identifier: MIT
 *
 * jit-info.h - code by address, as images go.
 */
#ifndef MONOCLE_MODEL_JIT_INFO_H
#define MONOCLE_MODEL_JIT_INFO_H

#include <mono/metadata/appdomain.h>
#include <mono/metadata/image.h>

/* As mono_jit_info_table_find () answers. Any context. */
MonoJitInfo *monocle__jit_info_at (const void *address);
/* The code of the image's methods, and of instances over its classes, is gone. Any context. */
void monocle__jit_info_forget_image (const MonoImage *image);

#endif
