/*
 * SPDX-License-Identifier: MIT
 *
 * internals.c - see internals.h. The library is opened into the global scope, where modules find its functions, and
 * stays. No other module should meet it by accident, so it is opened for a name that a module lacks and no sooner.
 */
#include "internals.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "elf.h"
#include "self.h"

#define LIBRARY "libmonocle-internals.so"

static const char *const names[] = {
#define MONOCLE__INTERNAL(name) #name,
#include "internal-names.def"
#undef MONOCLE__INTERNAL
};

static bool
is_internal (const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp (names[i], name))
			return true;
	return false;
}

/* Beside the core where it is installed, and where it is built. */
static bool
open_in (const char *folder, const char *below)
{
	char file[64];
	snprintf (file, sizeof file, "%s/" LIBRARY, below);
	return monocle__self_open_library (folder, file, RTLD_GLOBAL);
}

bool
monocle__internals_supply (const char *name)
{
	const char *here = monocle__self_folder ();
	if (!is_internal (name))
		return false;
	return dlsym (RTLD_DEFAULT, name) || open_in (here, "/internals") || open_in (here, "/monocle/internals") ||
	       open_in (here, "/../internals") || open_in (MONOCLE_MODULEDIR, "/internals");
}

const char *
monocle__internals_supplier (const char *name)
{
	return is_internal (name) ? LIBRARY : NULL;
}

static void
note_internal (const char *name, void *data)
{
	if (is_internal (name))
		*(bool *) data = true;
}

bool
monocle__internals_are_needed (const void *code)
{
	Dl_info file;
	bool are_needed = false;
	if (dlsym (RTLD_DEFAULT, names[0]) && dladdr (code, &file) && file.dli_fname)
		monocle__elf_each_needed (file.dli_fname, note_internal, &are_needed);
	return are_needed;
}
