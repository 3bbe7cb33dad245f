/*
 * SPDX-License-Identifier: MIT
 *
 * self.c - this library as the dynamic linker sees it, and who else is there.
 *
 * A module finds mono_* in the global scope. CoreCLR opens its profiler with RTLD_LOCAL, so the core has to step out
 * into that scope by itself; and it must be the only one there. A Mono, or a second copy of this library, would answer
 * some of a module's calls while we answer the others. Everything here runs in normal context.
 */
#include "self.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "log.h"
#include "trust.h"

static Dl_info self; /* written once, under `once` */
static char folder[PATH_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
look_at_self (void)
{
	char real[PATH_MAX];
	if (!dladdr (&self, &self) || !self.dli_fname || !realpath (self.dli_fname, real))
		return;
	char *slash = strrchr (real, '/');
	if (slash) {
		*slash = '\0';
		snprintf (folder, sizeof folder, "%s", real);
	}
}

const char *
monocle__self_folder (void)
{
	pthread_once (&once, look_at_self);
	return folder;
}

/* The reference is kept for ever: modules point into us. Nothing is found when the core is part of the program. */
void
monocle__self_enter_global_scope (void)
{
	static atomic_bool done;
	monocle__self_folder ();
	if (!self.dli_fname || atomic_exchange_explicit (&done, true, memory_order_acq_rel))
		return;
	dlopen (self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* --- libraries of ours -------------------------------------------------------------------------------------------- */

bool
monocle__self_open_library (const char *directory, const char *below, int flags)
{
	char path[PATH_MAX], reason[2048];
	if (!directory[0])
		return false;
	int length = snprintf (path, sizeof path, "%s%s", directory, below);
	int error = length < (int) sizeof path ? monocle__trust_path (path, reason, sizeof reason) : -ENOENT;
	if (error && error != -ENOENT)
		MONOCLE__LOG_ONCE ("%s is not loaded: %s", path, reason);
	return !error && dlopen (path, RTLD_NOW | flags);
}

static bool
open_compat_in (const char *directory, const char *below)
{
	static const char *const names[] = { "monosgen-2.0", "monoboehm-2.0", "mono-2.0" };
	char file[128];
	bool opened = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf (file, sizeof file, "%s/compat-%s.so", below, names[i]);
		opened |= monocle__self_open_library (directory, file, RTLD_LOCAL);
	}
	return opened;
}

void
monocle__self_open_compat (void)
{
	static atomic_bool done;
	if (atomic_exchange_explicit (&done, true, memory_order_acq_rel))
		return;
	const char *here = monocle__self_folder ();
	if (!open_compat_in (here, "/compat") && !open_compat_in (here, "/monocle/compat"))
		open_compat_in (MONOCLE_MODULEDIR, "/compat");
}

/* --- rivals ------------------------------------------------------------------------------------------------------- */

typedef struct {
	char **names; /* owned */
	size_t count, room;
} objects;

static int
note_object (struct dl_phdr_info *info, size_t size, void *data)
{
	objects *list = data;
	if (list->count == list->room) {
		char **grown = realloc (list->names, (list->room + 64) * sizeof *grown);
		if (!grown)
			return 1;
		list->names = grown;
		list->room += 64;
	}
	list->names[list->count] = strdup (info->dlpi_name);
	return list->names[list->count++] ? 0 : 1;
}

/* The address of a symbol that some other object defines, and that object's file; NULL when there is none. */
static void *
foreign_symbol (void *object, const char *symbol, const char **ret_file)
{
	Dl_info info;
	void *address = dlsym (object, symbol);
	if (!address || !dladdr (address, &info) || info.dli_fbase == self.dli_fbase)
		return NULL;
	*ret_file = info.dli_fname;
	return address;
}

/* Another copy of this library is a rival once it has a host. */
static bool
is_rival_core (void *object, char *ret_who, size_t size)
{
	const char *file;
	const char *(*host_name) (void) = (const char *(*) (void) ) foreign_symbol (object, "monocle_host_name", &file);
	const char *name = host_name ? host_name () : NULL;
	if (name)
		snprintf (ret_who, size, "another copy of this library (%s) serves the host %s in this process", file, name);
	return name;
}

/*
 * A Mono can always be started, so its library counts; one without the embedding API counts when it runs. Copies of
 * this library have those functions too and are judged by their host alone. Our library for programs that embed Mono,
 * which their children inherit, has no domains.
 */
static bool
is_mono (void *object, char *ret_who, size_t size)
{
	const char *file;
	if (foreign_symbol (object, "monocle_host_name", &file))
		return false;
	bool can_start = foreign_symbol (object, "mono_jit_init", &file);
	void *(*root_domain) (void) = (void *(*) (void) ) foreign_symbol (object, "mono_get_root_domain", &file);
	bool found = root_domain && (can_start || root_domain ());
	if (found)
		snprintf (ret_who, size, "a Mono (%s) is in this process", file);
	return found;
}

static bool
is_rival (const char *name, char *ret_who, size_t size)
{
	void *object = name[0] ? dlopen (name, RTLD_LAZY | RTLD_NOLOAD) : dlopen (NULL, RTLD_LAZY);
	if (!object)
		return false;
	bool rival = is_rival_core (object, ret_who, size) || is_mono (object, ret_who, size);
	dlclose (object);
	return rival;
}

bool
monocle__self_has_rival (char *ret_who, size_t size)
{
	objects list = { NULL, 0, 0 };
	const char *file;
	bool rival = false;
	monocle__self_folder ();
	dl_iterate_phdr (note_object, &list);
	for (size_t i = 0; i < list.count; i++) {
		rival = rival || (list.names[i] && is_rival (list.names[i], ret_who, size));
		free (list.names[i]);
	}
	free (list.names);
	if (!rival && foreign_symbol (RTLD_DEFAULT, "mono_profiler_create", &file)) {
		snprintf (ret_who, size, "the profiler functions of %s come before ours", file);
		rival = true;
	}
	dlerror (); /* what was not found is nobody else's business: this takes the message, ... */
	dlerror (); /* ... and this gives its memory back */
	return rival;
}
