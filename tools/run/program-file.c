/*
 * SPDX-License-Identifier: MIT
 *
 * program-file.c - see program-file.h.
 */
#include "program-file.h"

#include "elf-file.h"
#include "mono-library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
resolve (const char *name, char *ret_path)
{
	const char *path = getenv ("PATH");
	char candidate[PATH_MAX];
	if (strchr (name, '/'))
		return realpath (name, ret_path) != NULL;
	for (path = path ? path : "/bin:/usr/bin"; *path; path += *path == ':') {
		size_t length = strcspn (path, ":");
		snprintf (candidate, sizeof candidate, "%.*s/%s", (int) length, length ? path : ".", name);
		if (access (candidate, X_OK) == 0 && realpath (candidate, ret_path))
			return true;
		path += length;
	}
	return false;
}

static bool
links_mono (int fd)
{
	monocle__elf_file elf;
	bool found = monocle__elf_file_open (&elf, fd);
	if (found) {
		found = monocle__elf_file_links (&elf, MONOCLE__MONO_LIBRARY);
		monocle__elf_file_close (&elf);
	}
	return found;
}

static void
map (monocle__program_file *file, int fd)
{
	struct stat status = { 0 };
	if (fstat (fd, &status) == 0 && S_ISDIR (status.st_mode))
		file->is_folder = true;
	if (!S_ISREG (status.st_mode) || status.st_size <= 0)
		return;
	file->mode = status.st_mode;
	void *bytes = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	file->bytes = bytes;
	file->size = (size_t) status.st_size;
	if (file->size >= sizeof (Elf64_Ehdr) && memcmp (file->bytes, ELFMAG, SELFMAG) == 0 &&
	    file->bytes[EI_CLASS] == ELFCLASS64 && file->bytes[EI_DATA] == ELFDATA2LSB)
		file->elf = (const Elf64_Ehdr *) (const void *) file->bytes;
}

void
monocle__program_file_open (monocle__program_file *ret_file, const char *name)
{
	int fd;
	*ret_file = (monocle__program_file) { 0 };
	if (!resolve (name, ret_file->path)) {
		ret_file->path[0] = '\0';
		return;
	}
	fd = open (ret_file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	map (ret_file, fd);
	ret_file->links_mono = ret_file->elf && links_mono (fd);
	ret_file->host = monocle__live_process_elf_host (fd);
	ret_file->system = monocle__live_process_elf_system (fd);
	close (fd);
}

void
monocle__program_file_close (monocle__program_file *file)
{
	if (file->bytes)
		munmap ((void *) (uintptr_t) file->bytes, file->size);
}

bool
monocle__program_file_contains (const monocle__program_file *file, const char *text)
{
	return file->bytes && memmem (file->bytes, file->size, text, strlen (text)) != NULL;
}

bool
monocle__program_file_is_elf (const monocle__program_file *file)
{
	return file->size >= SELFMAG && memcmp (file->bytes, ELFMAG, SELFMAG) == 0;
}

/* A table of `count` rows inside the file, or NULL. */
static const void *
file_table (const monocle__program_file *file, uint64_t offset, uint64_t count, uint64_t row)
{
	return offset < file->size && count * row <= file->size - offset && offset % 8 == 0 ? file->bytes + offset : NULL;
}

bool
monocle__program_file_has_interpreter (const monocle__program_file *file)
{
	const Elf64_Phdr *headers = file_table (file, file->elf->e_phoff, file->elf->e_phnum, sizeof *headers);
	for (size_t i = 0; headers && i < file->elf->e_phnum; i++) {
		if (headers[i].p_type == PT_INTERP)
			return true;
	}
	return false;
}
