/*
 * SPDX-License-Identifier: MIT
 *
 * process.c - which processes to leave alone. Everything inherits the environment: `dotnet build` starts MSBuild nodes
 * and a compiler server that outlive it, and a profile of those is not what anybody asked for.
 */
#include "process.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <monocle/host.h>
#include "cmdline.h"
#include "environment.h"

#include "environment.h"
#include "path.h"
#include "process.h"

enum { ARGUMENTS_MAX = 64 };

typedef struct {
	char text[16384];
	const char *words[ARGUMENTS_MAX];
	int count;
} command_line;

static void
read_command_line (command_line *line)
{
	size_t size = monocle__cmdline_read (line->text, sizeof line->text);
	line->count = 0;
	for (char *p = line->text; p < line->text + size && line->count < ARGUMENTS_MAX; p += strlen (p) + 1)
		line->words[line->count++] = p;
}

/* Options of the muxer that take a value, before the assembly. */
static bool
takes_value (const char *word)
{
	static const char *const options[] = {
		"--fx-version",    "--roll-forward",    "--additionalprobingpath",          "--depsfile",
		"--runtimeconfig", "--additional-deps", "--roll-forward-on-no-candidate-fx"
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp (word, options[i]) == 0)
			return true;
	return false;
}

/* Of what is not there, the muxer makes a command of the SDK, whose command line then says what is wrong. */
static bool
is_there (const char *assembly)
{
	return access (assembly, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* The assembly that `dotnet [exec] [options] X.dll` runs; NULL: `dotnet` runs an SDK command. */
static const char *
muxed_assembly (const command_line *line)
{
	int i = 1;
	bool is_exec = i < line->count && strcmp (line->words[i], "exec") == 0;
	i += is_exec;
	while (i < line->count && line->words[i][0] == '-')
		i += takes_value (line->words[i]) ? 2 : 1;
	if (i >= line->count || !monocle__cmdline_is_assembly (line->words[i]))
		return NULL;
	return is_exec || is_there (line->words[i]) ? line->words[i] : NULL;
}

static bool
is_sdk_tool (const char *assembly)
{
	static const char *const names[] = { "dotnet.dll",        "MSBuild.dll",
		                                 "VBCSCompiler.dll",  "vstest.console.dll",
		                                 "datacollector.dll", "NuGet.Build.Tasks.Console.dll",
		                                 "rzc.dll",           "dotnet-watch.dll",
		                                 "csc.dll",           "vbc.dll" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp (monocle__path_base_name (assembly), names[i]) == 0)
			return true;
	return false;
}

/* Apphosts of the SDK carry the names of their assemblies. */
static bool
is_sdk_host (const char *program)
{
	static const char *const names[] = { "VBCSCompiler", "MSBuild", "csc", "vbc", "datacollector" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp (monocle__path_base_name (program), names[i]) == 0 && strstr (program, "/sdk/"))
			return true;
	return false;
}

static bool
is_started_by_run (void)
{
	const char *pid = monocle__variable ("MONOCLE_RUN_PID");
	return pid && atol (pid) == (long) getppid ();
}

static bool
is_sdk (const char **ret_reason)
{
	static command_line line;
	read_command_line (&line);
	if (!line.count)
		return false;
	if (strcmp (monocle__path_base_name (line.words[0]), "dotnet") != 0) {
		*ret_reason = "it is a tool of the .NET SDK (--all profiles those too)";
		return is_sdk_host (line.words[0]) && !is_started_by_run ();
	}
	const char *assembly = muxed_assembly (&line);
	*ret_reason = assembly ? "it is a tool of the .NET SDK (--all profiles those too)"
	                       : "`dotnet` runs a command of the SDK there (--all profiles those too)";
	return !assembly || (is_sdk_tool (assembly) && !is_started_by_run ());
}

bool
monocle__process_is_meant (const char **ret_reason)
{
	const char *all = monocle__variable ("MONOCLE_RUN_ALL");
	if (!monocle_host_process_enabled (ret_reason))
		return false;
	return (all && strcmp (all, "1") == 0) || !is_sdk (ret_reason);
}
