/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_doctor.c - `monocle doctor`: what of this machine is ready, what is not, what to do.
 *
 * Each check is a row: a name and a function that answers ok, warn or fail with a sentence. Libraries are tried in a
 * child process, because loading one that is broken may end the process.
 */
#include "command/output.h"
#include "commands.h"
#include "module/layout.h"
#include "module/module-file.h"
#include "run/diagnose.h"
#include "run/environ.h"
#include "trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h> /* optind */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_SIZE = 1024 };

typedef enum { CHECK_OK, CHECK_WARN, CHECK_FAIL } check_state;

typedef struct {
	monocle__layout layout;
	const char *program; /* the one to look at; NULL: none */
	bool have_mono, have_dotnet;
	char text[TEXT_SIZE];        /* of the check that runs */
	char refused[TEXT_SIZE / 2]; /* why a module will not be loaded, "" when all will */
} examination;

static check_state __attribute__ ((format (printf, 3, 4)))
result (examination *e, check_state state, const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (e->text, sizeof e->text, format, arguments);
	va_end (arguments);
	return state;
}

/* --- runtimes ----------------------------------------------------------------------------------------------------- */

/* The first line of what a command prints that begins with `prefix`, and how many such lines there are. */
static size_t
command_lines (const char *command, const char *prefix, char *ret_last, size_t size)
{
	char line[TEXT_SIZE];
	size_t count = 0;
	FILE *stream = popen (command, "re");
	while (stream && fgets (line, sizeof line, stream)) {
		if (strncmp (line, prefix, strlen (prefix)) != 0)
			continue;
		line[strcspn (line, "\n")] = '\0';
		snprintf (ret_last, size, "%.200s", line);
		count++;
	}
	if (stream)
		pclose (stream);
	return count;
}

static check_state
check_mono (examination *e)
{
	char line[TEXT_SIZE];
	e->have_mono = command_lines ("MONO_ENV_OPTIONS= mono --version 2>/dev/null", "Mono JIT", line, sizeof line) > 0;
	if (!e->have_mono)
		return result (e, CHECK_WARN, "not found along PATH; to profile on it: apt-get install mono-runtime");
	return result (e, CHECK_OK, "%.*s", (int) strcspn (line, "("), line);
}

static check_state
check_dotnet (examination *e)
{
	static const char command[] =
	    "CORECLR_ENABLE_PROFILING=0 DOTNET_CLI_TELEMETRY_OPTOUT=1 dotnet --list-runtimes 2>/dev/null";
	char line[TEXT_SIZE];
	size_t count = command_lines (command, "Microsoft.NETCore.App ", line, sizeof line);
	e->have_dotnet = count > 0;
	if (!e->have_dotnet)
		return result (e, CHECK_WARN,
		               "no runtime found with dotnet along PATH; self-contained programs can still be profiled");
	return result (e, CHECK_OK, "%s%s", line, count > 1 ? ", and older ones" : "");
}

static check_state
check_any_runtime (examination *e)
{
	if (!e->have_mono && !e->have_dotnet)
		return result (e, CHECK_WARN,
		               "neither Mono nor .NET is along PATH: only self-contained programs can be profiled");
	return result (e, CHECK_OK, "%s",
	               e->have_mono && e->have_dotnet ? "Mono and .NET"
	               : e->have_mono                 ? "Mono"
	                                              : ".NET");
}

/* --- our libraries ------------------------------------------------------------------------------------------------ */

/* In a child: loads the library and looks for the symbol; writes what is wrong into the pipe. */
static void __attribute__ ((noreturn)) try_load (const char *path, const char *symbol, int out)
{
	void *library = dlopen (path, RTLD_LAZY | RTLD_LOCAL);
	const char *error = library ? NULL : dlerror ();
	if (library && !dlsym (library, symbol))
		error = dlerror ();
	if (error && write (out, error, strlen (error)) < 0)
		_exit (2);
	_exit (error != NULL);
}

