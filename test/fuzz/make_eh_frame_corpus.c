/*
 * SPDX-License-Identifier: MIT
 *
 * make_eh_frame_corpus.c - writes the .eh_frame section of this program, and a prologue.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/eh-frame.h"

typedef struct {
	const uint8_t *at;
	size_t size;
} part;

/* The program itself comes first. */
static int
find (struct dl_phdr_info *info, size_t size, void *data)
{
	part *frames = data;
	const ElfW (Phdr) *p = info->dlpi_phdr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (p[i].p_type == PT_GNU_EH_FRAME) {
			uintptr_t header = info->dlpi_addr + p[i].p_vaddr;
			frames->at = (const uint8_t *) monocle__eh_frame_of_header ((const uint8_t *) header, p[i].p_memsz, header);
		}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + p[i].p_vaddr;
		if (p[i].p_type == PT_LOAD && (uintptr_t) frames->at - start < p[i].p_filesz)
			frames->size = start + p[i].p_filesz - (uintptr_t) frames->at;
	}
	return 1;
}

static int
write_file (const char *folder, const char *name, const void *data, size_t size)
{
	char path[4096];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen (path, "wb");
	return !file || fwrite (data, 1, size, file) != size || fclose (file);
}

int
main (int argc, char **argv)
{
	static const uint8_t code[] = { 0x55, 0x41, 0x57, 0x53, 0x4C, 0x8D, 0x9C, 0x24, 0x70, 0xC7, 0xFE, 0xFF, 0xE8, 1,
		                            2,    3,    4,    0x49, 0x8B, 0xE3, 0x48, 0x8D, 0xAC, 0x24, 0x90, 0x38, 0x01, 0x00,
		                            0x48, 0x81, 0xC4, 0x90, 0x38, 0x01, 0x00, 0x5B, 0x41, 0x5F, 0x5D, 0xC3 };
	static const uint8_t codes[] = { 0x01, 0x0D, 5, 0x25, 0x0D, 0x03, 0x08, 0x22, 0x04, 0x30, 0x03, 0xF0, 0x01, 0x50 };
	part frames = { NULL, 0 };
	dl_iterate_phdr (find, &frames);
	if (argc != 2 || !frames.at || !frames.size)
		return 1;
	return write_file (argv[1], "own.eh-frame", frames.at, frames.size < 4096 ? frames.size : 4096) ||
	       write_file (argv[1], "method.eh-frame", code, sizeof code) ||
	       write_file (argv[1], "codes.eh-frame", codes, sizeof codes);
}
