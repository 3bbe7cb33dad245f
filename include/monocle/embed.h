/*
 * SPDX-License-Identifier: MIT
 *
 * embed.h - for programs that start CoreCLR themselves and have it profiled, as embedders of Mono do.
 *
 *     mono_profiler_load ("calls:output=app.pb.gz");   modules, as many as you like
 *     monocle_coreclr_environment (NULL, NULL);        the runtime will load the adapter
 *     coreclr_initialize (...), or hostfxr_...         nothing else changes
 *     monocle_runtime_end ();                          after hostfxr only: it has no end of its own
 *
 * The first call is Mono's. All of them are for normal context.
 */
#ifndef MONOCLE_EMBED_H
#define MONOCLE_EMBED_H

#include <mono/metadata/profiler.h>
#include <monocle/host.h>

MONO_BEGIN_DECLS

/* Sets one variable of the environment that the runtime will read. Nonzero: it could not. */
typedef int (*monocle_variable_setter) (void *data, const char *name, const char *value);

/*
 * Names the adapter (libmonocle-clr.so beside this library) to the CoreCLR that will be started in this process:
 * CORECLR_ENABLE_PROFILING, CORECLR_PROFILER, CORECLR_PROFILER_PATH and CORECLR_PROFILER_PATH_64 are set, by `set`, or
 * by setenv () when it is NULL. MONOCLE_EMBED_PID is set as well, by which the adapter knows the program's children.
 * Call it before the runtime is started, while no other thread reads the environment.
 *
 * Whatever fails is said in one line, and nothing is set:
 *   MONOCLE_E_BUSY       the user named another profiler there; it stays
 *   MONOCLE_E_REFUSED    a variable such as DOTNET_EnableDiagnostics=0 keeps the runtime from loading any profiler, or
 *                        others can change the adapter's file (doc/security.md)
 *   MONOCLE_E_NOT_FOUND  there is no adapter
 *   MONOCLE_E_NO_MEMORY  a variable could not be set; those before it are
 * The program may go on in each case; it is not profiled.
 */
MONO_API int monocle_coreclr_environment (monocle_variable_setter set, void *data);

/*
 * The program will not use the runtime any more: modules see the end (runtime_shutdown_begin, runtime_shutdown_end, the
 * cleanup callbacks), unless they have seen it. For runtimes that were started by hostfxr, which never end; where
 * coreclr_shutdown () is called this is not needed. Managed code that runs later is not profiled. Nothing happens when
 * nothing is profiled. Not inside a module's callback, which this would wait for.
 */
MONO_API void monocle_runtime_end (void);

MONO_END_DECLS

#endif
