/* SPDX-License-Identifier: MIT
 *
 * format.h - the file formats of profiles: which there are, how each is known, read and written.
 *
 * Adding a format is a file and a row of the table in format.c.
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

/*
 * 0, or -1 with one line in `error`; *ret_profile is untouched then. Nothing in the bytes can make a reader crash.
 * `allowance`: bytes of memory that it may take for the profile and on the way to it; SIZE_MAX: any number.
 */
typedef int monocle__parser (const void *bytes, size_t size, size_t allowance, monocle__profile **ret_profile,
                             char *error, size_t error_size);
/* 0, or -1 without memory; the stream's errors are the caller's. */
typedef int monocle__converter (FILE *out, const monocle__profile *profile, const monocle__convert_options *options);

typedef struct {
	const char *name;      /* what --to takes */
	const char *extension; /* for a file that nobody named */
	bool (*recognise) (const char *bytes, size_t size);
	monocle__parser *parse; /* NULL: it is only written */
	monocle__converter *write;
} monocle__file_format;

extern const monocle__file_format monocle__file_formats[];
extern const size_t monocle__file_format_count;

/* NULL: there is none of this name. */
const monocle__file_format *monocle__file_format_find (const char *name);

monocle__parser monocle__pprof_parse, monocle__collapsed_parse, monocle__speedscope_parse;
monocle__converter monocle__pprof_convert, monocle__collapsed_write, monocle__speedscope_write, monocle__firefox_write,
    monocle__perfetto_write;
/* Text in which the first stack ends with a number. */
bool monocle__collapsed_recognise (const char *bytes, size_t size);
/* A JSON object. */
bool monocle__speedscope_recognise (const char *bytes, size_t size);

/*
 * A profile in any format that is read, packed with gzip or not. Few bytes must not become much memory: what is packed
 * unpacks to at most 64 MiB and a hundred times what was read so far, and all that is kept of `size` bytes while they
 * are read and afterwards takes at most 128 MiB and two hundred times as much.
 */
int monocle__profile_parse (const void *bytes, size_t size, monocle__profile **ret_profile, char *error,
                            size_t error_size);
int monocle__profile_read (const char *path, monocle__profile **ret_profile, char *error, size_t error_size);

#endif
