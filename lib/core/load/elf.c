/*
 * SPDX-License-Identifier: MIT
 *
 * elf.c - which symbols a shared library needs from others.
 *
 * dlopen () names the first missing symbol only. This reads the dynamic symbol table of the file itself, as the System
 * V ABI (chapters 4 and 5) lays it out. It works from program headers, since section headers may be stripped. The file
 * is somebody else's and may be cut or damaged: each structure is copied out after its bounds were checked.
 */
#include "elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <monocle/host.h>

enum { FILE_MAX = 1 << 28 };

typedef struct {
	const uint8_t *base;
	size_t size;
	ElfW (Ehdr) header;
	uint64_t symbols, strings, strings_size, hash, gnu_hash; /* offsets in the file, 0: none */
} elf;

static bool
copy_at (const elf *file, uint64_t offset, void *ret_to, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return false;
	memcpy (ret_to, file->base + offset, size);
	return true;
}

static bool
segment_at (const elf *file, unsigned index, ElfW (Phdr) *ret_segment)
{
	uint64_t offset = file->header.e_phoff + (uint64_t) index * sizeof *ret_segment;
	return index < file->header.e_phnum && file->header.e_phentsize == sizeof *ret_segment &&
	       copy_at (file, offset, ret_segment, sizeof *ret_segment);
}

/* Where in the file stands what will be at `address`? 0: nowhere. */
static uint64_t
offset_of (const elf *file, uint64_t address)
{
	ElfW (Phdr) segment;

	for (unsigned i = 0; segment_at (file, i, &segment); i++)
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			return segment.p_offset + (address - segment.p_vaddr);
	return 0;
}

static bool
read_header (elf *file)
{
	static const uint16_t probe = 1;
	const uint8_t data = *(const uint8_t *) &probe ? ELFDATA2LSB : ELFDATA2MSB;
	const uint8_t class = sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	return copy_at (file, 0, &file->header, sizeof file->header) &&
	       memcmp (file->header.e_ident, ELFMAG, SELFMAG) == 0 && file->header.e_ident[EI_CLASS] == class &&
	       file->header.e_ident[EI_DATA] == data && file->header.e_type == ET_DYN;
}

static void
note_entry (elf *file, const ElfW (Dyn) *entry)
{
	switch (entry->d_tag) {
	case DT_SYMTAB: file->symbols = offset_of (file, entry->d_un.d_ptr); break;
	case DT_STRTAB: file->strings = offset_of (file, entry->d_un.d_ptr); break;
	case DT_STRSZ: file->strings_size = entry->d_un.d_val; break;
	case DT_HASH: file->hash = offset_of (file, entry->d_un.d_ptr); break;
	case DT_GNU_HASH: file->gnu_hash = offset_of (file, entry->d_un.d_ptr); break;
	}
}

static bool
read_dynamic (elf *file)
{
	ElfW (Phdr) segment;
	ElfW (Dyn) entry;
	unsigned i = 0;

	while (segment_at (file, i, &segment) && segment.p_type != PT_DYNAMIC)
		i++;
	if (!segment_at (file, i, &segment))
		return false;
	for (uint64_t at = 0; at + sizeof entry <= segment.p_filesz; at += sizeof entry) {
		if (!copy_at (file, segment.p_offset + at, &entry, sizeof entry))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		note_entry (file, &entry);
	}
	return file->symbols && file->strings && file->strings_size && file->strings <= file->size &&
	       file->strings_size <= file->size - file->strings;
}

/*
 * How many symbols stand at the front of the table, the needed ones among them. The classic hash table counts all; the
 * GNU one says where the symbols that are defined (and hashed) begin, and the needed ones stand before.
 */
static uint32_t
symbol_count (const elf *file)
{
	uint32_t words[2];
	if (file->hash && copy_at (file, file->hash, words, sizeof words))
		return words[1];
	if (file->gnu_hash && copy_at (file, file->gnu_hash, words, sizeof words))
		return words[1];
	return 0;
}

static const char *
name_of (const elf *file, const ElfW (Sym) *symbol)
{
	if (symbol->st_name >= file->strings_size)
		return NULL;
	const char *name = (const char *) file->base + file->strings + symbol->st_name;
	return memchr (name, '\0', file->strings_size - symbol->st_name) ? name : NULL;
}

int
monocle__elf_each_needed_in (const uint8_t *base, size_t size, void (*found) (const char *name, void *data), void *data)
{
	elf file = { .base = base, .size = size };
	if (!read_header (&file) || !read_dynamic (&file))
		return MONOCLE_E_INVALID;
	uint32_t count = symbol_count (&file);
	for (uint32_t i = 1; i < count; i++) {
		ElfW (Sym) symbol;
		if (!copy_at (&file, file.symbols + (uint64_t) i * sizeof symbol, &symbol, sizeof symbol))
			return MONOCLE_E_INVALID;
		/* The type and binding fields are encoded alike in both classes. */
		if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND (symbol.st_info) != STB_GLOBAL)
			continue;
		const char *name = name_of (&file, &symbol);
		if (!name)
			return MONOCLE_E_INVALID;
		found (name, data);
	}
	return MONOCLE_OK;
}

/* Read, not mapped: a file that is cut meanwhile must not raise SIGBUS in somebody's program. */
static uint8_t *
read_all (int fd, size_t size)
{
	uint8_t *bytes = malloc (size);
	for (size_t have = 0; bytes && have < size;) {
		ssize_t got = pread (fd, bytes + have, size - have, (off_t) have);
		if (got <= 0) {
			free (bytes);
			return NULL;
		}
		have += (size_t) got;
	}
	return bytes;
}

int
monocle__elf_each_needed (const char *path, void (*found) (const char *name, void *data), void *data)
{
	struct stat status;
	int result = MONOCLE_E_NOT_FOUND;
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return result;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size > 0 && status.st_size <= FILE_MAX) {
		uint8_t *bytes = read_all (fd, (size_t) status.st_size);
		if (bytes)
			result = monocle__elf_each_needed_in (bytes, (size_t) status.st_size, found, data);
		free (bytes);
	}
	close (fd);
	return result;
}
