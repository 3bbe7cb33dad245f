/*
 * SPDX-License-Identifier: MIT
 *
 * metadata.h - reading an image's tables and heaps through the host. Any context throughout.
 */
#ifndef MONOCLE_METADATA_H
#define MONOCLE_METADATA_H

#include <mono/metadata/metadata.h>
#include "records.h"

/* One cell; 0 for what is not there. `row` counts from 1. */
uint32_t monocle__metadata_cell (MonoImage *image, uint32_t table, uint32_t row, uint32_t column);
uint32_t monocle__metadata_rows (MonoImage *image, uint32_t table);

/* Rows [first, end); both 0: none. */
typedef struct {
	uint32_t first, end;
} monocle__row_run;

/* The rows whose `column`, by which the table is sorted, holds `value`. */
monocle__row_run monocle__metadata_run (MonoImage *image, uint32_t table, uint32_t column, uint32_t value);

/* A piece of the image and how long it is; NULL: not there. Blobs come without their length. */
const uint8_t *monocle__metadata_heap (MonoImage *image, monocle_heap_kind heap, uint32_t offset, uint32_t *ret_size);

/* A type at *at, which moves past it; NULL: malformed. */
MonoType *monocle__metadata_type (MonoImage *image, const uint8_t **at, const uint8_t *end);

#endif
