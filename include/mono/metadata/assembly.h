/*
 * SPDX-License-Identifier: MIT
 *
 * assembly.h - assemblies and their names.
 */
#ifndef MONO_METADATA_ASSEMBLY_H
#define MONO_METADATA_ASSEMBLY_H

#include <mono/utils/mono-error.h>
#include <mono/metadata/image.h>

MONO_BEGIN_DECLS

/* --- assemblies --------------------------------------------------------------------------------------------------- */

/* The image with the manifest. Borrowed. Any context. */
MONO_API MonoImage *mono_assembly_get_image (MonoAssembly *assembly);
/* Borrowed; its fields are still empty inside assembly_loading. Any context. */
MONO_API MonoAssemblyName *mono_assembly_get_name (MonoAssembly *assembly);
/* Calls func (assembly, user_data) for each loaded assembly. Normal context. */
MONO_API void mono_assembly_foreach (MonoFunc func, void *user_data);
/* The program's; NULL until it is known, which is after runtime_initialized. Borrowed. Any context. */
MONO_API MonoAssembly *mono_assembly_get_main (void);
/* Drops a reference that one of the openers gave. Normal context. */
MONO_API void mono_assembly_close (MonoAssembly *assembly);

/*
 * Open by file, load by name; the caller holds a reference. NULL: *status (may be NULL) says why. Outside Mono a module
 * loads nothing into the program: what is loaded already is found, anything else is NULL, MONO_IMAGE_ERROR_ERRNO.
 * Normal context.
 */
MONO_API MonoAssembly *mono_assembly_open (const char *filename, MonoImageOpenStatus *status);
MONO_API MonoAssembly *mono_assembly_open_full (const char *filename, MonoImageOpenStatus *status, mono_bool refonly);
MONO_API MonoAssembly *mono_assembly_load (MonoAssemblyName *aname, const char *basedir, MonoImageOpenStatus *status);
MONO_API MonoAssembly *mono_assembly_load_full (MonoAssemblyName *aname, const char *basedir,
                                                MonoImageOpenStatus *status, mono_bool refonly);
MONO_API MonoAssembly *mono_assembly_load_with_partial_name (const char *name, MonoImageOpenStatus *status);
/* The assembly of an image that was opened already. Normal context. */
MONO_API MonoAssembly *mono_assembly_load_from (MonoImage *image, const char *fname, MonoImageOpenStatus *status);
MONO_API MonoAssembly *mono_assembly_load_from_full (MonoImage *image, const char *fname, MonoImageOpenStatus *status,
                                                     mono_bool refonly);
/*
 * The loaded assembly of that simple name, whatever its case, and of that culture where one is given; version and key
 * do not matter. Borrowed; NULL when it is not loaded. Normal context.
 */
MONO_API MonoAssembly *mono_assembly_loaded (MonoAssemblyName *aname);
/* The same among assemblies that are loaded for reflection only: outside Mono there are none. Normal context. */
MONO_API MonoAssembly *mono_assembly_loaded_full (MonoAssemblyName *aname, mono_bool refonly);

/*
 * From now on `func` is called for each assembly that is loaded, before the callbacks of assembly_loaded and in their
 * context; the function that was installed last is called first. One that is installed twice is called twice. There is
 * no way back. Not async-safe.
 */
typedef void (*MonoAssemblyLoadFunc) (MonoAssembly *assembly, void *user_data);
MONO_API void mono_install_assembly_load_hook (MonoAssemblyLoadFunc func, void *user_data);

/*
 * The directory that Mono's assemblies are searched from; outside Mono that of the core library, "" before it is known.
 * Borrowed. Normal context.
 */
MONO_API MONO_CONST_RETURN char *mono_assembly_getrootdir (void);
/*
 * Further directories, colon separated; copied. For embedders of Mono, before start. Ignored elsewhere. Not
 * async-safe.
 */
MONO_API void mono_set_assemblies_path (const char *path);
MONO_API void mono_set_dirs (const char *assembly_dir, const char *config_dir);

/* --- names -------------------------------------------------------------------------------------------------------- */

/*
 * Parses "name, Version=1.2.3.4, Culture=neutral, PublicKeyToken=...". NULL when it is malformed. Free with
 * mono_assembly_name_free () and mono_free (). Normal context.
 */
MONO_API MonoAssemblyName *mono_assembly_name_new (const char *name);
/*
 * Overwrites a name with that of an image's assembly (0: it has none), or of its reference number `index`, from 0; the
 * strings are borrowed from the image. What was in the name is forgotten, not freed. Any context.
 */
MONO_API mono_bool mono_assembly_fill_assembly_name (MonoImage *image, MonoAssemblyName *aname);
MONO_API void mono_assembly_get_assemblyref (MonoImage *image, int index, MonoAssemblyName *aname);
/* Frees the strings of a name, not the name itself. Not async-safe. */
MONO_API void mono_assembly_name_free (MonoAssemblyName *aname);
/* Borrowed. Any context. */
MONO_API const char *mono_assembly_name_get_name (MonoAssemblyName *aname);
/* "" for the neutral culture, NULL of a parsed name that does not say. Borrowed. Any context. */
MONO_API const char *mono_assembly_name_get_culture (MonoAssemblyName *aname);
/* The major number; each pointer may be NULL. Any context. */
MONO_API uint16_t mono_assembly_name_get_version (MonoAssemblyName *aname, uint16_t *minor, uint16_t *build,
                                                  uint16_t *revision);
/* 16 hex digits and a NUL, NULL without a key. Borrowed. Any context. */
MONO_API mono_byte *mono_assembly_name_get_pubkeytoken (MonoAssemblyName *aname);
/*
 * Name, version, culture and key token equal. A version of zeros and a culture or token that is not there equal all.
 * Any context.
 */
MONO_API mono_bool mono_assembly_names_equal (MonoAssemblyName *l, MonoAssemblyName *r);
/*
 * "n, Version=1.2.3.4, Culture=neutral, PublicKeyToken=null" (or 16 hex digits), and ", Retargetable=Yes" where it is.
 * Caller frees. Normal context.
 */
MONO_API char *mono_stringify_assembly_name (MonoAssemblyName *aname);

MONO_END_DECLS

#endif
