/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_diff.c - `monocle diff`: what grew and what shrank from one profile to another; what is covered now and was not.
 */
#include "command/output.h"
#include "commands.h"
#include "file/coverage-file.h"
#include "file/profile-file.h"
#include "path.h"
#include "report-format.h"
#include "report/choices.h"
#include "report/topic-choice.h"
#include "report/view-options.h"
#include "topics.h"

#include <getopt.h> /* optind */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TABLE_ROWS = 40 };

typedef struct {
	size_t sort, format, limit; /* SIZE_MAX: it was not given */
	bool tree, is_normalized;
	const char *output, *value;
	monocle__topic_choice topic;
	const char *paths[2];
	monocle__view_arguments view;
} arguments;

static int
write_flame (const monocle__profile *profile, const arguments *args)
{
	char *title = monocle__format ("%s: what changed since %s", monocle__path_base_name (args->paths[1]),
	                               monocle__path_base_name (args->paths[0]));
	monocle__report_options options = { .title = title, .diff = true };
	monocle__output_place place = { .path = args->output };
	int result = monocle__output_flame (place, args->paths[1], profile, &options);
	free (title);
	return result;
}

static int
write_rows (const monocle__profile *profile, const arguments *args, const monocle__value_type *before,
            const monocle__value_type *after)
{
	const monocle__report_format *format = &monocle__report_formats[args->format == SIZE_MAX ? 0 : args->format];
	monocle__diff_options options = {
		.before = monocle__profile_file_title (args->paths[0]),
		.after = monocle__profile_file_title (args->paths[1]),
		.before_value = before->type,
		.after_value = after->type,
		.sort = args->sort == SIZE_MAX ? MONOCLE__SORT_SELF : (monocle__sort) args->sort,
		.tree = args->tree,
		.normalized = args->is_normalized,
	};
	if (format->is_for_people) {
		options.width = monocle__output_width (stdout);
		options.bold = monocle__output_bold (stdout);
		options.ellipsis = monocle__output_ellipsis ();
		options.limit = TABLE_ROWS;
	}
	if (args->limit != SIZE_MAX)
		options.limit = args->limit;
	if (format->diff (stdout, profile, &options) != 0) {
		monocle__say ("%s: out of memory", args->paths[1]);
		return MONOCLE__EXIT_FAILED;
	}
	return monocle__output_finish (stdout, NULL);
}

/*
 * The time that a sample stands for and the time between a call's begin and its end are both nanoseconds; their
 * difference means nothing. Their shares can be compared, and the reader must know that they are of two things.
 */
static bool
try_types (const arguments *args, const monocle__value_type *before, const monocle__value_type *after)
{
	bool is_one = strcmp (before->type, after->type) == 0;
	if (!is_one && args->is_normalized)
		monocle__say ("%s is compared by %s, %s by %s", args->paths[0], before->type, args->paths[1], after->type);
	else if (!is_one)
		monocle__say ("%s measured %s, and %s %s: only their shares can be compared, by --normalize, or a value that "
		              "both have, by --value=NAME",
		              args->paths[0], before->type, args->paths[1], after->type);
	return is_one || args->is_normalized;
}

/* The values that are compared: what is named, or the first profile's main one, if both have it in one unit. */
static bool
try_values (monocle__profile *const profiles[2], const arguments *args, size_t values[2])
{
	const monocle__value_type *types[2];
	const char *name = args->value;
	for (size_t i = 0; i < 2; i++) {
		values[i] = name ? monocle__profile_find_value (profiles[i], name) : monocle__profile_main_value (profiles[i]);
		if (values[i] == SIZE_MAX && !args->value)
			values[i] = monocle__profile_main_value (profiles[i]);
		if (values[i] == SIZE_MAX) {
			monocle__profile_file_say_values (args->paths[i], profiles[i], name);
			return false;
		}
		types[i] = &profiles[i]->value_types[values[i]];
		name = args->value ? args->value : types[i]->type;
	}
	if (strcmp (types[0]->unit, types[1]->unit) == 0)
		return try_types (args, types[0], types[1]);
	monocle__say ("%s is in %s (%s), %s in %s (%s): they cannot be compared; --value=NAME chooses another value",
	              args->paths[0], types[0]->unit, types[0]->type, args->paths[1], types[1]->unit, types[1]->type);
	return false;
}

