/*
 * SPDX-License-Identifier: MIT
 *
 * elf.c - which symbols a shared library needs from others.
 *
 * dlopen () names the first missing symbol only. This reads the dynamic symbol table of the file itself. It works from
 * program headers, since section headers may be stripped.
 */
#include "elf.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <monocle/host.h>
#include "elf-file.h"
#include "read-part.h"

/* Where in the file the parts of the dynamic section are; 0: there is none. */
typedef struct {
	uint64_t symbols, strings, strings_size, hash, gnu_hash;
} tables;

static uint64_t
offset_of (const monocle__elf_file *file, uint64_t address)
{
	uint64_t offset;
	return monocle__elf_file_offset (file, address, &offset) ? offset : 0;
}

static void
note_entry (const monocle__elf_file *file, const ElfW (Dyn) *entry, tables *at)
{
	switch (entry->d_tag) {
	case DT_SYMTAB: at->symbols = offset_of (file, entry->d_un.d_ptr); break;
	case DT_STRTAB: at->strings = offset_of (file, entry->d_un.d_ptr); break;
	case DT_STRSZ: at->strings_size = entry->d_un.d_val; break;
	case DT_HASH: at->hash = offset_of (file, entry->d_un.d_ptr); break;
	case DT_GNU_HASH: at->gnu_hash = offset_of (file, entry->d_un.d_ptr); break;
	}
}

static bool
read_dynamic (const monocle__elf_file *file, tables *ret_at)
{
	const ElfW (Phdr) *segment = file->segments, *end = segment + file->header.e_phnum;
	tables at = { 0 };
	while (segment < end && segment->p_type != PT_DYNAMIC)
		segment++;
	ElfW (Dyn) *entries = segment < end ? monocle__read_part (file->fd, segment->p_offset, segment->p_filesz) : NULL;
	if (!entries)
		return false;
	for (size_t i = 0; i < segment->p_filesz / sizeof *entries && entries[i].d_tag != DT_NULL; i++)
		note_entry (file, &entries[i], &at);
	free (entries);
	*ret_at = at;
	return at.symbols && at.strings && at.strings_size;
}

/*
 * How many symbols are at the front of the table, the needed ones among them. The classic hash table counts all; the
 * GNU one says where the symbols that are defined (and hashed) begin, and the needed ones come before.
 */
static uint32_t
symbol_count (int fd, const tables *at)
{
	uint64_t hash = at->hash ? at->hash : at->gnu_hash;
	uint32_t *words = hash ? monocle__read_part (fd, hash, 2 * sizeof *words) : NULL, count = words ? words[1] : 0;
	free (words);
	return count;
}

/* The type and binding fields are encoded alike in both classes. */
static bool
is_needed (const ElfW (Sym) *symbol)
{
	return symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND (symbol->st_info) == STB_GLOBAL;
}

static int
each_needed (const ElfW (Sym) *symbols, uint32_t count, const char *strings, uint64_t strings_size,
             void (*found) (const char *name, void *data), void *data)
{
	for (uint32_t i = 1; i < count; i++) {
		uint64_t name = symbols[i].st_name;
		if (!is_needed (&symbols[i]))
			continue;
		if (name >= strings_size || !memchr (strings + name, '\0', strings_size - name))
			return MONOCLE_E_INVALID;
		found (strings + name, data);
	}
	return MONOCLE_OK;
}

int
monocle__elf_each_needed_in (int fd, void (*found) (const char *name, void *data), void *data)
{
	int result = MONOCLE_E_INVALID;
	monocle__elf_file file;
	tables at;
	if (!monocle__elf_file_open (&file, fd))
		return result;
	if (file.header.e_type == ET_DYN && read_dynamic (&file, &at)) {
		uint32_t count = symbol_count (fd, &at);
		ElfW (Sym) *symbols = monocle__read_part (fd, at.symbols, (uint64_t) count * sizeof *symbols);
		char *strings = monocle__read_part (fd, at.strings, at.strings_size);
		if (symbols && strings)
			result = each_needed (symbols, count, strings, at.strings_size, found, data);
		free (symbols);
		free (strings);
	}
	monocle__elf_file_close (&file);
	return result;
}

int
monocle__elf_each_needed (const char *path, void (*found) (const char *name, void *data), void *data)
{
	struct stat status;
	int result = MONOCLE_E_NOT_FOUND;
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return result;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size > 0)
		result = monocle__elf_each_needed_in (fd, found, data);
	close (fd);
	return result;
}
