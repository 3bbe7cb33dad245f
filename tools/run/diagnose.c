/*
 * SPDX-License-Identifier: MIT
 *
 * diagnose.c - looks at the program file, the environment and what the processes left, and names the likeliest reason.
 *
 * Runtimes are silent when a profiler does not load, so this is where a person learns why. Each reason is a row: a test
 * and a sentence; the first that holds is said. What is not known is not claimed.
 */
#include "diagnose.h"

#include "command/command.h"
#include "command/shell-word.h"
#include "path.h"
#include "program-config.h"
#include "program-file.h"
#include "shown-comment.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	char *const *argv;
	int exit_code;
	bool signalled;
	const monocle__run_folder *folder;
	const monocle__environ_state *state;
	const monocle__layout *layout;
	bool was_runtime_seen;      /* in the command's own process */
	bool was_mono_seen;         /* in a program that embeds it, in that process or below it */
	monocle__embedded embedded; /* which programs that embed Mono were reached */
	monocle__program_file file;
} facts;

/* --- the reasons -------------------------------------------------------------------------------------------------- */

static bool
is_another_cpu (const facts *f)
{
	return f->file.system == MONOCLE__LIVE_SYSTEM_CPU || (monocle__program_file_is_elf (&f->file) && !f->file.elf);
}

static bool
is_privileged (const facts *f)
{
	return (f->file.mode & (S_ISUID | S_ISGID)) != 0;
}

static bool
is_native_aot (const facts *f)
{
	return f->file.host == MONOCLE__LIVE_HOST_NATIVE_AOT ||
	       (f->file.elf && (monocle__program_file_contains (&f->file, "__managedcode") ||
	                        monocle__program_file_contains (&f->file, "RhpReversePInvoke")));
}

static bool
is_static (const facts *f)
{
	return f->file.elf && f->file.elf->e_type != ET_DYN && !monocle__program_file_has_interpreter (&f->file);
}

static bool
is_mono (const facts *f)
{
	return strncmp (monocle__path_base_name (f->file.path), "mono", 4) == 0;
}

/* `dotnet`, or a program with the host that every .NET program starts with. */
static bool
is_dotnet (const facts *f)
{
	return strcmp (monocle__path_base_name (f->file.path), "dotnet") == 0 ||
	       f->file.host == MONOCLE__LIVE_HOST_CORECLR ||
	       (f->file.elf && monocle__program_file_contains (&f->file, "hostfxr"));
}

/* A shell for musl may start programs for glibc. */
static bool
is_on_musl (const facts *f)
{
	return f->file.system == MONOCLE__LIVE_SYSTEM_MUSL && (is_dotnet (f) || is_mono (f) || f->file.links_mono);
}

static bool
is_mono_without_umbrella (const facts *f)
{
	return is_mono (f) && !f->layout->umbrella;
}

static bool
is_failed_opener (const facts *f)
{
	return f->file.elf && !is_mono (f) && !f->file.links_mono &&
	       monocle__program_file_contains (&f->file, "mono_jit_init");
}

static bool
is_embedder (const facts *f)
{
	return f->file.links_mono;
}

static bool
is_embedder_unreached (const facts *f)
{
	return is_embedder (f) && monocle__environ_embedded_trouble (f->layout, MONOCLE__EMBEDDED_LINKED);
}

/* What opens a library has the names that it looks for; so has a Mono that is a part of the program. */
static bool
is_opener (const facts *f)
{
	return f->embedded != MONOCLE__EMBEDDED_ANY && is_failed_opener (f);
}

static bool
is_dotnet_without_adapter (const facts *f)
{
	return is_dotnet (f) && !f->layout->adapter;
}

static bool
is_dotnet_disabled (const facts *f)
{
	return is_dotnet (f) && f->state->disabled;
}

static bool
is_dotnet_foreign (const facts *f)
{
	return is_dotnet (f) && f->state->foreign && !f->state->is_joined;
}

static bool
is_disabled_by_config (const facts *f)
{
	bool disabled = false;
	for (size_t i = 0; f->argv[i] && i < 8 && is_dotnet (f) && !disabled; i++)
		disabled = monocle__program_config_disables ("", f->argv[i]);
	return disabled;
}

