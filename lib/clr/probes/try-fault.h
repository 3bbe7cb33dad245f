/*
 * SPDX-License-Identifier: MIT
 *
 * try-fault.h - try/fault in the place of the shadow stack (MONOCLE_CLR_TRY_FAULT).
 */
#ifndef MONOCLE_CLR_TRY_FAULT_H
#define MONOCLE_CLR_TRY_FAULT_H

#include "rewrite.h"

bool monocle__try_fault_suits (const monocle__rewriting *job);
/* 0 or negative. */
int monocle__try_fault_insert (monocle__rewriting *job);

#endif
