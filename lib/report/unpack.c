/*
 * SPDX-License-Identifier: MIT
 *
 * unpack.c - see unpack.h. A file may be several gzip members, one behind the other.
 */
#include "unpack.h"

#include <stdint.h>

enum {
	/* Honest profiles unpack to four to thirty times their size; a small file may be larger. */
	UNPACKED_LEAST = 64 << 20,
	UNPACKED_FACTOR = 100,
	GZIP_WINDOW = 15 + 16,
};

const char *
monocle__unpack_init (monocle__unpack *unpack, const void *bytes, size_t size)
{
	if (size > MONOCLE__FILE_LIMIT)
		return "larger than 2 GB";
	*unpack = (monocle__unpack) { .stream = { .next_in = (Bytef *) (uintptr_t) bytes, .avail_in = (uInt) size },
		                          .state = Z_OK };
	return inflateInit2 (&unpack->stream, GZIP_WINDOW) == Z_OK ? NULL : "out of memory";
}

void
monocle__unpack_done (monocle__unpack *unpack)
{
	inflateEnd (&unpack->stream);
}

static const char *
begin_member (monocle__unpack *unpack)
{
	if (unpack->state == Z_STREAM_END && inflateReset (&unpack->stream) != Z_OK)
		return "damaged: not gzip";
	if (unpack->size >= MONOCLE__FILE_LIMIT)
		return "larger than 2 GB when unpacked";
	if (unpack->size > UNPACKED_LEAST + (size_t) UNPACKED_FACTOR * unpack->stream.total_in)
		return "it unpacks to more than a hundred times its size, which no profile does";
	return NULL;
}

const char *
monocle__unpack_some (monocle__unpack *unpack, void *out, size_t room, size_t *ret_size)
{
	z_stream *stream = &unpack->stream;
	*ret_size = 0;
	while (!*ret_size && (unpack->state != Z_STREAM_END || stream->avail_in)) {
		const char *problem = begin_member (unpack);
		if (problem)
			return problem;
		stream->next_out = out;
		stream->avail_out = (uInt) room;
		unpack->state = inflate (stream, Z_NO_FLUSH);
		*ret_size = room - stream->avail_out;
		unpack->size += *ret_size;
		unpack->is_cut =
		    unpack->state == Z_BUF_ERROR || (unpack->state == Z_OK && stream->avail_in == 0 && stream->avail_out > 0);
		if (unpack->is_cut)
			return "damaged: the file is cut off";
		if (unpack->state != Z_OK && unpack->state != Z_STREAM_END)
			return "damaged: its gzip check fails";
	}
	return NULL;
}
