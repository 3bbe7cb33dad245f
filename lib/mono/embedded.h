/*
 * SPDX-License-Identifier: MIT
 *
 * embedded.h - what the two ways into a program that embeds Mono share: the functions by which such a program starts
 * the runtime, and the umbrella, which is loaded before.
 *
 * Mono 6.8 reads no variable that names a profiler where it is embedded. Both ways are in the program's children as
 * well, whatever they are: nothing is done until one of these functions is called, and without MONOCLE_PROFILE nothing
 * is loaded.
 */
#ifndef MONOCLE_EMBEDDED_H
#define MONOCLE_EMBEDDED_H

/* Mono's types, as far as they concern us. */
typedef struct _MonoDomain MonoDomain;
typedef int mono_bool;

typedef MonoDomain *(*monocle__jit_init_fn) (const char *file);
typedef MonoDomain *(*monocle__jit_init_version_fn) (const char *name, const char *version);
typedef int (*monocle__main_fn) (int argc, char **argv);
typedef mono_bool (*monocle__enable_fn) (void);
typedef void (*monocle__profiler_load_fn) (const char *desc);

/*
 * Loads the umbrella by Mono's own mono_profiler_load (), at the first call. NULL: this Mono has none. Called by the
 * thread that starts the runtime, before it does.
 */
void monocle__embedded_load (monocle__profiler_load_fn load);

/*
 * Is what a module asks for now to be refused? Before the runtime has begun to start, Mono's
 * mono_profiler_enable_call_context_introspection () jumps through a null pointer, and the program would die of a
 * module that it did not ask for. A refusal is logged.
 */
mono_bool monocle__embedded_refuses (void);

#endif
