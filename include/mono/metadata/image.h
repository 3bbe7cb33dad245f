/*
 * SPDX-License-Identifier: MIT
 *
 * image.h - images: the files (or memory) that hold metadata and IL. ECMA-335 II.24, II.25.
 */
#ifndef MONO_METADATA_IMAGE_H
#define MONO_METADATA_IMAGE_H

#include <stdio.h>
#include <mono/utils/mono-publib.h>
#include <mono/utils/mono-error.h>
#include <mono/metadata/object-forward.h>

MONO_BEGIN_DECLS

typedef struct _MonoAssembly     MonoAssembly;
typedef struct _MonoAssemblyName MonoAssemblyName;
typedef struct _MonoTableInfo    MonoTableInfo;

typedef enum {
	MONO_IMAGE_OK                  = 0,
	MONO_IMAGE_ERROR_ERRNO         = 1, /* errno says more */
	MONO_IMAGE_MISSING_ASSEMBLYREF = 2,
	MONO_IMAGE_IMAGE_INVALID       = 3,
} MonoImageOpenStatus;

/* A short text for a status; static. Any context. */
MONO_API const char *mono_image_strerror (MonoImageOpenStatus status);

/*
 * Opens a file as an image and takes a reference; drop it with mono_image_close (). NULL: *status says why (status may
 * be NULL). Normal context. Served by hosts that run managed code; NULL elsewhere.
 */
MONO_API MonoImage *mono_image_open (const char *fname, MonoImageOpenStatus *status);

/* The image already loaded from that name or path, borrowed; NULL when there is none. Normal context. */
MONO_API MonoImage *mono_image_loaded (const char *name);
/* The same by MVID, spelt as mono_image_get_guid () spells it. */
MONO_API MonoImage *mono_image_loaded_by_guid (const char *guid);

/* Take and drop a reference. A held reference keeps metadata alive across an unload. Normal context. */
MONO_API void mono_image_addref (MonoImage *image);
MONO_API void mono_image_close (MonoImage *image);

/* The simple name of the assembly ("mscorlib"). NULL inside image_loading. Borrowed. Any context. */
MONO_API const char *mono_image_get_name (MonoImage *image);
/* The path as it was opened; for an image made in memory its name. Borrowed. Any context. */
MONO_API const char *mono_image_get_filename (MonoImage *image);
/*
 * The MVID, upper case with dashes and without braces. NULL for images made in memory, and before image_loaded.
 * Borrowed. Any context. ECMA-335 II.22.30.
 */
MONO_API const char *mono_image_get_guid (MonoImage *image);
/* NULL between image_loading and assembly_loading, and for netmodules. Borrowed. Any context. */
MONO_API MonoAssembly *mono_image_get_assembly (MonoImage *image);
/* Nonzero for images that grow while they live (Reflection.Emit). Any context. */
MONO_API mono_bool mono_image_is_dynamic (MonoImage *image);

/* Token of the entry point, 0 for a library. Any context after image_loaded. ECMA-335 II.25.3.3. */
MONO_API uint32_t mono_image_get_entry_point (MonoImage *image);
/* Bytes at an RVA, NULL outside the image. Borrowed. Any context after image_loaded. */
MONO_API char *mono_image_rva_map (MonoImage *image, uint32_t rva);

/* A table (MonoMetaTableEnum) and how many rows it has. Borrowed. Any context after image_loaded. ECMA-335 II.22. */
MONO_API const MonoTableInfo *mono_image_get_table_info (MonoImage *image, int table_id);
MONO_API int mono_image_get_table_rows (MonoImage *image, int table_id);
MONO_API int mono_table_info_get_rows (const MonoTableInfo *table);

MONO_END_DECLS

#endif
