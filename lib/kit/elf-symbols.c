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
collect (const monocle__elf_file *file, int fd, const section_t *table, const section_t *strings,
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

/* --- sections ----------------------------------------------------------------------------------------------------- */

typedef struct {
	monocle__elf_file file;
	section_t *list;
	size_t count;
} sections;

/* What is damaged has none. The caller closes it in any case. */
static void
sections_open (sections *ret, int fd)
{
	*ret = (sections) { .list = NULL };
	if (!monocle__elf_file_open (&ret->file, fd)) {
		ret->file.segments = NULL;
		return;
	}
	size_t count = ret->file.header.e_shentsize == sizeof (section_t) ? ret->file.header.e_shnum : 0;
	ret->list = monocle__read_part (fd, ret->file.header.e_shoff, count * sizeof *ret->list);
	ret->count = ret->list ? count : 0;
}

static void
sections_close (sections *s)
{
	free (s->list);
	if (s->file.segments)
		monocle__elf_file_close (&s->file);
}

/* The table of that type with something in it. */
static const section_t *
find_table (const sections *s, uint32_t type)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].sh_type == type && s->list[i].sh_size && s->list[i].sh_link < s->count)
			return &s->list[i];
	return NULL;
}

int
monocle__elf_symbols_from (int fd, int named, struct monocle__symbols *symbols)
{
	sections own, other;
	int result = -1;
	sections_open (&own, fd);
	sections_open (&other, named);
	const section_t *table = find_table (&other, SHT_SYMTAB);
	if (!table)
		table = find_table (&other, SHT_DYNSYM);
	if (table && own.file.segments)
		result = collect (&own.file, named, table, &other.list[table->sh_link], symbols);
	sections_close (&other);
	sections_close (&own);
	if (!result)
		monocle__symbols_settle (symbols);
	return result;
}

int
monocle__elf_symbols (int fd, struct monocle__symbols *symbols)
{
	return monocle__elf_symbols_from (fd, fd, symbols);
}

bool
monocle__elf_symbols_are_missing (int fd)
{
	sections s;
	sections_open (&s, fd);
	bool stripped = s.count && !find_table (&s, SHT_SYMTAB);
	sections_close (&s);
	return stripped;
}

/* --- the build's number ------------------------------------------------------------------------------------------- */

/* Of the notes of a section: each has its sizes, a name, and what it says, from one multiple of four to the next. */
static size_t
find_build_id (const uint8_t *notes, size_t size, uint8_t *ret_id)
{
	enum { GNU_SIZE = 4, ROUND = 3 };
	ElfW (Nhdr) note;
	for (size_t at = 0; size - at >= sizeof note;) {
		memcpy (&note, notes + at, sizeof note);
		at += sizeof note;
		uint64_t name = ((uint64_t) note.n_namesz + ROUND) & ~(uint64_t) ROUND;
		uint64_t said = ((uint64_t) note.n_descsz + ROUND) & ~(uint64_t) ROUND;
		if (name + note.n_descsz > size - at)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == GNU_SIZE && !memcmp (notes + at, "GNU", GNU_SIZE) &&
		    note.n_descsz && note.n_descsz <= MONOCLE__BUILD_ID_MOST) {
			memcpy (ret_id, notes + at + name, note.n_descsz);
			return note.n_descsz;
		}
		at += name + said < size - at ? name + said : size - at;
	}
	return 0;
}

size_t
monocle__elf_symbols_build_id (int fd, uint8_t ret_id[MONOCLE__BUILD_ID_MOST])
{
	enum { NOTES_MOST = 1 << 16 };
	sections s;
	size_t found = 0;
	sections_open (&s, fd);
	for (size_t i = 0; i < s.count && !found; i++) {
		const section_t *section = &s.list[i];
		if (section->sh_type != SHT_NOTE || section->sh_size > NOTES_MOST)
			continue;
		uint8_t *notes = monocle__read_part (fd, section->sh_offset, section->sh_size);
		found = notes ? find_build_id (notes, section->sh_size, ret_id) : 0;
		free (notes);
	}
	sections_close (&s);
	return found;
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
