/*
 * SPDX-License-Identifier: MIT
 *
 * source-priv.h - what finding symbols and asking them share.
 */
#ifndef MONOCLE_CLI_SOURCE_PRIV_H
#define MONOCLE_CLI_SOURCE_PRIV_H

#include <stdatomic.h>
#include "mdb.h"
#include "pdb.h"
#include "source.h"

typedef enum {
	MONOCLE__DESCRIBE_SOURCE_NONE,
	MONOCLE__DESCRIBE_SOURCE_PDB,
	MONOCLE__DESCRIBE_SOURCE_MDB
} monocle__describe_source_kind;

typedef struct {
	MonocleCoverageDocument shown;
	char path[];
} monocle__describe_document;

/* Written by the thread that opens it; afterwards only documents are added. */
struct monocle__describe_source {
	monocle__describe_source_kind kind;
	monocle__pdb pdb;
	monocle__mdb mdb;
	uint8_t *data;                                     /* what they read */
	char *path;                                        /* for messages; NULL without memory */
	_Atomic (monocle__describe_document *) *documents; /* by number, made when first asked for */
	uint32_t document_count;
	atomic_bool complained;
	monocle__describe_source *older; /* what it replaced */
};

#endif
