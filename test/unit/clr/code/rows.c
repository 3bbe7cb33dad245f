/*
 * SPDX-License-Identifier: MIT
 *
 * rows.c - prints the unwinding rows of ELF files as text: "ADDRESS KIND OFFSET SAVED", for comparison with readelf.
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
	free (rows.list);
	free (elf);
	return rows.no_memory;
}
