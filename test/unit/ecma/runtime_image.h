/*
 * SPDX-License-Identifier: MIT
 *
 * runtime_image.h - finds and maps the core library of an installed runtime.
 */
#ifndef MONOCLE_TEST_ECMA_RUNTIME_IMAGE_H
#define MONOCLE_TEST_ECMA_RUNTIME_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct runtime_image {
	char path[4096];
	uint8_t *data;
	size_t size;
};

/*
 * `runtime`: "mono" (mscorlib.dll) or "coreclr" (System.Private.CoreLib.dll of the newest version). 0; or, after a line
 * that says what is missing, what the test returns: 77, a skip, but 1 when MONOCLE_REQUIRE names the runtime.
 */
int runtime_image_open (struct runtime_image *ret_image, const char *runtime);
void runtime_image_close (struct runtime_image *image);

#endif
