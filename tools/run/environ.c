/*
 * SPDX-License-Identifier: MIT
 *
 * environ.c - appends to the environment, displaces nothing.
 */
#include "environ.h"

#include "command/command.h"
#include "coreclr.h"
#include "program-file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
/*
 * CoreCLR reads the variable of its own width before the plain one, and .NET 11 a name with DOTNET_ before that with
 * CORECLR_, each for itself. What is there already and is read first gets the same value.
 */
static const char *const path_variables[] = {
	"DOTNET_PROFILER_PATH_64",  "DOTNET_PROFILER_PATH_ARM64",  "DOTNET_PROFILER_PATH",
	"CORECLR_PROFILER_PATH_64", "CORECLR_PROFILER_PATH_ARM64", "CORECLR_PROFILER_PATH",
};
/* Those for the list of profilers beside the main one, in the same order, and what switches it on. */
static const char *const list_variables[] = {
	"DOTNET_NOTIFICATION_PROFILERS_64",  "DOTNET_NOTIFICATION_PROFILERS_ARM64",  "DOTNET_NOTIFICATION_PROFILERS",
	"CORECLR_NOTIFICATION_PROFILERS_64", "CORECLR_NOTIFICATION_PROFILERS_ARM64", "CORECLR_NOTIFICATION_PROFILERS",
};
static const char list_switch[] = "CORECLR_ENABLE_NOTIFICATION_PROFILERS";
static const char newer_list_switch[] = "DOTNET_ENABLE_NOTIFICATION_PROFILERS";
/* clang-format on */

/* PATH={CLASS};PATH={CLASS}; is the list, and nothing in it can be quoted. */
static bool
can_be_listed (const char *adapter)
{
	return adapter && !strpbrk (adapter, "=;");
}

void
monocle__environ_look (const char *adapter, monocle__environ_state *ret_state)
{
	char foreign[PATH_MAX + 64];
	*ret_state = (monocle__environ_state) { .disabled = monocle__coreclr_disabled () };
	if (monocle__coreclr_foreign (foreign, sizeof foreign))
		ret_state->foreign = monocle__format ("%s", foreign);
	ret_state->is_joined = ret_state->foreign && can_be_listed (adapter);
}

void
monocle__environ_say (const monocle__environ_state *state, const monocle__layout *layout)
{
	if (state->is_joined)
		monocle__say (
		    "another profiler is in the environment (%s); it stays the main one of CoreCLR programs, and Monocle "
		    "joins it: samples, exceptions and events come, calls cannot be counted",
		    state->foreign);
	else if (state->foreign)
		monocle__say (
		    "another profiler is in the environment (%s); it stays, and CoreCLR programs are not profiled: %s",
		    state->foreign,
		    layout->adapter ? "no list of profilers can hold a path with '=' or ';', as libmonocle-clr.so has"
		                    : "libmonocle-clr.so was not found");
	if (state->disabled)
		monocle__say ("%s=0 in the environment keeps CoreCLR from loading any profiler; unset it to profile",
		              state->disabled);
}

/*
 * The word as it must be in MONO_ENV_OPTIONS and MONOCLE_PROFILE to be read back whole; the caller frees it.
 * Both readers take a backslash before any character as that character, inside quotes too: so no
 * quotes are needed.
 */
static char *
quote (const char *word)
{
	char *quoted = monocle__format ("%*s", (int) (2 * strlen (word)), ""), *out = quoted;
	for (; *word; word++) {
		if (strchr (" \t\n\r\f\v'\"\\", *word))
			*out++ = '\\';
		*out++ = *word;
	}
	*out = '\0';
	return quoted;
}

/* Appends after `separator`; an empty variable counts as none, above all in a search path. */
static void
append (const char *variable, const char *separator, const char *text)
{
	const char *old = getenv (variable);
	char *value = old && *old ? monocle__format ("%s%s%s", old, separator, text) : monocle__format ("%s", text);
	setenv (variable, value, 1);
	free (value);
}

static bool
contains_folder (const char *path, const char *folder, size_t length)
{
	for (; path && *path; path = strchr (path, ':') ? strchr (path, ':') + 1 : NULL) {
		if (strncmp (path, folder, length) == 0 && (path[length] == ':' || path[length] == '\0'))
			return true;
	}
	return false;
}

