/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `monocle report`: a profile or coverage as a table, a tree, or rows for other programs.
 */
#include "annotate.h"
#include "column.h"
#include "command/output.h"
#include "command/word-list.h"
#include "commands.h"
#include "file/coverage-file.h"
#include "file/profile-file.h"
#include "line-view.h"
#include "report-format.h"
#include "report/choices.h"
#include "report/report-coverage.h"
#include "report/topic-choice.h"
#include "report/view-options.h"

#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TABLE_ROWS = 40, TREE_ROWS = 80 };

typedef struct {
	size_t sort, by, format, limit; /* SIZE_MAX: it was not given */
	bool tree, slow, lines, only_missed;
	const char *annotate;
	monocle__word_list sources, map;
	monocle__fail_under fail_under;
	monocle__topic_choice topic;
	monocle__view_arguments view;
} arguments;

/* --- profiles ----------------------------------------------------------------------------------------------------- */

/* Rows are never in an order that was not asked for without a word. */
static void
say_order (const monocle__profile *profile, const monocle__report_options *options)
{
	if (options->sort == MONOCLE__SORT_CALLS && monocle__profile_find_value (profile, "calls") == SIZE_MAX)
		monocle__say ("%s does not count calls; its rows are in the order of %s", options->title,
		              profile->value_types[monocle__sort_value (profile, options->sort)].type);
}

static const monocle__report_format *
format_of (const arguments *args)
{
	return &monocle__report_formats[args->format == SIZE_MAX ? 0 : args->format];
}

