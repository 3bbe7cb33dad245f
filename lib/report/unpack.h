/*
 * SPDX-License-Identifier: MIT
 *
 * unpack.h - gzip, unpacked piece by piece; what unpacks to far more than profiles do is refused.
 */
#ifndef MONOCLE_REPORT_UNPACK_H
#define MONOCLE_REPORT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

/* Bytes, packed and unpacked; protocol buffers end there anyway. */
#define MONOCLE__FILE_LIMIT ((size_t) 0x7fffffff)

typedef struct {
	z_stream stream;
	size_t size; /* so many bytes have come out */
	int state;
	bool is_cut; /* the file ends in the middle */
} monocle__unpack;

/* `bytes` stay the caller's. NULL, or what is wrong: then there is nothing to be done with it. */
const char *monocle__unpack_init (monocle__unpack *unpack, const void *bytes, size_t size);
void monocle__unpack_done (monocle__unpack *unpack);
/* At most `room` bytes more; none: that was all. NULL, or what is wrong; what came before is there all the same. */
const char *monocle__unpack_some (monocle__unpack *unpack, void *out, size_t room, size_t *ret_size);

#endif
