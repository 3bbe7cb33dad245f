/*
 * SPDX-License-Identifier: MIT
 *
 * cmd_flame.c - `monocle flame`: a profile as a flame graph in one HTML file, or as a picture.
 */
#include "command/output.h"
#include "commands.h"
#include "file/profile-file.h"
#include "path.h"
#include "report.h"
#include "report/browser.h"
#include "report/topic-choice.h"
#include "report/view-options.h"

#include <getopt.h> /* optind */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	const char *output, *editor;
	double min_share;
	bool upright, is_opened;
	monocle__topic_choice topic;
	monocle__view_arguments view;
} arguments;

static int
draw_profile (const monocle__profile *profile, const char *path, const arguments *args)
{
	char *output = args->output ? monocle__format ("%s", args->output) : monocle__profile_file_output (path, ".html");
	monocle__report_options options = { .title = monocle__path_base_name (monocle__profile_file_title (path)),
		                                .min_share = args->min_share,
		                                .upright = args->upright,
		                                .foldable = !args->view.mine,
		                                .folded = !args->view.all_frames,
		                                .idle = args->view.idle,
		                                .editor = args->editor };
	monocle__output_place place = { .path = output, .chosen = !args->output };
	int result = monocle__output_flame (place, path, profile, &options);
	if (result == MONOCLE__EXIT_OK && args->is_opened)
		monocle__browser_open (output);
	free (output);
	return result;
}

static int
draw (const arguments *args, const char *path)
{
	bool is_picture = args->output && monocle__output_is_picture (args->output);
	/* The page folds by itself. */
	monocle__view_plan plan = {
		.arguments = &args->view, .tell_images = true, .leaves_out_idle = true, .is_page = !is_picture
	};
	monocle__profile *profile;
	int result;
	if (monocle__profile_file_open (path, &profile) != 0)
		return MONOCLE__EXIT_FAILED;
	const char *title = monocle__profile_file_title (path);
	result = monocle__topic_choice_apply (&args->topic, title, profile) != 0 ? MONOCLE__EXIT_FAILED : MONOCLE__EXIT_OK;
	if (result == MONOCLE__EXIT_OK)
		result = monocle__view_options_apply (&plan, title, &profile);
	if (result == MONOCLE__EXIT_OK)
		result = draw_profile (profile, path, args);
	monocle__profile_free (profile);
	return result;
}

static int
draw_newest (const arguments *args)
{
	char *path = monocle__profile_file_newest (false, NULL);
	int result = MONOCLE__EXIT_FAILED;
	if (path)
		result = draw (args, path);
	else
		monocle__profile_file_say_none (false);
	free (path);
	return result;
}

/*
 * An address with {file} in it, or the name of an editor whose address is known. What runs in the page itself is none.
 */
static bool
try_editor (const char *text, void *ret_editor)
{
	static const struct {
		const char *name, *address;
	} editors[] = {
		{ "none", "" },
		{ "vscode", MONOCLE__REPORT_VSCODE },
		{ "vscodium", "vscodium://file{file}:{line}" },
	};
	size_t scheme = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
	for (size_t i = 0; i < sizeof editors / sizeof *editors; i++) {
		if (strcmp (text, editors[i].name) == 0) {
			*(const char **) ret_editor = editors[i].address;
			return true;
		}
	}
	if (scheme == 0 || strncmp (text + scheme, "://", 3) != 0 || !strstr (text, "{file}") ||
	    strncasecmp (text, "javascript:", strlen ("javascript:")) == 0)
		return false;
	*(const char **) ret_editor = text;
	return true;
}

static bool
try_share (const char *text, void *ret_share)
{
	char *end;
	double percent = strtod (text, &end);
	if (end == text || (*end && strcmp (end, "%") != 0) || !(percent >= 0 && percent <= 100))
		return false;
	*(double *) ret_share = percent / 100;
	return true;
}

static int
run (int argc, char **argv)
{
	arguments args = { .topic = MONOCLE__TOPIC_CHOICE_NONE, .view.names = SIZE_MAX, .editor = MONOCLE__REPORT_VSCODE };
	int code;
	monocle__output_begin ();
	if (!monocle__options_read (&monocle__command_flame, argc, argv, &args, &code))
		return code;
	if (args.output && !monocle__output_is_picture (args.output) && monocle__output_refuse_page (args.output))
		return MONOCLE__EXIT_USAGE;
	if (args.is_opened && strcmp (args.output ? args.output : argc > optind ? argv[optind] : "", "-") == 0)
		return monocle__usage_error (&monocle__command_flame,
		                             "--open is for a file, and this is written to standard output");
	if (argc - optind > 1)
		return monocle__usage_error (&monocle__command_flame, "flame takes one FILE");
	return argc > optind ? draw (&args, argv[optind]) : draw_newest (&args);
}

/* clang-format off */
static const monocle__option options[] = {
	{ "output",    'o', MONOCLE__OPTION_TEXT, offsetof (arguments, output),    "OUT.html",
	  "where to write; - is standard output. OUT.svg is a picture without a script.\n"
	  "Default: FILE with .html for .pb.gz" },
	{ "open",      0,   MONOCLE__OPTION_ON,   offsetof (arguments, is_opened), NULL,
	  "show it: $BROWSER opens it, else xdg-open" },
	{ "icicle",    0,   MONOCLE__OPTION_OFF,  offsetof (arguments, upright),   NULL,
	  "begin with callers on top and what they called below (default)" },
	{ "no-icicle", 0,   MONOCLE__OPTION_ON,   offsetof (arguments, upright),   NULL,
	  "begin with callers at the bottom; the key i turns the picture at any time" },
	MONOCLE__TOPIC_CHOICE_OPTIONS (arguments, topic),
	MONOCLE__VIEW_OPTIONS (arguments, view),
	MONOCLE__VIEW_IDLE_OPTION (arguments, view),
	MONOCLE__VIEW_THREADS_OPTION (arguments, view, "each thread is the outermost frame of its stacks"),
	{ "min-share", 0,   MONOCLE__OPTION_READ, offsetof (arguments, min_share), "PERCENT",
	  "fold frames narrower than this; each fold says how many it holds.\n"
	  "Default: 0.01 where there are more than 20,000 frames, else nothing is folded",
	  .try_read = try_share, .wanted = "is a percentage" },
	{ "editor",    0,   MONOCLE__OPTION_READ, offsetof (arguments, editor),    "EDITOR",
	  "what opens a method's source: vscode (default), vscodium, none, or an address\n"
	  "with {file} and {line} in it, as vscode://file{file}:{line}",
	  .try_read = try_editor, .wanted = "is vscode, vscodium, none, or an address with {file} in it, as vscode://file{file}:{line}" },
	{ 0 },
};
/* clang-format on */

const monocle__command monocle__command_flame = {
	.name = "flame",
	.summary = "draw a profile as a flame graph, one HTML file",
	.operands = "[FILE]",
	.options = options,
	.about = "One file, which works offline. It has search by "
	         "regular\n"
	         "expression, zoom, callers and callees of a method, a table, threads, keys (press ?),\n"
	         "a dark mode, and every metric of the profile. Its address holds what was chosen.\n"
	         "Without FILE it is the newest profile of the current directory.\n",
	.examples = "  monocle flame --open\n"
	            "  monocle flame prof.pb.gz -o prof.html\n",
	.run = run,
};
