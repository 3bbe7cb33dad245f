/*
 * SPDX-License-Identifier: MIT
 *
 * mono-dl-fallback.h - an embedder's own way to find native libraries. For Mono; NULL (nothing) elsewhere. Not
 * async-safe.
 */
#ifndef MONO_UTILS_DL_FALLBACK_H
#define MONO_UTILS_DL_FALLBACK_H

#include <mono/utils/mono-publib.h>

MONO_BEGIN_DECLS

enum {
	MONO_DL_EAGER = 0,
	MONO_DL_LAZY  = 1,
	MONO_DL_LOCAL = 2,
	MONO_DL_MASK  = 3,
};

typedef struct MonoDlFallbackHandler MonoDlFallbackHandler;

/* A failing function returns NULL and may set *err to text that the caller frees. */
typedef void *(*MonoDlFallbackLoad) (const char *name, int flags, char **err, void *user_data);
typedef void *(*MonoDlFallbackSymbol) (void *handle, const char *name, char **err, void *user_data);
typedef void *(*MonoDlFallbackClose) (void *handle, void *user_data);

/* Asked after the usual places; the newest first. Not async-safe. */
MONO_API MonoDlFallbackHandler *mono_dl_fallback_register (MonoDlFallbackLoad load_func,
                                                           MonoDlFallbackSymbol symbol_func,
                                                           MonoDlFallbackClose close_func, void *user_data);
MONO_API void mono_dl_fallback_unregister (MonoDlFallbackHandler *handler);

MONO_END_DECLS

#endif
