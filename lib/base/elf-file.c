/*
 * SPDX-License-Identifier: MIT
 *
 * elf-file.c - see elf-file.h.
 */
#include "elf-file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read-part.h"

enum { SEGMENTS_MOST = 1 << 10 };

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
