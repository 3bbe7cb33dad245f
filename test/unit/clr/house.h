/*
 * SPDX-License-Identifier: MIT
 *
 * house.h - the image of ../ecma/r2r_builder.h under the scripted runtime, as a loader maps it.
 */
#ifndef MONOCLE_TEST_CLR_HOUSE_H
#define MONOCLE_TEST_CLR_HOUSE_H

#include "../ecma/r2r_builder.h"
#include "code/codemap.h"
#include "fake-runtime.h"
#include "images/image.h"

enum { HOUSE_MAIN = 0x06000003, HOUSE_FUNCTIONS = 6 };

static inline uint8_t *
house_data (void)
{
	struct bytes flat = build_r2r (), mapped = map_pe (&flat);
	bytes_free (&flat);
	return mapped.data;
}

static inline MonoImage *
house_record (fake_module *module)
{
	return monocle__clr_image_find (ID (module))->cli.record;
}

static inline uintptr_t
house_function (const fake_module *module, uint32_t function)
{
	return (uintptr_t) module->data + R2R_CODE_RVA + function * R2R_FUNCTION_SIZE;
}

/* NULL: it has no name (yet). */
static inline MonoMethod *
house_name_at (uintptr_t ip)
{
	monocle__code code;
	return monocle__codemap_find (ip, &code) ? code.method : NULL;
}

#endif