static bool
is_silent_runtime (const facts *f)
{
	return f->was_runtime_seen;
}

static bool
is_killed (const facts *f)
{
	return f->signalled && (is_dotnet (f) || is_mono (f) || f->file.links_mono);
}

static bool
is_script (const facts *f)
{
	return f->file.size > 2 && f->file.bytes[0] == '#' && f->file.bytes[1] == '!';
}

static bool
is_other_elf (const facts *f)
{
	return f->file.elf && !is_dotnet (f) && !is_mono (f);
}

static bool
is_failed_host (const facts *f)
{
	return (is_dotnet (f) || is_mono (f)) && f->exit_code != 0;
}

static bool
is_anything (const facts *f)
{
	return true;
}

typedef enum { BEFORE, AFTER, BELOW } moment;

static const struct {
	bool (*holds) (const facts *f);
	moment when;          /* see reasons.def */
	const char *sentence; /* %s: the program file; %d: its exit code */
} reasons[] = {
#define REASON(test, when, text) { test, when, text },
#include "reasons.def"
#undef REASON
};

/* The first that holds until `last`; the caller frees. NULL: none does. */
static char *
find_reason (const facts *f, moment last)
{
	const char *name = *f->file.path ? f->file.path : f->argv[0],
	           *hint = "; one that embeds Mono needs --embedded-mono";
	size_t i = 0, count = sizeof reasons / sizeof *reasons;
	while (i < count && (reasons[i].when > last || !reasons[i].holds (f)))
		i++;
	if (i == count)
		return NULL;
	char *sentence = monocle__format (reasons[i].sentence, name, f->exit_code);
	bool is_hinted = reasons[i].when == BELOW && f->was_mono_seen && f->embedded != MONOCLE__EMBEDDED_ANY;
	char *reason = monocle__format ("%s%s", sentence, is_hinted ? hint : "");
	free (sentence);
	return reason;
}

static void
say_no_profile (const monocle__run_process *process)
{
	char runtime[128] = "unknown runtime";
	if (process->runtime)
		monocle__shown_comment_runtime (process->runtime, runtime, sizeof runtime);
	monocle__say ("no profile from process %d (%s)", (int) process->pid, runtime);
}

/* Loaded and declined; or loaded, but nothing written; where the reason was not reported. */
static void
say_processes (const monocle__run_folder *folder, bool expected)
{
	for (size_t i = 0; i < folder->process_count; i++) {
		const monocle__run_process *process = &folder->processes[i];
		if (process->told || process->starting)
			continue;
		if (process->declined)
			monocle__say ("process %d was not profiled: %s", (int) process->pid, process->declined);
		else if (expected && folder->unfinished == 0 && monocle__run_folder_has_left (folder, process->pid))
			monocle__say ("process %d is still running, and has written no profile so far", (int) process->pid);
		else if (process->early)
			monocle__say ("process %d ended before there was anything to count", (int) process->pid);
		else if (expected && folder->unfinished == 0)
			say_no_profile (process);
	}
}

/* What the command left behind may be about to start a runtime: nothing is known of it but that it lives. */
static void
say_left (const monocle__run_folder *folder)
{
	char *path = monocle__format ("/proc/%d/comm", (int) folder->left[0]), name[32] = "";
	FILE *file = fopen (path, "re");
	if (!file || !fgets (name, sizeof name, file))
		strcpy (name, "gone");
	if (file)
		fclose (file);
	name[strcspn (name, "\n")] = '\0';
	free (path);
	if (folder->left_count == 1)
		monocle__say ("nothing has been profiled so far: process %d (%s) is still running, and no runtime in it has "
		              "loaded Monocle yet",
		              (int) folder->left[0], name);
	else
		monocle__say (
		    "nothing has been profiled so far: process %d (%s) and %zu more are still running, and no runtime "
		    "in them has loaded Monocle yet",
		    (int) folder->left[0], name, folder->left_count - 1);
}

