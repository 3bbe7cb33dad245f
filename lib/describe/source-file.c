/*
 * SPDX-License-Identifier: MIT
 *
 * source-file.c - finds the symbols of an image: what it embeds, files beside it, the file that its compiler wrote.
 *
 * Bad symbols never harm: a candidate is used only when all of it can be read, its headers are sound and its id is the
 * image's. Files are read into memory and not mapped, because a compiler that runs while the program does may cut its
 * output file short under a mapping, which would kill the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "debug-directory.h"
#include "source-priv.h"

enum { FILE_SIZE_MAX = 512 << 20, COMPLAINT_MAX = 4096 + 256 };

typedef struct {
	const monocle__ecma_image *image;
	const char *filename;
	monocle__describe_source *source;
	char complaint[COMPLAINT_MAX]; /* about the first candidate that was there and could not be used */
} search;

/* --- reading a file ----------------------------------------------------------------------------------------------- */

/* Negative for what cannot be a symbol file; *ret_reason then says why, NULL when nothing is there. */
static int
open_regular (const char *path, size_t *ret_size, const char **ret_reason)
{
	struct stat status;
	/* Not blocking: the name may be a pipe's. */
	int file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0) {
		*ret_reason = errno == ENOENT || errno == ENOTDIR ? NULL : strerror (errno);
		return -1;
	}
	if (fstat (file, &status) == 0 && S_ISREG (status.st_mode) && status.st_size <= FILE_SIZE_MAX) {
		*ret_size = (size_t) status.st_size;
		return file;
	}
	*ret_reason = S_ISREG (status.st_mode) ? "is too large" : "is not a file";
	close (file);
	return -1;
}

static bool
read_whole (int file, uint8_t *data, size_t size)
{
	size_t done = 0;
	while (done < size) {
		ssize_t count = read (file, data + done, size - done);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		done += (size_t) count;
	}
	return true;
}

