/*
 * SPDX-License-Identifier: MIT
 *
 * clause-probe.h - probes at the start of filters and handlers.
 */
#ifndef MONOCLE_CLR_CLAUSE_PROBE_H
#define MONOCLE_CLR_CLAUSE_PROBE_H

#include "rewrite.h"

/* The native function that they call. */
monocle__probe monocle__clause_probe_function (bool generic);
/* Puts a probe at the start of each filter and handler. 0 or negative. */
int monocle__clause_probe_insert (monocle__rewriting *job, monocle__il_edit *edit);
/* Nobody is told of the fault block that begins: it is not of the program. In a probe. */
void monocle__clause_probe_forget (MonoMethod *definition);

#endif
