/*
 * SPDX-License-Identifier: MIT
 *
 * choices.c - see choices.h.
 */
#include "choices.h"

#include "coverage-format.h"
#include "format.h"
#include "report-format.h"

monocle__choice
monocle__choices_sort (size_t index)
{
	return (monocle__choice) { index < monocle__sort_count ? monocle__sort_names[index] : NULL, NULL };
}

monocle__choice
monocle__choices_report_format (size_t index)
{
	return (monocle__choice) { index < monocle__report_format_count ? monocle__report_formats[index].name : NULL,
		                       NULL };
}

monocle__choice
monocle__choices_file_format (size_t index)
{
	const monocle__file_format *format = &monocle__file_formats[index];
	if (index >= monocle__file_format_count)
		return (monocle__choice) { 0 };
	return (monocle__choice) { format->name, format->help };
}

monocle__choice
monocle__choices_coverage_format (size_t index)
{
	const monocle__coverage_format *format = &monocle__coverage_formats[index];
	if (index >= monocle__coverage_format_count)
		return (monocle__choice) { 0 };
	return (monocle__choice) { format->name, format->help };
}

monocle__choice
monocle__choices_convert_format (size_t index)
{
	if (index < monocle__file_format_count)
		return monocle__choices_file_format (index);
	return monocle__choices_coverage_format (index - monocle__file_format_count);
}
