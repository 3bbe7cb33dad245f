/*
 * SPDX-License-Identifier: MIT
 *
 * cli-priv.h - what the files of lib/cli share with each other.
 */
#ifndef MONOCLE_CLI_PRIV_H
#define MONOCLE_CLI_PRIV_H

#include "cli.h"

extern const monocle__cli_owner *monocle__cli_owner_now;

/* --- scratch.c ---------------------------------------------------------------------------------------------------- */

/*
 * One level of work on this thread: an operation, or a type inside another. NULL: too deep, too much, or no memory;
 * otherwise it is ended by monocle__cli_leave ().
 */
monocle__cli_scratch *monocle__cli_enter (void);
void monocle__cli_leave (monocle__cli_scratch *scratch);

/* --- index.c ------------------------------------------------------------------------------------------------------ */

/* A type by name: a TypeDef token, an ExportedType token of a forwarded one, or 0. */
uint32_t monocle__cli_index_find (monocle__cli_image *image, const char *name_space, const char *name);
/* The type `name` that is nested in the TypeDef `outer`, 0: there is none. */
uint32_t monocle__cli_index_nested (monocle__cli_image *image, uint32_t outer, const char *name);
/* The rows of TypeDef that are nested in this one, in the order of the table: how many, and where they stand. */
uint32_t monocle__cli_index_nested_rows (monocle__cli_image *image, uint32_t outer_rid, const uint32_t **ret_rows);
void monocle__cli_index_free (monocle__cli_index *index);

/* --- resolve.c, type.c -------------------------------------------------------------------------------------------- */

/* As monocle__cli_class_of_token (); `valuetype` is what the signature says of a type whose image is not loaded. */
MonoClass *monocle__cli_class (monocle__cli_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                               int valuetype);
/* A MethodDef, MemberRef or MethodSpec; NULL: there is none, or its image is not loaded. */
MonoMethod *monocle__cli_method (monocle__cli_image *image, uint32_t token, MonoClass *owner, MonoMethod *method);
/* A Field or MemberRef: as in monocle_host_ops. */
int monocle__cli_field (monocle__cli_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
                        MonoClass **ret_klass, uint32_t *ret_index);
/* The blob in a column, as a cursor over it. False: there is none. */
bool monocle__cli_blob (monocle__cli_image *image, uint32_t table, uint32_t rid, uint32_t column,
                        monocle__ecma_cursor *ret_cursor);

/* --- operations, one file for each noun --------------------------------------------------------------------------- */

void monocle__cli_describe_ops (monocle_host_ops *ops);
void monocle__cli_member_ops (monocle_host_ops *ops);
void monocle__cli_body_ops (monocle_host_ops *ops);
void monocle__cli_attribute_ops (monocle_host_ops *ops);
void monocle__cli_token_ops (monocle_host_ops *ops);
void monocle__cli_source_ops (monocle_host_ops *ops);

#endif
