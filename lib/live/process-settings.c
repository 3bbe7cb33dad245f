/*
 * SPDX-License-Identifier: MIT
 *
 * process-settings.c - see process-settings.h.
 */
#include "process-settings.h"

#include "coreclr.h"
#include "live-text.h"
#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "NAME=VALUE" one behind the other. */
typedef struct {
	const char *text;
	size_t length;
} settings;

/* Borrowed; NULL: there is no such variable. */
static const char *
variable (const settings *all, const char *name)
{
	size_t name_length = strlen (name);
	for (const char *at = all->text; at < all->text + all->length; at += strlen (at) + 1) {
		if (strncmp (at, name, name_length) == 0 && at[name_length] == '=')
			return at + name_length + 1;
	}
	return NULL;
}

/* With either of two prefixes; *ret_prefix is the one that was found. */
static const char *
setting (const settings *all, const char *const prefixes[2], const char *name, const char **ret_prefix)
{
	char full[64];
	for (size_t i = 0; i < 2; i++) {
		snprintf (full, sizeof full, "%s%s", prefixes[i], name);
		*ret_prefix = prefixes[i];
		const char *value = variable (all, full);
		if (value)
			return value;
	}
	return NULL;
}

/* What keeps every profiler out comes before what keeps out those alone that come later. */
static void
take_diagnostics (monocle__live_process *process, const settings *all)
{
	static const char *const prefixes[2] = { "DOTNET_", "COMPlus_" };
	static const char *const names[] = { "EnableDiagnostics", "EnableDiagnostics_Profiler", "EnableDiagnostics_IPC" };
	const char *prefix;
	for (size_t i = 0; i < sizeof names / sizeof *names && !process->diagnostics[0]; i++) {
		const char *value = setting (all, prefixes, names[i], &prefix);
		if (!value || !*value || strtoul (value, NULL, 16) != 0)
			continue;
		snprintf (process->diagnostics, sizeof process->diagnostics, "%s%s=%.8s", prefix, names[i], value);
		monocle__live_text_clean (process->diagnostics);
	}
}

static const char *const profiling[2] = { "CORECLR_", "DOTNET_" };

/* The list of profilers beside the main one, which has a switch of its own. */
static bool
is_listed (const settings *all)
{
	static const char *const names[] = { "NOTIFICATION_PROFILERS", "NOTIFICATION_PROFILERS_64",
		                                 "NOTIFICATION_PROFILERS_ARM64" };
	const char *prefix, *on = setting (all, profiling, "ENABLE_NOTIFICATION_PROFILERS", &prefix);
	bool found = false;
	for (size_t i = 0; i < sizeof names / sizeof *names && on && !found; i++) {
		const char *list = setting (all, profiling, names[i], &prefix);
		found = list && strcasestr (list, MONOCLE__CLSID);
	}
	return found && strtoul (on, NULL, 16) != 0;
}

static const char *
profiler_path (const settings *all)
{
	static const char *const names[] = { "PROFILER_PATH_64", "PROFILER_PATH_ARM64", "PROFILER_PATH" };
	const char *path = NULL, *prefix;
	for (size_t i = 0; i < sizeof names / sizeof *names && !path; i++)
		path = setting (all, profiling, names[i], &prefix);
	return path;
}

/* Without a class the runtime loads none, whatever the file is. */
static void
take_profiler (monocle__live_process *process, const settings *all)
{
	const char *prefix, *other, *on = setting (all, profiling, "ENABLE_PROFILING", &prefix);
	const char *class = setting (all, profiling, "PROFILER", &other), *path = profiler_path (all);
	bool is_on = on && strtoul (on, NULL, 16) == 1, is_ours = class && strcasecmp (class, MONOCLE__CLSID) == 0;
	path = path && strstr (path, "libmonocle-clr.so") ? NULL : path;
	process->is_told = is_listed (all) || (is_on && is_ours);
	if (on && !is_on)
		snprintf (process->profiling, sizeof process->profiling, "%sENABLE_PROFILING=%.8s", prefix, on);
	monocle__live_text_clean (process->profiling);
	if (!is_on || is_ours || (!class && !path))
		return;
	monocle__live_text_copy (process->profiler, sizeof process->profiler,
	                         path ? monocle__path_base_name (path) : class);
	monocle__live_text_copy (process->profiler_class, sizeof process->profiler_class, class ? class : "");
}

static bool
is_mono_told (const settings *all)
{
	const char *options = variable (all, "MONO_ENV_OPTIONS"), *profile = variable (all, "MONO_PROFILE");
	return (options && strstr (options, "=monocle")) || (profile && strncmp (profile, "monocle", 7) == 0);
}

int
monocle__live_process_settings_take (monocle__live_process *process, const char *variables, size_t length)
{
	const settings all = { variables, length };
	const char *temporary = variable (&all, "TMPDIR"), *run = variable (&all, "MONOCLE_RUN_DIR");
	process->folder = strdup (temporary && temporary[0] ? temporary : "/tmp");
	process->run = run ? strdup (run) : NULL;
	take_diagnostics (process, &all);
	take_profiler (process, &all);
	if (process->kind == MONOCLE__LIVE_MONO)
		process->is_told = is_mono_told (&all);
	return process->folder && (process->run || !run) ? 0 : -ENOMEM;
}