/* The only comment with this key; NULL: there is none, or there are several. */
static const char *
comment_of (const monocle__profile *profile, const char *key)
{
	const char *found = NULL;
	for (size_t i = 0; i < profile->comment_count; i++) {
		if (strncmp (profile->comments[i], key, strlen (key)) != 0)
			continue;
		if (found)
			return NULL;
		found = profile->comments[i] + strlen (key);
	}
	return found;
}

/* "before: shop.pb.gz, shop, .NET 10.0.12, 2026-11-24 08:00:00": for the head of the page. */
static bool
add_facts (monocle__profile *joined, const monocle__profile *source, const char *side, const char *path)
{
	const char *program = comment_of (source, "program: "), *runtime = comment_of (source, "runtime: ");
	char when[64] = "";
	time_t seconds = (time_t) (source->time_nanos / 1000000000);
	struct tm local;
	if (source->time_nanos > 0 && localtime_r (&seconds, &local))
		strftime (when, sizeof when, ", %Y-%m-%d %H:%M:%S", &local);
	char *text = monocle__format ("%s: %s%s%.*s%s%s%s", side, monocle__path_base_name (path), program ? ", " : "",
	                              (int) strcspn (program ? program : "", ","), program ? program : "",
	                              runtime ? ", " : "", runtime ? runtime : "", when);
	const char *own = monocle__profile_text (joined, text, strlen (text));
	free (text);
	return own && monocle__profile_add_comment (joined, own);
}

static bool
add_all_facts (monocle__profile *joined, monocle__profile *const profiles[2], const arguments *args)
{
	return add_facts (joined, profiles[0], "before", args->paths[0]) &&
	       add_facts (joined, profiles[1], "after", args->paths[1]);
}

static int
compare (monocle__profile *const profiles[2], const arguments *args)
{
	monocle__profile *joined;
	size_t values[2];
	int result;
	if (!try_values (profiles, args, values))
		return MONOCLE__EXIT_FAILED;
	joined = monocle__diff_new (profiles[0], values[0], profiles[1], values[1], args->is_normalized);
	if (!joined || (args->output && !add_all_facts (joined, profiles, args))) {
		monocle__say ("%s: out of memory", args->paths[1]);
		monocle__profile_free (joined);
		return MONOCLE__EXIT_FAILED;
	}
	result = args->output
	           ? write_flame (joined, args)
	           : write_rows (joined, args, &profiles[0]->value_types[values[0]], &profiles[1]->value_types[values[1]]);
	monocle__profile_free (joined);
	return result;
}

/* Of profiles that are about several things one is compared: what was asked for, or what the first tells most of. */
static bool
try_topic (monocle__profile *const profiles[2], const arguments *args)
{
	monocle__topic_choice choice = args->topic;
	if (!monocle__topic_choice_given (&choice) && !args->value && monocle__topics_find (profiles[0]).count > 0)
		choice.topic = monocle__topic_of (profiles[0], monocle__profile_main_value (profiles[0]));
	for (size_t i = 0; i < 2; i++) {
		if (monocle__topic_choice_apply (&choice, args->paths[i], profiles[i]) != 0)
			return false;
	}
	return true;
}

static int
show_profile (const arguments *args, size_t which, monocle__profile **profile)
{
	bool for_people = args->format == SIZE_MAX || monocle__report_formats[args->format].is_for_people;
	monocle__view_plan plan = { .arguments = &args->view, .leaves_out_idle = true };
	plan.by_default = for_people ? MONOCLE__VIEW_FOR_PEOPLE : MONOCLE__VIEW_FOR_PROGRAMS;
	return monocle__view_options_apply (&plan, monocle__profile_file_title (args->paths[which]), profile);
}

