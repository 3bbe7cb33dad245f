/*
 * SPDX-License-Identifier: MIT
 *
 * output-plan.h - SPOOL.plan, beside a spool in the folder of a run: which file its profile becomes.
 *
 * A process may give up its user's rights and still has its spool mapped, header and all. A command that completes the
 * spool with more rights believes this file, which the process can change only as long as it has those rights itself.
 */
#ifndef MONOCLE_KIT_OUTPUT_PLAN_H
#define MONOCLE_KIT_OUTPUT_PLAN_H

#include <stdbool.h>

#include "output-name.h"

/* Writes the plan of the spool at `spool_path`, before there is such a spool. 0 or -errno; -EEXIST: it is taken. */
int monocle__output_plan_write (const char *spool_path, enum monocle__output_kind kind, const char *output);
/* Takes the plan away, if there is one. */
void monocle__output_plan_remove (int directory, const char *spool_path);
/* Does the plan of the spool `name` say just this? It is a plain file of the caller's own user, or it says nothing. */
bool monocle__output_plan_says (int directory, const char *name, enum monocle__output_kind kind, const char *output);

#endif
