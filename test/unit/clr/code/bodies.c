/*
 * SPDX-License-Identifier: MIT
 *
 * bodies.c - the shape of every precompiled method of framework images: what its instructions say against its unwind
 * codes, which the compiler wrote beside them; at the end of the prologue and after each of its instructions.
 *
 *   bodies FOLDER...     each holds shared/Microsoft.NETCore.App/VERSION; those that are not there are passed over
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "ecma.h"
#include "r2r.h"

typedef struct {
	const monocle__ecma_image *image;
	const monocle__r2r *r2r;
	size_t bodies, places, different, kinds[MONOCLE__SHAPE_OSR + 1];
} tally;

/* On Unix the codes tell of a frame pointer only where the frame grows after its prologue. */
static bool
is_same (const monocle__shape *code, const monocle__shape *codes)
{
	bool same_kind = codes->kind == MONOCLE__SHAPE_SP || (code->kind == codes->kind && code->depth == codes->depth);
	return same_kind && code->saved == codes->saved && code->frame == codes->frame;
}

static void
show (const char *what, const monocle__shape *s)
{
	printf ("    %s: kind %d depth %u saved %u frame %u\n", what, s->kind, s->depth, s->saved, s->frame);
}

static void
compare_at (tally *t, const uint8_t *code, size_t size, const uint8_t *info, size_t limit, uint32_t rva)
{
	monocle__shape from_code, from_codes;
	t->places++;
	if (!monocle__arch_unwind_data (info, 4 + 2 * (size_t) info[2], limit, &from_codes))
		return;
	if (monocle__arch_prologue (code, size, limit, &from_code) && is_same (&from_code, &from_codes))
		return;
	if (t->different++ > 5)
		return;
	printf ("  rva %x, offset %zx:", rva, limit);
	for (size_t i = 0; i < size && i < 40; i++)
		printf (" %02x", code[i]);
	printf ("\n");
	show ("instructions", &from_code);
	show ("unwind codes", &from_codes);
}

/* How many 16-bit units a code takes with its operands. */
static unsigned
units_of (uint8_t op)
{
	static const uint8_t units[16] = { 1, 2, 1, 1, 2, 3, 1, 1, 2, 3, 1, 3, 1, 1, 1, 1 };
	return units[op & 15] + (op == 0x11);
}

static void
compare_body (tally *t, uint32_t index)
{
	monocle__r2r_function f = monocle__r2r_get (t->r2r, index);
	const uint8_t *info = monocle__r2r_unwind (t->r2r, &f);
	size_t available = 0;
	const uint8_t *code = monocle__ecma_rva (t->image, f.begin, &available);
	monocle__shape shape;
	if (!info || !code || available < f.end - f.begin)
		return;
	t->bodies++;
	compare_at (t, code, f.end - f.begin, info, SIZE_MAX, f.begin);
	if (monocle__arch_unwind_data (info, 4 + 2 * (size_t) info[2], SIZE_MAX, &shape))
		t->kinds[shape.kind]++;
	for (unsigned i = 0; i < info[2]; i += units_of (info[5 + 2 * i]))
		compare_at (t, code, f.end - f.begin, info, info[4 + 2 * i], f.begin);
}

static void
method_seen (uint32_t row, uint32_t function, void *data)
{
	compare_body (data, function);
}

static void
compare_file (const char *path, tally *all)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	monocle__ecma_image image;
	monocle__r2r r2r;
	if (fd < 0 || fstat (fd, &status))
		return;
	void *bytes = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close (fd);
	if (bytes == MAP_FAILED)
		return;
	if (monocle__ecma_open_pe (&image, bytes, (size_t) status.st_size, false) == 0 &&
	    monocle__r2r_open (&r2r, &image) == 0) {
		all->image = &image;
		all->r2r = &r2r;
		monocle__r2r_each_method (&r2r, method_seen, all);
		monocle__r2r_each_instance (&r2r, method_seen, all);
	}
	munmap (bytes, (size_t) status.st_size);
}

int
main (int argc, char **argv)
{
	size_t failed = 0, compared = 0;
	for (int i = 1; i < argc; i++) {
		char pattern[4096];
		tally t = { .bodies = 0 };
		glob_t found;
		snprintf (pattern, sizeof pattern, "%s/shared/Microsoft.NETCore.App/*/*.dll", argv[i]);
		if (glob (pattern, 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			compare_file (found.gl_pathv[k], &t);
		globfree (&found);
		printf ("%s: %zu bodies (%zu with rbp, %zu without), %zu places, %zu different\n", argv[i], t.bodies,
		        t.kinds[MONOCLE__SHAPE_FP], t.kinds[MONOCLE__SHAPE_SP], t.places, t.different);
		failed += t.different;
		compared += t.bodies;
	}
	if (!compared)
		printf ("no framework was found\n");
	return failed ? 1 : compared ? 0 : 77;
}
