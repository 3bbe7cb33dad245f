/*
 * SPDX-License-Identifier: MIT
 *
 * audit.c - LD_AUDIT: a program that opens Mono's library by itself gets, from dlsym () too, our functions for those by
 * which it starts the runtime.
 *
 * The dynamic linker keeps an auditor and its C library apart from the program, and asks it about each binding to a
 * library that it marked: see rtld-audit(7). Marked is Mono's. Our functions are not told by which Mono's names they
 * were found: it is the one that was bound last, of those that are still open.
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

enum { MONOS_MAX = 8 };

/* What the program bound; written, under the dynamic linker's lock, before the program can call it. */
typedef struct {
	struct link_map *library; /* it may be opened where modules would not find it; NULL: an empty place */
	monocle__jit_init_fn jit_init;
	monocle__jit_init_version_fn jit_init_version, jit_init_version_for_test_only;
	monocle__main_fn main;
	monocle__enable_fn enable_call_context_introspection;
} mono;

static mono monos[MONOS_MAX];
static unsigned bound[MONOS_MAX], bound_count; /* places in `monos`; the last one was bound last */

/* Which one is meant, where the pointer at this place in a `mono` is called: one, unless the program has closed it. */
static mono *
current (size_t next)
{
	void *function;
	for (unsigned i = bound_count; i > 0; i--) {
		memcpy (&function, (char *) &monos[bound[i - 1]] + next, sizeof function);
		if (function)
			return &monos[bound[i - 1]];
	}
	return NULL;
}

static mono *
load_umbrella (size_t next)
{
	mono *started = current (next);
	void *library = dlmopen (LM_ID_BASE, started->library->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
	monocle__embedded_load (library ? (monocle__profiler_load_fn) dlsym (library, "mono_profiler_load") : NULL);
	return started;
}

static MonoDomain *
jit_init (const char *file)
{
	return load_umbrella (offsetof (mono, jit_init))->jit_init (file);
}

static MonoDomain *
jit_init_version (const char *name, const char *version)
{
	return load_umbrella (offsetof (mono, jit_init_version))->jit_init_version (name, version);
}

static MonoDomain *
jit_init_version_for_test_only (const char *name, const char *version)
{
	return load_umbrella (offsetof (mono, jit_init_version_for_test_only))
	    ->jit_init_version_for_test_only (name, version);
}

static int
main_of_mono (int argc, char **argv)
{
	return load_umbrella (offsetof (mono, main))->main (argc, argv);
}

static mono_bool
enable_call_context_introspection (void)
{
	const size_t next = offsetof (mono, enable_call_context_introspection);
	return monocle__embedded_refuses () ? 0 : current (next)->enable_call_context_introspection ();
}

/* clang-format off */
static const struct {
	const char *name;
	size_t next; /* where in a `mono` the pointer to the function is */
	uintptr_t ours;
} functions[] = {
	{ "mono_jit_init",                       offsetof (mono, jit_init), (uintptr_t) jit_init },
	{ "mono_jit_init_version",               offsetof (mono, jit_init_version), (uintptr_t) jit_init_version },
	{ "mono_jit_init_version_for_test_only", offsetof (mono, jit_init_version_for_test_only),
	                                         (uintptr_t) jit_init_version_for_test_only },
	{ "mono_main",                           offsetof (mono, main), (uintptr_t) main_of_mono },
	{ "mono_profiler_enable_call_context_introspection", offsetof (mono, enable_call_context_introspection),
	                                         (uintptr_t) enable_call_context_introspection },
};
/* clang-format on */

/* --- what the dynamic linker calls -------------------------------------------------------------------------------- */

/* A cookie is the address of its map, unless it is changed. NULL: it is no Mono, or one too many. */
static mono *
find (uintptr_t cookie)
{
	for (unsigned i = 0; i < MONOS_MAX; i++)
		if (cookie && (uintptr_t) monos[i].library == cookie)
			return &monos[i];
	return NULL;
}

static void
forget_bound (unsigned place)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < bound_count; i++)
		if (bound[i] != place)
			bound[kept++] = bound[i];
	bound_count = kept;
}

static void
note_bound (unsigned place)
{
	forget_bound (place);
	bound[bound_count++] = place;
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
	for (unsigned i = 0; i < MONOS_MAX; i++)
		if (!monos[i].library) {
			monos[i] = (mono) { .library = map };
			return LA_FLG_BINDTO;
		}
	return 0;
}

unsigned
la_objclose (uintptr_t *cookie)
{
	mono *closed = find (*cookie);
	if (closed) {
		forget_bound ((unsigned) (closed - monos));
		closed->library = NULL;
	}
	return 0;
}

/* A function of one of these names may be somebody else's: nothing but Mono's is exchanged. */
uintptr_t
la_symbind64 (Elf64_Sym *symbol, unsigned index, uintptr_t *user, uintptr_t *definer, unsigned *flags, const char *name)
{
	mono *defining = find (*definer);
	for (size_t i = 0; i < sizeof functions / sizeof *functions && defining; i++) {
		if (strcmp (functions[i].name, name) == 0) {
			memcpy ((char *) defining + functions[i].next, &symbol->st_value, sizeof (void *));
			note_bound ((unsigned) (defining - monos));
			return functions[i].ours;
		}
	}
	return symbol->st_value;
}
