/*
 * SPDX-License-Identifier: MIT
 *
 * wire.h - protocol buffers as pprof's files have them: reading fields, and writing them into a gzip stream.
 *
 * A key is a varint (field << 3 | type); type 0 is a varint, 1 eight bytes, 2 a length and that many bytes, 5 four
 * bytes. Since a message's length stands before it, a message of the file is put together in memory and then goes into
 * the deflate stream, so that a large file is never in memory uncompressed.
 *
 * Nothing is shared: each thread has its own. Normal context.
 */
#ifndef MONOCLE_BASE_WIRE_H
#define MONOCLE_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef struct {
	const uint8_t *at, *end;
} monocle__wire_span;

typedef struct {
	uint32_t number;          /* field number, not 0 */
	uint32_t type;            /* 0, 1, 2 or 5 */
	uint64_t value;           /* of type 0 */
	monocle__wire_span bytes; /* of the others */
} monocle__wire_field;

/* Takes a varint from the front; false: there is no whole one. */
bool monocle__wire_try_varint (monocle__wire_span *in, uint64_t *ret_value);
/* Takes a field from the front. 1; 0: that was the end; -1: what is there is not a field. */
int monocle__wire_next (monocle__wire_span *in, monocle__wire_field *ret_field);

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
	uint8_t *data;
	size_t length, room;
} monocle__wire_bytes;

typedef struct {
	bool failed;                 /* out of memory: nothing more is written, and what was is worth nothing */
	monocle__wire_bytes out;     /* compressed; its owner may take it piece by piece by setting the length to 0 */
	monocle__wire_bytes message; /* a message of the file that is being put together */
	monocle__wire_bytes part;    /* a message inside that one */
	z_stream deflate;
} monocle__wire;

/* `level`: of zlib. False: out of memory, and there is nothing to be done with it. */
bool monocle__wire_init (monocle__wire *ret_wire, int level);
/* Ends the stream and frees all bytes but those of `out`, which are the caller's. */
void monocle__wire_done (monocle__wire *wire);

/* These append to `bytes`: one of the two messages, or bytes of the caller's own, which begin as zeros. */
void monocle__wire_put (monocle__wire *wire, monocle__wire_bytes *bytes, const void *data, size_t length);
void monocle__wire_put_varint (monocle__wire *wire, monocle__wire_bytes *bytes, uint64_t value);
/* A field that is a number; 0 is what a reader assumes, and is left out. */
void monocle__wire_put_number (monocle__wire *wire, monocle__wire_bytes *bytes, uint32_t field, uint64_t value);
/* A field that is a text or a message. */
void monocle__wire_put_block (monocle__wire *wire, monocle__wire_bytes *bytes, uint32_t field, const void *data,
                              size_t length);

/* The part is complete: into the message, as its field. */
void monocle__wire_end_part (monocle__wire *wire, uint32_t field);
/* The message is complete: into the stream, as a field of the file. */
void monocle__wire_end_message (monocle__wire *wire, uint32_t field);
/* Fields of the file itself, into the stream. */
void monocle__wire_compress (monocle__wire *wire, monocle__wire_bytes *fields);
/* The last bytes of the stream go into `out`. */
void monocle__wire_finish (monocle__wire *wire);

#endif
