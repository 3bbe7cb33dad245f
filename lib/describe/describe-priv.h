/*
 * SPDX-License-Identifier: MIT
 *
 * describe-priv.h - what the files of lib/describe share with each other.
 */
#ifndef MONOCLE_CLI_PRIV_H
#define MONOCLE_CLI_PRIV_H

#include "describe.h"

extern const monocle__describe_owner *monocle__describe_owner_now;

/* --- describe.c --------------------------------------------------------------------------------------------------- */

/* Is it a row that the readable image does not have? Edits of a running image add some, which its owner knows. */
bool monocle__describe_is_added (const monocle__describe_image *image, uint32_t token);

/* --- scratch.c ---------------------------------------------------------------------------------------------------- */

/*
 * One level of work on this thread: an operation, or a type inside another. NULL: too deep, too much, or no memory;
 * otherwise it is ended by monocle__describe_leave ().
 */
monocle__describe_scratch *monocle__describe_enter (void);
void monocle__describe_leave (monocle__describe_scratch *scratch);

/* --- index.c ------------------------------------------------------------------------------------------------------ */

/* A type by name: a TypeDef token, an ExportedType token of a forwarded one, or 0. */
uint32_t monocle__describe_index_find (monocle__describe_image *image, const char *name_space, const char *name);
/* The type `name` that is nested in the TypeDef `outer`, 0: there is none. */
uint32_t monocle__describe_index_nested (monocle__describe_image *image, uint32_t outer, const char *name);
/* The rows of TypeDef that are nested in this one, in the order of the table: how many, and where they are. */
uint32_t monocle__describe_index_nested_rows (monocle__describe_image *image, uint32_t outer_rid,
                                              const uint32_t **ret_rows);
void monocle__describe_index_free (monocle__describe_index *index);

/* --- resolve.c, type.c -------------------------------------------------------------------------------------------- */

/* As monocle__describe_class_of_token (); `valuetype`: what the signature says of a type whose image is not loaded. */
MonoClass *monocle__describe_class (monocle__describe_image *image, uint32_t token, MonoClass *owner,
                                    MonoMethod *method, int valuetype);
/* A MethodDef, MemberRef or MethodSpec; NULL: there is none, or its image is not loaded. */
MonoMethod *monocle__describe_method (monocle__describe_image *image, uint32_t token, MonoClass *owner,
                                      MonoMethod *method);
/* A Field or MemberRef: as in monocle_host_ops. */
int monocle__describe_field (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                             MonoClass **ret_klass, uint32_t *ret_index);
/* The blob in a column, as a cursor over it. False: there is none. */
bool monocle__describe_blob (monocle__describe_image *image, uint32_t table, uint32_t rid, uint32_t column,
                             monocle__ecma_cursor *ret_cursor);

/* --- returns.c ---------------------------------------------------------------------------------------------------- */

/* Does a MethodDef, MemberRef or MethodSpec return, as far as is known? Normal context. */
bool monocle__describe_returns (monocle__describe_image *image, uint32_t token);

/* --- operations, one file for each noun --------------------------------------------------------------------------- */

void monocle__describe_describe_ops (monocle_host_ops *ops);
void monocle__describe_member_ops (monocle_host_ops *ops);
void monocle__describe_body_ops (monocle_host_ops *ops);
void monocle__describe_attribute_ops (monocle_host_ops *ops);
void monocle__describe_token_ops (monocle_host_ops *ops);
void monocle__describe_source_ops (monocle_host_ops *ops);
void monocle__describe_coverage_ops (monocle_host_ops *ops);
/* The bytes of a method's body: NULL when it has none. */
const uint8_t *monocle__describe_body_bytes (monocle__describe_image *image, MonoMethod *method, size_t *ret_size);

#endif
