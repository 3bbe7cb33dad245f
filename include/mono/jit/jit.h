/*
 * SPDX-License-Identifier: MIT
 *
 * jit.h - starting Mono, for embedders, and what modules ask of the JIT.
 *
 * An embedder's program links Mono itself; libmonocle exports these names only for modules that mention them.
 */
#ifndef MONO_JIT_JIT_H
#define MONO_JIT_JIT_H

#include <mono/metadata/appdomain.h>

MONO_BEGIN_DECLS

/* Nonzero when the process compiles ahead of time instead of running a program: nothing to profile. Any context. */
MONO_API mono_bool mono_jit_aot_compiling (void);
/* Version text ("6.8.0.105 (Debian ...)"; outside Mono the host's). Caller frees. Not async-safe. */
MONO_API char *mono_get_runtime_build_info (void);
/* Makes the calling thread known and its domain current; returns the domain it had before. Not in a signal handler. */
MONO_API MonoDomain *mono_jit_thread_attach (MonoDomain *domain);

MONO_END_DECLS

#endif
