/*
 * SPDX-License-Identifier: MIT
 *
 * symbols_dump.c - prints what symbol files say of an image as tab separated lines, for test_symbols.py.
 *
 *   symbols-dump locations IMAGE [SYMBOLS]    of every offset of every method
 *   symbols-dump points IMAGE [PDB]           documents, sequence points, scopes, state machines
 *   symbols-dump attributes IMAGE             custom attributes with their arguments
 *
 * SYMBOLS is an .mdb or a portable PDB; without it the image embeds one. Symbols of another image are an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "ecma.h"
#include "il.h"
#include "mdb.h"
#include "pdb.h"
#include "symbol-file.h"

static struct {
	bool is_mdb;
	monocle__mdb mdb;
	monocle__pdb pdb;
} symbols;

static void
must (bool ok, const char *what)
{
	if (ok)
		return;
	fprintf (stderr, "symbols-dump: %s\n", what);
	exit (1);
}

static uint8_t *
read_file (const char *path, size_t *ret_size)
{
	FILE *file = fopen (path, "rb");
	must (file && fseek (file, 0, SEEK_END) == 0, path);
	*ret_size = (size_t) ftell (file);
	rewind (file);
	uint8_t *data = malloc (*ret_size + 1);
	must (data && fread (data, 1, *ret_size, file) == *ret_size, path);
	fclose (file);
	return data;
}

static uint8_t *
open_symbols (const monocle__ecma_image *image, const char *path)
{
	uint8_t *data;
	size_t size;
	if (path)
		data = read_file (path, &size);
	else
		must (monocle__pdb_load_embedded (image, &data, &size) == 0, "no embedded symbols");
	symbols.is_mdb = monocle__mdb_open (&symbols.mdb, data, size) == 0;
	if (symbols.is_mdb)
		must (monocle__mdb_matches (&symbols.mdb, image), "symbols of another image");
	else {
		must (monocle__pdb_open (&symbols.pdb, data, size) == 0, "no symbols");
		must (monocle__pdb_check_id (&symbols.pdb, image) == 0, "symbols of another image");
	}
	return data;
}

static void
print_document (uint32_t document)
{
	char buffer[4096];
	const char *name = buffer;
	uint32_t size = 0;
	if (!document)
		return;
	if (symbols.is_mdb) {
		must (monocle__mdb_document_name (&symbols.mdb, document, &name, &size) == 0, "document");
	} else {
		int length = monocle__pdb_document_name (&symbols.pdb, document, buffer, sizeof buffer);
		must (length >= 0 && length < (int) sizeof buffer, "document");
		size = (uint32_t) length;
	}
	fwrite (name, 1, size, stdout);
}

static uint32_t
code_size (const monocle__ecma_image *image, uint32_t token)
{
	monocle__ecma_methoddef method;
	monocle__il_body body;
	size_t available;
	must (monocle__ecma_get_methoddef (image, token, &method) == 0, "method");
	const uint8_t *data = method.rva ? monocle__ecma_rva (image, method.rva, &available) : NULL;
	if (!data || method.iflags & 3 || monocle__il_read (&body, data, available, NULL))
		return 0;
	uint32_t size = body.original_code_size;
	monocle__il_free (&body);
	return size;
}

static void
dump_location (uint32_t token, uint32_t offset)
{
	monocle__source_location at;
	int error = symbols.is_mdb ? monocle__mdb_locate (&symbols.mdb, token, offset, &at)
	                           : monocle__pdb_locate (&symbols.pdb, token, offset, &at);
	printf ("%08x\t%u\t", token, offset);
	if (error) {
		must (error == MONOCLE__ECMA_E_RANGE, "location");
		puts ("-");
		return;
	}
	printf ("%u\t%u\t%u\t", at.il_offset, at.line, at.column);
	print_document (at.document);
	putchar ('\n');
}

static void
dump_locations (const monocle__ecma_image *image)
{
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, MONOCLE__TABLE_MethodDef); rid++) {
		uint32_t token = MONOCLE__TABLE_MethodDef << 24 | rid, size = code_size (image, token);
		for (uint32_t offset = 0; size && offset <= size; offset++)
			dump_location (token, offset);
	}
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static void
print_hex (const uint8_t *data, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		printf ("%02x", data[i]);
}

static void
dump_documents (const monocle__pdb *pdb)
{
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (&pdb->metadata, MONOCLE__TABLE_Document); rid++) {
		monocle__pdb_document document;
		must (monocle__pdb_get_document (pdb, rid, &document) == 0, "document");
		printf ("D\t%u\t", rid);
		print_document (rid);
		putchar ('\t');
		print_hex (document.language, document.language ? 16 : 0);
		putchar ('\t');
		print_hex (document.hash_algorithm, document.hash_algorithm ? 16 : 0);
		putchar ('\t');
		print_hex (document.hash, document.hash_size);
		putchar ('\n');
	}
}

static void
dump_points_of (const monocle__pdb *pdb, uint32_t token)
{
	monocle__pdb_points points;
	monocle__source_point p;
	int result = monocle__pdb_points_of (pdb, token, &points);
	if (result == MONOCLE__ECMA_E_RANGE)
		return;
	must (result == 0, "points");
	while ((result = monocle__pdb_next_point (&points, &p)) > 0)
		printf ("P\t%08x\t%u\t%u\t%u\t%u\t%u\t%u\t%d\n", token, p.il_offset, p.document, p.start_line, p.start_column,
		        p.end_line, p.end_column, p.hidden);
	must (result == 0, "point");
}

static void
dump_scopes_of (const monocle__pdb *pdb, uint32_t token)
{
	uint32_t row, end;
	for (monocle__pdb_scopes_of (pdb, token, &row, &end); row < end; row++) {
		monocle__pdb_scope scope;
		must (monocle__pdb_get_scope (pdb, row, &scope) == 0, "scope");
		printf ("S\t%08x\t%u\t%u\t%u\n", token, scope.start, scope.end, scope.end_constant - scope.first_constant);
		for (uint32_t i = scope.first_variable; i < scope.end_variable; i++) {
			monocle__pdb_variable variable;
			must (monocle__pdb_get_variable (pdb, i, &variable) == 0, "variable");
			printf ("V\t%u\t%s\t%d\n", variable.slot, variable.name, variable.hidden);
		}
	}
}

static void
dump_points (const monocle__ecma_image *image)
{
	const monocle__pdb *pdb = &symbols.pdb;
	must (!symbols.is_mdb, "not a portable PDB");
	dump_documents (pdb);
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, MONOCLE__TABLE_MethodDef); rid++) {
		uint32_t token = MONOCLE__TABLE_MethodDef << 24 | rid, kickoff = monocle__pdb_kickoff (pdb, token);
		dump_points_of (pdb, token);
		if (kickoff)
			printf ("K\t%08x\t%08x\n", token, kickoff);
		dump_scopes_of (pdb, token);
	}
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static void
dump_attributes (const monocle__ecma_image *image)
{
	for (uint32_t row = 1; row <= monocle__ecma_rows (image, MONOCLE__TABLE_CustomAttribute); row++) {
		monocle__attribute attribute;
		must (monocle__attribute_get (image, row, &attribute) == 0, "attribute");
		printf ("A\t%08x\t%08x\n", attribute.parent_token, attribute.constructor_token);
		must (monocle__attribute_row (image, attribute.parent_token, row - 1) == row, "attribute is not found");
	}
}

/* --- a look beforehand -------------------------------------------------------------------------------------------- */

