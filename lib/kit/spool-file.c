/*
 * SPDX-License-Identifier: MIT
 *
 * spool-file.c - reading a spool that another process wrote, and may still be writing.
 *
 * The file is copied and not mapped. Its owner can change a mapped file after it was checked, so that a text loses its
 * end between the check and the use, and can truncate it, which ends the reader by SIGBUS.
 */
#include "spool-file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "invariant.h"
#include "pause.h"
#include "spool-name.h"

const char monocle__spool_file_empty[] = "nothing is in it: its process had not begun to count";

/* Bytes that are there, from `at` on; what lies in a hole is left alone. 0 or -errno. */
static int
read_rest (int fd, uint8_t *base, size_t at, size_t size)
{
	while (at < size) {
		off_t data = lseek (fd, (off_t) at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return 0;
		if (data > (off_t) at)
			at = (size_t) data;
		if (at >= size)
			return 0;
		size_t left = size - at;
		ssize_t got = pread (fd, base + at, left < MONOCLE__EXTENT_SIZE ? left : MONOCLE__EXTENT_SIZE, (off_t) at);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		at += got > 0 ? (size_t) got : 0;
	}
	return 0;
}

/* How much of the file is a spool, by its header, which has been read. 0: it says nothing that can be believed. */
static size_t
size_of (const struct monocle__spool_header *header, off_t file_size)
{
	uint64_t size = (uint64_t) header->extent_count * MONOCLE__EXTENT_SIZE;
	if (header->magic != MONOCLE__SPOOL_MAGIC || size > MONOCLE__SPOOL_SIZE_MOST)
		return 0;
	return size < (uint64_t) file_size ? size : (size_t) file_size;
}

/* How many extents the file has by now, at least `before`. */
static uint32_t
count_again (int fd, uint32_t before)
{
	uint32_t count;
	struct stat status;
	off_t at = offsetof (struct monocle__spool_header, extent_count);
	if (fstat (fd, &status) || pread (fd, &count, sizeof count, at) != sizeof count || count <= before)
		return before;
	uint64_t size = (uint64_t) count * MONOCLE__EXTENT_SIZE;
	return size <= (uint64_t) status.st_size && size <= MONOCLE__SPOOL_SIZE_MOST ? count : before;
}

/* Of one that was not copied: by the file. */
static uint32_t
kind_of (const struct monocle__spool_file *file, int fd, uint32_t number, uint32_t copied)
{
	uint32_t kind = 0;
	size_t at = (size_t) number * MONOCLE__EXTENT_SIZE;
	if (number < copied)
		return ((const struct monocle__extent *) ((const uint8_t *) file->base + at))->kind;
	return pread (fd, &kind, sizeof kind, (off_t) at) == sizeof kind ? kind : 0;
}

/*
 * A process that lives goes on counting while its file is copied. It writes a name, and a thread's record, before the
 * first node that needs it, so these are copied once more when all nodes are. 0 or -errno.
 */
static int
read_names_again (struct monocle__spool_file *file, int fd)
{
	uint32_t copied = (uint32_t) (file->size / MONOCLE__EXTENT_SIZE), count = count_again (fd, copied);
	size_t size = (size_t) count * MONOCLE__EXTENT_SIZE;
	int error = 0;
	if (size > file->size) {
		void *longer = mremap (file->base, file->size, size, MREMAP_MAYMOVE);
		if (longer == MAP_FAILED)
			return -errno;
		file->base = longer;
		file->size = size;
		((struct monocle__spool_header *) longer)->extent_count = count;
	}
	for (uint32_t i = 1; i < count && !error; i++) {
		uint32_t kind = kind_of (file, fd, i, copied);
		size_t at = (size_t) i * MONOCLE__EXTENT_SIZE;
		if (kind == MONOCLE__EXTENT_NAMES || kind == MONOCLE__EXTENT_THREADS)
			error = read_rest (fd, file->base, at, at + MONOCLE__EXTENT_SIZE);
	}
	return error;
}

static int
load (struct monocle__spool_file *file, int fd, off_t file_size)
{
	int error = read_rest (fd, file->base, 0, MONOCLE__EXTENT_SIZE);
	size_t size = error ? 0 : size_of (file->base, file_size);
	if (size <= MONOCLE__EXTENT_SIZE)
		return error;
	void *longer = mremap (file->base, file->size, size, MREMAP_MAYMOVE);
	if (longer == MAP_FAILED)
		return -errno;
	MONOCLE__INVARIANT (size > MONOCLE__EXTENT_SIZE && size <= MONOCLE__SPOOL_SIZE_MOST);
	file->base = longer;
	file->size = size;
	MONOCLE__PAUSE (spool_file_header_read);
	error = read_rest (fd, longer, MONOCLE__EXTENT_SIZE, size);
	MONOCLE__PAUSE (spool_file_nodes_read);
	return error ? error : read_names_again (file, fd);
}

/* What is wrong with the copy; NULL: nothing is. */
static const char *
check (struct monocle__spool_file *file, off_t file_size)
{
	const struct monocle__spool_header *header = file->base;
	const char *damage = NULL;
	if (!header->magic)
		return monocle__spool_file_empty;
	if (file_size < MONOCLE__EXTENT_SIZE)
		return "it is not a spool";
	if (monocle__spool_view_init (&file->view, file->base, file->size, &damage))
		return damage;
	return header->extent_count > MONOCLE__SPOOL_SIZE_MOST / MONOCLE__EXTENT_SIZE ? "its header is damaged" : NULL;
}

int
monocle__spool_file_load (struct monocle__spool_file *file, int fd, const char **ret_error)
{
	struct stat status;
	if (fstat (fd, &status) || !S_ISREG (status.st_mode)) {
		*ret_error = "it is not a spool";
		return -1;
	}
	file->size = MONOCLE__EXTENT_SIZE;
	file->base = mmap (NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (file->base == MAP_FAILED) {
		*ret_error = strerror (errno);
		return -1;
	}
	int error = load (file, fd, status.st_size);
	const char *damage = error ? strerror (-error) : check (file, status.st_size);
	if (!damage)
		return 0;
	*ret_error = damage;
	monocle__spool_file_free (file);
	return -1;
}

void
monocle__spool_file_free (struct monocle__spool_file *file)
{
	munmap (file->base, file->size);
}
