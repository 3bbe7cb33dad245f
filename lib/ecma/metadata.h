/*
 * SPDX-License-Identifier: MIT
 *
 * metadata.h - what pe.c needs of metadata.c, and gives to those that read more of an image.
 */
#ifndef MONOCLE_ECMA_METADATA_H
#define MONOCLE_ECMA_METADATA_H

#include "bytes.h"
#include "ecma.h"

/* Reads the metadata root into the rest of an image whose PE fields are set, or all zero. 0 or a negative code. */
int monocle__metadata_open (monocle__ecma_image *image, monocle__span metadata);
/* `size` bytes at an RVA; false: they are not all there. */
bool monocle__ecma_rva_part (const monocle__ecma_image *image, uint32_t rva, uint32_t size, monocle__span *ret_part);

#endif
