/*
 * SPDX-License-Identifier: MIT
 *
 * source.h - the symbols of one image: found, checked, read, and what they say of methods.
 *
 * Normal context throughout: files are read and memory is allocated. Several threads may ask the same symbols.
 */
#ifndef MONOCLE_CLI_SOURCE_H
#define MONOCLE_CLI_SOURCE_H

#include <monocle/host.h>
#include "describe.h"
#include "ecma.h"

/*
 * Looks for the symbols of an image that was loaded from `filename` ("" for one that came from memory): inside it,
 * beside it, and where its debug directory says. Without any, with broken ones and with those of another build the
 * answer knows no source; what was wrong is logged then, in one line. NULL only without memory.
 */
monocle__describe_source *monocle__describe_source_open (const monocle__ecma_image *image, const char *filename);
/* The same from a portable PDB or an .mdb in memory, which is copied. NULL: none, or not of this image (logged). */
monocle__describe_source *monocle__describe_source_from (const monocle__ecma_image *image, const char *filename,
                                                         const void *data, uint32_t size);
/* With those that it replaced. NULL is ignored. */
void monocle__describe_source_close (monocle__describe_source *source);

/*
 * The sequence points of a method, each offset once, ascending, with what the file says of their documents. A hidden
 * one has no document. Returns how many there are, of which the first `capacity` were written; `points` may be NULL
 * then. Negative: the file does not know the method, or is damaged there (which was logged). `counter` is 0.
 */
int monocle__describe_source_points (monocle__describe_source *source, uint32_t token, MonocleCoveragePoint *points,
                                     uint32_t capacity);
/* The method that people wrote whose body went into this MoveNext; 0 when it is none, or the file does not say. */
uint32_t monocle__describe_source_kickoff (const monocle__describe_source *source, uint32_t token);
/* Where an async method goes on after it gave way. */
typedef struct {
	uint32_t yield, resume; /* IL offsets */
} monocle__describe_await;

/* In the order of the code; as many as fit into `capacity`, and how many there are. */
uint32_t monocle__describe_source_awaits (const monocle__describe_source *source, uint32_t token,
                                          monocle__describe_await *awaits, uint32_t capacity);
/* Are there any symbols at all? */
bool monocle__describe_source_is_there (const monocle__describe_source *source);
/* The symbols of an image, looked for when first asked for; NULL without memory. */
monocle__describe_source *monocle__describe_source_of (monocle__describe_image *image);

/* As the operations source_of, describe_local and describe_scope; strings live as long as the symbols. */
int monocle__describe_source_locate (monocle__describe_source *source, uint32_t token, uint32_t il_offset,
                                     monocle_source_info *ret_info);
int monocle__describe_source_local (monocle__describe_source *source, uint32_t token, uint32_t index,
                                    monocle_local_info *ret_info);
int monocle__describe_source_scope (monocle__describe_source *source, uint32_t token, uint32_t index,
                                    monocle_scope_info *ret_info);

#endif
