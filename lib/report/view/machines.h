/*
 * SPDX-License-Identifier: MIT
 *
 * machines.h - which classes that a compiler made are async methods, and which are iterators, by who calls them.
 */
#ifndef MONOCLE_REPORT_MACHINES_H
#define MONOCLE_REPORT_MACHINES_H

#include "csharp-name.h"
#include "profile.h"

/* By function: what its MoveNext is, MONOCLE__MACHINE_NONE: it is none, or tells itself. NULL: out of memory. */
monocle__machine *monocle__machines_new (const monocle__profile *profile);

#endif
