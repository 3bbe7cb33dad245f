/*
 * SPDX-License-Identifier: MIT
 *
 * host.c - a runtime that says what the environment did to it; the test makes it set-user-id.
 *
 *   host FOLDER MODULE[:ARGS]...
 *
 * FOLDER has the libraries and the modules. They are opened by absolute paths: the dynamic linker of a set-user-id
 * program believes no relative one. What is asked of the CoreCLR adapter is its own file, lib/clr/process.c.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <monocle/host.h>

#include "process.h"
#include "run-note.h"

static void *core;

static void *
open_library (const char *folder, const char *name)
{
	char path[4096];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	void *library = dlopen (path, RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		printf ("%s\n", dlerror ());
		exit (3);
	}
	return library;
}

#define CORE(function) ((__typeof__ (function) *) dlsym (core, #function))

int
monocle_host_process_enabled (const char **ret_reason)
{
	return CORE (monocle_host_process_enabled) (ret_reason);
}

static int
enable (void *host, monocle_feature feature)
{
	return 1;
}

static void
show_spools (void)
{
	char line[4096];
	FILE *maps = fopen ("/proc/self/maps", "r");
	while (maps && fgets (line, sizeof line, maps))
		if (strstr (line, ".spool"))
			printf ("spool %s", strchr (line, '/'));
	if (maps)
		fclose (maps);
}

int
main (int argc, char **argv)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "host",
		.runtime_version = "host 1.0",
		.enable = enable,
	};
	const char *reason = "";
	open_library (argv[1], "libmonocle-kit.so.0");
	core = open_library (argv[1], "libmonocle.so.0");
	printf ("secure %lu\n", getauxval (AT_SECURE));
	printf ("meant %d\n", monocle__process_is_meant (&reason));
	monocle__run_note ("loaded", "host");
	if (CORE (monocle_host_init) (&ops))
		return 4;
	printf ("from environment %d\n", CORE (monocle_host_load_from_env) ());
	fflush (stdout);
	for (int i = 2; i < argc; i++)
		CORE (monocle_host_load) (argv[i]);
	CORE (monocle_host_startup_done) ();
	CORE (monocle_thread_attach) ((uintptr_t) pthread_self ());
	CORE (monocle_raise_thread_started) ((uintptr_t) pthread_self ());
	CORE (monocle_raise_runtime_initialized) ();
	show_spools ();
	fflush (stdout);
	CORE (monocle_raise_runtime_shutdown_begin) ();
	CORE (monocle_raise_runtime_shutdown_end) ();
	CORE (monocle_host_shutdown) ();
	return 0;
}
