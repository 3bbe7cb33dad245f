/*
 * SPDX-License-Identifier: MIT
 *
 * file-host.h - a host that runs nothing: it opens assemblies from files, so that the whole object model over any
 * metadata can be asked in a plain process (unit tests, sanitizers, fuzz targets).
 *
 * Link file_host_dep (test/unit/describe/meson.build), which brings the core's objects and lib/describe. Normal
 * context, one thread opens and closes; asking is free for all.
 */
#ifndef MONOCLE_TEST_FILE_HOST_H
#define MONOCLE_TEST_FILE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <monocle/host.h>

/* Registers the host of this process with all operations of lib/describe. Idempotent. */
void file_host_start (void);
/* The operations, for those who ask without the core. */
const monocle_host_ops *file_host_ops (void);

/*
 * Opens an image; it stays until file_host_close (). The first one that is called mscorlib or System.Private.CoreLib is
 * corlib for good, so open it first, and never close it. NULL: the file cannot be read, or is no CLI image.
 */
MonoImage *file_host_open (const char *path);
/*
 * The same over bytes that the caller keeps until file_host_close (). `mapped`: sections stand at their RVAs. Never
 * corlib.
 */
MonoImage *file_host_open_bytes (const char *name, const void *bytes, size_t size, bool mapped);
/* Unloads: records become tombstones, which still answer their names. The record itself is never freed. */
void file_host_close (MonoImage *image);

/* What file_host_walk () met. */
typedef struct {
	uint64_t classes, methods, fields, properties, events, nested, interfaces, params, bodies, clauses, attributes;
	uint64_t tokens;     /* TypeRef, TypeSpec, MemberRef, MethodSpec, Field rows resolved */
	uint64_t names;      /* texts written by the core */
	uint64_t unknown;    /* questions about what exists that were not answered */
	uint64_t unresolved; /* tokens that lead nowhere */
} file_host_counts;

/*
 * Asks everything of every row of an image, through the operations and through the core. What is not answered goes to
 * `complaints`, a line each, unless NULL. Any image, however hostile, must survive this.
 */
void file_host_walk (MonoImage *image, file_host_counts *ret_counts, FILE *complaints);

#endif
