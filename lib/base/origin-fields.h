/*
 * SPDX-License-Identifier: MIT
 *
 * origin-fields.h - how a pprof file says where code comes from before anybody has looked for its lines.
 *
 * The build id of a mapping is the MVID of its image as text has it, in lower case without dashes. The address of a
 * location is the method's token, and in its low half one more than the IL offset that was running (with a bit that
 * says how exact it is), 0 when that is not known. Line and source follow from both and the image's symbols.
 */
#ifndef MONOCLE_BASE_ORIGIN_FIELDS_H
#define MONOCLE_BASE_ORIGIN_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

/* Beside an IL offset: the code's map tells instructions apart, not only what begins with an empty evaluation stack. */
#define MONOCLE__ORIGIN_EXACT UINT32_C (0x80000000)

enum { MONOCLE__BUILD_ID_SIZE = 33 /* with its NUL */ };

/* `il_offset` UINT32_MAX: not known. */
static inline uint64_t
monocle__origin_address (uint32_t token, uint32_t il_offset)
{
	return (uint64_t) token << 32 | (uint32_t) (il_offset + 1);
}

static inline uint32_t
monocle__origin_token (uint64_t address)
{
	return (uint32_t) (address >> 32);
}

/* Is that such an address? */
static inline bool
monocle__origin_is_address (uint64_t address)
{
	return address >> 56 == 0x06 && monocle__origin_token (address) != 0x06000000;
}

static inline bool
monocle__origin_has_offset (uint64_t address)
{
	return (uint32_t) address != 0;
}

static inline uint32_t
monocle__origin_il_offset (uint64_t address)
{
	return ((uint32_t) address - 1) & ~MONOCLE__ORIGIN_EXACT;
}

static inline bool
monocle__origin_is_exact (uint64_t address)
{
	return (((uint32_t) address - 1) & MONOCLE__ORIGIN_EXACT) != 0;
}

/* Of a GUID's bytes: its first three groups are little-endian numbers. */
static inline void
monocle__origin_build_id (const uint8_t mvid[16], char ret_text[MONOCLE__BUILD_ID_SIZE])
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	for (int i = 0; i < 16; i++) {
		ret_text[2 * i] = "0123456789abcdef"[mvid[order[i]] >> 4];
		ret_text[2 * i + 1] = "0123456789abcdef"[mvid[order[i]] & 15];
	}
	ret_text[32] = '\0';
}

#endif
