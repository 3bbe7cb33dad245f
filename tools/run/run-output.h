/*
 * SPDX-License-Identifier: MIT
 *
 * run-output.h - what -o means: profiles are collected in the folder of the run, and put where it says at the end.
 */
#ifndef MONOCLE_TOOLS_RUN_OUTPUT_H
#define MONOCLE_TOOLS_RUN_OUTPUT_H

#include "command/desc-list.h"
#include "file/run-folder.h"

/*
 * Has the module with this index write into the run's folder, because only at the end it is known how many profiles
 * there are.
 */
void monocle__run_output_collect (monocle__desc_list *profiles, size_t index, const char *output, const char *folder);
/*
 * Puts them where `output` says, as what it asks for: the first process has that name itself, later ones the name with
 * their id in it. What fails is said, unless it fails with `known_error`, which was said before.
 */
void monocle__run_output_place (monocle__run_folder *folder, const char *output, int known_error);
/*
 * Puts profiles that could not be written into the folder where the command was typed there, with the caller's rights:
 * the process is another user's. A name that is taken stays what it is.
 */
void monocle__run_output_bring (monocle__run_folder *folder);
/* Names the profiles that could not be written into the folder where the command was typed. */
void monocle__run_output_say_rescued (const monocle__run_folder *folder);

#endif