static int
diff_profiles (const arguments *args)
{
	monocle__profile *profiles[2] = { 0 };
	int result = MONOCLE__EXIT_FAILED;
	if (monocle__profile_file_open (args->paths[0], &profiles[0]) == 0 &&
	    monocle__profile_file_open (args->paths[1], &profiles[1]) == 0 && try_topic (profiles, args) &&
	    show_profile (args, 0, &profiles[0]) == 0 && show_profile (args, 1, &profiles[1]) == 0)
		result = compare (profiles, args);
	for (size_t i = 0; i < 2; i++)
		monocle__profile_free (profiles[i]);
	return result;
}

/* --- coverage ----------------------------------------------------------------------------------------------------- */

static int
write_coverage (const monocle__coverage_diff *diff, const arguments *args)
{
	const monocle__report_format *format = &monocle__report_formats[args->format == SIZE_MAX ? 0 : args->format];
	monocle__coverage_diff_options options = { .before = args->paths[0], .after = args->paths[1] };
	options.colour = format->is_for_people && monocle__output_bold (stdout);
	format->coverage_diff (stdout, diff, &options);
	if (!format->is_for_people && (diff->only_before || diff->only_after))
		monocle__say ("not compared: lines that only one has, %" PRIu64 " before and %" PRIu64 " after",
		              diff->only_before, diff->only_after);
	return monocle__output_finish (stdout, NULL);
}

static int
compare_coverage (const monocle__coverage *before, const monocle__coverage *after, const arguments *args)
{
	monocle__coverage_diff diff;
	int result;
	if (monocle__coverage_diff_init (&diff, before, after) != 0) {
		monocle__say ("%s: out of memory", args->paths[1]);
		return MONOCLE__EXIT_FAILED;
	}
	result = write_coverage (&diff, args);
	monocle__coverage_diff_done (&diff);
	return result;
}

/* What is for profiles only; NULL: nothing of it was given. */
static const char *
wrong_for_coverage (const arguments *args)
{
	if (args->sort != SIZE_MAX)
		return "--sort";
	if (args->limit != SIZE_MAX)
		return "-n";
	if (args->tree)
		return "--tree";
	if (args->is_normalized)
		return "--normalize";
	if (args->value)
		return "--value";
	if (monocle__topic_choice_given (&args->topic))
		return monocle__topic_choice_given (&args->topic);
	if (monocle__view_options_given (&args->view))
		return monocle__view_options_given (&args->view);
	return args->output ? "-o" : NULL;
}