/* Appends those folders that the variable does not have yet. */
static void
append_folders (const char *variable, const char *folders)
{
	while (*folders) {
		size_t length = strcspn (folders, ":");
		char *folder = monocle__format ("%.*s", (int) length, folders);
		if (length > 0 && !contains_folder (getenv (variable), folder, length))
			append (variable, ":", folder);
		free (folder);
		folders += length + (folders[length] == ':');
	}
}

/* Only what is there: a name that older runtimes do not know is not needed otherwise. */
static void
replace (const char *variable, const char *value)
{
	if (getenv (variable))
		setenv (variable, value, 1);
}

static void
set_coreclr (const char *adapter)
{
	setenv ("CORECLR_ENABLE_PROFILING", "1", 1);
	setenv ("CORECLR_PROFILER", MONOCLE__CLSID, 1);
	setenv ("CORECLR_PROFILER_PATH", adapter, 1);
	replace ("DOTNET_ENABLE_PROFILING", "1");
	replace ("DOTNET_PROFILER", MONOCLE__CLSID);
	for (size_t i = 0; i < sizeof path_variables / sizeof *path_variables; i++) {
		replace (path_variables[i], adapter);
	}
}

/* Is the module named by NAME or NAME:ARGS? */
static bool
is_named (const char *desc, const char *name)
{
	size_t length = strlen (name);
	return strncmp (desc, name, length) == 0 && (desc[length] == ':' || !desc[length]);
}

/*
 * The runtime is told to keep what it inlines where, so that samples can tell. What the caller has set stays. Modules
 * of ours that never sample do without what that costs at the start.
 */
static void
set_inlined (char *const *descs, size_t count)
{
	static const char *const others[] = { "calls", "cover", "exceptions", "events" };
	for (size_t i = 0; i < count; i++) {
		bool samples = true;
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			samples = samples && !is_named (descs[i], others[k]);
		if (samples)
			setenv ("DOTNET_RichDebugInfo", "1", 0);
	}
}

static bool
names_us (const char *entry)
{
	const char *clsid = strchr (entry, '=');
	return clsid && strcasecmp (clsid + 1, MONOCLE__CLSID) == 0;
}

/*
 * The list's own entries stay before ours, each with the semicolon without which newer runtimes overlook the last one.
 * A list that is switched off is not switched on by us: ours takes its place.
 */
static void
join_list (const char *variable, const char *adapter, bool is_kept)
{
	const char *old = getenv (variable);
	char *entries = monocle__format ("%s", is_kept && old ? old : ""), *left = entries, *entry;
	char *list = monocle__format ("%s", "");
	while ((entry = strsep (&left, ";"))) {
		char *longer = *entry && !names_us (entry) ? monocle__format ("%s%s;", list, entry) : NULL;
		if (longer) {
			free (list);
			list = longer;
		}
	}
	char *value = monocle__format ("%s%s=%s;", list, adapter, MONOCLE__CLSID);
	setenv (variable, value, 1);
	free (value);
	free (list);
	free (entries);
}

static bool
is_on (const char *variable)
{
	const char *enabled = getenv (variable);
	return enabled && *enabled && strtoul (enabled, NULL, 16) != 0;
}

/* The plain list counts where the runtime's own width has none. */
static void
join_lists (const char *adapter)
{
	bool is_kept = is_on (list_switch),
	     is_newer_kept = getenv (newer_list_switch) ? is_on (newer_list_switch) : is_kept;
	size_t count = sizeof list_variables / sizeof *list_variables;
	for (size_t i = 0; i < count; i++) {
		if (i + 1 == count || getenv (list_variables[i]))
			join_list (list_variables[i], adapter, *list_variables[i] == 'D' ? is_newer_kept : is_kept);
	}
	setenv (list_switch, "1", 1);
	replace (newer_list_switch, "1");
}

char *
monocle__environ_profiles (char *const *descs, size_t count)
{
	char *words = monocle__format ("%s", "");
	for (size_t i = 0; i < count; i++) {
		char *word = quote (descs[i]), *longer = monocle__format ("%s%s%s", words, i ? " " : "", word);
		free (words);
		free (word);
		words = longer;
	}
	return words;
}

static void
set_profiles (const monocle__environ_wishes *wishes)
{
	for (size_t i = 0; i < wishes->profile_count; i++) {
		char *word = quote (wishes->profiles[i]);
		char *option = monocle__format ("--profile=monocle:%s", word);
		append ("MONOCLE_PROFILE", " ", word);
		if (wishes->layout->umbrella)
			append ("MONO_ENV_OPTIONS", " ", option);
		free (option);
		free (word);
	}
}

