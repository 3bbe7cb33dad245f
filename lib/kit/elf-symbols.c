/*
 * SPDX-License-Identifier: MIT
 *
 * elf-symbols.c - the functions of an ELF file (System V ABI, chapters 4 and 5).
 *
 * Files are read, not mapped: one that is truncated by a build would end the program.
 */
#include "native.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTIONS_MOST = 1 << 16, SEGMENTS_MOST = 1 << 10 };

#define TABLE_MOST ((uint64_t) 256 << 20)

typedef ElfW (Ehdr) header_t;
typedef ElfW (Phdr) segment_t;
typedef ElfW (Shdr) section_t;
typedef ElfW (Sym) symbol_t;

void *
monocle__read_part (int fd, uint64_t offset, size_t size)
{
	char *bytes = size < TABLE_MOST ? malloc (size + 1) : NULL;
	size_t length = 0;
	while (bytes && length < size) {
		ssize_t more = pread (fd, bytes + length, size - length, (off_t) (offset + length));
		if (more <= 0)
			break;
		length += (size_t) more;
	}
	if (bytes && length == size) {
		bytes[size] = '\0';
		return bytes;
	}
	free (bytes);
	return NULL;
}

static bool
is_ours (const header_t *header)
{
	return !memcmp (header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == (sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       header->e_ident[EI_DATA] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) &&
	       header->e_phentsize == sizeof (segment_t) && header->e_shentsize == sizeof (section_t) &&
	       header->e_phnum <= SEGMENTS_MOST;
}

/* Where in the file the address is; false: nowhere. */
static bool
file_offset (const segment_t *segments, size_t count, uint64_t address, uint64_t *ret_offset)
{
	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
		    address - segments[i].p_vaddr < segments[i].p_filesz) {
			*ret_offset = segments[i].p_offset + (address - segments[i].p_vaddr);
			return true;
		}
	return false;
}

static bool
is_function (const symbol_t *symbol, size_t texts_size)
{
	unsigned type = symbol->st_info & 0xf;
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_name &&
	       symbol->st_name < texts_size;
}

static int
collect (int fd, const section_t *table, const section_t *strings, const segment_t *segments, size_t segment_count,
         struct monocle__symbols *out)
{
	size_t count = table->sh_size / sizeof (symbol_t);
	if (table->sh_entsize != sizeof (symbol_t) || !count || strings->sh_size > UINT32_MAX)
		return -1;
	symbol_t *symbols = monocle__read_part (fd, table->sh_offset, count * sizeof *symbols);
	*out = (struct monocle__symbols) { .symbols = symbols ? calloc (count, sizeof *out->symbols) : NULL };
	out->texts = out->symbols ? monocle__read_part (fd, strings->sh_offset, strings->sh_size) : NULL;
	out->texts_size = strings->sh_size;
	for (size_t i = 0; out->texts && i < count; i++) {
		uint64_t offset;
		if (is_function (&symbols[i], out->texts_size) &&
		    file_offset (segments, segment_count, symbols[i].st_value, &offset))
			out->symbols[out->count++] =
			    (struct monocle__symbol) { .start = offset,
				                           .size = symbols[i].st_size < UINT32_MAX ? (uint32_t) symbols[i].st_size
				                                                                   : UINT32_MAX,
				                           .name = symbols[i].st_name };
	}
	free (symbols);
	if (out->texts)
		return 0;
	monocle__symbols_done (out);
	return -1;
}

/* The table of that type with something in it. */
static const section_t *
find_table (const section_t *sections, size_t count, uint32_t type)
{
	for (size_t i = 0; i < count; i++)
		if (sections[i].sh_type == type && sections[i].sh_size && sections[i].sh_link < count)
			return &sections[i];
	return NULL;
}

int
monocle__elf_symbols (int fd, struct monocle__symbols *symbols)
{
	header_t *header = monocle__read_part (fd, 0, sizeof *header);
	int result = -1;
	if (header && is_ours (header)) {
		size_t count = header->e_shnum;
		section_t *sections = monocle__read_part (fd, header->e_shoff, count * sizeof *sections);
		segment_t *segments = monocle__read_part (fd, header->e_phoff, header->e_phnum * sizeof *segments);
		const section_t *table = sections ? find_table (sections, count, SHT_SYMTAB) : NULL;
		if (sections && !table)
			table = find_table (sections, count, SHT_DYNSYM);
		if (table && segments)
			result = collect (fd, table, &sections[table->sh_link], segments, header->e_phnum, symbols);
		free (sections);
		free (segments);
	}
	free (header);
	if (!result)
		monocle__symbols_settle (symbols);
	return result;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Of those that begin at one place the one that says how long it is comes first, then the shorter name. */
static int
compare (const void *pa, const void *pb)
{
	const struct monocle__symbol *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!a->size != !b->size)
		return !a->size ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

void
monocle__symbols_settle (struct monocle__symbols *symbols)
{
	size_t count = 0;
	if (symbols->count)
		qsort (symbols->symbols, symbols->count, sizeof *symbols->symbols, compare);
	for (size_t i = 0; i < symbols->count; i++)
		if (!count || symbols->symbols[i].start != symbols->symbols[count - 1].start)
			symbols->symbols[count++] = symbols->symbols[i];
	symbols->count = count;
}

const struct monocle__symbol *
monocle__symbols_find (const struct monocle__symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (symbols->symbols[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct monocle__symbol *found = low ? &symbols->symbols[low - 1] : NULL;
	return found && (!found->size || address - found->start < found->size) ? found : NULL;
}

void
monocle__symbols_done (struct monocle__symbols *symbols)
{
	free (symbols->symbols);
	free (symbols->texts);
	memset (symbols, 0, sizeof *symbols);
}
