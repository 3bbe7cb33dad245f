/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_ecma_symbols.c - any bytes as a portable PDB, as an .mdb, and as an image with symbols and attributes inside;
 * what opens is asked everything.
 */
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "debug-directory.h"
#include "mdb.h"
#include "pdb.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { METHODS_MAX = 64, ROWS_MAX = 64, METHODDEF = MONOCLE__TABLE_MethodDef << 24 };

/* With an answer that no header names the run ends here. */
static void
check (int code)
{
	if (code < MONOCLE__PDB_E_UNRELATED || code > 0)
		abort ();
}

/* A location is that of some point: offsets ascend, so that a later offset never has an earlier one. */
static void
locate_everywhere (const monocle__pdb *pdb, uint32_t token)
{
	monocle__source_location at, last = { 0 };
	for (uint32_t offset = 0; offset < 32; offset++) {
		int error = monocle__pdb_locate (pdb, token, offset, &at);
		check (error);
		if (error)
			continue;
		if (at.il_offset < last.il_offset)
			abort ();
		last = at;
	}
}

static void
walk_points (const monocle__pdb *pdb, uint32_t token)
{
	monocle__pdb_points points;
	monocle__source_point point;
	int result = monocle__pdb_points_of (pdb, token, &points);
	while (!result && (result = monocle__pdb_next_point (&points, &point)) == 1) {
		if (point.hidden ? point.start_line : point.end_line < point.start_line)
			abort ();
		result = 0;
		if (points.cursor.at == points.cursor.end)
			break;
	}
	check (result);
}

static void
walk_scopes (const monocle__pdb *pdb, uint32_t token)
{
	uint32_t row, end;
	for (monocle__pdb_scopes_of (pdb, token, &row, &end); row < end; row++) {
		monocle__pdb_scope scope;
		monocle__pdb_variable variable;
		if (monocle__pdb_get_scope (pdb, row, &scope))
			continue;
		for (uint32_t i = scope.first_variable; i < scope.end_variable; i++)
			check (monocle__pdb_get_variable (pdb, i, &variable));
	}
}

static void
walk_pdb (const monocle__pdb *pdb)
{
	for (uint32_t i = 0; i < ROWS_MAX; i++) {
		monocle__pdb_document document;
		char name[16];
		int length = monocle__pdb_document_name (pdb, i, name, sizeof name);
		check (length > 0 ? 0 : length);
		if (length >= 0 && strlen (name) > (size_t) length)
			abort ();
		check (monocle__pdb_get_document (pdb, i, &document));
	}
	for (uint32_t token = METHODDEF; token < METHODDEF + METHODS_MAX; token++) {
		locate_everywhere (pdb, token);
		walk_points (pdb, token);
		walk_scopes (pdb, token);
		if (monocle__pdb_kickoff (pdb, token) == METHODDEF)
			abort ();
	}
}

/* A count may be any number, but what is read lies in the file: each local takes three bytes of it, a block four. */
static void
walk_mdb_locals (const monocle__mdb *mdb, uint32_t token)
{
	monocle__mdb_local local;
	monocle__mdb_block block;
	int result = 0;
	for (uint32_t i = 0; !result && i < ROWS_MAX; i++) {
		result = monocle__mdb_get_local (mdb, token, i, &local);
		if (!result && local.name_size > mdb->size)
			abort ();
	}
	check (result);
	result = 0;
	for (uint32_t i = 0; !result && i < ROWS_MAX; i++)
		result = monocle__mdb_get_block (mdb, token, i, &block);
	check (result);
}

static void
walk_mdb (const monocle__mdb *mdb)
{
	for (uint32_t i = 0; i < ROWS_MAX; i++) {
		const char *name;
		uint32_t size;
		check (monocle__mdb_document_name (mdb, i, &name, &size));
	}
	for (uint32_t token = METHODDEF; token < METHODDEF + METHODS_MAX; token++) {
		monocle__mdb_points points;
		monocle__source_point point;
		monocle__source_location at;
		int result = monocle__mdb_points_of (mdb, token, &points);
		while (!result && (result = monocle__mdb_next_point (&points, &point)) == 1)
			result = 0;
		check (result);
		check (monocle__mdb_locate (mdb, token, 9, &at));
		walk_mdb_locals (mdb, token);
	}
}

static void
walk_attributes (const monocle__ecma_image *image)
{
	for (uint32_t row = 1; row < ROWS_MAX; row++) {
		monocle__attribute attribute;
		check (monocle__attribute_get (image, row, &attribute));
	}
	monocle__attribute_find (image, 0x20000001, "N", "Marker");
}

/* What the image says that its symbols unpack to. */
static uint32_t
embedded_size (const monocle__ecma_image *image)
{
	monocle__debug_entry entry;
	const uint8_t *packed;
	uint32_t packed_size, size = 0;
	if (monocle__debug_find (image, MONOCLE__DEBUG_EMBEDDED, &entry) == 0)
		monocle__debug_read_embedded (&entry, &packed, &packed_size, &size);
	return size;
}

static void
walk_image (const monocle__ecma_image *image)
{
	monocle__debug_entry entry;
	uint8_t *data;
	size_t size;
	for (uint32_t i = 0; i < ROWS_MAX && monocle__debug_get (image, i, &entry) == 0; i++) {
		monocle__debug_codeview codeview;
		const uint8_t *packed;
		uint32_t packed_size, unpacked_size;
		check (monocle__debug_read_codeview (&entry, &codeview));
		check (monocle__debug_read_embedded (&entry, &packed, &packed_size, &unpacked_size));
	}
	if (embedded_size (image) < 1 << 20 && monocle__pdb_load_embedded (image, &data, &size) == 0) {
		static monocle__pdb pdb;
		if (monocle__pdb_open (&pdb, data, size) == 0) {
			check (monocle__pdb_check_id (&pdb, image));
			walk_pdb (&pdb);
		}
		free (data);
	}
	walk_attributes (image);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static monocle__pdb pdb;
	static monocle__mdb mdb;
	static monocle__ecma_image image;
	int error = monocle__pdb_open (&pdb, data, size);
	check (error);
	if (!error)
		walk_pdb (&pdb);
	error = monocle__mdb_open (&mdb, data, size);
	check (error);
	if (!error)
		walk_mdb (&mdb);
	if (monocle__ecma_open_pe (&image, data, size, false) == 0 ||
	    monocle__ecma_open_pe (&image, data, size, true) == 0 || monocle__ecma_open_metadata (&image, data, size) == 0)
		walk_image (&image);
	return 0;
}
