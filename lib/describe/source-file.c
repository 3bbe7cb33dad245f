/*
 * SPDX-License-Identifier: MIT
 *
 * source-file.c - the symbols of an image that is loaded, found by lib/ecma's symbol-file.c.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "source-priv.h"

static const char *
called (const char *filename)
{
	return *filename ? filename : "an image in memory";
}

static monocle__describe_source *
source_new (void)
{
	return calloc (1, sizeof (monocle__describe_source));
}

/* False: without memory. */
static bool
make_documents (monocle__describe_source *source)
{
	source->documents = calloc (source->file.document_count + 1u, sizeof *source->documents);
	return source->documents != NULL;
}

/*
 * An image of a program that was published as one file has a bare name. Its symbols lie beside the program, where the
 * runtime looks for them as well, and never in the folder where the program happened to be started. The caller frees;
 * NULL: no memory.
 */
static char *
place_of (const char *filename)
{
	char program[PATH_MAX], *path;
	ssize_t length =
	    *filename && !strchr (filename, '/') ? readlink ("/proc/self/exe", program, sizeof program - 1) : 0;
	while (length > 0 && program[length - 1] != '/')
		length--;
	return asprintf (&path, "%.*s%s", length > 0 ? (int) length : 0, program, filename) < 0 ? NULL : path;
}

static void
find_symbols (monocle__describe_source *source, const monocle__ecma_image *image, const char *filename, char *complaint)
{
	char *place = place_of (filename);
	if (place && !monocle__symbol_file_find (&source->file, image, place, complaint) && *complaint)
		monocle_log ("no source lines of %s: %s", called (filename), complaint);
	if (!make_documents (source))
		monocle__symbol_file_done (&source->file);
	free (place);
}

monocle__describe_source *
monocle__describe_source_open (const monocle__ecma_image *image, const char *filename)
{
	monocle__describe_source *source = source_new ();
	char *complaint = malloc (MONOCLE__SYMBOL_COMPLAINT);
	if (!source || !complaint) {
		free (source);
		free (complaint);
		return NULL;
	}
	find_symbols (source, image, filename, complaint);
	free (complaint);
	return source;
}

static bool
take (monocle__describe_source *source, const monocle__ecma_image *image, const char *filename, uint8_t *data,
      uint32_t size)
{
	char *complaint = malloc (MONOCLE__SYMBOL_COMPLAINT);
	bool taken =
	    complaint && monocle__symbol_file_take (&source->file, image, "what was handed over", data, size, complaint);
	if (complaint && !taken)
		monocle_log ("no source lines of %s: %s", called (filename), complaint);
	else if (!complaint)
		free (data);
	free (complaint);
	return taken;
}

monocle__describe_source *
monocle__describe_source_from (const monocle__ecma_image *image, const char *filename, const void *data, uint32_t size)
{
	monocle__describe_source *source = source_new ();
	uint8_t *copy = source && data ? malloc (size + (size_t) 1) : NULL;
	if (copy)
		memcpy (copy, data, size);
	if (copy && take (source, image, filename, copy, size) && make_documents (source))
		return source;
	if (source)
		monocle__symbol_file_done (&source->file);
	free (source);
	return NULL;
}
