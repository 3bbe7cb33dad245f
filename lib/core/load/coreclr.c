/*
 * SPDX-License-Identifier: MIT
 *
 * coreclr.c - a program names the adapter to the CoreCLR that it is going to start (<monocle/embed.h>).
 *
 * This is all that the core knows of that runtime: the variables that it reads, and the name of a file. Normal context.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <monocle/embed.h>
#include "coreclr.h"
#include "environment.h"
#include "self.h"
#include "trust.h"

/* Beside this library, where it is installed, or where it is built. */
static bool
find_adapter (char ret_path[PATH_MAX])
{
	static const char *const places[] = { "libmonocle-clr.so", "../clr/libmonocle-clr.so" };
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int length = snprintf (path, sizeof path, "%s/%s", monocle__self_folder (), places[i]);
		if (length < (int) sizeof path && access (path, R_OK) == 0 && realpath (path, ret_path))
			return true;
	}
	return false;
}

static int
set_in_environment (void *data, const char *name, const char *value)
{
	return monocle__variable_set (name, value);
}

/* What .NET 11 reads before the variable with CORECLR_, when it is there. */
static int
set_newer (const char *name, const char *value, monocle_variable_setter set, void *data)
{
	static const char prefix[] = "CORECLR_";
	char newer[64];
	if (strncmp (name, prefix, sizeof prefix - 1))
		return 0;
	snprintf (newer, sizeof newer, "DOTNET_%s", name + sizeof prefix - 1);
	return monocle__variable (newer) ? set (data, newer, value) : 0;
}

static int
set_all (const char *adapter, monocle_variable_setter set, void *data)
{
	char pid[16];
	snprintf (pid, sizeof pid, "%d", (int) getpid ());
	const char *const variables[][2] = {
		{ "CORECLR_ENABLE_PROFILING", "1" },
		{ "CORECLR_PROFILER", MONOCLE__CLSID },
		{ "CORECLR_PROFILER_PATH", adapter },
		{ "CORECLR_PROFILER_PATH_64", adapter }, /* which precedes the plain one */
		{ "MONOCLE_EMBED_PID", pid },
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (set (data, variables[i][0], variables[i][1]) || set_newer (variables[i][0], variables[i][1], set, data)) {
			monocle_log ("%s cannot be set; CoreCLR is not profiled", variables[i][0]);
			return MONOCLE_E_NO_MEMORY;
		}
	return MONOCLE_OK;
}

int
monocle_coreclr_environment (monocle_variable_setter set, void *data)
{
	char adapter[PATH_MAX], foreign[PATH_MAX + 64], reason[2048];
	const char *disabled = monocle__coreclr_disabled ();
	if (monocle__coreclr_foreign (foreign, sizeof foreign)) {
		monocle_log ("another profiler is in the environment (%s); it stays, and CoreCLR is not profiled", foreign);
		return MONOCLE_E_BUSY;
	}
	if (disabled) {
		monocle_log ("%s=0 in the environment keeps CoreCLR from loading any profiler; unset it to profile", disabled);
		return MONOCLE_E_REFUSED;
	}
	if (!find_adapter (adapter)) {
		monocle_log ("there is no libmonocle-clr.so in %s; CoreCLR is not profiled", monocle__self_folder ());
		return MONOCLE_E_NOT_FOUND;
	}
	if (monocle__trust_path (adapter, reason, sizeof reason)) {
		monocle_log ("%s is not named to CoreCLR, which is not profiled: %s", adapter, reason);
		return MONOCLE_E_REFUSED;
	}
	return set_all (adapter, set ? set : set_in_environment, data);
}
