/*
 * SPDX-License-Identifier: MIT
 *
 * record.h - what the file says of images, sources, classes and methods.
 */
#ifndef MONOCLE_MODULES_COVER_RECORD_H
#define MONOCLE_MODULES_COVER_RECORD_H

#include <monocle/ext.h>
#include <mono/metadata/image.h>
#include <stdbool.h>
#include "cover-file.h"

/*
 * The counters of a method, in its record, which is made when there is none; `is_compiled` says that they are going to
 * be used. NULL: its source is not wanted, there is no room, or this is a forked child that has no record of it.
 * Any thread.
 */
void *record_method (const MonocleCoveragePlan *plan, bool is_compiled);
/* A method was compiled: if its record says that it has no counters, it is lost, and counted once. Any thread. */
void record_check (MonoMethod *definition);
/* No records from now on, and the file has its end. */
void record_end (void);
/* The image goes, and addresses of its sources may mean others from then on. */
void record_forget (MonoImage *image);
/* A method's record; NULL: there is none. Any thread. */
struct monocle__cover_method *record_of (MonoMethod *method);

#endif
