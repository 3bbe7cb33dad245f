/*
 * SPDX-License-Identifier: MIT
 *
 * image-origin.h - does an image's path or name tell that it is a library, and not the program's own?
 */
#ifndef MONOCLE_BASE_IMAGE_ORIGIN_H
#define MONOCLE_BASE_IMAGE_ORIGIN_H

#include <stdbool.h>

/* The shared frameworks, Mono's own folders and its GAC, the package cache. */
bool monocle__image_origin_is_foreign_path (const char *path);
/* System.*, Microsoft.* and the base libraries. `file` is without its folder, with or without ".dll". */
bool monocle__image_origin_is_foreign_name (const char *file);

#endif
