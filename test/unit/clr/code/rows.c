/*
 * SPDX-License-Identifier: MIT
 *
 * rows.c - prints the unwinding rows of ELF files as text: "ADDRESS KIND OFFSET SAVED", for comparison with readelf.
 * Where each row begins, and one byte before that, the entry of that function alone has to say the same.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/eh-frame.h"

static uint8_t *
read_file (const char *path, size_t *ret_size)
{
	FILE *file = fopen (path, "rb");
	if (!file || fseek (file, 0, SEEK_END))
		return NULL;
	long size = ftell (file);
	uint8_t *bytes = size > 0 ? malloc ((size_t) size) : NULL;
	rewind (file);
	if (!bytes || fread (bytes, 1, (size_t) size, file) != (size_t) size)
		return NULL;
	fclose (file);
	*ret_size = (size_t) size;
	return bytes;
}

static const Elf64_Shdr *
find_section (const uint8_t *elf, const char *name)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *) elf;
	const Elf64_Shdr *sections = (const Elf64_Shdr *) (elf + header->e_shoff);
	const char *names = (const char *) elf + sections[header->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (strcmp (names + sections[i].sh_name, name) == 0)
			return &sections[i];
	return NULL;
}

static void
print (const monocle__unwind_rows *rows)
{
	static const char *const kinds[] = { "?", "sp", "fp", "plt", "[fp]", "[sp]", "signal", "root" };
	for (size_t i = 0; i < rows->count; i++) {
		monocle__unwind_rule rule = rows->list[i].rule;
		printf ("%x %s %td %zu\n", rows->list[i].pc, kinds[monocle__rule_kind (rule)], monocle__rule_offset (rule),
		        monocle__rule_saved (rule));
	}
}

/* --- the same, entry by entry ------------------------------------------------------------------------------------- */

static const uint8_t *file;
static const Elf64_Shdr *parts[2]; /* the header, the frames */

static bool
peek (uintptr_t address, void *to, size_t size)
{
	for (int i = 0; i < 2; i++) {
		const Elf64_Shdr *part = parts[i];
		if (address < part->sh_addr || address - part->sh_addr > part->sh_size ||
		    part->sh_size - (address - part->sh_addr) < size)
			continue;
		memcpy (to, file + part->sh_offset + (address - part->sh_addr), size);
		return true;
	}
	return false;
}

/* 1: as in the rows, 0: it is longer than a handler may read, -1: something else. */
static int
is_same (const monocle__unwind_rows *rows, uintptr_t table, uint32_t count, uint32_t pc)
{
	const monocle__eh_frame_pair *pairs = (const void *) (file + parts[0]->sh_offset + (table - parts[0]->sh_addr));
	monocle__unwind_rule rule = 0, all;
	uint32_t low = 0, high = count;
	bool starts = false, all_start;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if ((int64_t) parts[0]->sh_addr + pairs[middle].function <= (int64_t) pc)
			low = middle + 1;
		else
			high = middle;
	}
	all = monocle__eh_frame_find (rows->list, rows->count, pc, &all_start);
	if (low && !monocle__eh_frame_at (peek, parts[0]->sh_addr + (uintptr_t) (intptr_t) pairs[low - 1].entry,
	                                  parts[1]->sh_addr, parts[1]->sh_addr + parts[1]->sh_size, 0, pc, &rule, &starts))
		return 0;
	all_start = all_start && monocle__rule_is_first (all);
	return (rule & ~8u) == (all & ~8u) && starts == all_start ? 1 : -1;
}

/* How many places differ. */
static size_t
compare (const monocle__unwind_rows *rows, uintptr_t table, uint32_t count)
{
	size_t longer = 0, others = 0;
	for (size_t i = 0; i < rows->count; i++)
		for (uint32_t before = 0; before < 2 && before <= rows->list[i].pc; before++) {
			int same = is_same (rows, table, count, rows->list[i].pc - before);
			longer += same == 0;
			others += same < 0;
			if (same < 0 && others < 10)
				fprintf (stderr, "%x: the entry alone says something else\n", rows->list[i].pc - before);
		}
	if (longer * 100 > rows->count)
		fprintf (stderr, "%zu of %zu rows are in entries that are too long\n", longer, rows->count);
	return others + (longer * 100 > rows->count ? longer : 0);
}

int
main (int argc, char **argv)
{
	size_t size, skipped, functions;
	uint8_t *elf = argc == 2 ? read_file (argv[1], &size) : NULL;
	if (!elf)
		return 2;
	const Elf64_Shdr *section = find_section (elf, ".eh_frame"), *header = find_section (elf, ".eh_frame_hdr");
	monocle__unwind_rows rows = { NULL, 0, 0, false };
	if (!section || !header || section->sh_type == SHT_NOBITS)
		return 2;
	uintptr_t found = monocle__eh_frame_of_header (elf + header->sh_offset, header->sh_size, header->sh_addr);
	if (found != section->sh_addr) {
		fprintf (stderr, "the header says %zx, the section lies at %zx\n", found, (size_t) section->sh_addr);
		return 1;
	}
	functions =
	    monocle__eh_frame_read (elf + section->sh_offset, section->sh_size, section->sh_addr, 0, &rows, &skipped);
	print (&rows);
	fprintf (stderr, "%zu functions, %zu skipped, %zu rows\n", functions, skipped, rows.count);
	file = elf;
	parts[0] = header;
	parts[1] = section;
	uintptr_t table;
	uint32_t pairs = monocle__eh_frame_table (elf + header->sh_offset, header->sh_size, header->sh_addr, &table);
	if (pairs != functions || compare (&rows, table, pairs))
		return 1;
	free (rows.list);
	free (elf);
	return rows.no_memory;
}
