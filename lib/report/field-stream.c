/*
 * SPDX-License-Identifier: MIT
 *
 * field-stream.c - see field-stream.h.
 */
#include "field-stream.h"

#include "array.h"

#include <string.h>

enum {
	PIECE = 256 << 10,
	HEAD_MOST = 32, /* more than a field has without the bytes of its content */
};

const char *
monocle__field_stream_init (monocle__field_stream *stream, const void *bytes, size_t size)
{
	*stream = (monocle__field_stream) { .bytes = NULL };
	return monocle__unpack_init (&stream->unpack, bytes, size);
}

void
monocle__field_stream_done (monocle__field_stream *stream)
{
	monocle__unpack_done (&stream->unpack);
	free (stream->bytes);
}

/* One piece more, in front of which only what was not read yet stays. NULL, or what is wrong. */
static const char *
take_piece (monocle__field_stream *stream)
{
	size_t left = stream->end - stream->at, got;
	if (stream->at)
		memmove (stream->bytes, stream->bytes + stream->at, left);
	stream->at = 0;
	stream->end = left;
	if (!MONOCLE__RESERVE (stream->bytes, stream->capacity, left + PIECE))
		return "out of memory";
	const char *problem = monocle__unpack_some (&stream->unpack, stream->bytes + left, PIECE, &got);
	stream->end += got;
	stream->has_all = got == 0;
	return problem;
}

/* How many bytes the field has that begins with these, as far as they tell; 0: it is none. */
static size_t
field_size (monocle__wire_span in)
{
	const uint8_t *first = in.at;
	uint64_t key, length = 0;
	if (!monocle__wire_try_varint (&in, &key))
		return in.end - first < HEAD_MOST ? HEAD_MOST : 0;
	if ((key & 7) != 2)
		return HEAD_MOST;
	if (!monocle__wire_try_varint (&in, &length))
		return in.end - first < HEAD_MOST ? HEAD_MOST : 0;
	return length < MONOCLE__FILE_LIMIT ? (size_t) (in.at - first) + (size_t) length : 0;
}

int
monocle__field_stream_next (monocle__field_stream *stream, monocle__wire_field *ret_field,
                            monocle__wire_span *ret_whole, const char **ret_problem)
{
	*ret_problem = NULL;
	for (;;) {
		monocle__wire_span in = { stream->bytes + stream->at, stream->bytes + stream->end };
		size_t have = stream->end - stream->at, wanted = have ? field_size (in) : 1;
		if (have >= wanted || stream->has_all) {
			ret_whole->at = in.at;
			int more = wanted && have ? monocle__wire_next (&in, ret_field) : wanted ? 0 : -1;
			ret_whole->end = in.at;
			stream->at += (size_t) (in.at - ret_whole->at);
			return more;
		}
		*ret_problem = take_piece (stream);
		if (*ret_problem)
			return -1;
	}
}
