/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-settle.c - a coverage's life: begun, and made of the store what people look at.
 */
#include "coverage-raw.h"
#include "cover-file.h"

#include <stdlib.h>
#include <string.h>

monocle__coverage *
monocle__coverage_new (void)
{
	monocle__coverage *coverage = calloc (1, sizeof *coverage);
	if (!coverage)
		return NULL;
	coverage->priv = calloc (1, sizeof *coverage->priv);
	if (!coverage->priv) {
		free (coverage);
		return NULL;
	}
	coverage->runtime = coverage->program = coverage->desc = "";
	return coverage;
}

void
monocle__coverage_free (monocle__coverage *coverage)
{
	if (!coverage)
		return;
	for (size_t i = 0; i < coverage->file_count; i++)
		free ((char *) coverage->files[i].local);
	free (coverage->images);
	free (coverage->files);
	free (coverage->types);
	free (coverage->methods);
	free (coverage->bodies);
	free (coverage->points);
	free (coverage->arms);
	free (coverage->lines);
	free (coverage->line_arms);
	free (coverage->priv->file_paths);
	free (coverage->priv->first_of_point);
	free (coverage->priv->lines_of_points);
	free (coverage->priv->never);
	free (coverage->priv->image_sums);
	free (coverage->priv->file_sums);
	free (coverage->priv->type_sums);
	free (coverage->priv->method_sums);
	monocle__coverage_raw_done (&coverage->priv->raw);
	free (coverage->priv);
	free (coverage);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool *
documents_with_points (const monocle__coverage_raw *raw)
{
	bool *used = calloc (raw->document_count + 1, sizeof *used);
	for (size_t i = 0; used && i < raw->method_count; i++) {
		const monocle__coverage_raw_method *m = &raw->methods[i];
		for (uint32_t k = 0; k < m->point_count; k++) {
			const monocle__coverage_raw_point *p = &raw->points[m->first_point + k];
			if (monocle__coverage_is_visible (p))
				used[p->document] = true;
		}
	}
	return used;
}

static bool
is_wanted (const char *path, const monocle__coverage_options *options)
{
	return (!options->include || monocle__coverage_path_matches (path, options->include)) &&
	       (!options->exclude || !monocle__coverage_path_matches (path, options->exclude));
}

/* The document, and where its path leads. */
typedef struct {
	const char *path;
	const monocle__coverage_raw_document *document;
	uint32_t index;
} place;

static int
compare_places (const void *a, const void *b)
{
	const place *x = a, *y = b;
	int order = x->path == y->path ? 0 : strcmp (x->path, y->path);
	return order ? order : monocle__coverage_raw_compare_documents (x->document, y->document);
}

/* The wanted documents' places; -1: out of memory. */
static int
find_places (monocle__coverage_raw *raw, const monocle__coverage_options *options, const bool *used, place *places,
             size_t *ret_count)
{
	size_t count = 0;
	for (uint32_t i = 0; i < raw->document_count; i++) {
		place p = { .document = &raw->documents[i], .index = i };
		if (!used[i])
			continue;
		if (!(p.path = monocle__coverage_path_mapped (raw, p.document->path, options->map)))
			return -1;
		if (is_wanted (p.path, options))
			places[count++] = p;
	}
	qsort (places, count, sizeof *places, compare_places);
	*ret_count = count;
	return 0;
}

/* Documents that lead to one path are one file; its hash is the first that is known. */
static void
add_files (monocle__coverage *coverage, const place *places, size_t count, uint32_t *file_of)
{
	for (size_t i = 0; i < count; i++) {
		monocle__coverage_file *file = &coverage->files[coverage->file_count];
		if (coverage->file_count && strcmp (file[-1].path, places[i].path) == 0)
			file--;
		else
			coverage->file_count++;
		file->path = places[i].path;
		if (!coverage->priv->file_paths[file - coverage->files])
			coverage->priv->file_paths[file - coverage->files] = places[i].document->path;
		if (file->hash_size == 0) {
			file->hash_size = places[i].document->hash_size;
			memcpy (file->hash, places[i].document->hash, sizeof file->hash);
		}
		file_of[places[i].index] = (uint32_t) (file - coverage->files);
	}
}

/* *ret_file_of has an entry for each document of the store (NONE: left out) and is the caller's. */
static int
make_files (monocle__coverage *coverage, const monocle__coverage_options *options, uint32_t **ret_file_of)
{
	monocle__coverage_raw *raw = &coverage->priv->raw;
	size_t count = raw->document_count, found;
	bool *used = documents_with_points (raw);
	place *places = calloc (count + 1, sizeof *places);
	uint32_t *file_of = malloc ((count + 1) * sizeof *file_of);
	int result = -1;
	coverage->files = calloc (count + 1, sizeof *coverage->files);
	coverage->priv->file_paths = calloc (count + 1, sizeof *coverage->priv->file_paths);
	if (used && places && file_of && coverage->files && coverage->priv->file_paths &&
	    find_places (raw, options, used, places, &found) == 0) {
		memset (file_of, 0xff, (count + 1) * sizeof *file_of);
		add_files (coverage, places, found, file_of);
		*ret_file_of = file_of;
		file_of = NULL;
		result = 0;
	}
	free (used);
	free (places);
	free (file_of);
	return result;
}

/* --- settling ----------------------------------------------------------------------------------------------------- */

int
monocle__coverage_settle (monocle__coverage *coverage, const monocle__coverage_options *options)
{
	static const monocle__coverage_options none = { 0 };
	uint32_t *file_of;
	int result;
	if (coverage->settled)
		return 0;
	if (!options)
		options = &none;
	if (make_files (coverage, options, &file_of) != 0)
		return -1;
	result = monocle__coverage_fold (coverage, file_of);
	free (file_of);
	if (result != 0 || monocle__coverage_make_lines (coverage) != 0 || monocle__coverage_make_sums (coverage) != 0)
		return -1;
	coverage->settled = true;
	return 0;
}
