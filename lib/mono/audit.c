/*
 * SPDX-License-Identifier: MIT
 *
 * audit.c - LD_AUDIT: a program that opens Mono's library by itself gets, from dlsym () too, our functions for those by
 * which it starts the runtime.
 *
 * The dynamic linker keeps an auditor and its C library apart from the program, and asks it about each binding to a
 * library that it marked: see rtld-audit(7). Marked is Mono's. Here the functions of Mono are known by their addresses
 * alone, one Mono per process: the one that was bound last.
 */
#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "embedded.h"
#include "mono-library.h"

#define EXPORTED __attribute__ ((visibility ("default")))

EXPORTED unsigned la_version (unsigned version);
EXPORTED unsigned la_objopen (struct link_map *map, Lmid_t space, uintptr_t *cookie);
EXPORTED unsigned la_objclose (uintptr_t *cookie);
EXPORTED uintptr_t la_symbind64 (Elf64_Sym *symbol, unsigned index, uintptr_t *user, uintptr_t *definer,
                                 unsigned *flags, const char *name);

/* What the program bound; written before the program can call it. */
static struct {
	monocle__jit_init_fn jit_init;
	monocle__jit_init_version_fn jit_init_version, jit_init_version_for_test_only;
	monocle__main_fn main;
	monocle__enable_fn enable_call_context_introspection;
} monos;
static struct link_map *mono; /* its library; it may be opened where modules would not find it */

static void
load_umbrella (void)
{
	void *library = dlmopen (LM_ID_BASE, mono->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
	monocle__embedded_load (library ? (monocle__profiler_load_fn) dlsym (library, "mono_profiler_load") : NULL);
}

static MonoDomain *
jit_init (const char *file)
{
	load_umbrella ();
	return monos.jit_init (file);
}

static MonoDomain *
jit_init_version (const char *name, const char *version)
{
	load_umbrella ();
	return monos.jit_init_version (name, version);
}

static MonoDomain *
jit_init_version_for_test_only (const char *name, const char *version)
{
	load_umbrella ();
	return monos.jit_init_version_for_test_only (name, version);
}

static int
main_of_mono (int argc, char **argv)
{
	load_umbrella ();
	return monos.main (argc, argv);
}

static mono_bool
enable_call_context_introspection (void)
{
	return monocle__embedded_refuses () ? 0 : monos.enable_call_context_introspection ();
}

/* clang-format off */
static const struct {
	const char *name;
	void *next; /* a pointer to a function */
	uintptr_t ours;
} functions[] = {
	{ "mono_jit_init",                       &monos.jit_init, (uintptr_t) jit_init },
	{ "mono_jit_init_version",               &monos.jit_init_version, (uintptr_t) jit_init_version },
	{ "mono_jit_init_version_for_test_only", &monos.jit_init_version_for_test_only,
	                                         (uintptr_t) jit_init_version_for_test_only },
	{ "mono_main",                           &monos.main, (uintptr_t) main_of_mono },
	{ "mono_profiler_enable_call_context_introspection", &monos.enable_call_context_introspection,
	                                         (uintptr_t) enable_call_context_introspection },
};
/* clang-format on */

/* --- what the dynamic linker calls -------------------------------------------------------------------------------- */

/* A cookie is the address of its map, unless it is changed. */
static bool
is_mono (const uintptr_t *cookie)
{
	return mono && *cookie == (uintptr_t) mono;
}

/* Nothing newer than the first version is used. */
unsigned
la_version (unsigned version)
{
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Asked is for bindings from anywhere to Mono's library. */
unsigned
la_objopen (struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	const char *slash = strrchr (map->l_name, '/');
	if (space != LM_ID_BASE)
		return 0;
	if (fnmatch (MONOCLE__MONO_LIBRARY, slash ? slash + 1 : map->l_name, 0) != 0)
		return LA_FLG_BINDFROM;
	mono = map;
	return LA_FLG_BINDTO;
}

unsigned
la_objclose (uintptr_t *cookie)
{
	if (is_mono (cookie))
		mono = NULL;
	return 0;
}

/* A function of one of these names may be somebody else's: nothing but Mono's is exchanged. */
uintptr_t
la_symbind64 (Elf64_Sym *symbol, unsigned index, uintptr_t *user, uintptr_t *definer, unsigned *flags, const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions && is_mono (definer); i++) {
		if (strcmp (functions[i].name, name) == 0) {
			memcpy (functions[i].next, &symbol->st_value, sizeof (void *));
			return functions[i].ours;
		}
	}
	return symbol->st_value;
}
