/*
 * SPDX-License-Identifier: MIT
 *
 * format.c - the table of formats; reading a file whose format only its content tells.
 */
#include "format.h"

#include "array.h"
#include "read-file.h"
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/*
	 * Honest profiles unpack to four to thirty times their size and are then about eight times as large in memory. The
	 * larger number is what a small file may take, whatever it holds.
	 */
	MEMORY_LEAST = 128 << 20,
	MEMORY_FACTOR = 200,
	WHOLE_MOST = 64 << 20, /* where a format can be read piece by piece, what is larger is */
	PIECE = 1 << 20,       /* is unpacked between two looks at the limits */
};

typedef struct {
	unsigned char *bytes;
	size_t size, capacity;
	bool has_all;
} content;

/* Unpacks `most` bytes, or all. NULL, or what is wrong. */
static const char *
unpack_some (monocle__unpack *unpack, content *out, size_t most)
{
	size_t got = 1;
	while (got && out->size < most) {
		if (!MONOCLE__RESERVE (out->bytes, out->capacity, out->size + 65536))
			return "out of memory";
		size_t room = out->capacity - out->size < PIECE ? out->capacity - out->size : PIECE;
		const char *problem = monocle__unpack_some (unpack, out->bytes + out->size, room, &got);
		out->size += got;
		if (problem)
			return problem;
	}
	out->has_all = got == 0;
	return NULL;
}

/* clang-format off */
/* Files that other tools write and that are not read: how they begin, and what makes something of them. */
static const struct {
	const char *begin;
	size_t length;
	const char *what;
} foreign_files[] = {
#define FOREIGN(begin, what) { begin, sizeof begin - 1, what }
	FOREIGN ("Nettrace", "a trace of the runtime's events (.nettrace), which is not read; dotnet-trace convert --format "
	         "Speedscope makes a profile of it that is"),
	FOREIGN ("\x14\0\0\0!FastSerialization.1", "a dump of a heap (.gcdump), which is not read; dotnet-gcdump report "
	         "prints it"),
	FOREIGN ("PERFILE2", "what perf record has written, which is not read; perf script prints it"),
	FOREIGN ("\x7f" "ELF", "a program, a library or a core dump, and no profile"),
};
/* clang-format on */

/* NULL: nothing is known about it. */
static const char *
foreign (const void *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++)
		if (size >= foreign_files[i].length && memcmp (bytes, foreign_files[i].begin, foreign_files[i].length) == 0)
			return foreign_files[i].what;
	return NULL;
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
	monocle__unpack unpack;
	const char *problem = foreign (bytes, size);
	int result = -1;
	if (problem) {
		snprintf (error, error_size, "%s", problem);
		return -1;
	}
	if (size < 2 || magic[0] != 0x1f || magic[1] != 0x8b)
		return find_format (bytes, size)->parse (bytes, size, allowance, ret_profile, error, error_size);
	problem = monocle__unpack_init (&unpack, bytes, size);
	if (problem) {
		snprintf (error, error_size, "%s", problem);
		return -1;
	}
	problem = unpack_some (&unpack, &unpacked, WHOLE_MOST);
	bool in_pieces =
	    !problem && !unpacked.has_all && find_format (unpacked.bytes, unpacked.size)->parse == monocle__pprof_parse;
	if (!problem && !in_pieces)
		problem = unpack_some (&unpack, &unpacked, SIZE_MAX);
	monocle__unpack_done (&unpack);
	if (in_pieces) {
		free (unpacked.bytes);
		return monocle__pprof_parse_packed (bytes, size, allowance, ret_profile, error, error_size);
	}
	allowance -= unpacked.size < allowance ? unpacked.size : allowance;
	if (unpack.is_cut)
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
	char *bytes = fd < 0 ? NULL : monocle__read_file (fd, MONOCLE__FILE_LIMIT, &size);
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
