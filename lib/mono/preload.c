/*
 * SPDX-License-Identifier: MIT
 *
 * preload.c - LD_PRELOAD: a program that is linked with Mono finds here the functions by which it starts the runtime.
 *
 * Each of them loads the umbrella and is otherwise Mono's own, which comes next in the order of the search.
 */
#include <dlfcn.h>
#include <stddef.h>
#include "embedded.h"

#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED MonoDomain *mono_jit_init (const char *file);
EXPORTED MonoDomain *mono_jit_init_version (const char *name, const char *version);
EXPORTED MonoDomain *mono_jit_init_version_for_test_only (const char *name, const char *version);
EXPORTED int mono_main (int argc, char **argv);
EXPORTED mono_bool mono_profiler_enable_call_context_introspection (void);

static void
load_umbrella (void)
{
	monocle__embedded_load ((monocle__profiler_load_fn) dlsym (RTLD_NEXT, "mono_profiler_load"));
}

MonoDomain *
mono_jit_init (const char *file)
{
	monocle__jit_init_fn next = (monocle__jit_init_fn) dlsym (RTLD_NEXT, __func__);
	load_umbrella ();
	return next ? next (file) : NULL;
}

MonoDomain *
mono_jit_init_version (const char *name, const char *version)
{
	monocle__jit_init_version_fn next = (monocle__jit_init_version_fn) dlsym (RTLD_NEXT, __func__);
	load_umbrella ();
	return next ? next (name, version) : NULL;
}

MonoDomain *
mono_jit_init_version_for_test_only (const char *name, const char *version)
{
	monocle__jit_init_version_fn next = (monocle__jit_init_version_fn) dlsym (RTLD_NEXT, __func__);
	load_umbrella ();
	return next ? next (name, version) : NULL;
}

int
mono_main (int argc, char **argv)
{
	monocle__main_fn next = (monocle__main_fn) dlsym (RTLD_NEXT, __func__);
	load_umbrella ();
	return next ? next (argc, argv) : 1;
}

/* In a process of CoreCLR the next one is libmonocle's. */
mono_bool
mono_profiler_enable_call_context_introspection (void)
{
	monocle__enable_fn next = (monocle__enable_fn) dlsym (RTLD_NEXT, __func__);
	return monocle__embedded_refuses () || !next ? 0 : next ();
}
