/*
 * SPDX-License-Identifier: MIT
 *
 * filter.c - see filter.h.
 */
#include "filter.h"

#include <mono/metadata/class.h>
#include <mono/metadata/loader.h>
#include <monocle/kit.h>

bool
filter_wants_image (MonoImage *image)
{
	return !mono_image_is_dynamic (image) && monocle_kit_image_is_own (mono_image_get_filename (image));
}

bool
filter_wants (MonoMethod *method)
{
	return filter_wants_image (mono_class_get_image (mono_method_get_class (method)));
}
