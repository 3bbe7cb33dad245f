/*
 * SPDX-License-Identifier: MIT
 *
 * symbol-file.c - finds the symbols of an image: what it embeds, files beside it, the file that its compiler wrote.
 *
 * Bad symbols never harm: a candidate is used only when all of it can be read, its headers are sound and its id is the
 * image's. Files are read into memory and not mapped, because a compiler that runs while the program does may cut its
 * output file short under a mapping, which would kill the program.
 */
#include "symbol-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bytes.h"
#include "debug-directory.h"
#include "read-file.h"

enum { FILE_SIZE_MAX = 512 << 20 };

typedef struct {
	const monocle__ecma_image *image;
	const char *filename;
	monocle__symbol_file *file;
	char *complaint; /* about the first candidate that was there and could not be used */
} search;

/* --- reading a file ----------------------------------------------------------------------------------------------- */

/* Negative for what cannot be a symbol file; *ret_reason then says why, NULL when nothing is there. */
static int
open_regular (const char *path, const char **ret_reason)
{
	struct stat status;
	/* Not blocking: the name may be a pipe's. */
	int file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0) {
		*ret_reason = errno == ENOENT || errno == ENOTDIR ? NULL : strerror (errno);
		return -1;
	}
	if (fstat (file, &status) == 0 && S_ISREG (status.st_mode))
		return file;
	*ret_reason = "is not a file";
	close (file);
	return -1;
}

/* An empty file is one byte of memory. */
uint8_t *
monocle__symbol_file_read (const char *path, size_t *ret_size, const char **ret_reason)
{
	int file = open_regular (path, ret_reason);
	uint8_t *data = file < 0 ? NULL : monocle__read_file (file, FILE_SIZE_MAX, ret_size);
	if (file < 0)
		return NULL;
	*ret_reason = errno == EFBIG ? "is too large" : errno == ENOMEM ? "is too large for the memory" : "cannot be read";
	close (file);
	return data;
}

/* --- candidates --------------------------------------------------------------------------------------------------- */

static void
complain (search *s, const char *path, const char *reason)
{
	if (reason && !*s->complaint)
		snprintf (s->complaint, MONOCLE__SYMBOL_COMPLAINT, "%s: %s", path, reason);
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
	int error = monocle__pdb_open (&s->file->pdb, data, size);
	return error ? error : monocle__pdb_check_id (&s->file->pdb, s->image);
}

static int
open_mdb (search *s, const uint8_t *data, size_t size)
{
	int error = monocle__mdb_open (&s->file->mdb, data, size);
	if (error)
		return error;
	return monocle__mdb_matches (&s->file->mdb, s->image) ? 0 : MONOCLE__PDB_E_UNRELATED;
}

/* Takes `data` over. */
static bool
take (search *s, monocle__symbol_kind kind, const char *path, uint8_t *data, size_t size)
{
	int error = kind == MONOCLE__SYMBOLS_PDB ? open_pdb (s, data, size) : open_mdb (s, data, size);
	if (error) {
		complain (s, path, reason_of (error));
		free (data);
		return false;
	}
	s->file->document_count = kind == MONOCLE__SYMBOLS_PDB
	                            ? monocle__ecma_rows (&s->file->pdb.metadata, MONOCLE__TABLE_Document)
	                            : s->file->mdb.source_count;
	s->file->path = strdup (path);
	s->file->data = data;
	s->file->kind = kind;
	return true;
}

static bool
take_file (search *s, monocle__symbol_kind kind, const char *path)
{
	const char *reason = NULL;
	size_t size = 0;
	uint8_t *data = monocle__symbol_file_read (path, &size, &reason);
	if (data)
		return take (s, kind, path, data, size);
	complain (s, path, reason);
	return false;
}

/* `folder_length` characters of the image's own path, then a name and an extension. */
static bool
take_beside (search *s, monocle__symbol_kind kind, size_t folder_length, const char *name, int name_length,
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
		return take (s, MONOCLE__SYMBOLS_PDB, s->filename, data, size);
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
	if (*name && take_beside (s, MONOCLE__SYMBOLS_PDB, folder, name, (int) strlen (name), ""))
		return true;
	if (take_beside (s, MONOCLE__SYMBOLS_PDB, folder, own, own_length, ".pdb"))
		return true;
	return codeview.path[0] == '/' && take_file (s, MONOCLE__SYMBOLS_PDB, codeview.path);
}

