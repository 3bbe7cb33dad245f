/*
 * SPDX-License-Identifier: MIT
 *
 * name-text.c - see name-text.h.
 */
#include "name-text.h"

#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>

size_t
name_text_put (const char *name, const char *image, const char *origin, char *buffer, size_t size)
{
	const char *texts[] = { name ? name : "", image ? image : "", origin ? origin : "" };
	size_t length = 0;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		size_t step = strlen (texts[i]) + 1;
		if (length + step <= size)
			memcpy (buffer + length, texts[i], step);
		length += step;
	}
	return length;
}

void
name_text_origin (MonoMethod *method, uint32_t il_offset, char buffer[MONOCLE_KIT_ORIGIN_SIZE])
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	monocle_kit_origin (mono_image_get_guid (image), mono_method_get_token (method), il_offset, buffer);
}
