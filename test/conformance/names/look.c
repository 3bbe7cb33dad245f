/*
 * SPDX-License-Identifier: MIT
 *
 * look.c - which rows of private-names.def the class library in a folder has: a line "IS SEEN NAME" for each. IS: it is
 * there; SEEN: the row's number of the runtimes that have it; NAME as Mono has it: "Name.Space.Outer/Nested:Member".
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ecma.h"
#include "private-name.h"

/* How a name is to be found: as it stands, at the beginning, or its two parts at the beginnings of theirs. */
typedef enum { WHOLE, PREFIX, PARTS } way;

static struct {
	way way;
	uint32_t seen;
	const char *type, *member;
	bool is_there;
} rows[] = {
#define MONOCLE__MEMBER(id, feature, seen, type, member) { WHOLE, seen, type, member, false },
#define MONOCLE__WAIT(rank, seen, prefix, words)         { PREFIX, seen, prefix, "", false },
#define MONOCLE__PLUMBING(place, seen, prefix, caller)   { PREFIX, seen, prefix, "", false },
#define MONOCLE__RESUMES(kind, seen, type, method)       { PARTS, seen, type, method, false },
#include "private-names.def"
};

enum { ROWS = sizeof rows / sizeof *rows, NAME_SIZE = 1024 };

/* Writes the whole name of a type. Returns its length. */
static size_t
write_type (const monocle__ecma_image *image, uint32_t token, char *name, size_t room)
{
	monocle__ecma_typedef type;
	size_t length = 0;
	if (monocle__ecma_get_typedef (image, token, &type))
		return 0;
	if (type.enclosing_token) {
		length = write_type (image, type.enclosing_token, name, room);
		length += (size_t) snprintf (name + length, room - length, "/");
	}
	length += (size_t) snprintf (name + length, room - length, "%s%s%s", type.name_space, *type.name_space ? "." : "",
	                             type.name);
	return length < room ? length : room - 1;
}

static bool
is_named (size_t row, const char *type, size_t length, const char *member)
{
	char name[NAME_SIZE];
	size_t known = strlen (rows[row].member);
	switch (rows[row].way) {
	case WHOLE: return strcmp (rows[row].type, type) == 0 && strcmp (rows[row].member, member) == 0;
	case PREFIX:
		if (strncmp (rows[row].type, type, length))
			return false;
		snprintf (name, sizeof name, "%s:%s", type, member);
		return strncmp (rows[row].type, name, strlen (rows[row].type)) == 0;
	default:
		known -= known > 2 && strcmp (rows[row].member + known - 2, " (") == 0 ? 2 : 0;
		return strstr (type, rows[row].type) && strncmp (rows[row].member, member, known) == 0;
	}
}

static void
look_at (const char *type, const char *member)
{
	size_t length = strlen (type);
	for (size_t i = 0; i < ROWS; i++)
		rows[i].is_there |= !rows[i].is_there && is_named (i, type, length, member);
}

static void
look_at_row (const monocle__ecma_image *image, const char *type, uint32_t table, uint32_t column, uint32_t rid)
{
	uint32_t name;
	if (monocle__ecma_column (image, table, rid, column, &name) == 0)
		look_at (type, monocle__ecma_string (image, name));
}

static void
look_at_image (const monocle__ecma_image *image)
{
	char name[NAME_SIZE];
	monocle__ecma_typedef type;
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, MONOCLE__TABLE_TypeDef); rid++) {
		uint32_t token = MONOCLE__TABLE_TypeDef << 24 | rid;
		if (monocle__ecma_get_typedef (image, token, &type))
			continue;
		write_type (image, token, name, sizeof name);
		look_at (name, "");
		for (uint32_t i = type.first_field; i < type.end_field; i++)
			look_at_row (image, name, MONOCLE__TABLE_Field, MONOCLE__COL_Field_Name, i);
		for (uint32_t i = type.first_method; i < type.end_method; i++)
			look_at_row (image, name, MONOCLE__TABLE_MethodDef, MONOCLE__COL_MethodDef_Name, i);
	}
}

static void
look_at_file (int folder, const char *name)
{
	struct stat status;
	monocle__ecma_image image;
	int fd = openat (folder, name, O_RDONLY);
	if (fd < 0)
		return;
	if (fstat (fd, &status) == 0 && status.st_size > 0) {
		size_t size = (size_t) status.st_size;
		void *bytes = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED && monocle__ecma_open_pe (&image, bytes, size, false) == 0)
			look_at_image (&image);
		if (bytes != MAP_FAILED)
			munmap (bytes, size);
	}
	close (fd);
}

int
main (int argc, char **argv)
{
	DIR *folder = argc == 2 ? opendir (argv[1]) : NULL;
	struct dirent *entry;
	if (!folder)
		return 2;
	while ((entry = readdir (folder)))
		if (strlen (entry->d_name) > 4 && strcmp (entry->d_name + strlen (entry->d_name) - 4, ".dll") == 0)
			look_at_file (dirfd (folder), entry->d_name);
	closedir (folder);
	for (size_t i = 0; i < ROWS; i++)
		printf ("%d %u %s%s%s\n", rows[i].is_there, rows[i].seen, rows[i].type, *rows[i].member ? ":" : "",
		        rows[i].member);
	return 0;
}