/* May the library be loaded, does it load, and does it have the symbol? Writes what is wrong. */
static bool
is_loadable (const char *path, const char *symbol, char *error, size_t size)
{
	int ends[2], status = 0;
	ssize_t length;
	pid_t pid;
	if (monocle__trust_path (path, error, size))
		return false;
	snprintf (error, size, "cannot be tried: %s", strerror (errno));
	if (pipe (ends) != 0 || (pid = fork ()) < 0)
		return false;
	if (pid == 0)
		try_load (path, symbol, ends[1]);
	close (ends[1]);
	length = read (ends[0], error, size - 1);
	error[length > 0 ? length : 0] = '\0';
	close (ends[0]);
	if (waitpid (pid, &status, 0) == pid && WIFSIGNALED (status))
		snprintf (error, size, "loading it ends a process with signal %d", WTERMSIG (status));
	return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static check_state
check_adapter (examination *e)
{
	char error[TEXT_SIZE / 2];
	if (!e->layout.adapter)
		return result (e, CHECK_FAIL, "libmonocle-clr.so is not beside this program nor in %s; build or install it",
		               MONOCLE_LIBDIR);
	if (!is_loadable (e->layout.adapter, "DllGetClassObject", error, sizeof error))
		return result (e, CHECK_FAIL, "%s does not load: %s", e->layout.adapter, error);
	return result (e, CHECK_OK, "%s", e->layout.adapter);
}

static check_state
check_umbrella (examination *e)
{
	check_state missing = e->have_mono ? CHECK_FAIL : CHECK_WARN;
	char error[TEXT_SIZE / 2];
	if (!e->layout.umbrella)
		return result (e, missing,
		               "libmono-profiler-monocle.so is not beside this program nor in %s; build or install it",
		               MONOCLE_LIBDIR);
	if (!is_loadable (e->layout.umbrella, "mono_profiler_init_monocle", error, sizeof error))
		return result (e, missing, "%s does not load: %s", e->layout.umbrella, error);
	return result (e, CHECK_OK, "%s", e->layout.umbrella);
}

/* Does Mono find the umbrella by its name alone? Mono itself is asked: the umbrella's help ends the process. */
static check_state
check_mono_finds (examination *e)
{
	static const char command[] = "MONO_ENV_OPTIONS= mono --profile=monocle:help /dev/null 2>/dev/null";
	char line[TEXT_SIZE];
	if (!e->have_mono || !e->layout.umbrella)
		return result (e, CHECK_OK, "not tried, since %s",
		               e->have_mono ? "there is no Mono adapter" : "there is no Mono");
	if (command_lines (command, "mono --profile=monocle:", line, sizeof line) > 0)
		return result (e, CHECK_OK, "Mono finds monocle:NAME without monocle run");
	return result (e, CHECK_WARN,
	               "Mono does not look in our folder: without monocle run set LD_LIBRARY_PATH=%.*s for "
	               "mono --profile=monocle:NAME",
	               (int) (strrchr (e->layout.umbrella, '/') - e->layout.umbrella), e->layout.umbrella);
}

/* Missing, they are missed by programs that embed Mono alone. */
static check_state
check_embedded (examination *e)
{
	const char *trouble = monocle__environ_embedded_trouble (&e->layout, MONOCLE__EMBEDDED_ANY);
	char error[TEXT_SIZE / 2];
	if (trouble)
		return result (e, CHECK_WARN, "programs that embed Mono cannot be reached: %s", trouble);
	if (!is_loadable (e->layout.preload, "mono_jit_init", error, sizeof error))
		return result (e, CHECK_FAIL, "%s does not load: %s", e->layout.preload, error);
	if (!is_loadable (e->layout.audit, "la_version", error, sizeof error))
		return result (e, CHECK_FAIL, "%s does not load: %s", e->layout.audit, error);
	return result (e, CHECK_OK, "%s", e->layout.preload);
}

static void
append_name (const char *name, const char *path, void *context)
{
	examination *e = context;
	size_t length = strlen (e->text);
	char *trouble = monocle__module_file_trouble (path, name);
	if (!e->refused[0] && monocle__trust_path (path, e->refused, sizeof e->refused) == 0)
		snprintf (e->refused, sizeof e->refused, "%s", trouble ? trouble : "");
	free (trouble);
	if (strcmp (name, "monocle") != 0)
		snprintf (e->text + length, sizeof e->text - length, "%s%s", length ? ", " : "", name);
}

static check_state
check_modules (examination *e)
{
	char *folders = monocle__format ("%s", e->layout.module_path), *left = folders, *folder;
	e->text[0] = '\0';
	while ((folder = strsep (&left, ":")))
		monocle__layout_each_module (folder, append_name, e);
	free (folders);
	if (!e->text[0])
		return result (e, CHECK_FAIL, "no libmono-profiler-NAME.so beside this program nor in %s", MONOCLE_MODULEDIR);
	if (e->refused[0])
		return result (e, CHECK_FAIL, "some will not be loaded: %s", e->refused);
	return CHECK_OK;
}

/* The folders that the user named: each is there, and what is in it will be loaded. */
static check_state
check_module_path (examination *e)
{
	const char *path = getenv ("MONOCLE_MODULE_PATH");
	char *folders = monocle__format ("%s", path ? path : ""), *left = folders, *folder;
	char missing[TEXT_SIZE / 2] = "";
	e->text[0] = e->refused[0] = '\0';
	while ((folder = strsep (&left, ":"))) {
		if (*folder && access (folder, R_OK | X_OK) != 0 && !missing[0])
			snprintf (missing, sizeof missing, "%.400s: %s", folder, strerror (errno));
		else if (*folder)
			monocle__layout_each_module (folder, append_name, e);
	}
	free (folders);
	if (e->refused[0])
		return result (e, CHECK_FAIL, "some will not be loaded: %s", e->refused);
	if (missing[0])
		return result (e, CHECK_WARN, "MONOCLE_MODULE_PATH names %s", missing);
	if (!path || !*path)
		return result (e, CHECK_OK, "MONOCLE_MODULE_PATH is not set");
	if (!e->text[0])
		return result (e, CHECK_WARN, "no libmono-profiler-NAME.so is in %.400s", path);
	return CHECK_OK;
}

/* --- the environment ---------------------------------------------------------------------------------------------- */

static check_state
check_diagnostics (examination *e)
{
	monocle__environ_state state;
	monocle__environ_look (e->layout.adapter, &state);
	free (state.foreign);
	if (state.disabled)
		return result (e, CHECK_FAIL, "%s=0 keeps CoreCLR from loading any profiler; unset it", state.disabled);
	return result (e, CHECK_OK, "nothing in the environment switches diagnostics off");
}

static check_state
check_foreign (examination *e)
{
	monocle__environ_state state;
	check_state answer;
	monocle__environ_look (e->layout.adapter, &state);
	if (state.is_joined)
		answer = result (e, CHECK_WARN,
		                 "%s: monocle run joins it; beside it there are samples, exceptions and events, but no calls, "
		                 "exception clauses and roots of collections; unset it for those",
		                 state.foreign);
	else if (state.foreign)
		answer =
		    result (e, CHECK_WARN,
		            "%s: monocle run leaves its programs alone, because this libmonocle-clr.so is missing or cannot "
		            "be in a list; unset it",
		            state.foreign);
	else
		answer = result (e, CHECK_OK, "no other profiler is in the environment");
	free (state.foreign);
	return answer;
}

static check_state
check_switches (examination *e)
{
	static const char *const names[] = { "MONOCLE_ENABLED",  "MONOCLE_PROCESS", "MONOCLE_PROFILE",
		                                 "MONO_ENV_OPTIONS", "MONO_PROFILE",    "MONOCLE_WAIT" };
	const char *enabled = getenv ("MONOCLE_ENABLED");
	e->text[0] = '\0';
	if (enabled && (strcmp (enabled, "0") == 0 || strcmp (enabled, "false") == 0))
		return result (e, CHECK_FAIL, "MONOCLE_ENABLED=%s switches profiling off; unset it", enabled);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv (names[i]);
		size_t length = strlen (e->text);
		if (value && *value)
			snprintf (e->text + length, sizeof e->text - length, "%s%s=%.100s", length ? ", " : "", names[i], value);
	}
	if (e->text[0]) {
		size_t length = strlen (e->text);
		snprintf (e->text + length, sizeof e->text - length, ": set already; monocle run heeds them");
		return CHECK_WARN;
	}
	return result (e, CHECK_OK, "no MONOCLE_* variable is set");
}