static int
write_report (const monocle__profile *profile, const arguments *args, const char *path)
{
	const monocle__report_format *format = format_of (args);
	monocle__report_options options = { .title = path, .lines = args->lines, .tree = args->tree };
	options.sort = args->sort == SIZE_MAX ? MONOCLE__SORT_SELF : (monocle__sort) args->sort;
	if (format->is_for_people) {
		options.width = monocle__output_width (stdout);
		options.bold = monocle__output_bold (stdout);
		options.ellipsis = monocle__output_ellipsis ();
		options.limit = args->tree && !args->slow ? TREE_ROWS : TABLE_ROWS;
		options.own_first = args->sort == SIZE_MAX && !args->view.mine && !args->view.threads;
	}
	if (args->limit != SIZE_MAX)
		options.limit = args->limit;
	if (args->view.threads && !args->tree)
		options.subject = "thread";
	say_order (profile, &options);
	monocle__report_writer *writer = args->slow ? format->slow : format->report;
	if (writer (stdout, profile, &options) != 0) {
		monocle__say ("%s: out of memory", path);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

static int
say_no_lines (const char *path)
{
	monocle__say ("%s has no lines: profile with --profile=sample:lines, and have the symbols (a portable PDB or an "
	              ".mdb) of your code beside it",
	              path);
	return MONOCLE__EXIT_FAILED;
}

static int
make_lines (monocle__profile **profile, const arguments *args, const char *path)
{
	if (!monocle__line_view_is_possible (*profile))
		return say_no_lines (path);
	monocle__profile *lines = monocle__line_view_new (*profile, format_of (args)->is_for_people);
	if (!lines) {
		monocle__say ("%s: out of memory", path);
		return MONOCLE__EXIT_FAILED;
	}
	monocle__profile_free (*profile);
	*profile = lines;
	return MONOCLE__EXIT_OK;
}

static void
say_line (const char *text)
{
	monocle__say ("%s", text);
}

static int
annotate (const monocle__profile *profile, const arguments *args, const char *path)
{
	monocle__annotate_options options = {
		.name = args->annotate,
		.map = args->map.count ? args->map.words : NULL,
		.folders = args->sources.count ? args->sources.words : NULL,
		.format = (int) (args->format == SIZE_MAX ? 0 : args->format),
		.bold = monocle__output_bold (stdout),
		.say = say_line,
	};
	if (!monocle__line_view_is_possible (profile))
		return say_no_lines (path);
	if (monocle__annotate (stdout, profile, &options) != 0)
		return MONOCLE__EXIT_FAILED;
	return monocle__output_finish (stdout, NULL);
}

/* What is wrong with the options for a profile; NULL: nothing. */
static const char *
wrong_for_profile (const arguments *args)
{
	if (args->by != SIZE_MAX)
		return "--by";
	if (args->only_missed)
		return "--missed";
	if (args->sources.count && !args->annotate)
		return "--source-root without --annotate";
	if (args->map.count && !args->annotate)
		return "--map without --annotate";
	if (args->fail_under.is_given)
		return "--fail-under";
	return args->sort != SIZE_MAX && args->sort >= monocle__sort_count ? "this --sort" : NULL;
}

static int
report_profile (const arguments *args, const char *const *paths, size_t count)
{
	const char *wrong = wrong_for_profile (args);
	monocle__view_plan plan = {
		.arguments = &args->view, .is_table = !args->tree, .tell_images = true, .leaves_out_idle = true
	};
	monocle__profile *profile;
	int result = MONOCLE__EXIT_FAILED;
	if (wrong && access (paths[0], R_OK) == 0)
		return monocle__usage_error (&monocle__command_report, "%s is for coverage files, and %s is none", wrong,
		                             paths[0]);
	if (args->annotate && (args->lines || args->tree || args->slow))
		return monocle__usage_error (&monocle__command_report,
		                             "--annotate says what is shown: %s means nothing beside it",
		                             args->lines  ? "--lines"
		                             : args->tree ? "--tree"
		                                          : "--slow");
	if (monocle__profile_file_open_all (paths, count, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	plan.by_default = format_of (args)->is_for_people ? MONOCLE__VIEW_FOR_PEOPLE : MONOCLE__VIEW_FOR_PROGRAMS;
	char *title = count > 1 ? monocle__format ("%zu profiles", count)
	                        : monocle__format ("%s", monocle__profile_file_title (paths[0]));
	result = monocle__topic_choice_one (&args->topic, title, profile) == 0 ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
	if (result == MONOCLE__EXIT_OK)
		result = monocle__view_options_apply (&plan, title, &profile);
	if (result == MONOCLE__EXIT_OK && args->lines)
		result = make_lines (&profile, args, title);
	if (result == MONOCLE__EXIT_OK)
		result = args->annotate ? annotate (profile, args, title) : write_report (profile, args, title);
	free (title);
	monocle__profile_free (profile);
	return result;
}

/* --- coverage ----------------------------------------------------------------------------------------------------- */

static const char *
wrong_for_coverage (const arguments *args)
{
	if (args->slow)
		return "--slow";
	if (args->lines)
		return "--lines";
	if (monocle__topic_choice_given (&args->topic))
		return monocle__topic_choice_given (&args->topic);
	if (monocle__view_options_given (&args->view))
		return monocle__view_options_given (&args->view);
	return args->sort != SIZE_MAX && args->sort < monocle__sort_count ? "this --sort" : NULL;
}

/* What --annotate or --tree takes the place of; NULL: nothing of it was given. */
static const char *
needless (const arguments *args)
{
	if (args->by != SIZE_MAX)
		return "--by";
	if (!args->annotate)
		return NULL;
	if (args->tree)
		return "--tree";
	if (args->sort != SIZE_MAX)
		return "--sort";
	if (args->limit != SIZE_MAX)
		return "-n";
	if (args->only_missed)
		return "--missed";
	return args->format != SIZE_MAX && !monocle__report_formats[args->format].is_for_people ? "this --format" : NULL;
}

static int
report_coverage (const arguments *args, const char *const *paths, size_t count)
{
	monocle__report_coverage_arguments coverage = {
		.by = args->by == SIZE_MAX ? MONOCLE__COVERAGE_BY_FILE : (monocle__coverage_by) args->by,
		.format = args->format == SIZE_MAX ? 0 : args->format,
		.limit = args->limit,
		.tree = args->tree,
		.only_missed = args->only_missed,
		.annotate = args->annotate,
		.options = { .map = args->map.words, .sources = args->sources.words },
		.fail_under = args->fail_under,
	};
	const char *wrong = wrong_for_coverage (args);
	if (wrong)
		return monocle__usage_error (&monocle__command_report, "%s is for profiles, and %s is coverage", wrong,
		                             paths[0]);
	if ((args->tree || args->annotate) && needless (args))
		return monocle__usage_error (&monocle__command_report, "%s says what is shown: %s means nothing beside it",
		                             args->annotate ? "--annotate" : "--tree", needless (args));
	if (args->sort != SIZE_MAX)
		coverage.sort = (monocle__coverage_sort) (args->sort - monocle__sort_count);
	return monocle__report_coverage (paths, count, &coverage);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

/* Of a folder coverage is what is meant: profiles are not added up. */
static bool
is_coverage (const char *path)
{
	struct stat status;
	return monocle__coverage_file_is (path) || (stat (path, &status) == 0 && S_ISDIR (status.st_mode));
}

static int
report_files (const arguments *args, const char *const *paths, size_t count)
{
	size_t coverage = 0;
	for (size_t i = 0; i < count; i++)
		coverage += is_coverage (paths[i]);
	if (coverage == 0)
		return report_profile (args, paths, count);
	for (size_t i = 0; i < count && coverage < count; i++) {
		if (!is_coverage (paths[i]) && access (paths[i], R_OK) == 0)
			return monocle__usage_error (&monocle__command_report, "several files are coverage, but %s is none",
			                             paths[i]);
	}
	return report_coverage (args, paths, count);
}

static int
run (int argc, char **argv)
{
	arguments args = { .sort = SIZE_MAX, .by = SIZE_MAX, .format = SIZE_MAX, .limit = SIZE_MAX };
	args.topic = MONOCLE__TOPIC_CHOICE_NONE;
	args.view.names = SIZE_MAX;
	const char *newest;
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_report, argc, argv, &args, &code))
		return code;
	if (argc > optind)
		return report_files (&args, (const char *const *) argv + optind, (size_t) (argc - optind));
	newest = monocle__profile_file_newest (true, NULL);
	if (!newest) {
		monocle__profile_file_say_none (true);
		return MONOCLE__EXIT_FAILED;
	}
	code = report_files (&args, &newest, 1);
	free ((char *) newest);
	return code;
}

/* Those of profiles, then those of coverage. */
static monocle__choice
sort_choice (size_t index)
{
	monocle__choice choice = monocle__choices_sort (index);
	if (index >= monocle__sort_count && index - monocle__sort_count < monocle__coverage_sort_count)
		choice.name = monocle__coverage_sort_names[index - monocle__sort_count];
	return choice;
}

static monocle__choice
by_choice (size_t index)
{
	return (monocle__choice) { index < monocle__coverage_by_count ? monocle__coverage_by_names[index] : NULL, NULL };
}

/* clang-format off */
static const monocle__option options[] = {
	{ "sort",        0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, sort),           NULL,
	  "the order of rows: own cost (default), cost with callees, number of calls;\n"
	  "of coverage: path or name (default), most missed lines, worst percentage",
	  .choice = sort_choice },
	{ NULL,          'n', MONOCLE__OPTION_NUMBER, offsetof (arguments, limit),          "N",
	  "rows; 0: all. Default: 40, with --tree 80; of a table of coverage, tsv and\n"
	  "json: all",
	  .wanted = "takes a number of rows" },
	{ "tree",        0,   MONOCLE__OPTION_ON,     offsetof (arguments, tree),           NULL,
	  "who calls whom, from the outermost caller; of coverage: assemblies, folders,\n"
	  "files, classes and methods, with bars" },
	{ "lines",       0,   MONOCLE__OPTION_ON,     offsetof (arguments, lines),          NULL,
	  "source lines instead of methods; what sample:lines has written knows them" },
	{ "slow",        0,   MONOCLE__OPTION_ON,     offsetof (arguments, slow),           NULL,
	  "the calls that calls:threshold=TIME found slow, the longest first;\n"
	  "with --tree each with its callers" },
	MONOCLE__TOPIC_CHOICE_OPTIONS (arguments, topic),
	MONOCLE__VIEW_OPTIONS (arguments, view),
	MONOCLE__VIEW_IDLE_OPTION (arguments, view),
	MONOCLE__VIEW_THREADS_OPTION (arguments, view, "a row per thread; with --tree each is the outermost frame of its stacks"),
	{ "by",          0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, by),             NULL,
	  "coverage: what has a row (default: each file)",
	  .choice = by_choice },
	{ "missed",      0,   MONOCLE__OPTION_ON,     offsetof (arguments, only_missed),    NULL,
	  "coverage: only rows with missed lines" },
	{ "annotate",    0,   MONOCLE__OPTION_TEXT,   offsetof (arguments, annotate),       "NAME",
	  "the source of a method with the costs of its lines beside it (sample:lines);\n"
	  "of coverage: of a file, class or method, with what ran; the end of a name is enough" },
	{ "source-root", 0,   MONOCLE__OPTION_READ,   offsetof (arguments, sources),        "FOLDER",
	  "a folder to look for sources in that are not where they were compiled",
	  .try_read = monocle__word_list_try_add, .wanted = "takes a folder, at most 64 times", .is_repeated = true },
	{ "map",         0,   MONOCLE__OPTION_READ,   offsetof (arguments, map),            "FROM=TO",
	  "sources whose names begin with FROM begin with TO here",
	  .try_read = monocle__word_list_try_add_map, .wanted = "takes FROM=TO, at most 64 times",
	  .is_repeated = true },
	{ "fail-under",  0,   MONOCLE__OPTION_READ,   offsetof (arguments, fail_under),     "PERCENT[,KIND=PERCENT]",
	  "coverage: exit code 3 when fewer lines are covered; KIND is line, branch,\n"
	  "method or class",
	  .wanted = "takes a percentage of lines, or several as 80,branch=70,method=90",
	  .try_read = monocle__fail_under_try_read },
	{ "format",      0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format),         NULL,
	  "for people (default), or for programs: names in full, plain numbers,\n"
	  "columns method, calls, self_ns, total_ns; of coverage lines, lines_covered, ...",
	  .choice = monocle__choices_report_format },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_report = {
	.name = "report",
	.summary = "show a profile or coverage as a table, a tree, or rows for other programs",
	.operands = "[FILE...]",
	.without_output = "monocle flame -o OUT.html draws a page, monocle convert --to=FORMAT -o OUT writes other files",
	.options = options,
	.about = "FILE is a profile (pprof, or .mlpd of Mono's log profiler), the spool of a process that died or still\n"
	         "runs, the number of a running process (or of the monocle run that started it), or coverage (.mcov);\n"
	         "several files of one kind are added up. Without FILE it is the newest of *.pb.gz, *.mlpd, *.spool and\n"
	         "*.mcov in the current directory.\n",
	.examples = "  monocle run --profile=calls:threshold=50ms -o prof.pb.gz -- dotnet app.dll\n"
	            "  monocle report --slow --tree prof.pb.gz\n"
	            "  monocle run --profile=cover -o app.mcov -- dotnet app.dll\n"
	            "  monocle report --sort=percent app.mcov\n",
	.run = run,
};
