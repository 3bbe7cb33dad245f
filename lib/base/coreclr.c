/*
 * SPDX-License-Identifier: MIT
 *
 * coreclr.c - see coreclr.h. Normal context.
 */
#include "coreclr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "environment.h"

/* clang-format off */
/* Newer runtimes also know the DOTNET_ names. */
static const struct {
	const char *enable, *profiler, *path;
} names[] = {
	{ "CORECLR_ENABLE_PROFILING", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH" },
	{ "DOTNET_ENABLE_PROFILING",  "DOTNET_PROFILER",  "DOTNET_PROFILER_PATH" },
};
/* A class, or a list of them. */
static const char *const values[] = {
	"CORECLR_PROFILER", "CORECLR_NOTIFICATION_PROFILERS", "CORECLR_NOTIFICATION_PROFILERS_64",
	"CORECLR_NOTIFICATION_PROFILERS_ARM64", "DOTNET_PROFILER", "DOTNET_NOTIFICATION_PROFILERS",
	"DOTNET_NOTIFICATION_PROFILERS_64", "DOTNET_NOTIFICATION_PROFILERS_ARM64",
};
/* Any of these being 0 keeps every profiler out. */
static const char *const switches[] = {
	"DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_Profiler",
	"COMPlus_EnableDiagnostics", "COMPlus_EnableDiagnostics_Profiler",
};
/* clang-format on */

/* The runtime reads a hexadecimal number. */
static bool
is_number (const char *variable, unsigned long wanted)
{
	const char *text = monocle__variable (variable);
	char *end;
	return text && *text && strtoul (text, &end, 16) == wanted && *end == '\0';
}

bool
monocle__coreclr_foreign (char *ret_who, size_t size)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *clsid = monocle__variable (names[i].profiler), *path = monocle__variable (names[i].path);
		if (!is_number (names[i].enable, 1) || !clsid || strcasecmp (clsid, MONOCLE__CLSID) == 0)
			continue;
		snprintf (ret_who, size, "%s=%s", path ? names[i].path : names[i].profiler, path ? path : clsid);
		return true;
	}
	return false;
}

bool
monocle__coreclr_names_us (void)
{
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		const char *value = monocle__variable (values[i]);
		if (value && strcasestr (value, MONOCLE__CLSID))
			return true;
	}
	return false;
}

const char *
monocle__coreclr_disabled (void)
{
	const char *found = NULL;
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		if (is_number (switches[i], 0))
			found = switches[i];
	return found;
}
