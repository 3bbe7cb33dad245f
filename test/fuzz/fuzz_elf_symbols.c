/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_elf_symbols.c - any bytes as an ELF file and as a perf map, whose functions are then looked for.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
check (struct monocle__symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct monocle__symbol *symbol = &symbols->symbols[i];
		if (i && symbol->start <= symbols->symbols[i - 1].start)
			abort ();
		if (symbol->name >= symbols->texts_size ||
		    symbol->name + strlen (symbols->texts + symbol->name) > symbols->texts_size)
			abort ();
		if (monocle__symbols_find (symbols, symbol->start) != symbol)
			abort ();
	}
	monocle__symbols_find (symbols, UINT64_MAX);
	monocle__symbols_done (symbols);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	struct monocle__symbols symbols;
	int fd = memfd_create ("symbols", MFD_CLOEXEC);

	if (fd < 0 || write (fd, data, size) != (ssize_t) size)
		abort ();
	if (monocle__elf_symbols (fd, &symbols) == 0)
		check (&symbols);
	if (monocle__perf_map (fd, &symbols) == 0)
		check (&symbols);
	uint8_t id[MONOCLE__BUILD_ID_MOST];
	if (monocle__elf_symbols_build_id (fd, id) > sizeof id)
		abort ();
	monocle__elf_symbols_are_missing (fd);
	close (fd);
	return 0;
}
