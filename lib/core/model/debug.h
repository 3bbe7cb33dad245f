/*
 * SPDX-License-Identifier: MIT
 *
 * debug.h - IL offsets of native ones.
 */
#ifndef MONOCLE_MODEL_DEBUG_H
#define MONOCLE_MODEL_DEBUG_H

#include <stdint.h>
#include <mono/metadata/metadata.h>

/*
 * The IL offset of a native offset into the code that begins at `start`, NULL: the newest. UINT32_MAX: unknown,
 * or none. Normal context.
 */
uint32_t monocle__debug_il_offset (MonoMethod *method, const void *start, uint32_t native_offset);
/* The same as text, "at METHOD [0x0000b] in FILE:LINE"; the caller frees. NULL: no memory. Normal context. */
char *monocle__debug_frame_text (MonoMethod *method, const void *start, uint32_t native_offset);

#endif