/* NULL: as above. An empty file is one byte of memory. */
static uint8_t *
read_file (const char *path, size_t *ret_size, const char **ret_reason)
{
	size_t size = 0;
	int file = open_regular (path, &size, ret_reason);
	if (file < 0)
		return NULL;
	uint8_t *data = malloc (size + 1);
	*ret_reason = data ? "cannot be read" : "is too large for the memory";
	if (data && !read_whole (file, data, size)) {
		free (data);
		data = NULL;
	}
	close (file);
	*ret_size = size;
	return data;
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

static void
complain (search *s, const char *path, const char *reason)
{
	if (reason && !s->complaint[0])
		snprintf (s->complaint, sizeof s->complaint, "%s: %s", path, reason);
}

static const char *
reason_of (int error)
{
	switch (error) {
	case MONOCLE__ECMA_E_TRUNCATED: return "is cut off";
	case MONOCLE__PDB_E_WINDOWS: return "is of the older format, which only Windows reads";
	case MONOCLE__PDB_E_UNRELATED: return "belongs to another build";
	default: return "is damaged";
	}
}

static int
open_pdb (search *s, const uint8_t *data, size_t size)
{
	int error = monocle__pdb_open (&s->source->pdb, data, size);
	return error ? error : monocle__pdb_check_id (&s->source->pdb, s->image);
}

static int
open_mdb (search *s, const uint8_t *data, size_t size)
{
	int error = monocle__mdb_open (&s->source->mdb, data, size);
	if (error)
		return error;
	return monocle__mdb_matches (&s->source->mdb, s->image) ? 0 : MONOCLE__PDB_E_UNRELATED;
}

/* Takes `data` over. */
static bool
take (search *s, monocle__describe_source_kind kind, const char *path, uint8_t *data, size_t size)
{
	int error = kind == MONOCLE__DESCRIBE_SOURCE_PDB ? open_pdb (s, data, size) : open_mdb (s, data, size);
	uint32_t documents = kind == MONOCLE__DESCRIBE_SOURCE_PDB
	                       ? monocle__ecma_rows (&s->source->pdb.metadata, MONOCLE__TABLE_Document)
	                       : s->source->mdb.source_count;
	if (!error)
		s->source->documents = calloc (documents + 1u, sizeof *s->source->documents);
	if (error || !s->source->documents) {
		complain (s, path, error ? reason_of (error) : "is too large for the memory");
		free (data);
		return false;
	}
	s->source->path = strdup (path);
	s->source->document_count = documents;
	s->source->data = data;
	s->source->kind = kind;
	return true;
}

static bool
take_file (search *s, monocle__describe_source_kind kind, const char *path)
{
	const char *reason = NULL;
	size_t size = 0;
	uint8_t *data = read_file (path, &size, &reason);
	if (data)
		return take (s, kind, path, data, size);
	complain (s, path, reason);
	return false;
}

/* `folder_length` characters of the image's own path, then a name and an extension. */
static bool
take_beside (search *s, monocle__describe_source_kind kind, size_t folder_length, const char *name, int name_length,
             const char *extension)
{
	char *path;
	if (asprintf (&path, "%.*s%.*s%s", (int) folder_length, s->filename, name_length, name, extension) < 0)
		return false;
	bool done = take_file (s, kind, path);
	free (path);
	return done;
}

/* --- where to look ------------------------------------------------------------------------------------------------ */

static bool
take_embedded (search *s)
{
	uint8_t *data = NULL;
	size_t size = 0;
	monocle__debug_entry entry;
	if (monocle__debug_find (s->image, MONOCLE__DEBUG_EMBEDDED, &entry))
		return false;
	if (monocle__pdb_load_embedded (s->image, &data, &size) == 0)
		return take (s, MONOCLE__DESCRIBE_SOURCE_PDB, s->filename, data, size);
	complain (s, s->filename, "embeds symbols that are damaged");
	return false;
}

static size_t
folder_length (const char *filename)
{
	const char *slash = strrchr (filename, '/');
	return slash ? (size_t) (slash + 1 - filename) : 0;
}

/* Beside the image by the name that the compiler gave, by the image's own, and where the compiler put it. */
static bool
take_portable (search *s)
{
	monocle__debug_entry entry;
	monocle__debug_codeview codeview;
	if (monocle__debug_find (s->image, MONOCLE__DEBUG_CODEVIEW, &entry) ||
	    monocle__debug_read_codeview (&entry, &codeview) || !*s->filename)
		return false;
	size_t folder = folder_length (s->filename);
	const char *name = monocle__debug_file_name (codeview.path), *own = s->filename + folder;
	const char *dot = strrchr (own, '.');
	int own_length = (int) (dot ? (size_t) (dot - own) : strlen (own));
	if (*name && take_beside (s, MONOCLE__DESCRIBE_SOURCE_PDB, folder, name, (int) strlen (name), ""))
		return true;
	if (take_beside (s, MONOCLE__DESCRIBE_SOURCE_PDB, folder, own, own_length, ".pdb"))
		return true;
	return codeview.path[0] == '/' && take_file (s, MONOCLE__DESCRIBE_SOURCE_PDB, codeview.path);
}

static bool
take_mdb (search *s)
{
	size_t folder = folder_length (s->filename);
	const char *own = s->filename + folder;
	return *own && take_beside (s, MONOCLE__DESCRIBE_SOURCE_MDB, folder, own, (int) strlen (own), ".mdb");
}

static const char *
called (const char *filename)
{
	return *filename ? filename : "an image in memory";
}

monocle__describe_source *
monocle__describe_source_open (const monocle__ecma_image *image, const char *filename)
{
	search *s = calloc (1, sizeof *s);
	monocle__describe_source *source = calloc (1, sizeof *source);
	if (!s || !source) {
		free (s);
		free (source);
		return NULL;
	}
	s->image = image;
	s->filename = filename;
	s->source = source;
	if (!take_embedded (s) && !take_portable (s) && !take_mdb (s) && s->complaint[0])
		monocle_log ("no source lines of %s: %s", called (filename), s->complaint);
	free (s);
	return source;
}

monocle__describe_source *
monocle__describe_source_from (const monocle__ecma_image *image, const char *filename, const void *data, uint32_t size)
{
	static const char metadata_magic[4] = { 'B', 'S', 'J', 'B' };
	search *s = calloc (1, sizeof *s);
	monocle__describe_source *source = calloc (1, sizeof *source);
	uint8_t *copy = s && source && data ? malloc (size + (size_t) 1) : NULL;
	bool taken = false;
	if (copy) {
		memcpy (copy, data, size);
		bool is_pdb = size >= sizeof metadata_magic && memcmp (data, metadata_magic, sizeof metadata_magic) == 0;
		s->image = image;
		s->filename = filename;
		s->source = source;
		monocle__describe_source_kind kind = is_pdb ? MONOCLE__DESCRIBE_SOURCE_PDB : MONOCLE__DESCRIBE_SOURCE_MDB;
		taken = take (s, kind, "what was handed over", copy, size);
		if (!taken)
			monocle_log ("no source lines of %s: %s", called (filename), s->complaint);
	}
	if (!taken)
		free (source);
	free (s);
	return taken ? source : NULL;
}
