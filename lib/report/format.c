/*
 * SPDX-License-Identifier: MIT
 *
 * format.c - the table of formats; reading a file whose format only its content tells.
 */
#include "format.h"

#include "array.h"
#include "read-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	FILE_LIMIT = 0x7fffffff, /* bytes, packed and unpacked; protocol buffers end there anyway */
	/*
	 * Honest profiles unpack to four to thirty times their size and are then about eight times as large in memory. The
	 * larger number is what a small file may take, whatever it holds.
	 */
	UNPACKED_LEAST = 64 << 20,
	UNPACKED_FACTOR = 100,
	MEMORY_LEAST = 128 << 20,
	MEMORY_FACTOR = 200,
	PIECE = 1 << 20, /* is unpacked between two looks at the limits */
};

typedef struct {
	unsigned char *bytes;
	size_t size, capacity;
	bool is_cut; /* it was not unpacked to its end */
} content;

/* Inflates one gzip member after another into `out`. NULL, or what is wrong. */
static const char *
inflate_members (z_stream *stream, content *out)
{
	int state = Z_OK;
	while (state != Z_STREAM_END || stream->avail_in > 0) {
		if (state == Z_STREAM_END && inflateReset (stream) != Z_OK)
			return "damaged: not gzip";
		if (out->size >= FILE_LIMIT)
			return "larger than 2 GB when unpacked";
		if (out->size > UNPACKED_LEAST + (size_t) UNPACKED_FACTOR * stream->total_in)
			return "it unpacks to more than a hundred times its size, which no profile does";
		if (!MONOCLE__RESERVE (out->bytes, out->capacity, out->size + 65536))
			return "out of memory";
		stream->next_out = out->bytes + out->size;
		stream->avail_out = (uInt) (out->capacity - out->size < PIECE ? out->capacity - out->size : PIECE);
		state = inflate (stream, Z_NO_FLUSH);
		out->size = (size_t) (stream->next_out - out->bytes);
		if (state == Z_BUF_ERROR || (state == Z_OK && stream->avail_in == 0 && stream->avail_out > 0)) {
			out->is_cut = true;
			return "damaged: the file is cut off";
		}
		if (state != Z_OK && state != Z_STREAM_END)
			return "damaged: its gzip check fails";
	}
	return NULL;
}

static const char *
unpack (const void *bytes, size_t size, content *out)
{
	z_stream stream = { .next_in = (Bytef *) (uintptr_t) bytes, .avail_in = (uInt) size };
	const char *problem;
	if (size > FILE_LIMIT)
		return "larger than 2 GB";
	if (inflateInit2 (&stream, 15 + 16) != Z_OK)
		return "out of memory";
	problem = inflate_members (&stream, out);
	inflateEnd (&stream);
	return problem;
}

/* Why a file is not read that another program could make readable; NULL: nothing is known about it. */
static const char *
foreign (const void *bytes, size_t size)
{
	static const char nettrace[] = "Nettrace";
	if (size < sizeof nettrace - 1 || memcmp (bytes, nettrace, sizeof nettrace - 1) != 0)
		return NULL;
	return "a trace of the runtime's events (.nettrace), which is not read; dotnet-trace convert --format Speedscope "
	       "makes a profile of it that is";
}

/* The first that recognises the bytes; there is one, since pprof takes everything. */
static const monocle__file_format *
find_format (const void *bytes, size_t size)
{
	const monocle__file_format *format = monocle__file_formats;
	while (!format->recognise || !format->recognise (bytes, size))
		format++;
	return format;
}

/* What there is of a packed file that is cut off. `problem` says that it is. */
static int
parse_cut (const content *file, size_t allowance, const char *problem, monocle__profile **ret_profile, char *error,
           size_t error_size)
{
	const monocle__file_format *format = find_format (file->bytes, file->size);
	monocle__profile *profile;
	if (!format->may_be_cut) {
		snprintf (error, error_size, "%s", problem);
		return -1;
	}
	if (format->parse (file->bytes, file->size, allowance, &profile, error, error_size) != 0)
		return -1;
	if (!profile->incomplete && !monocle__profile_set_incomplete (profile, "the file is cut off at its end")) {
		snprintf (error, error_size, "%s", monocle__profile_no_memory (profile));
		monocle__profile_free (profile);
		return -1;
	}
	*ret_profile = profile;
	return 0;
}

int
monocle__profile_parse (const void *bytes, size_t size, monocle__profile **ret_profile, char *error, size_t error_size)
{
	const unsigned char *magic = bytes;
	size_t allowance = MEMORY_LEAST + MEMORY_FACTOR * size;
	content unpacked = { 0 };
	const char *problem = foreign (bytes, size);
	int result = -1;
	if (problem) {
		snprintf (error, error_size, "%s", problem);
		return -1;
	}
	if (size < 2 || magic[0] != 0x1f || magic[1] != 0x8b)
		return find_format (bytes, size)->parse (bytes, size, allowance, ret_profile, error, error_size);
	problem = unpack (bytes, size, &unpacked);
	allowance -= unpacked.size < allowance ? unpacked.size : allowance;
	if (unpacked.is_cut)
		result = parse_cut (&unpacked, allowance, problem, ret_profile, error, error_size);
	else if (problem)
		snprintf (error, error_size, "%s", problem);
	else
		result = find_format (unpacked.bytes, unpacked.size)
		             ->parse (unpacked.bytes, unpacked.size, allowance, ret_profile, error, error_size);
	free (unpacked.bytes);
	return result;
}

int
monocle__profile_read (const char *path, monocle__profile **ret_profile, char *error, size_t error_size)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC), result = -1;
	size_t size = 0;
	char *bytes = fd < 0 ? NULL : monocle__read_file (fd, FILE_LIMIT, &size);
	if (size)
		result = monocle__profile_parse (bytes, size, ret_profile, error, error_size);
	else
		snprintf (error, error_size, "%s",
		          bytes            ? "the file is empty"
		          : errno == EFBIG ? "larger than 2 GB"
		                           : strerror (errno));
	if (fd >= 0)
		close (fd);
	free (bytes);
	return result;
}

#define WRITTEN_FORMAT(name, extension, help) \
	{ #name, extension, help, NULL, NULL, monocle__##name##_convert, NULL, false },
#define EVENT_FORMAT(name, extension, help) \
	{ #name, \
	  extension, \
	  help "; FILE may be one", \
	  monocle__##name##_recognise, \
	  monocle__##name##_parse, \
	  monocle__##name##_convert, \
	  monocle__##name##_fits, \
	  true },
#define READ_FORMAT(name, extension, help) \
	{ #name, \
	  extension, \
	  help "; FILE may be one", \
	  monocle__##name##_recognise, \
	  monocle__##name##_parse, \
	  monocle__##name##_convert, \
	  NULL, \
	  false },
const monocle__file_format monocle__file_formats[] = {
#include "file-formats.def"
};
#undef EVENT_FORMAT
#undef READ_FORMAT
#undef WRITTEN_FORMAT
const size_t monocle__file_format_count = sizeof monocle__file_formats / sizeof *monocle__file_formats;
