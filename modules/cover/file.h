/*
 * SPDX-License-Identifier: MIT
 *
 * file.h - the mapped file that records and counters lie in.
 */
#ifndef MONOCLE_MODULES_COVER_FILE_H
#define MONOCLE_MODULES_COVER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cover-file.h"

typedef struct {
	const char *output; /* what the user said, or NULL */
	const char *desc;   /* "cover:mode=hit" */
	const char *runtime;
	uint32_t flags; /* monocle__cover_flags */
} file_config;

/* Makes and maps it. False: one line was logged. Init window. */
bool file_open (const file_config *config);
/* NULL: there is none. */
struct monocle__cover_header *file_header (void);
/*
 * Room for a record, zeros, at an address that stays; nobody sees it before file_publish () of the same size. NULL: no
 * room, counted. One thread at a time.
 */
void *file_reserve (uint64_t size);
void file_publish (uint64_t size);
/* The place of an offset. */
void *file_at (uint64_t offset);
uint64_t file_offset_of (const void *at);
void file_lose (enum monocle__cover_loss what, uint64_t count);
/* Adds to the methods that were left out because no person wrote them. */
void file_leave_out (uint64_t count);
/* Is this the process that made the file, and no forked child of it? */
bool file_is_own (void);
/* It is not going to be used. Init window. */
void file_discard (void);
/* Absolute, borrowed. */
const char *file_path (void);
/* A clean end: there is no room from now on. One thread at a time, with file_reserve (). */
void file_end (void);

#endif
