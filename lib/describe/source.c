/*
 * SPDX-License-Identifier: MIT
 *
 * source.c - what the symbols of an image say: the source of an IL offset, the names of locals.
 *
 * A damaged method is an answer without a location, and one line for the whole file.
 */
#include "source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "describe-priv.h"
#include "source-priv.h"

void
monocle__describe_source_close (monocle__describe_source *source)
{
	while (source) {
		monocle__describe_source *older = source->older;
		for (uint32_t i = 0; source->documents && i <= source->file.document_count; i++)
			free (atomic_load_explicit (&source->documents[i], memory_order_relaxed));
		free ((void *) source->documents);
		monocle__symbol_file_done (&source->file);
		free (source);
		source = older;
	}
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static monocle__describe_document *
document_new (size_t length)
{
	monocle__describe_document *document = calloc (1, sizeof *document + length + 1);
	if (document)
		document->shown.path = document->path;
	return document;
}

static monocle__describe_document *
pdb_document (const monocle__describe_source *source, uint32_t number)
{
	monocle__pdb_document row;
	int length = monocle__pdb_document_name (&source->file.pdb, number, NULL, 0);
	monocle__describe_document *document = length < 0 ? NULL : document_new ((size_t) length);
	if (!document)
		return NULL;
	monocle__pdb_document_name (&source->file.pdb, number, document->path, (size_t) length + 1);
	if (monocle__pdb_get_document (&source->file.pdb, number, &row) == 0) {
		document->shown.hash = row.hash;
		document->shown.hash_size = row.hash ? row.hash_size : 0;
	}
	return document;
}

static monocle__describe_document *
mdb_document (const monocle__describe_source *source, uint32_t number)
{
	const char *name;
	uint32_t length;
	if (monocle__mdb_document_name (&source->file.mdb, number, &name, &length))
		return NULL;
	monocle__describe_document *document = document_new (length);
	if (document)
		memcpy (document->path, name, length);
	return document;
}

/* NULL: it has none, or an unreadable one. */
static const MonocleCoverageDocument *
document_of (monocle__describe_source *source, uint32_t number)
{
	if (!number || number > source->file.document_count)
		return NULL;
	_Atomic (monocle__describe_document *) *slot = &source->documents[number];
	monocle__describe_document *known = atomic_load_explicit (slot, memory_order_acquire);
	if (known)
		return &known->shown;
	monocle__describe_document *made =
	    source->file.kind == MONOCLE__SYMBOLS_PDB ? pdb_document (source, number) : mdb_document (source, number);
	if (!made || atomic_compare_exchange_strong (slot, &known, made))
		return made ? &made->shown : NULL;
	free (made);
	return &known->shown;
}

static const char *
document_name (monocle__describe_source *source, uint32_t number)
{
	const MonocleCoverageDocument *document = document_of (source, number);
	return document ? document->path : NULL;
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

/* The first broken method of a file has a line; RANGE is a method, or a place in it, that the file does not know. */
static void
complain (monocle__describe_source *source, uint32_t token, int error)
{
	if (error != MONOCLE__ECMA_E_RANGE && !atomic_exchange (&source->complained, true))
		monocle_log ("%s is damaged at method 0x%08x, and may be elsewhere: no source lines there",
		             source->file.path ? source->file.path : "a symbol file", token);
}

/* A portable PDB knows every method of its image, an .mdb those that it lists. */
static bool
knows_method (const monocle__describe_source *source, uint32_t token)
{
	monocle__mdb_points points;
	if (source->file.kind == MONOCLE__SYMBOLS_PDB)
		return true;
	return source->file.kind == MONOCLE__SYMBOLS_MDB && monocle__mdb_points_of (&source->file.mdb, token, &points) == 0;
}

int
monocle__describe_source_locate (monocle__describe_source *source, uint32_t token, uint32_t il_offset,
                                 monocle_source_info *ret)
{
	monocle__source_location at;
	if (!knows_method (source, token))
		return MONOCLE_E_UNKNOWN;
	int error = monocle__symbol_file_locate (&source->file, token, il_offset, &at);
	if (error) {
		complain (source, token, error);
		return MONOCLE_E_NOT_FOUND;
	}
	ret->file = document_name (source, at.document);
	ret->row = at.line;
	ret->column = at.column;
	ret->il_offset = at.il_offset;
	ret->end_row = at.end_line;
	ret->end_column = at.end_column;
	return MONOCLE_OK;
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static MonocleCoveragePoint
point_shown (monocle__describe_source *source, const monocle__source_point *p)
{
	if (p->hidden || !p->start_line)
		return (MonocleCoveragePoint) { .il_offset = p->il_offset };
	return (MonocleCoveragePoint) {
		.document = document_of (source, p->document),
		.il_offset = p->il_offset,
		.start_line = p->start_line,
		.start_column = p->start_column,
		.end_line = p->end_line,
		.end_column = p->end_column,
	};
}

/* An .mdb may have an offset twice, of which the last one counts. */
int
monocle__describe_source_points (monocle__describe_source *source, uint32_t token, MonocleCoveragePoint *points,
                                 uint32_t capacity)
{
	monocle__source_point p;
	uint32_t count = 0, last = UINT32_MAX;
	monocle__symbol_points w;
	int more = monocle__symbol_file_points (&source->file, token, &w);
	if (more)
		return more;
	while ((more = monocle__symbol_file_next (&w, &p)) > 0) {
		count += !count || p.il_offset != last;
		last = p.il_offset;
		if (count <= capacity)
			points[count - 1] = point_shown (source, &p);
	}
	if (more < 0)
		complain (source, token, more);
	return more < 0 ? more : (int) count;
}

uint32_t
monocle__describe_source_kickoff (const monocle__describe_source *source, uint32_t token)
{
	return source->file.kind == MONOCLE__SYMBOLS_PDB ? monocle__pdb_kickoff (&source->file.pdb, token) : 0;
}

uint32_t
monocle__describe_source_awaits (const monocle__describe_source *source, uint32_t token,
                                 monocle__describe_await *awaits, uint32_t capacity)
{
	monocle__pdb_awaits all;
	uint32_t count = 0, yield, resume;
	if (source->file.kind != MONOCLE__SYMBOLS_PDB || monocle__pdb_awaits_of (&source->file.pdb, token, &all))
		return 0;
	for (; monocle__pdb_next_await (&all, &yield, &resume); count++)
		if (count < capacity)
			awaits[count] = (monocle__describe_await) { yield, resume };
	return count;
}

bool
monocle__describe_source_is_there (const monocle__describe_source *source)
{
	return source->file.kind != MONOCLE__SYMBOLS_NONE;
}

/* --- locals ------------------------------------------------------------------------------------------------------- */

static int
pdb_local (const monocle__pdb *pdb, uint32_t token, uint32_t index, monocle_local_info *ret)
{
	monocle__pdb_variable variable;
	monocle__pdb_scope scope;
	uint32_t first, end;
	monocle__pdb_scopes_of (pdb, token, &first, &end);
	for (uint32_t row = first; row < end; row++) {
		int error = monocle__pdb_get_scope (pdb, row, &scope);
		if (error)
			return error;
		uint32_t count = scope.end_variable - scope.first_variable;
		if (index >= count) {
			index -= count;
			continue;
		}
		error = monocle__pdb_get_variable (pdb, scope.first_variable + index, &variable);
		if (error)
			return error;
		ret->name = variable.name;
		ret->name_length = (uint32_t) strlen (variable.name);
		ret->slot = variable.slot;
		ret->scope = row - first;
		return 0;
	}
	return MONOCLE__ECMA_E_RANGE;
}

static int
mdb_local (const monocle__mdb *mdb, uint32_t token, uint32_t index, monocle_local_info *ret)
{
	monocle__mdb_local local;
	int error = monocle__mdb_get_local (mdb, token, index, &local);
	if (error)
		return error;
	ret->name = local.name;
	ret->name_length = local.name_size;
	ret->slot = local.slot;
	ret->scope = local.block - 1;
	return 0;
}

int
monocle__describe_source_local (monocle__describe_source *source, uint32_t token, uint32_t index,
                                monocle_local_info *ret)
{
	int error = MONOCLE__ECMA_E_RANGE;
	if (source->file.kind == MONOCLE__SYMBOLS_PDB)
		error = pdb_local (&source->file.pdb, token, index, ret);
	if (source->file.kind == MONOCLE__SYMBOLS_MDB)
		error = mdb_local (&source->file.mdb, token, index, ret);
	if (error)
		complain (source, token, error);
	return error ? MONOCLE_E_UNKNOWN : MONOCLE_OK;
}

/* The last of the scopes before this one that holds all of it: outer ones come first. */
static uint32_t
pdb_parent (const monocle__pdb *pdb, uint32_t first, uint32_t row, const monocle__pdb_scope *scope)
{
	monocle__pdb_scope other;
	for (uint32_t i = row; i-- > first;)
		if (monocle__pdb_get_scope (pdb, i, &other) == 0 && other.start <= scope->start && scope->end <= other.end)
			return i - first;
	return UINT32_MAX;
}

static int
pdb_scope (const monocle__pdb *pdb, uint32_t token, uint32_t index, monocle_scope_info *ret)
{
	monocle__pdb_scope scope;
	uint32_t first, end;
	monocle__pdb_scopes_of (pdb, token, &first, &end);
	if (index >= end - first)
		return MONOCLE__ECMA_E_RANGE;
	int error = monocle__pdb_get_scope (pdb, first + index, &scope);
	if (error)
		return error;
	ret->start = scope.start;
	ret->end = scope.end;
	ret->parent = pdb_parent (pdb, first, first + index, &scope);
	ret->kind = 0;
	return 0;
}

static int
mdb_scope (const monocle__mdb *mdb, uint32_t token, uint32_t index, monocle_scope_info *ret)
{
	monocle__mdb_block block;
	int error = monocle__mdb_get_block (mdb, token, index, &block);
	if (error)
		return error;
	ret->start = block.start;
	ret->end = block.end;
	ret->parent = block.parent - 1;
	ret->kind = block.kind;
	return 0;
}

int
monocle__describe_source_scope (monocle__describe_source *source, uint32_t token, uint32_t index,
                                monocle_scope_info *ret)
{
	int error = MONOCLE__ECMA_E_RANGE;
	if (source->file.kind == MONOCLE__SYMBOLS_PDB)
		error = pdb_scope (&source->file.pdb, token, index, ret);
	if (source->file.kind == MONOCLE__SYMBOLS_MDB)
		error = mdb_scope (&source->file.mdb, token, index, ret);
	if (error)
		complain (source, token, error);
	return error ? MONOCLE_E_UNKNOWN : MONOCLE_OK;
}

/* --- operations --------------------------------------------------------------------------------------------------- */

/* Files are looked for by one thread at a time; what was found is read without a lock. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

monocle__describe_source *
monocle__describe_source_of (monocle__describe_image *image)
{
	monocle__describe_source *source = atomic_load_explicit (&image->source, memory_order_acquire);
	if (source)
		return source;
	pthread_mutex_lock (&opening);
	source = atomic_load_explicit (&image->source, memory_order_acquire);
	if (!source) {
		source = monocle__describe_source_open (&image->ecma, mono_image_get_filename (image->record));
		atomic_store_explicit (&image->source, source, memory_order_release);
	}
	pthread_mutex_unlock (&opening);
	return source;
}

static monocle__describe_source *
source_of_method (MonoMethod *method)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	return image ? monocle__describe_source_of (image) : NULL;
}

static int
source_of (void *host, MonoMethod *method, uint32_t il_offset, monocle_source_info *ret)
{
	monocle__describe_source *source = source_of_method (method);
	return source ? monocle__describe_source_locate (source, monocle_method_token (method), il_offset, ret)
	              : MONOCLE_E_UNKNOWN;
}

static int
describe_local (void *host, MonoMethod *method, uint32_t index, monocle_local_info *ret)
{
	monocle__describe_source *source = source_of_method (method);
	return source ? monocle__describe_source_local (source, monocle_method_token (method), index, ret)
	              : MONOCLE_E_UNKNOWN;
}

static int
describe_scope (void *host, MonoMethod *method, uint32_t index, monocle_scope_info *ret)
{
	monocle__describe_source *source = source_of_method (method);
	return source ? monocle__describe_source_scope (source, monocle_method_token (method), index, ret)
	              : MONOCLE_E_UNKNOWN;
}

/* Another thread may be reading the symbols that these replace: they stay until the image goes. */
static int
set_symbols (void *host, MonoImage *record, const void *data, uint32_t size)
{
	monocle__describe_image *image = monocle__describe_image_of (record);
	if (!image)
		return MONOCLE_E_UNKNOWN;
	monocle__describe_source *source =
	    monocle__describe_source_from (&image->ecma, mono_image_get_filename (record), data, size);
	if (!source)
		return MONOCLE_E_INVALID;
	pthread_mutex_lock (&opening);
	source->older = atomic_load_explicit (&image->source, memory_order_acquire);
	atomic_store_explicit (&image->source, source, memory_order_release);
	pthread_mutex_unlock (&opening);
	return MONOCLE_OK;
}

void
monocle__describe_source_ops (monocle_host_ops *ops)
{
	ops->source_of = source_of;
	ops->describe_local = describe_local;
	ops->describe_scope = describe_scope;
	ops->set_symbols = set_symbols;
}
