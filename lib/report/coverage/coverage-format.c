/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-format.c - see coverage-format.h and coverage-formats.def.
 */
#include "coverage-format.h"

#define COVERAGE_FORMAT(name, extension, help) { #name, extension, help, monocle__coverage_##name##_convert },
const monocle__coverage_format monocle__coverage_formats[] = {
#include "coverage-formats.def"
};
#undef COVERAGE_FORMAT
const size_t monocle__coverage_format_count = sizeof monocle__coverage_formats / sizeof *monocle__coverage_formats;
