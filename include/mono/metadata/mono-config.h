/*
 * SPDX-License-Identifier: MIT
 *
 * mono-config.h - what the runtime was built for.
 */
#ifndef MONO_METADATA_MONO_CONFIG_H
#define MONO_METADATA_MONO_CONFIG_H

#include <mono/utils/mono-publib.h>
#include <mono/metadata/image.h>

MONO_BEGIN_DECLS

/* "linux", "x86-64", "64". Static. Any context. */
MONO_API const char *mono_config_get_os (void);
MONO_API const char *mono_config_get_cpu (void);
MONO_API const char *mono_config_get_wordsize (void);

/* Mono's configuration directory; NULL outside Mono. Borrowed. Any context. */
MONO_API const char *mono_get_config_dir (void);

/*
 * Reads a file of dllmap entries, NULL: the default one. For embedders of Mono, before start. Ignored elsewhere.
 * Not async-safe.
 */
MONO_API void mono_config_parse (const char *filename);

MONO_END_DECLS

#endif
