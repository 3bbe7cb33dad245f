/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-file.c - coverage files, read and never mapped: one that is cut meanwhile would end the command.
 */
#include "coverage-file.h"

#include "command/command.h"
#include "cover-file.h"
#include "coverage-ask.h"
#include "path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 20 };
#define MOST (UINT64_C (2) << 30) /* some twenty million points */

typedef struct {
	char *data;
	size_t size, capacity;
} bytes;

/* Appends until there are `wanted`, or no more come. -1: errno says why. */
static int
read_until (int fd, bytes *b, uint64_t wanted)
{
	while (b->size < wanted) {
		size_t step = wanted - b->size < STEP ? (size_t) (wanted - b->size) : STEP;
		ssize_t length;
		if (b->size + step > b->capacity) {
			size_t capacity = b->capacity * 2 > b->size + step ? b->capacity * 2 : b->size + step;
			char *data = realloc (b->data, capacity);
			if (!data)
				return -1;
			b->data = data;
			b->capacity = capacity;
		}
		length = read (fd, b->data + b->size, step);
		if (length == 0)
			return 0;
		if (length < 0 && errno != EINTR)
			return -1;
		b->size += length > 0 ? (size_t) length : 0;
	}
	return 0;
}

/* Only what is used is read: the file of a running process has room after it. */
static int
read_bytes (int fd, bytes *b)
{
	struct monocle__cover_header header;
	if (read_until (fd, b, sizeof header) != 0)
		return -1;
	if (b->size < sizeof header)
		return 0;
	memcpy (&header, b->data, sizeof header);
	if (header.magic != MONOCLE__COVER_MAGIC)
		return 0;
	if (header.used > MOST) {
		errno = EFBIG;
		return -1;
	}
	return read_until (fd, b, header.used);
}

int
monocle__coverage_file_read (const char *path, int fd, char **ret_data, size_t *ret_size)
{
	bytes b = { 0 };
	if (read_bytes (fd, &b) != 0) {
		monocle__say ("%s: %s", path, strerror (errno));
		free (b.data);
		return -1;
	}
	*ret_data = b.data;
	*ret_size = b.size;
	return 0;
}

static int
add_file (monocle__coverage *coverage, const char *path, int fd)
{
	struct monocle__cover_header header;
	const char *error;
	char *data;
	size_t size;
	int result;
	if (pread (fd, &header, sizeof header, 0) == sizeof header && header.magic == MONOCLE__COVER_MAGIC)
		monocle__coverage_ask (path, &header);
	if (monocle__coverage_file_read (path, fd, &data, &size) != 0)
		return -1;
	result = monocle__coverage_add (coverage, data, size, &error);
	if (result != 0)
		monocle__say ("%s: %s", path, error);
	free (data);
	return result;
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

static int
is_coverage_name (const struct dirent *entry)
{
	const char *dot = strrchr (entry->d_name, '.');
	return dot && dot != entry->d_name && strcmp (dot, ".mcov") == 0;
}

static int
add_folder (monocle__coverage *coverage, const char *path)
{
	struct dirent **entries;
	int count = scandir (path, &entries, is_coverage_name, alphasort), result = 0;
	if (count < 0) {
		monocle__say ("%s: %s", path, strerror (errno));
		return -1;
	}
	if (count == 0) {
		monocle__say ("%s: no coverage files (NAME.mcov) are in it", path);
		result = -1;
	}
	for (int i = 0; i < count; i++) {
		char *file = monocle__format ("%s/%s", path, entries[i]->d_name);
		if (result == 0)
			result = monocle__coverage_file_add (coverage, file);
		free (file);
		free (entries[i]);
	}
	free (entries);
	return result;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

bool
monocle__coverage_file_is (const char *path)
{
	char head[8];
	struct stat status;
	FILE *stream;
	size_t length;
	if (stat (path, &status) != 0 || !S_ISREG (status.st_mode) || !(stream = fopen (path, "rbe")))
		return false;
	length = fread (head, 1, sizeof head, stream);
	fclose (stream);
	return monocle__coverage_recognise (head, length);
}

char *
monocle__coverage_file_name (const char *path)
{
	size_t length = strlen (path);
	const char *base;
	char *name;
	while (length > 0 && path[length - 1] == '/')
		length--;
	name = monocle__format ("%.*s", (int) length, path);
	base = monocle__path_base_name (name);
	if (base[strspn (base, ".")])
		return name;
	free (name);
	return monocle__format ("coverage");
}

int
monocle__coverage_file_add (monocle__coverage *coverage, const char *path)
{
	struct stat status;
	int fd, result;
	if (stat (path, &status) == 0 && S_ISDIR (status.st_mode))
		return add_folder (coverage, path);
	fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		monocle__say ("%s: %s", path, strerror (errno));
		return -1;
	}
	result = add_file (coverage, path, fd);
	close (fd);
	return result;
}

int
monocle__coverage_file_open (const char *const *paths, size_t count, const monocle__coverage_options *options,
                             monocle__coverage **ret_coverage)
{
	monocle__coverage *coverage = monocle__coverage_new ();
	bool failed = false;
	for (size_t i = 0; coverage && !failed && i < count; i++)
		failed = monocle__coverage_file_add (coverage, paths[i]) != 0;
	if (!failed && (!coverage || monocle__coverage_settle (coverage, options) != 0)) {
		monocle__say ("%s: out of memory", count ? paths[0] : "coverage");
		failed = true;
	}
	if (failed) {
		monocle__coverage_free (coverage);
		return -1;
	}
	*ret_coverage = coverage;
	return 0;
}
