/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_env.c - `monocle env`: the environment that `monocle run` gives to a command, for what somebody else starts.
 *
 * It is set in this process, by the same functions, and what differs afterwards is printed. Nobody waits for such a
 * program's end, so each module writes under its final name; comments say which.
 */
#include "command/desc-list.h"
#include "command/output.h"
#include "commands.h"
#include "module/layout.h"
#include "module/module-file.h"
#include "run/env-format.h"
#include "run/environ.h"

#include <errno.h>
#include <getopt.h> /* optind */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char default_folder[] = "/var/lib/monocle";

typedef struct {
	monocle__desc_list profiles;
	size_t format;
	const char *output, *process;
	bool all, embedded;
	char *folder; /* absolute, without a slash at the end; NULL: where the program is */
} arguments;

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* Absolute, without slashes at the end. The caller frees. */
static char *
absolute (const char *path)
{
	char here[PATH_MAX];
	size_t length = strlen (path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	if (*path == '/' || !getcwd (here, sizeof here))
		return monocle__format ("%.*s", (int) length, path);
	return monocle__format ("%s/%.*s", here, (int) length, path);
}

static int
take_folder (arguments *args, const monocle__env_format *format)
{
	if (args->output && !*args->output)
		return monocle__usage_error (&monocle__command_env, "-o takes the name of a folder");
	if (args->output && *args->output != '/' && !format->is_script)
		return monocle__usage_error (&monocle__command_env, "-o takes an absolute path with --format=%s", format->name);
	if (args->output || !format->is_script)
		args->folder = absolute (args->output ? args->output : default_folder);
	return 0;
}

/* The options were read. 0, or MONOCLE__EXIT_USAGE after one line. */
static int
check (int argc, char **argv, arguments *args)
{
	if (optind < argc)
		return monocle__usage_error (&monocle__command_env,
		                             "env takes no command ('%s'); monocle run -- COMMAND starts one", argv[optind]);
	if (monocle__desc_list_asks_help (&args->profiles))
		return monocle__usage_error (&monocle__command_env, "monocle help NAME prints a module's arguments");
	monocle__desc_list_complete (&args->profiles);
	return take_folder (args, monocle__env_format_get (args->format));
}

/* --- comments ----------------------------------------------------------------------------------------------------- */

/* "# LINE\n", whatever is in it. */
static void comment (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

static void
comment (const char *format, ...)
{
	va_list values;
	char *line;
	va_start (values, format);
	int length = vasprintf (&line, format, values);
	va_end (values);
	if (length < 0)
		return;
	monocle__print_line ("# %s", line);
	free (line);
}

/* Tells where the module writes, and has it write into the folder if it can. The remark is the caller's to free. */
static char *
place_module (arguments *args, size_t index, const monocle__layout *layout)
{
	const char *desc = args->profiles.descs[index];
	int length = (int) strcspn (desc, ":");
	monocle__module_writes writes = monocle__module_file_look (layout, desc);
	const char *ending = writes == MONOCLE__WRITES_PROFILE  ? "pb.gz"
	                   : writes == MONOCLE__WRITES_COVERAGE ? "mcov"
	                                                        : "log";
	if (strcmp (desc, "standby") == 0)
		return monocle__format ("standby: nothing, until monocle attach comes");
	if (monocle__desc_list_has_output (&args->profiles, index))
		return monocle__format ("%.*s: where its output= says", length, desc);
	if (writes == MONOCLE__WRITES_UNKNOWN)
		monocle__say ("no module '%.*s' is found here (monocle list); it is named all the same", length, desc);
	if (writes != MONOCLE__WRITES_PROFILE && writes != MONOCLE__WRITES_TEXT && writes != MONOCLE__WRITES_COVERAGE)
		return monocle__format ("%.*s: as it does by itself; if it takes output=, give it a file with an absolute path",
		                        length, desc);
	char *remark =
	    monocle__format ("%.*s: %s/PROGRAM_TIME_PID.%.*s.%s%s", length, desc, args->folder ? args->folder : ".", length,
	                     desc, ending, args->folder ? "" : " in the program's current folder");
	if (args->folder)
		monocle__desc_list_set_output (&args->profiles, index, args->folder, "");
	return remark;
}

/* Nobody reads the comments of a script that eval reads. The other formats are for another machine, perhaps. */
static void
comment_on_folder (const arguments *args, const monocle__env_format *format)
{
	if (args->folder && format->is_script && access (args->folder, W_OK | X_OK) != 0)
		monocle__say ("%s: %s; without it programs run unprofiled", args->folder, strerror (errno));
	if (!args->folder || !format->advice)
		return;
	char *line = monocle__format (format->advice, args->folder);
	comment ("%s.", line);
	free (line);
}

/* Does one of the modules write so? */
static bool
any_writes (const arguments *args, const monocle__layout *layout, monocle__module_writes how)
{
	for (size_t i = 0; i < args->profiles.count; i++)
		if (monocle__module_file_look (layout, args->profiles.descs[i]) == how)
			return true;
	return false;
}

static void
comment_on_places (const arguments *args, char *const *places, const monocle__env_format *format,
                   const monocle__layout *layout)
{
	bool has_profiles = any_writes (args, layout, MONOCLE__WRITES_PROFILE);
	bool has_coverage = any_writes (args, layout, MONOCLE__WRITES_COVERAGE);
	comment (has_coverage ? "Each process writes:" : "Each process writes at its end:");
	for (size_t i = 0; i < args->profiles.count; i++)
		comment ("  %s", places[i]);
	if (has_coverage)
		comment ("A coverage file is good at every moment, of a process that runs or was killed, too.");
	if (has_profiles) {
		comment ("A process that was killed leaves FILE.spool instead: monocle report FILE.spool shows it,");
		comment ("monocle convert FILE.spool --to=pprof makes the profile of it.");
	}
	comment ("What there is to be said is said on stderr where that is a terminal or the journal, else in");
	comment ("monocle.PID.log in the folder in which the process is started; MONOCLE_LOG=FILE and");
	comment ("MONOCLE_LOG=stderr say otherwise.");
	if (!format->is_script)
		comment ("The files that are named here must be there for the program, under the same names.");
}

/* --- what differs ------------------------------------------------------------------------------------------------- */

typedef struct {
	char **entries; /* NAME=VALUE, owned */
	size_t count;
} variables;

static int
compare (const void *a, const void *b)
{
	return strcmp (*(char *const *) a, *(char *const *) b);
}

static variables
variables_take (void)
{
	variables taken = { 0 };
	while (environ && environ[taken.count])
		taken.count++;
	taken.entries = calloc (taken.count + 1, sizeof *taken.entries);
	if (!taken.entries) {
		monocle__say ("out of memory");
		exit (MONOCLE__EXIT_FAILED);
	}
	for (size_t i = 0; i < taken.count; i++)
		taken.entries[i] = monocle__format ("%s", environ[i]);
	qsort (taken.entries, taken.count, sizeof *taken.entries, compare);
	return taken;
}

static void
variables_done (variables *taken)
{
	for (size_t i = 0; i < taken->count; i++)
		free (taken->entries[i]);
	free (taken->entries);
}

/* Leaves only those that are not in `before`, each cut in two: a NUL is where the first '=' was. */
static void
variables_subtract (variables *now, const variables *before)
{
	size_t kept = 0;
	for (size_t i = 0; i < now->count; i++) {
		char *entry = now->entries[i], *equals = strchr (entry, '=');
		if (!equals || bsearch (&entry, before->entries, before->count, sizeof *before->entries, compare)) {
			free (entry);
			continue;
		}
		*equals = '\0';
		now->entries[kept++] = entry;
	}
	now->count = kept;
}

static const char *
value_of (const char *entry)
{
	return entry + strlen (entry) + 1;
}

/* Names of variables that go on with what this environment has, separated by commas. The caller frees. */
static char *
list_inherited (const variables *changed, const variables *before)
{
	char *list = monocle__format ("%s", "");
	for (size_t i = 0; i < changed->count; i++) {
		const char *name = changed->entries[i];
		size_t length = strlen (name);
		for (size_t j = 0; j < before->count; j++) {
			const char *old = before->entries[j];
			if (strncmp (old, name, length) != 0 || old[length] != '=' || old[length + 1] == '\0' ||
			    strncmp (value_of (name), old + length + 1, strlen (old + length + 1)) != 0)
				continue;
			char *longer = monocle__format ("%s%s%s", list, *list ? ", " : "", name);
			free (list);
			list = longer;
		}
	}
	return list;
}

/* --- printing ----------------------------------------------------------------------------------------------------- */

/* 0, or MONOCLE__EXIT_FAILED after one line. */
static int
check_values (const variables *changed, const monocle__env_format *format)
{
	for (size_t i = 0; i < changed->count; i++) {
		const char *why = monocle__env_format_refuse (format, value_of (changed->entries[i]));
		if (why) {
			monocle__say ("--format=%s cannot hold the value of %s: it %s", format->name, changed->entries[i], why);
			return MONOCLE__EXIT_FAILED;
		}
	}
	return 0;
}

static void
print_variables (const arguments *args, const variables *changed, const monocle__env_format *format)
{
	if (format->begin)
		printf ("%s\n", format->begin);
	for (size_t i = 0; i < changed->count; i++)
		monocle__env_format_write (stdout, format, changed->entries[i], value_of (changed->entries[i]));
	if (args->folder && !monocle__env_format_make_folder (stdout, format, args->folder))
		comment_on_folder (args, format);
}

/* In a script comments come last: where the quotes around it are forgotten, all of it becomes one line. */
static int
print (const arguments *args, char *const *places, const variables *changed, const variables *before,
       const monocle__layout *layout)
{
	const monocle__env_format *format = monocle__env_format_get (args->format);
	char *inherited = list_inherited (changed, before);
	int code = check_values (changed, format);
	if (code == 0) {
		monocle__output_begin ();
		if (format->is_script)
			print_variables (args, changed, format);
		comment_on_places (args, places, format, layout);
		if (*inherited && !format->is_script)
			comment ("%s: begins with what is set where monocle env ran; env -i monocle env leaves that out.",
			         inherited);
		if (!format->is_script)
			print_variables (args, changed, format);
		code = monocle__output_finish (stdout, NULL);
	}
	free (inherited);
	return code;
}

static void
set (const arguments *args, const monocle__layout *layout)
{
	monocle__environ_wishes wishes = {
		.layout = layout,
		.profiles = args->profiles.descs,
		.profile_count = args->profiles.count,
		.process = args->process,
		.all = args->all,
		.embedded = args->embedded ? MONOCLE__EMBEDDED_ANY : MONOCLE__EMBEDDED_NONE,
	};
	monocle__environ_state state;
	monocle__environ_look (layout->adapter, &state);
	monocle__environ_say (&state, layout);
	monocle__environ_say_embedded (wishes.embedded, layout);
	if (!layout->adapter && !state.foreign)
		monocle__say ("libmonocle-clr.so was not found: CoreCLR programs will not be profiled");
	if (!layout->umbrella)
		monocle__say ("libmono-profiler-monocle.so was not found: Mono programs will not be profiled");
	monocle__environ_set (&wishes, &state);
	free (state.foreign);
}

static int
print_environment (arguments *args, const monocle__layout *layout)
{
	char **places = calloc (args->profiles.count, sizeof *places);
	variables before = variables_take (), changed;
	for (size_t i = 0; places && i < args->profiles.count; i++)
		places[i] = place_module (args, i, layout);
	set (args, layout);
	changed = variables_take ();
	variables_subtract (&changed, &before);
	int code = places ? print (args, places, &changed, &before, layout) : MONOCLE__EXIT_FAILED;
	for (size_t i = 0; places && i < args->profiles.count; i++)
		free (places[i]);
	free (places);
	variables_done (&before);
	variables_done (&changed);
	return code;
}

static int
env (arguments *args)
{
	monocle__layout layout;
	int code = MONOCLE__EXIT_FAILED;
	monocle__layout_find (&layout);
	if (!layout.adapter && !layout.umbrella)
		monocle__say ("neither libmonocle-clr.so nor libmono-profiler-monocle.so is where this program expects it; "
		              "monocle doctor says more");
	else if (monocle__layout_refuse (&layout))
		code = print_environment (args, &layout);
	monocle__layout_done (&layout);
	return code;
}

static int
run (int argc, char **argv)
{
	arguments args = { 0 };
	int result;
	if (monocle__options_read (&monocle__command_env, argc, argv, &args, &result)) {
		result = check (argc, argv, &args);
		if (result == 0)
			result = env (&args);
	}
	monocle__desc_list_done (&args.profiles);
	free (args.folder);
	return result;
}

/* clang-format off */
static const monocle__option options[] = {
	{ "profile", 0,   MONOCLE__OPTION_READ, offsetof (arguments, profiles), "NAME[:ARGS]",
	  "the module to load, with its arguments; may be given again. Default: sample",
	  .try_read = monocle__desc_list_try_add, .wanted = "takes NAME[:ARGS]", .is_repeated = true },
	{ "format",  0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format), "FORMAT",
	  "shell: for eval in a POSIX shell (default); systemd: a drop-in of a service;\n"
	  "docker: lines of a Dockerfile; compose: environment of a service;\n"
	  "kubernetes: env of a container",
	  .choice = monocle__env_format_choice },
	{ "output",  'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),   "FOLDER",
	  "where profiles go, under the modules' own names. Default: for shell the program's\n"
	  "current folder, for the others /var/lib/monocle" },
	{ "all",     0,   MONOCLE__OPTION_ON,   offsetof (arguments, all),      NULL,
	  "profile the .NET SDK's own processes too" },
	{ "process", 0,   MONOCLE__OPTION_TEXT, offsetof (arguments, process),  "GLOB[,!GLOB]",
	  "only programs with such a name" },
	{ "embedded-mono", 0, MONOCLE__OPTION_ON, offsetof (arguments, embedded), NULL,
	  "for programs that embed Mono: LD_PRELOAD and LD_AUDIT, too" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_env = {
	.name = "env",
	.summary = "print the environment that run sets, for services and containers",
	.options = options,
	.about = "For programs that somebody else starts. In a shell:  eval \"$(monocle env --profile=calls)\"\n",
	.more = "Variables that are set already are joined as run joins them. MONOCLE_ENABLED=0 switches profiling off.\n",
	.examples = "  eval \"$(monocle env --profile=calls)\"\n"
	            "  monocle env --format=systemd > monocle.conf\n",
	.run = run,
};