/* Whether symbols are likely, and whether there are any. */
static int
dump_likely (const char *path)
{
	static monocle__ecma_image image;
	static monocle__symbol_file file;
	static char complaint[MONOCLE__SYMBOL_COMPLAINT];
	size_t size;
	uint8_t *data = read_file (path, &size);
	must (monocle__ecma_open_pe (&image, data, size, false) == 0, path);
	bool found = monocle__symbol_file_find (&file, &image, path, complaint);
	printf ("%s\t%s\n", monocle__symbol_file_is_likely (path) ? "likely" : "unlikely", found ? "found" : "none");
	monocle__symbol_file_done (&file);
	free (data);
	return 0;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	void (*dump) (const monocle__ecma_image *image);
	bool needs_symbols;
} dumps[] = {
	{ "locations", dump_locations, true },
	{ "points", dump_points, true },
	{ "attributes", dump_attributes, false },
};

int
main (int argc, char **argv)
{
	static monocle__ecma_image image;
	size_t size, which = 0, count = sizeof dumps / sizeof dumps[0];
	while (argc > 2 && which < count && strcmp (dumps[which].name, argv[1]) != 0)
		which++;
	if (argc == 3 && strcmp (argv[1], "likely") == 0)
		return dump_likely (argv[2]);
	if (argc < 3 || which == count) {
		fputs ("usage: symbols-dump locations|points|attributes IMAGE [SYMBOLS]\n       symbols-dump likely IMAGE\n",
		       stderr);
		return 2;
	}
	uint8_t *data = read_file (argv[2], &size);
	must (monocle__ecma_open_pe (&image, data, size, false) == 0, argv[2]);
	uint8_t *file = dumps[which].needs_symbols ? open_symbols (&image, argv[3]) : NULL;
	dumps[which].dump (&image);
	free (file);
	free (data);
	return 0;
}
