/*
 * SPDX-License-Identifier: MIT
 *
 * beside.c - whether to be the main profiler of the process or one that is only notified.
 *
 * The runtime loads what CORECLR_PROFILER names, then what the list CORECLR_NOTIFICATION_PROFILERS names, and asks each
 * whether it wants to be notified only, before it has anything to ask the runtime with. Who wants to be the main one
 * where there is one already is dropped without a word; who wants to be notified only is never more than that. The
 * runtime does not say whether the place is taken. But the profiler that has it is in the process by then: the runtime
 * opened its library, and closes the library of one that declined or failed.
 */
#include "beside.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "coreclr.h"
#include "environment.h"

/* The variable of the CPU goes before the one of its width, and that before the plain one. */
static const char *const suffixes[] = {
#if defined(__aarch64__)
	"_ARM64",
#endif
	"_64",
	"",
};

static const char *
variable (const char *prefix, const char *name, const char *suffix)
{
	char full[64];
	snprintf (full, sizeof full, "%s%s%s", prefix, name, suffix);
	return monocle__variable (full);
}

/* The library of the profiler that variables with this prefix name, when it is not this one; or NULL. */
static const char *
named_by (const char *prefix)
{
	const char *enabled = variable (prefix, "ENABLE_PROFILING", ""), *clsid = variable (prefix, "PROFILER", "");
	const char *path = NULL;
	if (!enabled || strtoul (enabled, NULL, 16) != 1 || !clsid || strcasecmp (clsid, MONOCLE__CLSID) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !path; i++)
		path = variable (prefix, "PROFILER_PATH", suffixes[i]);
	return path;
}

static bool
is_loaded (const char *path)
{
	void *library = path ? dlopen (path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (library)
		dlclose (library);
	return library != NULL;
}

/* A runtime that does not know the newer names has not loaded what they name. */
bool
monocle__beside_another (void)
{
	return is_loaded (named_by ("CORECLR_")) || is_loaded (named_by ("DOTNET_"));
}

void
monocle__beside_refuse (const char *what, const char *do_what, atomic_bool *told)
{
	if (!atomic_exchange (told, true))
		monocle__clr_complain ("%s cannot be had beside another profiler: the runtime lets only its main one %s", what,
		                       do_what);
}
