/*
 * SPDX-License-Identifier: MIT
 *
 * ecma_dump.c - prints tables of an image as tab separated lines, for compare_monodis.py.
 *
 *   ecma-dump typedef|method|nested|genericpar|param|module|standalonesig FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ecma.h"

static monocle__ecma_image image;

static uint32_t
cell (uint32_t table, uint32_t rid, uint32_t column)
{
	uint32_t value = 0;
	if (monocle__ecma_column (&image, table, rid, column, &value)) {
		fprintf (stderr, "ecma-dump: no cell %u:%u:%u\n", (unsigned) table, (unsigned) rid, (unsigned) column);
		exit (1);
	}
	return value;
}

#define CELL(table, rid, column) cell (MONOCLE__TABLE_##table, rid, MONOCLE__COL_##table##_##column)

static const char *
name_at (uint32_t offset)
{
	const char *name = monocle__ecma_string (&image, offset);
	if (!name) {
		fprintf (stderr, "ecma-dump: no string at %u\n", (unsigned) offset);
		exit (1);
	}
	return name;
}

static void
print_type_name (uint32_t token)
{
	monocle__ecma_typedef type;
	if (monocle__ecma_get_typedef (&image, token, &type))
		exit (1);
	if (type.enclosing_token) {
		print_type_name (type.enclosing_token);
		printf ("/%s", type.name);
	} else
		printf ("%s%s%s", type.name_space, *type.name_space ? "." : "", type.name);
}

static void
dump_typedef (uint32_t rid)
{
	printf ("%u\t", (unsigned) rid);
	print_type_name (0x02000000 | rid);
	printf ("\t%u\t%u\t%#x\t%x\n", (unsigned) CELL (TypeDef, rid, FieldList),
	        (unsigned) CELL (TypeDef, rid, MethodList), (unsigned) CELL (TypeDef, rid, Flags),
	        (unsigned) CELL (TypeDef, rid, Extends));
}

static void
dump_method (uint32_t rid)
{
	monocle__ecma_methoddef method;
	monocle__ecma_typedef owner;
	if (monocle__ecma_get_methoddef (&image, 0x06000000 | rid, &method) ||
	    monocle__ecma_get_typedef (&image, monocle__ecma_method_owner (&image, 0x06000000 | rid), &owner))
		exit (1);
	printf ("%u\t%s.%s\t%s\t%u\n", (unsigned) rid, owner.name_space, owner.name, method.name,
	        (unsigned) CELL (MethodDef, rid, ParamList));
}

static void
dump_nested (uint32_t rid)
{
	uint32_t nested = CELL (NestedClass, rid, NestedClass);
	printf ("%u\t%u\t%u\n", (unsigned) rid, (unsigned) nested,
	        (unsigned) (monocle__ecma_enclosing (&image, 0x02000000 | nested) & 0xFFFFFF));
}

static void
dump_genericpar (uint32_t rid)
{
	printf ("%u\t%u\t%u\t%x\t%s\n", (unsigned) rid, (unsigned) CELL (GenericParam, rid, Number),
	        (unsigned) CELL (GenericParam, rid, Flags), (unsigned) CELL (GenericParam, rid, Owner),
	        name_at (CELL (GenericParam, rid, Name)));
}

static void
dump_param (uint32_t rid)
{
	printf ("%u\t0x%04x\t%u\t%s\n", (unsigned) rid, (unsigned) CELL (Param, rid, Flags),
	        (unsigned) CELL (Param, rid, Sequence), name_at (CELL (Param, rid, Name)));
}

static void
dump_module (uint32_t rid)
{
	char mvid[37];
	if (monocle__ecma_mvid (&image, mvid))
		exit (1);
	printf ("%u\t%s\t%s\n", (unsigned) rid, name_at (CELL (Module, rid, Name)), mvid);
}

static void
dump_standalonesig (uint32_t rid)
{
	const uint8_t *data;
	uint32_t size, offset = CELL (StandAloneSig, rid, Signature);
	if (monocle__ecma_blob (&image, offset, &data, &size))
		exit (1);
	printf ("%u\t%#x\t", (unsigned) rid, (unsigned) offset);
	for (uint32_t i = 0; i < size; i++)
		printf ("%02x ", data[i]);
	putchar ('\n');
}

static const struct {
	const char *name;
	uint32_t table;
	void (*dump) (uint32_t rid);
} dumps[] = {
	{ "typedef", MONOCLE__TABLE_TypeDef, dump_typedef },
	{ "method", MONOCLE__TABLE_MethodDef, dump_method },
	{ "nested", MONOCLE__TABLE_NestedClass, dump_nested },
	{ "genericpar", MONOCLE__TABLE_GenericParam, dump_genericpar },
	{ "param", MONOCLE__TABLE_Param, dump_param },
	{ "module", MONOCLE__TABLE_Module, dump_module },
	{ "standalonesig", MONOCLE__TABLE_StandAloneSig, dump_standalonesig },
};

static void *
read_file (const char *path, size_t *ret_size)
{
	FILE *file = fopen (path, "rb");
	if (!file || fseek (file, 0, SEEK_END)) {
		perror (path);
		exit (1);
	}
	*ret_size = (size_t) ftell (file);
	rewind (file);
	void *data = malloc (*ret_size);
	if (!data || fread (data, 1, *ret_size, file) != *ret_size) {
		perror (path);
		exit (1);
	}
	fclose (file);
	return data;
}

int
main (int argc, char **argv)
{
	size_t size;
	if (argc != 3) {
		fputs ("usage: ecma-dump TABLE FILE\n", stderr);
		return 2;
	}
	void *data = read_file (argv[2], &size);
	int failed = monocle__ecma_open_pe (&image, data, size, false) != 0;
	for (size_t i = 0; !failed && i < sizeof dumps / sizeof dumps[0]; i++)
		if (strcmp (dumps[i].name, argv[1]) == 0)
			for (uint32_t rid = 1; rid <= monocle__ecma_rows (&image, dumps[i].table); rid++)
				dumps[i].dump (rid);
	free (data);
	return failed;
}
