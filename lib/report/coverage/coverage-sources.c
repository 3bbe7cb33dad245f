/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-sources.c - where the sources of a coverage are on this machine.
 */
#include "coverage-raw.h"
#include "source-path.h"

int
monocle__coverage_find_sources (monocle__coverage *coverage, const monocle__coverage_options *options)
{
	static const monocle__coverage_options none = { 0 };
	char folder[PATH_MAX];
	const char *working_copy = monocle__source_path_working_copy (folder) ? folder : NULL;
	options = options ? options : &none;
	for (size_t i = 0; i < coverage->file_count; i++) {
		if (!coverage->files[i].local)
			coverage->files[i].local = monocle__source_path_find (
			    coverage->files[i].path, coverage->priv->file_paths[i], options->sources, working_copy);
	}
	return 0;
}
