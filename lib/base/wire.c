/*
 * SPDX-License-Identifier: MIT
 *
 * wire.c - see wire.h.
 */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 << 10, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, FIELD_MOST = 0x1fffffff, VARINT_MOST = 10 };

/* --- reading ------------------------------------------------------------------------------------------------------ */

bool
monocle__wire_try_varint (monocle__wire_span *in, uint64_t *ret_value)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (in->at == in->end)
			return false;
		value |= (uint64_t) (*in->at & 0x7f) << shift;
		if (!(*in->at++ & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

static bool
try_bytes (monocle__wire_span *in, uint64_t length, monocle__wire_span *ret_bytes)
{
	if (length > (uint64_t) (in->end - in->at))
		return false;
	*ret_bytes = (monocle__wire_span) { in->at, in->at + length };
	in->at += length;
	return true;
}

static bool
try_content (monocle__wire_span *in, monocle__wire_field *field)
{
	uint64_t length;
	switch (field->type) {
	case 0: return monocle__wire_try_varint (in, &field->value);
	case 1: return try_bytes (in, 8, &field->bytes);
	case 2: return monocle__wire_try_varint (in, &length) && try_bytes (in, length, &field->bytes);
	case 5: return try_bytes (in, 4, &field->bytes);
	default: return false;
	}
}

int
monocle__wire_next (monocle__wire_span *in, monocle__wire_field *ret_field)
{
	uint64_t key;
	if (in->at == in->end)
		return 0;
	if (!monocle__wire_try_varint (in, &key) || key >> 3 == 0 || key >> 3 > FIELD_MOST)
		return -1;
	*ret_field = (monocle__wire_field) { .number = (uint32_t) (key >> 3), .type = key & 7 };
	return try_content (in, ret_field) ? 1 : -1;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static uint8_t *
make_room (monocle__wire *wire, monocle__wire_bytes *bytes, size_t more)
{
	if (bytes->length + more > bytes->room) {
		size_t room = (bytes->room + more) * 2;
		uint8_t *data = realloc (bytes->data, room);
		if (!data) {
			wire->failed = true;
			return NULL;
		}
		bytes->data = data;
		bytes->room = room;
	}
	return bytes->data + bytes->length;
}

void
monocle__wire_put (monocle__wire *wire, monocle__wire_bytes *bytes, const void *data, size_t length)
{
	uint8_t *at = make_room (wire, bytes, length);
	if (!at)
		return;
	if (length)
		memcpy (at, data, length);
	bytes->length += length;
}

/* Where it ends; it has VARINT_MOST bytes at most. */
static uint8_t *
write_varint (uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t) (value | 0x80);
	*at++ = (uint8_t) value;
	return at;
}

void
monocle__wire_put_varint (monocle__wire *wire, monocle__wire_bytes *bytes, uint64_t value)
{
	uint8_t *at = make_room (wire, bytes, VARINT_MOST);
	if (at)
		bytes->length += (size_t) (write_varint (at, value) - at);
}

void
monocle__wire_put_number (monocle__wire *wire, monocle__wire_bytes *bytes, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	monocle__wire_put_varint (wire, bytes, field << 3);
	monocle__wire_put_varint (wire, bytes, value);
}

/* What is before `length` bytes in a field: where it ends. */
static uint8_t *
write_head (uint8_t *at, uint32_t field, size_t length)
{
	return write_varint (write_varint (at, field << 3 | 2), length);
}

void
monocle__wire_put_block (monocle__wire *wire, monocle__wire_bytes *bytes, uint32_t field, const void *data,
                         size_t length)
{
	uint8_t head[2 * VARINT_MOST];
	monocle__wire_put (wire, bytes, head, (size_t) (write_head (head, field, length) - head));
	monocle__wire_put (wire, bytes, data, length);
}

void
monocle__wire_end_part (monocle__wire *wire, uint32_t field)
{
	monocle__wire_put_block (wire, &wire->message, field, wire->part.data, wire->part.length);
	wire->part.length = 0;
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

static void
compress_bytes (monocle__wire *wire, const uint8_t *data, size_t length, int flush)
{
	z_stream *z = &wire->deflate;
	int result = Z_OK;
	z->next_in = (uint8_t *) data;
	z->avail_in = (uInt) length;
	while (!wire->failed && result == Z_OK && (z->avail_in || flush == Z_FINISH)) {
		z->next_out = make_room (wire, &wire->out, PIECE);
		if (!z->next_out)
			return;
		z->avail_out = PIECE;
		result = deflate (z, flush);
		wire->out.length += PIECE - z->avail_out;
	}
}

void
monocle__wire_end_message (monocle__wire *wire, uint32_t field)
{
	uint8_t head[2 * VARINT_MOST];
	const uint8_t *end = write_head (head, field, wire->message.length);
	compress_bytes (wire, head, (size_t) (end - head), Z_NO_FLUSH);
	monocle__wire_compress (wire, &wire->message);
}

void
monocle__wire_compress (monocle__wire *wire, monocle__wire_bytes *fields)
{
	compress_bytes (wire, fields->data, fields->length, Z_NO_FLUSH);
	fields->length = 0;
}

void
monocle__wire_finish (monocle__wire *wire)
{
	compress_bytes (wire, NULL, 0, Z_FINISH);
}

bool
monocle__wire_init (monocle__wire *ret_wire, int level)
{
	monocle__wire wire = { .failed = false };
	*ret_wire = wire;
	return deflateInit2 (&ret_wire->deflate, level, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
}

void
monocle__wire_done (monocle__wire *wire)
{
	deflateEnd (&wire->deflate);
	free (wire->message.data);
	free (wire->part.data);
}