static check_state
check_temporary (examination *e)
{
	const char *folder = getenv ("TMPDIR");
	folder = folder && *folder == '/' ? folder : "/tmp";
	if (access (folder, W_OK | X_OK) != 0)
		return result (e, CHECK_FAIL, "%s: %s; set TMPDIR to a folder that can be written", folder, strerror (errno));
	return result (e, CHECK_OK, "%s can be written", folder);
}

/* Where profiles go that nobody has named. */
static check_state
check_here (examination *e)
{
	char folder[PATH_MAX];
	if (!getcwd (folder, sizeof folder))
		return result (e, CHECK_WARN, "%s; profiles go to the folder for temporary files", strerror (errno));
	if (access (folder, W_OK | X_OK) != 0)
		return result (e, CHECK_WARN, "%s: %s; profiles go to the folder for temporary files, or where -o says", folder,
		               strerror (errno));
	return result (e, CHECK_OK, "%s can be written: profiles go there", folder);
}

/* --- a program ---------------------------------------------------------------------------------------------------- */

static check_state
check_program (examination *e)
{
	monocle__environ_state state;
	bool is_good;
	monocle__environ_look (e->layout.adapter, &state);
	char *sentence = monocle__diagnose_file (e->program, &state, &e->layout, &is_good);
	result (e, CHECK_OK, "%s", sentence);
	free (sentence);
	free (state.foreign);
	return is_good ? CHECK_OK : CHECK_WARN;
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

/* The number in a file of /proc/sys; `missing` when it has none. */
static long
kernel_number (const char *path, long missing)
{
	FILE *stream = fopen (path, "re");
	long number;
	if (!stream || fscanf (stream, "%ld", &number) != 1)
		number = missing;
	if (stream)
		fclose (stream);
	return number;
}

static check_state
check_perf (examination *e)
{
	long level = kernel_number ("/proc/sys/kernel/perf_event_paranoid", 99);
	if (level > 2)
		return result (e, CHECK_WARN,
		               "perf_event_paranoid is %ld: sampling will use CPU timers; for perf clocks set it to 2", level);
	return result (e, CHECK_OK, "perf_event_paranoid is %ld", level);
}

static check_state
check_ptrace (examination *e)
{
	long scope = kernel_number ("/proc/sys/kernel/yama/ptrace_scope", 0);
	if (scope > 1)
		return result (e, CHECK_WARN,
		               "ptrace_scope is %ld: native debuggers cannot attach; monocle itself does not need it", scope);
	return result (e, CHECK_OK, "ptrace_scope is %ld", scope);
}

/* clang-format off */
static const struct {
	const char *name;
	check_state (*check) (examination *e);
} checks[] = {
	{ "Mono",            check_mono },
	{ ".NET",            check_dotnet },
	{ "a runtime",       check_any_runtime },
	{ "CoreCLR adapter", check_adapter },
	{ "Mono adapter",    check_umbrella },
	{ "mono --profile",  check_mono_finds },
	{ "embedded Mono",   check_embedded },
	{ "modules",         check_modules },
	{ "your modules",    check_module_path },
	{ "diagnostics",     check_diagnostics },
	{ "other profilers", check_foreign },
	{ "environment",     check_switches },
	{ "temporary files", check_temporary },
	{ "this folder",     check_here },
	{ "perf events",     check_perf },
	{ "ptrace",          check_ptrace },
};
static const char *const state_words[] = { [CHECK_OK] = "ok  ", [CHECK_WARN] = "warn", [CHECK_FAIL] = "fail" };
/* clang-format on */

/* Prints its line; is it a failure? */
static bool
make (check_state (*check) (examination *e), const char *name, examination *e)
{
	check_state state = check (e);
	monocle__print_line ("%s  %-15s  %s", state_words[state], name, e->text);
	return state == CHECK_FAIL;
}

static int
examine (const char *program)
{
	examination e = { .program = program };
	size_t failures = 0;
	int written;
	monocle__layout_find (&e.layout);
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		failures += make (checks[i].check, checks[i].name, &e);
	if (program)
		failures += make (check_program, "the program", &e);
	monocle__layout_done (&e.layout);
	written = monocle__output_finish (stdout, NULL);
	return written ? written : failures ? MONOCLE__EXIT_FAILED : MONOCLE__EXIT_OK;
}

static int
run (int argc, char **argv)
{
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_doctor, argc, argv, NULL, &code))
		return code;
	if (argc - optind > 1)
		return monocle__usage_error (&monocle__command_doctor, "doctor looks at one program");
	return examine (argv[optind]);
}

const monocle__command monocle__command_doctor = {
	.name = "doctor",
	.operands = "[PROGRAM]",
	.summary = "check this machine: runtimes, libraries, environment, permissions",
	.about =
	    "Prints a line per check: ok, warn (something will be missing) or fail (profiling will not work), and what\n"
	    "to do. With PROGRAM there is one more: what monocle run will do with it, and what keeps it from profiling "
	    "it.\n"
	    "PROGRAM is what would be the first word of the command.\n"
	    "The exit code is 1 when a check failed.\n",
	.examples = "  monocle doctor\n"
	            "  monocle doctor ./app\n",
	.run = run,
};
