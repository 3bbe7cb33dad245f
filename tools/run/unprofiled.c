/*
 * SPDX-License-Identifier: MIT
 *
 * unprofiled.c - see unprofiled.h. Each reason is a row: a test and a sentence.
 */
#include "unprofiled.h"

#include "command/command.h"

#include <pwd.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DETAIL_SIZE = 256 };

/* --- the reasons -------------------------------------------------------------------------------------------------- */

static bool
native_aot (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->process.kind == MONOCLE__LIVE_NATIVE_AOT;
}

static bool
on_musl (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->process.system == MONOCLE__LIVE_SYSTEM_MUSL;
}

static bool
on_another_cpu (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->process.system == MONOCLE__LIVE_SYSTEM_CPU;
}

static void
name_user (uid_t user, char detail[DETAIL_SIZE])
{
	const struct passwd *entry = getpwuid (user);
	if (entry)
		snprintf (detail, DETAIL_SIZE, "%s", entry->pw_name);
	else
		snprintf (detail, DETAIL_SIZE, "%u", (unsigned) user);
}

static bool
hidden (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	name_user (seen->process.user, detail);
	return !seen->process.is_visible;
}

static bool
is_coreclr (const monocle__run_seen *seen)
{
	return seen->is_known && seen->process.kind != MONOCLE__LIVE_MONO;
}

/* Without its socket a runtime is profiled all the same. */
static bool
diagnostics_off (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	snprintf (detail, DETAIL_SIZE, "%s", seen->process.diagnostics);
	return is_coreclr (seen) && *detail && !strstr (detail, "_IPC=");
}

static bool
other_profiler (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	const monocle__live_process *process = &seen->process;
	bool has_file = strcmp (process->profiler, process->profiler_class) != 0;
	snprintf (detail, DETAIL_SIZE, "%s%s%s", process->profiler_class, has_file && *process->profiler_class ? ", " : "",
	          has_file ? process->profiler : "");
	return is_coreclr (seen) && *process->profiler && !process->is_told;
}

static bool
profiling_off (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	snprintf (detail, DETAIL_SIZE, "%s", seen->process.profiling);
	return is_coreclr (seen) && *detail && !seen->process.is_told;
}

static bool
not_told (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->is_known && !seen->process.is_told;
}

static bool
other_user (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	name_user (seen->process.user, detail);
	return seen->process.user != geteuid () && seen->process.user != 0;
}

static bool
config_off (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->is_disabled;
}

static bool
embeds_mono (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	const char *command = seen->process.command, *end = command + strcspn (command, " "), *name = end;
	while (name > command && name[-1] != '/')
		name--;
	return seen->process.kind == MONOCLE__LIVE_MONO && strncmp (name, "mono", 4) != 0;
}

static bool
ended (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return seen->is_gone;
}

static bool
anything (const monocle__run_seen *seen, char detail[DETAIL_SIZE])
{
	return true;
}

static const struct {
	bool (*holds) (const monocle__run_seen *seen, char detail[DETAIL_SIZE]);
	bool is_certain;
	const char *sentence;
} reasons[] = {
#define UNPROFILED(test, is_certain, sentence) { test, is_certain, sentence },
#include "unprofiled.def"
#undef UNPROFILED
};

enum { REASONS = sizeof reasons / sizeof *reasons };

/* --- saying them -------------------------------------------------------------------------------------------------- */

/* Another run has a folder of its own, and variables that a person has set are no business of ours. */
static bool
is_of_another (const monocle__run_seen *seen, const monocle__run_folder *folder)
{
	const monocle__live_process *process = &seen->process;
	return seen->is_known && (process->run ? strcmp (process->run, folder->path) != 0 : process->is_told);
}

/* What lives on may load us yet, unless there is a reason why not. REASONS: nothing is to be said. */
static size_t
find_reason (const monocle__run_seen *seen, const monocle__run_folder *folder, pid_t command, char detail[DETAIL_SIZE])
{
	size_t i = 0;
	if (is_of_another (seen, folder))
		return REASONS;
	while (*detail = '\0', !reasons[i].holds (seen, detail))
		i++;
	bool is_left_out = !reasons[i].is_certain && (seen->process.pid == command || !seen->is_gone);
	return is_left_out ? REASONS : i;
}

static void
say (const monocle__live_process *process, size_t others, size_t reason, const char *detail)
{
	char *sentence = monocle__format (reasons[reason].sentence, detail);
	if (others == 0)
		monocle__say ("process %d (%s) was not profiled: %s", (int) process->pid, process->program, sentence);
	else
		monocle__say ("process %d (%s) and %zu more were not profiled: %s", (int) process->pid, process->program,
		              others, sentence);
	free (sentence);
}

size_t
monocle__unprofiled_say (const monocle__run_seen *seen, size_t count, const monocle__run_folder *folder, pid_t command)
{
	size_t examples[REASONS], counts[REASONS + 1] = { 0 }, said = 0;
	char detail[DETAIL_SIZE];
	for (size_t i = 0; i < count; i++) {
		size_t reason = find_reason (&seen[i], folder, command, detail);
		if (counts[reason]++ == 0 && reason < REASONS)
			examples[reason] = i;
	}
	for (size_t reason = 0; reason < REASONS; reason++) {
		if (counts[reason] == 0)
			continue;
		find_reason (&seen[examples[reason]], folder, command, detail);
		say (&seen[examples[reason]].process, counts[reason] - 1, reason, detail);
		said++;
	}
	return said;
}

bool
monocle__unprofiled_has (const monocle__run_seen *seen, size_t count, pid_t pid)
{
	size_t i = 0;
	while (i < count && (seen[i].process.pid != pid || seen[i].process.kind == MONOCLE__LIVE_MONO))
		i++;
	return i < count;
}

bool
monocle__unprofiled_embeds (const monocle__run_seen *seen, size_t count)
{
	char detail[DETAIL_SIZE];
	size_t i = 0;
	while (i < count && !embeds_mono (&seen[i], detail))
		i++;
	return i < count;
}
