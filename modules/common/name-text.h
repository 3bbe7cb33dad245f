/*
 * SPDX-License-Identifier: MIT
 *
 * name-text.h - the texts of a monocle_kit_name_method. Compiled into each module that needs it. Any context.
 */
#ifndef MONOCLE_MODULES_NAME_TEXT_H
#define MONOCLE_MODULES_NAME_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/object.h>
#include <monocle/kit.h>

/* Name, image and origin, NULL as "". Answers as a monocle_kit_name_method. */
size_t name_text_put (const char *name, const char *image, const char *origin, char *buffer, size_t size);

/* Where the method is; `il_offset` UINT32_MAX: at no place in it that is known. */
void name_text_origin (MonoMethod *method, uint32_t il_offset, char buffer[MONOCLE_KIT_ORIGIN_SIZE]);

#endif