static bool
take_mdb (search *s)
{
	size_t folder = folder_length (s->filename);
	const char *own = s->filename + folder;
	return *own && take_beside (s, MONOCLE__SYMBOLS_MDB, folder, own, (int) strlen (own), ".mdb");
}

/* --- a look beforehand -------------------------------------------------------------------------------------------- */

/*
 * The headers of a PE file (ECMA-335 II.25) have the debug directory's RVA, and the sections that say where in the file
 * that is. Each read is of so many bytes; what lies beyond them is not known, and then there may be symbols.
 */
enum {
	HEAD = 4096,
	PE_POINTER = 0x3c,
	SECTION_COUNT = 6,
	OPTIONAL_SIZE = 20,
	OPTIONAL = 24,
	DEBUG_PE32 = 96 + 6 * 8,
	DEBUG_PE64 = 112 + 6 * 8,
	PE64 = 0x20b,
	SECTION = 40,
	DEBUG_ENTRY = 28,
	ENTRIES_MOST = 16,
	CODEVIEW_PATH = 24,
};

static bool
read_at (int file, uint64_t offset, uint8_t *data, size_t size)
{
	return offset <= FILE_SIZE_MAX && pread (file, data, size, (off_t) offset) == (ssize_t) size;
}

/* Where in the file the debug directory is; false: unknown. *ret_size is 0 when the image has none. */
static bool
find_directory (const uint8_t *head, uint64_t *ret_offset, uint32_t *ret_size)
{
	uint64_t pe = monocle__le32 (head + PE_POINTER);
	if (pe > HEAD - OPTIONAL - DEBUG_PE64 - 2 * sizeof (uint32_t))
		return false;
	const uint8_t *header = head + pe;
	const uint8_t *place = header + OPTIONAL + (monocle__le16 (header + OPTIONAL) == PE64 ? DEBUG_PE64 : DEBUG_PE32);
	uint32_t rva = monocle__le32 (place), count = monocle__le16 (header + SECTION_COUNT);
	uint64_t sections = pe + OPTIONAL + monocle__le16 (header + OPTIONAL_SIZE);
	*ret_size = rva ? monocle__le32 (place + sizeof rva) : 0;
	for (uint64_t at = sections; *ret_size && count && at + SECTION <= HEAD; at += SECTION, count--) {
		uint32_t start = monocle__le32 (head + at + 12), size = monocle__le32 (head + at + 16);
		*ret_offset = monocle__le32 (head + at + 20) + (uint64_t) (rva - start);
		if (rva - start < size)
			return true;
	}
	return !*ret_size;
}

static bool
is_there (const char *folder, size_t folder_length, const char *name, size_t name_length, const char *extension)
{
	char *path;
	if (asprintf (&path, "%.*s%.*s%s", (int) folder_length, folder, (int) name_length, name, extension) < 0)
		return true;
	bool there = access (path, F_OK) == 0;
	free (path);
	return there;
}

/* The file that the compiler wrote: there, or beside the image. */
static bool
is_named_there (int file, uint64_t offset, uint32_t size, const char *filename)
{
	char data[HEAD + 1] = "";
	if (size <= CODEVIEW_PATH || size > HEAD || !read_at (file, offset, (uint8_t *) data, size))
		return size > HEAD;
	const char *path = data + CODEVIEW_PATH, *name = monocle__debug_file_name (path);
	return access (path, F_OK) == 0 || is_there (filename, folder_length (filename), name, strlen (name), "");
}

static bool
may_have (int file, const char *filename)
{
	uint8_t head[HEAD], entries[ENTRIES_MOST * DEBUG_ENTRY];
	uint64_t offset = 0;
	uint32_t size;
	if (!read_at (file, 0, head, sizeof head) || !find_directory (head, &offset, &size) || size > sizeof entries ||
	    !read_at (file, offset, entries, size))
		return true;
	for (const uint8_t *entry = entries; entry + DEBUG_ENTRY <= entries + size; entry += DEBUG_ENTRY) {
		uint32_t type = monocle__le32 (entry + 12);
		if (type == MONOCLE__DEBUG_EMBEDDED)
			return true;
		if (type == MONOCLE__DEBUG_CODEVIEW &&
		    is_named_there (file, monocle__le32 (entry + 24), monocle__le32 (entry + 16), filename))
			return true;
	}
	return false;
}