/* What is there already stays: it holds one module only. Monos that are embedded read it, newer ones than 6.8. */
static void
set_mono_profile (void)
{
	const char *old = getenv ("MONO_PROFILE");
	if (!old || !*old)
		setenv ("MONO_PROFILE", "monocle", 1);
}

static void
set_umbrella_folder (const char *umbrella)
{
	char *folder = monocle__format ("%.*s", (int) (strrchr (umbrella, '/') - umbrella), umbrella);
	append_folders ("LD_LIBRARY_PATH", folder);
	free (folder);
}

static void
set_run (const char *folder)
{
	char *pid = monocle__format ("%d", (int) getpid ());
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	setenv ("MONOCLE_RUN_PID", pid, 1);
	free (pid);
}

/* --- programs that embed Mono ------------------------------------------------------------------------------------- */

monocle__embedded
monocle__environ_embedded (const char *command)
{
	monocle__program_file file;
	monocle__program_file_open (&file, command);
	bool is_linked = file.links_mono;
	monocle__program_file_close (&file);
	return is_linked ? MONOCLE__EMBEDDED_LINKED : MONOCLE__EMBEDDED_NONE;
}

const char *
monocle__environ_embedded_trouble (const monocle__layout *layout, monocle__embedded wanted)
{
	if (wanted == MONOCLE__EMBEDDED_NONE)
		return NULL;
	if (!layout->umbrella || !layout->preload || (wanted == MONOCLE__EMBEDDED_ANY && !layout->audit))
		return "libmonocle-preload.so, libmonocle-audit.so or libmono-profiler-monocle.so was not found or is not used";
	/* Spaces and colons separate, and what follows a dollar sign is replaced. */
	if (strpbrk (layout->preload, " :$"))
		return "LD_PRELOAD cannot name a file in a folder with a space, a colon or a dollar sign, as "
		       "libmonocle-preload.so is";
	return NULL;
}

void
monocle__environ_say_embedded (monocle__embedded wanted, const monocle__layout *layout)
{
	const char *trouble = monocle__environ_embedded_trouble (layout, wanted);
	if (trouble)
		monocle__say ("programs that embed Mono will not be profiled: %s", trouble);
}

static void
append_file (const char *variable, const char *path)
{
	if (!contains_folder (getenv (variable), path, strlen (path)))
		append (variable, ":", path);
}

static void
set_embedded (const monocle__environ_wishes *wishes)
{
	if (wishes->embedded == MONOCLE__EMBEDDED_NONE ||
	    monocle__environ_embedded_trouble (wishes->layout, wishes->embedded))
		return;
	append_file ("LD_PRELOAD", wishes->layout->preload);
	if (wishes->embedded == MONOCLE__EMBEDDED_ANY)
		append_file ("LD_AUDIT", wishes->layout->audit);
}

/* Each process counts its own time. */
static void
set_times (const monocle__environ_wishes *wishes)
{
	char text[32];
	snprintf (text, sizeof text, "%zums", wishes->delay);
	if (wishes->is_stopped || wishes->delay)
		setenv ("MONOCLE_START", wishes->is_stopped ? "stopped" : text, 1);
	snprintf (text, sizeof text, "%zums", wishes->duration);
	if (wishes->duration)
		setenv ("MONOCLE_DURATION", text, 1);
}

void
monocle__environ_set (const monocle__environ_wishes *wishes, const monocle__environ_state *state)
{
	set_profiles (wishes);
	if (wishes->layout->adapter && !state->foreign)
		set_coreclr (wishes->layout->adapter);
	if (wishes->layout->adapter)
		set_inlined (wishes->profiles, wishes->profile_count);
	if (state->is_joined)
		join_lists (wishes->layout->adapter);
	if (wishes->layout->umbrella) {
		set_mono_profile ();
		set_umbrella_folder (wishes->layout->umbrella);
	}
	set_embedded (wishes);
	append_folders ("LD_LIBRARY_PATH", wishes->layout->module_path);
	append_folders ("MONOCLE_MODULE_PATH", wishes->layout->module_path);
	if (wishes->run_folder)
		set_run (wishes->run_folder);
	if (wishes->all)
		setenv ("MONOCLE_RUN_ALL", "1", 1);
	if (wishes->process)
		setenv ("MONOCLE_PROCESS", wishes->process, 1);
	set_times (wishes);
}
