/*
 * SPDX-License-Identifier: MIT
 *
 * elf-symbols.c - the functions of an ELF file.
 */
#include "elf-file.h"
#include "native.h"
#include "read-part.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef ElfW (Shdr) section_t;
typedef ElfW (Sym) symbol_t;

static bool
is_function (const symbol_t *symbol, size_t texts_size)
{
	unsigned type = symbol->st_info & 0xf;
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_name &&
	       symbol->st_name < texts_size;
}

static int
collect (const monocle__elf_file *file, const section_t *table, const section_t *strings, struct monocle__symbols *out)
{
	size_t count = table->sh_size / sizeof (symbol_t);
	if (table->sh_entsize != sizeof (symbol_t) || !count || strings->sh_size > UINT32_MAX)
		return -1;
	symbol_t *symbols = monocle__read_part (file->fd, table->sh_offset, count * sizeof *symbols);
	*out = (struct monocle__symbols) { .symbols = symbols ? calloc (count, sizeof *out->symbols) : NULL };
	out->texts = out->symbols ? monocle__read_part (file->fd, strings->sh_offset, strings->sh_size) : NULL;
	out->texts_size = strings->sh_size;
	for (size_t i = 0; out->texts && i < count; i++) {
		uint64_t offset;
		if (is_function (&symbols[i], out->texts_size) && monocle__elf_file_offset (file, symbols[i].st_value, &offset))
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
	monocle__elf_file file;
	int result = -1;
	if (!monocle__elf_file_open (&file, fd))
		return result;
	size_t count = file.header.e_shentsize == sizeof (section_t) ? file.header.e_shnum : 0;
	section_t *sections = monocle__read_part (fd, file.header.e_shoff, count * sizeof *sections);
	const section_t *table = sections ? find_table (sections, count, SHT_SYMTAB) : NULL;
	if (sections && !table)
		table = find_table (sections, count, SHT_DYNSYM);
	if (table)
		result = collect (&file, table, &sections[table->sh_link], symbols);
	free (sections);
	monocle__elf_file_close (&file);
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
