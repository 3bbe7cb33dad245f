/*
 * SPDX-License-Identifier: MIT
 *
 * spill.h - values that probes would push out of their registers. Each function writes instructions and says how many.
 */
#ifndef MONOCLE_CLR_SPILL_H
#define MONOCLE_CLR_SPILL_H

#include "rewrite.h"

/* Decides what is kept from the probes, and gives the body the locals for it. */
void monocle__spill_plan (monocle__rewriting *job);
uint32_t monocle__spill_before_enter (const monocle__rewriting *job, monocle__il_instruction *out);
/* What the enter probe is passed after everything else, and how many arguments that are. */
uint32_t monocle__spill_enter_addresses (const monocle__rewriting *job, monocle__il_instruction *out);
uint32_t monocle__spill_enter_count (const monocle__rewriting *job);
/* `at`: how many instructions are before them in the same insertion. */
uint32_t monocle__spill_after_enter (const monocle__rewriting *job, uint32_t at, monocle__il_instruction *out);
bool monocle__spill_has_result (const monocle__rewriting *job);
uint32_t monocle__spill_result_address (const monocle__rewriting *job, monocle__il_instruction *out);
uint32_t monocle__spill_load_result (const monocle__rewriting *job, monocle__il_instruction *out);

#endif
