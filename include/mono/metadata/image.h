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

/* A short text for a status; of MONO_IMAGE_ERROR_ERRNO what errno says. Borrowed. Normal context. */
MONO_API const char *mono_image_strerror (MonoImageOpenStatus status);

/*
 * Opens a file as an image and takes a reference; drop it with mono_image_close (). NULL: *status says why (status may
 * be NULL). Outside Mono a module loads nothing into the program: an image that is loaded already is found by its path,
 * anything else is NULL, MONO_IMAGE_ERROR_ERRNO. Normal context.
 */
MONO_API MonoImage *mono_image_open (const char *fname, MonoImageOpenStatus *status);
MONO_API MonoImage *mono_image_open_full (const char *fname, MonoImageOpenStatus *status, mono_bool refonly);
MONO_API MonoImage *mono_pe_file_open (const char *fname, MonoImageOpenStatus *status);
/* Opens bytes in memory. Mono only: NULL and MONO_IMAGE_ERROR_ERRNO elsewhere. Normal context. */
MONO_API MonoImage *mono_image_open_from_data (char *data, uint32_t data_len, mono_bool need_copy,
                                               MonoImageOpenStatus *status);

/* The image already loaded from that name or path, borrowed; NULL when there is none. Normal context. */
MONO_API MonoImage *mono_image_loaded (const char *name);
/* The same by MVID, spelt as mono_image_get_guid () spells it. */
MONO_API MonoImage *mono_image_loaded_by_guid (const char *guid);
/* The same among images that are loaded for reflection only: outside Mono there are none. */
MONO_API MonoImage *mono_image_loaded_full (const char *name, mono_bool refonly);
MONO_API MonoImage *mono_image_loaded_by_guid_full (const char *guid, mono_bool refonly);

/*
 * Take and drop a reference. On Mono a held one keeps metadata alive across an unload; elsewhere names stay known
 * anyway, and bytes of the image are gone with it. Normal context.
 */
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
/*
 * A resource at an offset from the beginning of the image's resources; *size (may be NULL) is its length. NULL: none.
 * Borrowed. Any context after image_loaded. ECMA-335 II.24.2.4, II.25.3.3.
 */
MONO_API const char *mono_image_get_resource (MonoImage *image, uint32_t offset, uint32_t *size);
/*
 * The public key of the assembly, and *size (may be NULL), which is untouched without one: NULL. Borrowed. Any context.
 */
MONO_API const char *mono_image_get_public_key (MonoImage *image, uint32_t *size);
/* The strong name's signature, in the same way; its position in the file, 0: none. Any context after image_loaded. */
MONO_API const char *mono_image_get_strong_name (MonoImage *image, uint32_t *size);
MONO_API uint32_t mono_image_strong_name_position (MonoImage *image, uint32_t *size);
/* Nonzero when the file is signed by Authenticode. Any context after image_loaded. */
MONO_API mono_bool mono_image_has_authenticode_entry (MonoImage *image);
/* Is there a section of that name (number, from 0), mapped? Any context after image_loaded. */
MONO_API int mono_image_ensure_section (MonoImage *image, const char *section);
MONO_API int mono_image_ensure_section_idx (MonoImage *image, int section);

/* A table (MonoMetaTableEnum) and how many rows it has. Borrowed. Any context after image_loaded. ECMA-335 II.22. */
MONO_API const MonoTableInfo *mono_image_get_table_info (MonoImage *image, int table_id);
MONO_API int mono_image_get_table_rows (MonoImage *image, int table_id);
MONO_API int mono_table_info_get_rows (const MonoTableInfo *table);

MONO_END_DECLS

#endif
