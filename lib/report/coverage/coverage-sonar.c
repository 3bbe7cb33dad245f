/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-sonar.c - SonarQube's generic test coverage format, version 1: lines of files, and no more.
 */
#include "coverage-format.h"
#include "coverage-roots.h"
#include "xml.h"

static void
write_line (monocle__xml *xml, const monocle__coverage_line *line)
{
	monocle__xml_start (xml, "lineToCover");
	monocle__xml_number (xml, "lineNumber", line->number);
	monocle__xml_string (xml, "covered", line->hits > 0 ? "true" : "false");
	if (line->arms > 0) {
		monocle__xml_number (xml, "branchesToCover", line->arms);
		monocle__xml_number (xml, "coveredBranches", line->arms_hit);
	}
	monocle__xml_end (xml);
}

int
monocle__coverage_sonar_convert (FILE *out, const monocle__coverage *coverage,
                                 const monocle__coverage_convert_options *options)
{
	monocle__coverage_roots *roots = monocle__coverage_roots_new (coverage, options->source_root);
	monocle__xml xml;
	if (!roots)
		return -1;
	xml = monocle__xml_begin (out);
	monocle__xml_start (&xml, "coverage");
	monocle__xml_number (&xml, "version", 1);
	for (uint32_t f = 0; f < coverage->file_count; f++) {
		const monocle__coverage_file *file = &coverage->files[f];
		if (file->line_count == 0)
			continue;
		monocle__xml_start (&xml, "file");
		monocle__xml_string (&xml, "path", monocle__coverage_roots_short (roots, f));
		for (uint32_t i = 0; i < file->line_count; i++)
			write_line (&xml, &coverage->lines[file->first_line + i]);
		monocle__xml_end (&xml);
	}
	monocle__xml_end (&xml);
	monocle__coverage_roots_free (roots);
	return 0;
}
