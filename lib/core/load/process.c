/*
 * SPDX-License-Identifier: MIT
 *
 * process.c - does the environment want this process to be profiled?
 *
 * MONOCLE_PROFILE is inherited by every process that the profiled one starts. MONOCLE_ENABLED and MONOCLE_PROCESS
 * choose among them. Normal context, before monocle_host_init ().
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <monocle/host.h>
#include "cmdline.h"
#include "environment.h"
#include "log-level.h"
#include "path.h"

/* What a glob is compared with. Both point into the command line. */
typedef struct {
	const char *program, *script; /* script: the assembly or script path, or "" */
} identity;

/* The first assembly, as in `dotnet exec --fx-version 8.0.0 app.dll`, else the first word that is not an option. */
static const char *
find_script (const char *words, const char *end)
{
	const char *script = "";
	for (const char *word = words; word < end; word += strlen (word) + 1) {
		if (*word == '-')
			continue;
		if (monocle__cmdline_is_assembly (word))
			return word;
		if (!*script)
			script = word;
	}
	return script;
}

/* Reads the NUL-separated command line, or as much of it as the buffer holds. */
static identity
identify (char *buffer, size_t size)
{
	size_t have = monocle__cmdline_read (buffer, size), first = strlen (buffer) + 1;
	identity who = { monocle__path_base_name (buffer), "" };
	if (first < have)
		who.script = find_script (buffer + first, buffer + have);
	return who;
}

/* An assembly is called app.dll, and app. */
static bool
matches_assembly (const char *glob, const char *name)
{
	char plain[256];
	if (!fnmatch (glob, name, 0))
		return true;
	return monocle__cmdline_is_assembly (name) &&
	       snprintf (plain, sizeof plain, "%.*s", (int) strlen (name) - 4, name) < (int) sizeof plain &&
	       !fnmatch (glob, plain, 0);
}

static bool
matches (const char *glob, const identity *who)
{
	return matches_assembly (glob, who->program) ||
	       (*who->script &&
	        (!fnmatch (glob, who->script, 0) || matches_assembly (glob, monocle__path_base_name (who->script))));
}

/* GLOB[,!GLOB]...: some GLOB must match, if there is one, and no !GLOB. `globs` is cut into pieces. */
static bool
chosen (char *globs, const identity *who)
{
	bool any = false, hit = false;
	char *rest = NULL;
	for (char *glob = strtok_r (globs, ",", &rest); glob; glob = strtok_r (NULL, ",", &rest)) {
		if (*glob == '!' && matches (glob + 1, who))
			return false;
		if (*glob == '!')
			continue;
		any = true;
		hit = hit || matches (glob, who);
	}
	return !any || hit;
}

/* 1, 0, or -1 for a word that is neither. */
static int
truth (const char *word)
{
	if (!strcmp (word, "1") || !strcasecmp (word, "true"))
		return 1;
	if (!strcmp (word, "0") || !strcasecmp (word, "false"))
		return 0;
	return -1;
}

int
monocle_host_process_enabled (const char **ret_reason)
{
	static char reason[512];
	const char *enabled = monocle__variable ("MONOCLE_ENABLED"), *process = monocle__variable ("MONOCLE_PROCESS");
	char buffer[4096], globs[1024];
	if (enabled && *enabled && truth (enabled) < 0)
		monocle_log ("MONOCLE_ENABLED=%s is neither 0 nor 1; taken as 1", enabled);
	if (enabled && truth (enabled) == 0) {
		snprintf (reason, sizeof reason, "MONOCLE_ENABLED=%s", enabled);
	} else if (process && *process) {
		identity who = identify (buffer, sizeof buffer);
		bool fits = snprintf (globs, sizeof globs, "%s", process) < (int) sizeof globs;
		if (!fits) /* what is cut may mean the opposite */
			monocle_log ("MONOCLE_PROCESS=%.64s... is too long; this process is not profiled", process);
		if (fits && chosen (globs, &who)) {
			MONOCLE__LOG_DEBUG ("MONOCLE_PROCESS=%s chooses %s %s", process, who.program, who.script);
			return 1;
		}
		/* Who typed `monocle run --process=` has never heard of the variable. */
		snprintf (reason, sizeof reason, "%s=%.256s does not match %s",
		          monocle__variable ("MONOCLE_RUN_PID") ? "--process" : "MONOCLE_PROCESS", process,
		          *who.script ? who.script : who.program);
	} else {
		return 1;
	}
	if (ret_reason)
		*ret_reason = reason;
	return 0;
}