bool
monocle__symbol_file_is_likely (const char *filename)
{
	const char *own = filename + folder_length (filename), *dot = strrchr (own, '.'), *reason;
	size_t length = strlen (filename);
	if (is_there (filename, length, "", 0, ".mdb") ||
	    is_there (filename, dot ? (size_t) (dot - filename) : length, "", 0, ".pdb"))
		return true;
	int file = open_regular (filename, &reason);
	if (file < 0)
		return true;
	bool likely = may_have (file, filename);
	close (file);
	return likely;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

bool
monocle__symbol_file_find (monocle__symbol_file *ret_file, const monocle__ecma_image *image, const char *filename,
                           char complaint[MONOCLE__SYMBOL_COMPLAINT])
{
	search s = { image, filename, ret_file, complaint };
	*complaint = '\0';
	*ret_file = (monocle__symbol_file) { .kind = MONOCLE__SYMBOLS_NONE };
	return take_embedded (&s) || take_portable (&s) || take_mdb (&s);
}

bool
monocle__symbol_file_take (monocle__symbol_file *ret_file, const monocle__ecma_image *image, const char *called,
                           uint8_t *data, size_t size, char complaint[MONOCLE__SYMBOL_COMPLAINT])
{
	static const char metadata_magic[4] = { 'B', 'S', 'J', 'B' };
	bool is_pdb = size >= sizeof metadata_magic && memcmp (data, metadata_magic, sizeof metadata_magic) == 0;
	search s = { image, called, ret_file, complaint };
	*complaint = '\0';
	*ret_file = (monocle__symbol_file) { .kind = MONOCLE__SYMBOLS_NONE };
	return take (&s, is_pdb ? MONOCLE__SYMBOLS_PDB : MONOCLE__SYMBOLS_MDB, called, data, size);
}

void
monocle__symbol_file_done (monocle__symbol_file *file)
{
	free (file->path);
	free (file->data);
	*file = (monocle__symbol_file) { .kind = MONOCLE__SYMBOLS_NONE };
}

/* --- what is in it ------------------------------------------------------------------------------------------------ */

static char *
pdb_document (const monocle__symbol_file *file, uint32_t number)
{
	int length = monocle__pdb_document_name (&file->pdb, number, NULL, 0);
	char *name = length < 0 ? NULL : malloc ((size_t) length + 1);
	if (name)
		monocle__pdb_document_name (&file->pdb, number, name, (size_t) length + 1);
	return name;
}

char *
monocle__symbol_file_document (const monocle__symbol_file *file, uint32_t number)
{
	const char *name;
	uint32_t length;
	if (!number || number > file->document_count)
		return NULL;
	if (file->kind == MONOCLE__SYMBOLS_PDB)
		return pdb_document (file, number);
	return monocle__mdb_document_name (&file->mdb, number, &name, &length) ? NULL : strndup (name, length);
}

int
monocle__symbol_file_locate (const monocle__symbol_file *file, uint32_t token, uint32_t il_offset,
                             monocle__source_location *ret_location)
{
	if (file->kind == MONOCLE__SYMBOLS_NONE)
		return MONOCLE__ECMA_E_RANGE;
	return file->kind == MONOCLE__SYMBOLS_PDB ? monocle__pdb_locate (&file->pdb, token, il_offset, ret_location)
	                                          : monocle__mdb_locate (&file->mdb, token, il_offset, ret_location);
}

int
monocle__symbol_file_points (const monocle__symbol_file *file, uint32_t token, monocle__symbol_points *ret_points)
{
	ret_points->kind = file->kind;
	if (file->kind == MONOCLE__SYMBOLS_NONE)
		return MONOCLE__ECMA_E_RANGE;
	return file->kind == MONOCLE__SYMBOLS_PDB ? monocle__pdb_points_of (&file->pdb, token, &ret_points->pdb)
	                                          : monocle__mdb_points_of (&file->mdb, token, &ret_points->mdb);
}

int
monocle__symbol_file_next (monocle__symbol_points *points, monocle__source_point *ret_point)
{
	return points->kind == MONOCLE__SYMBOLS_PDB ? monocle__pdb_next_point (&points->pdb, ret_point)
	                                            : monocle__mdb_next_point (&points->mdb, ret_point);
}
