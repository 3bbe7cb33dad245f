/*
 * SPDX-License-Identifier: MIT
 *
 * il_rewrite.c - rewrites every method body of an assembly, so that a runtime can judge whether it means the same.
 *
 *   il_rewrite IN OUT SEED
 *
 * At about every third place where code may stand, `ldc.i4 N; pop` is inserted, to be skipped, to be hit, or one of
 * each; SEED decides. The new bodies are appended to the file and to its last section, and the RVA cells of the methods
 * are patched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ecma.h"
#include "il.h"

typedef struct {
	uint8_t *data;
	size_t size, capacity;
} file_bytes;

static void
die (const char *what)
{
	fprintf (stderr, "il_rewrite: %s\n", what);
	exit (1);
}

static file_bytes
read_file (const char *path)
{
	file_bytes f = { 0 };
	FILE *file = fopen (path, "rb");

	if (!file || fseek (file, 0, SEEK_END))
		die (path);
	f.size = (size_t) ftell (file);
	f.capacity = f.size * 8 + 65536;
	f.data = calloc (1, f.capacity);
	rewind (file);
	if (!f.data || fread (f.data, 1, f.size, file) != f.size)
		die (path);
	fclose (file);
	return f;
}

/* monocle__il_write's allocator: the next aligned place at the end of the file. */
static void *
allocate_in_file (void *context, size_t size)
{
	file_bytes *f = context;
	size_t at = (f->size + 3) & ~(size_t) 3;

	if (at + size > f->capacity)
		return NULL;
	f->size = at + size;
	return f->data + at;
}

/* --- one body --------------------------------------------------------------------------------------------------- */

static uint32_t random_state;

static uint32_t
next_random (void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 16;
}

static uint32_t inserted, refused;

/* Between a tail call and its ret nothing may stand (III.2.4). Other places that are not fit the library must know. */
static void
insert_probe (monocle__il_edit *edit, const monocle__il_body *body, uint32_t index, monocle__il_jumps jumps)
{
	const monocle__il_instruction probe[] = { monocle__il_op (MONOCLE__IL_LDC_I4, 12345),
		                                      monocle__il_op (MONOCLE__IL_POP, 0) };

	if (index > 1 && body->code[index - 2].opcode == MONOCLE__IL_TAIL)
		return;
	if (monocle__il_insert (edit, index, jumps, probe, 2))
		refused++;
	else
		inserted++;
}

static void
edit_body (monocle__il_body *body)
{
	monocle__il_edit *edit = monocle__il_edit_new (body);

	for (uint32_t i = 0; edit && i < body->count; i++) {
		uint32_t kinds = next_random () % 3 == 0 ? next_random () % 3 + 1 : 0;

		if (kinds & 1)
			insert_probe (edit, body, i, MONOCLE__IL_JUMPS_SKIP);
		if (kinds & 2)
			insert_probe (edit, body, i, MONOCLE__IL_JUMPS_HIT);
	}
	if (!edit || monocle__il_edit_apply (edit))
		die ("a body could not be edited");
	body->max_stack++;
}

static const uint8_t *
rewrite_body (file_bytes *f, const uint8_t *data, size_t available)
{
	monocle__il_body body;
	uint8_t *written;
	size_t size;

	if (monocle__il_read (&body, data, available, NULL))
		die ("a body could not be read");
	edit_body (&body);
	if (monocle__il_write (&body, false, allocate_in_file, f, &written, &size, NULL, NULL))
		die ("a body could not be written");
	monocle__il_free (&body);
	return written;
}

/* --- the image -------------------------------------------------------------------------------------------------- */

static void
store32 (uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t) (value >> 8 * i);
}

static uint32_t
load32 (const uint8_t *at)
{
	return at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

/* The section that ends highest in memory; its fields: +8 virtual size, +12 address, +16 raw size, +20 raw pointer. */
static uint8_t *
last_section (const monocle__ecma_image *image)
{
	uint8_t *last = (uint8_t *) image->sections;

	for (uint32_t i = 1; i < image->section_count; i++) {
		uint8_t *section = (uint8_t *) image->sections + 40 * i;

		if (load32 (section + 12) > load32 (last + 12))
			last = section;
	}
	return last;
}

/* The rest of the file becomes part of the last section, with what stood behind it (a signature). */
static void
grow_section (file_bytes *f, uint8_t *section)
{
	uint8_t *optional_header = f->data + load32 (f->data + 0x3C) + 24;
	uint32_t section_alignment = load32 (optional_header + 32), file_alignment = load32 (optional_header + 36), size;

	f->size = (f->size + file_alignment - 1) / file_alignment * file_alignment;
	size = (uint32_t) f->size - load32 (section + 20);
	store32 (section + 8, size);
	store32 (section + 16, size);
	size = (load32 (section + 12) + size + section_alignment - 1) / section_alignment * section_alignment;
	store32 (optional_header + 56, size);
}

static uint32_t
rewrite_methods (file_bytes *f, const monocle__ecma_image *image, const uint8_t *section)
{
	const monocle__ecma_table *methods = &image->tables[MONOCLE__TABLE_MethodDef];
	uint32_t count = 0;

	for (uint32_t rid = 1; rid <= methods->rows; rid++) {
		uint8_t *row = (uint8_t *) methods->data + (size_t) (rid - 1) * methods->row_size;
		uint32_t rva = 0, flags = 0;
		const uint8_t *data;
		size_t available;

		if (monocle__ecma_column (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_RVA, &rva) ||
		    monocle__ecma_column (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_ImplFlags, &flags))
			die ("a method could not be read");
		if (rva == 0 || (flags & 3) != 0)
			continue;
		data = monocle__ecma_rva (image, rva, &available);
		if (!data)
			die ("a method has no body");
		data = rewrite_body (f, data, available);
		/* The RVA is the first column (II.22.26). */
		store32 (row, (uint32_t) (data - f->data) - load32 (section + 20) + load32 (section + 12));
		count++;
	}
	return count;
}

int
main (int argc, char **argv)
{
	file_bytes f;
	monocle__ecma_image image;
	uint8_t *section;
	uint32_t count;
	FILE *out;

	if (argc != 4)
		die ("usage: il_rewrite IN OUT SEED");
	random_state = (uint32_t) strtoul (argv[3], NULL, 10);
	f = read_file (argv[1]);
	if (monocle__ecma_open_pe (&image, f.data, f.size, false))
		die ("no managed image");
	section = last_section (&image);
	count = rewrite_methods (&f, &image, section);
	grow_section (&f, section);
	out = fopen (argv[2], "wb");
	if (!out || fwrite (f.data, 1, f.size, out) != f.size || fclose (out))
		die (argv[2]);
	printf ("%u methods, %u insertions, %u refused\n", count, inserted, refused);
	free (f.data);
	return 0;
}
