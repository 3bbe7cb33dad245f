/*
 * SPDX-License-Identifier: MIT
 *
 * format.h - the file formats of profiles: which there are, how each is known, read and written.
 *
 * Adding a format is a file and a row of file-formats.def.
 */
#ifndef MONOCLE_REPORT_FORMAT_H
#define MONOCLE_REPORT_FORMAT_H

#include "profile.h"

#include <stdio.h>

typedef struct {
	const char *title; /* what the profile is called, usually its file name */
	size_t value;      /* the value type to write */
	bool one_value;    /* only that one, also where the format takes several */
} monocle__convert_options;

/* Are the bytes, which may be the whole file, of this format? */
typedef bool monocle__recogniser (const char *bytes, size_t size);
/*
 * 0, or -1 with one line in `error`; *ret_profile is untouched then. Nothing in the bytes can make a reader crash.
 * `allowance`: bytes of memory that it may take for the profile and on the way to it; SIZE_MAX: any number.
 */
typedef int monocle__parser (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile,
                             char *error, size_t error_size);
/*
 * Can the format hold the profile, with these options? false, with one line in `why`: it must not be written. Without
 * memory, too.
 */
typedef bool monocle__fit (const monocle__profile *profile, const monocle__convert_options *options, char *why,
                           size_t size);
/* 0, or -1 without memory; the stream's errors are the caller's. */
typedef int monocle__converter (FILE *out, const monocle__profile *profile, const monocle__convert_options *options);

typedef struct {
	const char *name;               /* what --to takes */
	const char *extension;          /* for a file without a given name */
	const char *help;               /* one line */
	monocle__recogniser *recognise; /* NULL, as `parse`: it is only written */
	monocle__parser *parse;
	monocle__converter *write;
	monocle__fit *fits; /* NULL: every profile does */
	bool may_be_cut;    /* of a file that is cut off at its end the beginning can be read */
} monocle__file_format;

extern const monocle__file_format monocle__file_formats[];
extern const size_t monocle__file_format_count;

#define WRITTEN_FORMAT(name, extension, help) monocle__converter monocle__##name##_convert;
#define EVENT_FORMAT(name, extension, help) \
	monocle__fit monocle__##name##_fits; \
	READ_FORMAT (name, extension, help)
#define READ_FORMAT(name, extension, help) \
	monocle__recogniser monocle__##name##_recognise; \
	monocle__parser monocle__##name##_parse; \
	WRITTEN_FORMAT (name, extension, help)
#include "file-formats.def"
#undef EVENT_FORMAT
#undef READ_FORMAT
#undef WRITTEN_FORMAT

/* pprof that is packed with gzip, which is unpacked piece by piece, twice. */
monocle__parser monocle__pprof_parse_packed;

/*
 * A profile in any format that is read, packed with gzip or not. Few bytes must not become much memory: what is packed
 * unpacks to at most 64 MiB and a hundred times what was read so far, and all that is kept of `size` bytes while they
 * are read and afterwards takes at most 128 MiB and two hundred times as much.
 */
int monocle__profile_parse (const void *bytes, size_t size, monocle__profile **ret_profile, char *error,
                            size_t error_size);
int monocle__profile_read (const char *path, monocle__profile **ret_profile, char *error, size_t error_size);

#endif
