/*
 * SPDX-License-Identifier: MIT
 *
 * view-options.h - what of a profile is shown, as options that all commands share which show profiles.
 */
#ifndef MONOCLE_TOOLS_VIEW_OPTIONS_H
#define MONOCLE_TOOLS_VIEW_OPTIONS_H

#include "command/options.h"
#include "command/word-list.h"
#include "view.h"

/* All zero but for `names`: nothing was given. */
typedef struct {
	size_t names; /* SIZE_MAX: it was not given */
	bool all_frames, folded, mine, threads, idle;
	monocle__word_list focus, ignore, hide, thread, process;
} monocle__view_arguments;

/* What is shown unless the options say otherwise. */
typedef enum {
	MONOCLE__VIEW_FOR_PEOPLE,   /* the program's own code first, in the words of its source */
	MONOCLE__VIEW_FOR_PROGRAMS, /* what is in the profile */
} monocle__view_default;

monocle__choice monocle__view_options_names_choice (size_t index);
bool monocle__view_options_try_regex (const char *text, void *list);

/* Rows of a command's options; `member` is the monocle__view_arguments in its `arguments`. */
/* clang-format off */
#define MONOCLE__VIEW_OPTIONS(arguments, member) \
	{ "all-frames", 0, MONOCLE__OPTION_ON,     offsetof (arguments, member.all_frames), NULL, \
	  "show each frame of the framework above your own code, too, not one for all\n" \
	  "between (the default of tsv, json and pprof)" }, \
	{ "fold",       0, MONOCLE__OPTION_ON,     offsetof (arguments, member.folded),     NULL, \
	  "the opposite (the default of all else)" }, \
	MONOCLE__VIEW_WHICH_OPTIONS (arguments, member)
/* Without the two that say whether frames are folded. */
#define MONOCLE__VIEW_WHICH_OPTIONS(arguments, member) \
	{ "mine",       0, MONOCLE__OPTION_ON,     offsetof (arguments, member.mine),       NULL, \
	  "only your own code, with the cost of what it called" }, \
	{ "focus",      0, MONOCLE__OPTION_READ,   offsetof (arguments, member.focus),      "REGEX", \
	  "only stacks with a frame that matches", \
	  .try_read = monocle__view_options_try_regex, .wanted = "takes a regular expression, at most 64 times", \
	  .is_repeated = true }, \
	{ "ignore",     0, MONOCLE__OPTION_READ,   offsetof (arguments, member.ignore),     "REGEX", \
	  "no stacks with such a frame", \
	  .try_read = monocle__view_options_try_regex, .wanted = "takes a regular expression, at most 64 times", \
	  .is_repeated = true }, \
	{ "hide",       0, MONOCLE__OPTION_READ,   offsetof (arguments, member.hide),       "REGEX", \
	  "no such frames: what they cost is their callers'", \
	  .try_read = monocle__view_options_try_regex, .wanted = "takes a regular expression, at most 64 times", \
	  .is_repeated = true }, \
	{ "thread",     0, MONOCLE__OPTION_READ,   offsetof (arguments, member.thread),     "GLOB", \
	  "only the threads whose names match; the profile must tell threads apart", \
	  .try_read = monocle__word_list_try_add, .wanted = "takes a thread's name, at most 64 times", \
	  .is_repeated = true }, \
	{ "process",    0, MONOCLE__OPTION_READ,   offsetof (arguments, member.process),    "GLOB", \
	  "only the processes whose names or numbers match", \
	  .try_read = monocle__word_list_try_add, .wanted = "takes a process's name or number, at most 64 times", \
	  .is_repeated = true }, \
	{ "names",      0, MONOCLE__OPTION_CHOICE, offsetof (arguments, member.names),      NULL, \
	  "as C#'s sources have them, or as the profile has them (the default of tsv,\n" \
	  "json and pprof)", \
	  .choice = monocle__view_options_names_choice }
/* The same for `--idle`, where threads with nothing to do are left out. */
#define MONOCLE__VIEW_IDLE_OPTION(arguments, member) \
	{ "idle",       0, MONOCLE__OPTION_ON,     offsetof (arguments, member.idle),       NULL, \
	  "of elapsed time (sample:mode=wall) also what threads waited that had nothing\n" \
	  "to do: for work, a timer or I/O, with none of your own code on their stacks" }
/* The same for `--threads`, where it means something; `help` says what. */
#define MONOCLE__VIEW_THREADS_OPTION(arguments, member, help) \
	{ "threads",    0, MONOCLE__OPTION_ON,     offsetof (arguments, member.threads),    NULL, help }
/* clang-format on */

/* Of what was given, the first option's name; NULL: nothing was. */
const char *monocle__view_options_given (const monocle__view_arguments *arguments);

/* A table as it is without any option; NULL: out of memory. */
monocle__profile *monocle__view_options_for_people (const monocle__profile *profile);

typedef struct {
	const monocle__view_arguments *arguments;
	monocle__view_default by_default;
	bool is_table;        /* --threads makes a table of threads, not outermost frames */
	bool tell_images;     /* see monocle__view_options */
	bool leaves_out_idle; /* for people; see MONOCLE__VIEW_IDLE_OPTION */
	bool is_page;         /* who shows it folds, and leaves out, by himself */
} monocle__view_plan;

/*
 * Makes *profile, which is at `path`, what is to be shown of it. 0, or the exit code after one line: nothing of it is
 * left, or memory is exhausted.
 */
int monocle__view_options_apply (const monocle__view_plan *plan, const char *path, monocle__profile **profile);

#endif
