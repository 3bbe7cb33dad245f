/*
 * SPDX-License-Identifier: MIT
 *
 * metadata.h - what pe.c needs of metadata.c.
 */
#ifndef MONOCLE_ECMA_METADATA_H
#define MONOCLE_ECMA_METADATA_H

#include "bytes.h"
#include "ecma.h"

/* Reads the metadata root into the rest of an image whose PE fields are set, or all zero. 0 or a negative code. */
int monocle__metadata_open (monocle__ecma_image *image, monocle__span metadata);

#endif
