/*
 * SPDX-License-Identifier: MIT
 *
 * source-point.h - what both kinds of symbol files say about a method: where its code comes from.
 */
#ifndef MONOCLE_ECMA_SOURCE_POINT_H
#define MONOCLE_ECMA_SOURCE_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* A sequence point: the code from here to the next point belongs to a piece of a document, or to none (hidden). */
typedef struct {
	uint32_t il_offset;
	uint32_t document;                 /* what the file's _document_name takes; 0: it names none */
	uint32_t start_line, start_column; /* from 1; a column of 0 is unknown */
	uint32_t end_line, end_column;     /* the column after the last one; both 0 where the file keeps no ends */
	bool hidden;                       /* not written by a person: no place to stop at or to count */
} monocle__source_point;

/*
 * Where an instruction comes from, as Mono answers: of the last visible point at or before it. A line of 0 says that
 * only hidden ones are.
 */
typedef struct {
	uint32_t document, line, column;
	uint32_t il_offset; /* where the range of the asked offset begins: that of the last point, hidden or not */
	uint32_t end_line, end_column; /* of the point that has the line; 0: unknown */
} monocle__source_location;

#endif
