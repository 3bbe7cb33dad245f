/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_elf_needed.c - any bytes as a shared library that needs symbols and other libraries.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf-file.h"
#include "load/elf.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
measure (const char *name, void *data)
{
	*(size_t *) data += strlen (name);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	int fd = memfd_create ("library", MFD_CLOEXEC);
	size_t total = 0;
	monocle__elf_file file;

	if (fd < 0 || write (fd, data, size) != (ssize_t) size)
		abort ();
	if (monocle__elf_each_needed_in (fd, measure, &total) > 0)
		abort ();
	if (monocle__elf_file_open (&file, fd)) {
		monocle__elf_file_links (&file, "lib*.so*");
		monocle__elf_file_close (&file);
	}
	close (fd);
	return 0;
}
