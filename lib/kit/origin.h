/*
 * SPDX-License-Identifier: MIT
 *
 * origin.h - where code comes from: the third text of a name.
 */
#ifndef MONOCLE_KIT_ORIGIN_H
#define MONOCLE_KIT_ORIGIN_H

#include <stdint.h>

#define MONOCLE__ORIGIN_UNKNOWN \
	{ \
		.il_offset = UINT32_MAX \
	}

/* Where the code that a key stands for comes from. A spool holds it as it is. */
struct monocle__origin {
	uint8_t mvid[16];   /* of its image, as metadata holds it */
	uint32_t token;     /* of the method; 0: unknown, and the mvid too */
	uint32_t il_offset; /* what was running; UINT32_MAX: unknown */
};

/* What monocle_kit_origin () wrote; anything else is unknown. */
struct monocle__origin monocle__origin_parse (const char *text);

#endif