void
monocle__diagnose (char *const *argv, const monocle__diagnose_end *end, const monocle__run_folder *folder,
                   const monocle__environ_state *state, const monocle__environ_wishes *wishes, bool expected)
{
	facts f = { .argv = argv,
		        .exit_code = end->exit_code,
		        .signalled = end->signalled,
		        .was_runtime_seen = end->was_runtime_seen,
		        .was_mono_seen = end->was_mono_seen,
		        .folder = folder,
		        .state = state,
		        .layout = wishes->layout,
		        .embedded = wishes->embedded };
	if (folder->process_count > 0 || folder->unfinished > 0) {
		say_processes (folder, expected);
		return;
	}
	if (folder->left_count > 0) {
		say_left (folder);
		return;
	}
	monocle__program_file_open (&f.file, argv[0]);
	char *reason = find_reason (&f, BELOW);
	monocle__say ("nothing was profiled: %s", reason);
	free (reason);
	monocle__program_file_close (&f.file);
}

/* --- before the program runs -------------------------------------------------------------------------------------- */

/* mcs lets its programs be executed, and the system takes them for scripts. */
static bool
is_assembly (const facts *f)
{
	return f->file.size > 2 && f->file.bytes[0] == 'M' && f->file.bytes[1] == 'Z';
}

/* A program for .NET has its configuration beside it. */
static char *
advise_assembly (const char *name)
{
	const char *dot = strrchr (monocle__path_base_name (name), '.');
	char *config = monocle__format ("%.*s.runtimeconfig.json", (int) (dot ? dot - name : (long) strlen (name)), name);
	const char *host = access (config, F_OK) == 0 ? "dotnet" : "mono";
	char *word = monocle__shell_word (name);
	char *advice = monocle__format ("%s is an assembly, and no program that starts by itself: monocle run -- %s %s",
	                                name, host, word);
	free (word);
	free (config);
	return advice;
}

/* What keeps it from being started; NULL: nothing. */
static char *
find_obstacle (const facts *f, const char *name)
{
	struct stat status;
	if (f->file.is_folder || (!*f->file.path && stat (name, &status) == 0 && S_ISDIR (status.st_mode)))
		return monocle__format ("%s is a folder", name);
	if (is_assembly (f))
		return advise_assembly (name);
	if (*f->file.path && access (f->file.path, X_OK) != 0)
		return monocle__format ("%s cannot be executed: %s; a program's .dll or .exe is an argument of dotnet or mono",
		                        name, strerror (errno));
	if (*f->file.path)
		return NULL;
	if (!strchr (name, '/') && access (name, F_OK) == 0)
		return monocle__format ("%s was not found along PATH; the file that is here is ./%s", name, name);
	return monocle__format ("%s was not found", name);
}

/* What can be executed, and has nothing that speaks against it. */
static char *
foretell (const facts *f, const char *name, bool *ret_is_good)
{
	*ret_is_good = true;
	if (is_dotnet (f) || is_mono (f))
		return monocle__format ("monocle run profiles %s: it is %s", name, is_mono (f) ? "Mono" : ".NET");
	if (is_embedder (f))
		return monocle__format ("%s is linked with Mono: monocle run loads the modules before it starts it", name);
	if (is_script (f))
		return monocle__format ("%s is a script: monocle run profiles the .NET and Mono programs that it starts", name);
	*ret_is_good = false;
	return monocle__format ("%s is not a .NET or Mono program: only such that it starts would be profiled", name);
}

char *
monocle__diagnose_file (const char *name, const monocle__environ_state *state, const monocle__layout *layout,
                        bool *ret_is_good)
{
	char *const argv[] = { (char *) name, NULL };
	facts f = { .argv = argv, .state = state, .layout = layout };
	monocle__program_file_open (&f.file, name);
	*ret_is_good = false;
	char *sentence = find_obstacle (&f, name);
	if (!sentence)
		sentence = find_reason (&f, BEFORE);
	if (!sentence)
		sentence = foretell (&f, name, ret_is_good);
	monocle__program_file_close (&f.file);
	return sentence;
}
