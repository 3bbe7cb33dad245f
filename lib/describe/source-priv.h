/*
 * SPDX-License-Identifier: MIT
 *
 * source-priv.h - what finding symbols and asking them share.
 */
#ifndef MONOCLE_CLI_SOURCE_PRIV_H
#define MONOCLE_CLI_SOURCE_PRIV_H

#include <stdatomic.h>
#include "source.h"
#include "symbol-file.h"

typedef struct {
	MonocleCoverageDocument shown;
	char path[];
} monocle__describe_document;

/* Written by the thread that opens it; afterwards only documents are added. */
struct monocle__describe_source {
	monocle__symbol_file file;
	_Atomic (monocle__describe_document *) *documents; /* by number, made when first asked for */
	atomic_bool complained;
	monocle__describe_source *older; /* what it replaced */
};

#endif