static int
diff_coverage (const arguments *args)
{
	static const monocle__coverage_options options = { 0 };
	monocle__coverage *before = NULL, *after = NULL;
	const char *wrong = wrong_for_coverage (args);
	int result = MONOCLE__EXIT_FAILED;
	if (wrong)
		return monocle__usage_error (&monocle__command_diff, "%s is for profiles, and %s is coverage", wrong,
		                             args->paths[0]);
	if (monocle__coverage_file_open (&args->paths[0], 1, &options, &before) == 0 &&
	    monocle__coverage_file_open (&args->paths[1], 1, &options, &after) == 0)
		result = compare_coverage (before, after, args);
	monocle__coverage_free (before);
	monocle__coverage_free (after);
	return result;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static int
diff_files (const arguments *args)
{
	bool is_coverage[2] = { monocle__coverage_file_is (args->paths[0]), monocle__coverage_file_is (args->paths[1]) };
	if (is_coverage[0] != is_coverage[1])
		return monocle__usage_error (&monocle__command_diff, "%s is coverage, and %s is none",
		                             args->paths[is_coverage[0] ? 0 : 1], args->paths[is_coverage[0] ? 1 : 0]);
	return is_coverage[0] ? diff_coverage (args) : diff_profiles (args);
}

/* What was compared is in the head of the result. */
static int
diff_newest (arguments *args)
{
	bool is_coverage = monocle__coverage_file_is (args->paths[0]);
	char *newest = monocle__profile_file_newest (is_coverage, args->paths[0]);
	int result = MONOCLE__EXIT_FAILED;
	args->paths[1] = newest;
	if (newest)
		result = diff_files (args);
	else
		monocle__say ("there is no other profile in this directory to compare %s with", args->paths[0]);
	free (newest);
	return result;
}

/* Only what both profiles have. */
static monocle__choice
sort_choice (size_t index)
{
	return index == MONOCLE__SORT_CALLS ? (monocle__choice) { 0 } : monocle__choices_sort (index);
}

static int
run (int argc, char **argv)
{
	arguments args = { .sort = SIZE_MAX, .format = SIZE_MAX, .limit = SIZE_MAX };
	args.topic = MONOCLE__TOPIC_CHOICE_NONE;
	args.view.names = SIZE_MAX;
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_diff, argc, argv, &args, &code))
		return code;
	if (argc - optind < 1 || argc - optind > 2)
		return monocle__usage_error (&monocle__command_diff,
		                             "diff takes two profiles, or two coverage files: BEFORE and AFTER");
	if (args.output && monocle__output_refuse_page (args.output))
		return MONOCLE__EXIT_USAGE;
	if (args.output && args.format != SIZE_MAX)
		return monocle__usage_error (&monocle__command_diff, "-o writes a flame graph, --format prints rows: not both");
	args.paths[0] = argv[optind];
	args.paths[1] = argv[optind + 1];
	return args.paths[1] ? diff_files (&args) : diff_newest (&args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "sort",      0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, sort),          NULL,
	  "the change of own cost (default), or of cost with callees",
	  .choice = sort_choice },
	{ NULL,        'n', MONOCLE__OPTION_NUMBER, offsetof (arguments, limit),         "N",
	  "rows; 0: all. Default: 40; tsv and json: all",
	  .wanted = "takes a number of rows" },
	{ "tree",      0,   MONOCLE__OPTION_ON,     offsetof (arguments, tree),          NULL,
	  "paths of calls instead of methods" },
	{ "normalize", 0,   MONOCLE__OPTION_ON,     offsetof (arguments, is_normalized), NULL,
	  "scale BEFORE so that both come to the same whole: what is compared is shares" },
	{ "value",     0,   MONOCLE__OPTION_TEXT,   offsetof (arguments, value),         "NAME",
	  "which of the profiles' values: calls, self, ..." },
	MONOCLE__TOPIC_CHOICE_OPTIONS (arguments, topic),
	MONOCLE__VIEW_OPTIONS (arguments, view),
	MONOCLE__VIEW_IDLE_OPTION (arguments, view),
	{ "format",    0,   MONOCLE__OPTION_CHOICE, offsetof (arguments, format),        NULL,
	  "for people (default; what did not change is left out), or for programs",
	  .choice = monocle__choices_report_format },
	{ "output",    'o', MONOCLE__OPTION_TEXT,   offsetof (arguments, output),        "OUT.html",
	  "write a flame graph instead: red grew, blue shrank; - is standard output" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_diff = {
	.name = "diff",
	.summary = "show what changed between two profiles, or two coverage files",
	.operands = "BEFORE [AFTER]",
	.options = options,
	.about = "The largest change comes first, whatever its direction. Points are percent of the whole after, less\n"
	         "percent of the whole before. A method is the same when its full name is.\n"
	         "Without AFTER it is the newest file of the current directory.\n"
	         "Of coverage files: which lines are covered now and were not, and which no more.\n",
	.examples = "  monocle diff before.pb.gz\n"
	            "  monocle diff before.pb.gz after.pb.gz -o diff.html\n",
	.run = run,
};
