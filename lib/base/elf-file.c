/*
 * SPDX-License-Identifier: MIT
 *
 * elf-file.c - see elf-file.h.
 */
#include "elf-file.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read-part.h"

enum { SEGMENTS_MOST = 1 << 10, DYNAMIC_MOST = 1 << 20 };

static bool
is_native (const ElfW (Ehdr) *header)
{
	return !memcmp (header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == (sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       header->e_ident[EI_DATA] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) &&
	       header->e_phentsize == sizeof (ElfW (Phdr)) && header->e_phnum <= SEGMENTS_MOST;
}

bool
monocle__elf_file_open (monocle__elf_file *ret_file, int fd)
{
	monocle__elf_file file = { .fd = fd };
	if (pread (fd, &file.header, sizeof file.header, 0) != (ssize_t) sizeof file.header || !is_native (&file.header))
		return false;
	file.segments = monocle__read_part (fd, file.header.e_phoff, file.header.e_phnum * sizeof *file.segments);
	if (!file.segments)
		return false;
	*ret_file = file;
	return true;
}

void
monocle__elf_file_close (monocle__elf_file *file)
{
	free (file->segments);
	file->segments = NULL;
}

bool
monocle__elf_file_offset (const monocle__elf_file *file, uint64_t address, uint64_t *ret_offset)
{
	for (size_t i = 0; i < file->header.e_phnum; i++) {
		const ElfW (Phdr) *segment = &file->segments[i];
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz) {
			*ret_offset = segment->p_offset + (address - segment->p_vaddr);
			return true;
		}
	}
	return false;
}

void
monocle__elf_file_interpreter (const monocle__elf_file *file, char *ret_path, size_t size)
{
	ssize_t length = 0;
	for (size_t i = 0; i < file->header.e_phnum && length == 0; i++) {
		const ElfW (Phdr) *segment = &file->segments[i];
		if (segment->p_type == PT_INTERP && segment->p_filesz <= size)
			length = pread (file->fd, ret_path, segment->p_filesz, (off_t) segment->p_offset);
	}
	if (length <= 0 || ret_path[length - 1])
		ret_path[0] = '\0';
}

static const ElfW (Phdr) *
dynamic_segment (const monocle__elf_file *file)
{
	for (size_t i = 0; i < file->header.e_phnum; i++) {
		if (file->segments[i].p_type == PT_DYNAMIC && file->segments[i].p_filesz <= DYNAMIC_MOST)
			return &file->segments[i];
	}
	return NULL;
}

/* The names of libraries, among others; the caller frees. NULL: there are none. */
static char *
read_strings (const monocle__elf_file *file, const ElfW (Dyn) *entries, size_t count, uint64_t *ret_size)
{
	uint64_t address = 0, size = 0, offset;
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
		if (entries[i].d_tag == DT_STRTAB)
			address = entries[i].d_un.d_ptr;
		else if (entries[i].d_tag == DT_STRSZ)
			size = entries[i].d_un.d_val;
	}
	*ret_size = size;
	return monocle__elf_file_offset (file, address, &offset) ? monocle__read_part (file->fd, offset, size) : NULL;
}

bool
monocle__elf_file_links (const monocle__elf_file *file, const char *pattern)
{
	const ElfW (Phdr) *segment = dynamic_segment (file);
	ElfW (Dyn) *entries = segment ? monocle__read_part (file->fd, segment->p_offset, segment->p_filesz) : NULL;
	size_t count = entries ? segment->p_filesz / sizeof *entries : 0;
	uint64_t size = 0;
	char *strings = read_strings (file, entries, count, &size);
	bool found = false;
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL && strings && !found; i++)
		found = entries[i].d_tag == DT_NEEDED && entries[i].d_un.d_val < size &&
		        fnmatch (pattern, strings + entries[i].d_un.d_val, 0) == 0;
	free (strings);
	free (entries);
	return found;
}

bool
monocle__elf_file_names (const monocle__elf_file *file, const char *name)
{
	const ElfW (Phdr) *segment = dynamic_segment (file);
	ElfW (Dyn) *entries = segment ? monocle__read_part (file->fd, segment->p_offset, segment->p_filesz) : NULL;
	uint64_t size = 0;
	char *strings = read_strings (file, entries, entries ? segment->p_filesz / sizeof *entries : 0, &size);
	bool found = strings && memmem (strings, size, name, strlen (name) + 1);
	free (strings);
	free (entries);
	return found;
}
