/*
 * SPDX-License-Identifier: MIT
 *
 * preload.c - LD_PRELOAD: a program that is linked with Mono finds here the functions by which it starts the runtime.
 *
 * Each of them loads the umbrella and is otherwise Mono's own, which comes next in the order of the search. Where none
 * comes, a plugin has brought its Mono along, which nobody else sees.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include "embedded.h"

#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED MonoDomain *mono_jit_init (const char *file);
EXPORTED MonoDomain *mono_jit_init_version (const char *name, const char *version);
EXPORTED MonoDomain *mono_jit_init_version_for_test_only (const char *name, const char *version);
EXPORTED int mono_main (int argc, char **argv);
EXPORTED mono_bool mono_profiler_enable_call_context_introspection (void);

#define CALLER __builtin_return_address (0)

/* What the caller would have called without us; NULL: nothing. */
static void *
next_of (const char *name, void *caller)
{
	struct link_map *map = NULL;
	Dl_info info;
	void *found = dlsym (RTLD_NEXT, name);
	if (found || !dladdr1 (caller, &info, (void **) &map, RTLD_DL_LINKMAP) || !map || !map->l_name[0])
		return found;
	void *library = dlopen (map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (library) {
		found = dlsym (library, name);
		dlclose (library);
	}
	return found;
}

/* Modules find Mono's functions in the global scope alone. */
static void
load_umbrella (void *caller)
{
	void *load = next_of ("mono_profiler_load", caller);
	Dl_info info;
	if (load && !dlsym (RTLD_NEXT, "mono_profiler_load") && dladdr (load, &info))
		dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
	monocle__embedded_load ((monocle__profiler_load_fn) load);
}

MonoDomain *
mono_jit_init (const char *file)
{
	monocle__jit_init_fn next = (monocle__jit_init_fn) next_of (__func__, CALLER);
	load_umbrella (CALLER);
	return next ? next (file) : NULL;
}

MonoDomain *
mono_jit_init_version (const char *name, const char *version)
{
	monocle__jit_init_version_fn next = (monocle__jit_init_version_fn) next_of (__func__, CALLER);
	load_umbrella (CALLER);
	return next ? next (name, version) : NULL;
}

MonoDomain *
mono_jit_init_version_for_test_only (const char *name, const char *version)
{
	monocle__jit_init_version_fn next = (monocle__jit_init_version_fn) next_of (__func__, CALLER);
	load_umbrella (CALLER);
	return next ? next (name, version) : NULL;
}

int
mono_main (int argc, char **argv)
{
	monocle__main_fn next = (monocle__main_fn) next_of (__func__, CALLER);
	load_umbrella (CALLER);
	return next ? next (argc, argv) : 1;
}

/* In a process of CoreCLR the next one is libmonocle's. */
mono_bool
mono_profiler_enable_call_context_introspection (void)
{
	monocle__enable_fn next = (monocle__enable_fn) next_of (__func__, CALLER);
	return monocle__embedded_refuses () || !next ? 0 : next ();
}
