/*
 * SPDX-License-Identifier: MIT
 *
 * field-stream.h - the fields of a packed protocol buffer, one after the other: the whole is never in memory.
 */
#ifndef MONOCLE_REPORT_FIELD_STREAM_H
#define MONOCLE_REPORT_FIELD_STREAM_H

#include "unpack.h"
#include "wire.h"

typedef struct {
	monocle__unpack unpack;
	uint8_t *bytes; /* unpacked: those from `at` on are still to be read */
	size_t at, end, capacity;
	bool has_all; /* nothing more comes out */
} monocle__field_stream;

/* `bytes` stay the caller's. NULL, or what is wrong: then there is nothing to be done with it. */
const char *monocle__field_stream_init (monocle__field_stream *stream, const void *bytes, size_t size);
void monocle__field_stream_done (monocle__field_stream *stream);
/*
 * The next field, and all its bytes with what is before its content, both until the next call. 1; 0: that was the end;
 * -1: *ret_problem says what is wrong, NULL: what is there is not a field.
 */
int monocle__field_stream_next (monocle__field_stream *stream, monocle__wire_field *ret_field,
                                monocle__wire_span *ret_whole, const char **ret_problem);

#endif
