/*
 * SPDX-License-Identifier: MIT
 *
 * view.h - what of a profile is shown, and under which names: one profile made of another, before anything is drawn,
 * printed or compared.
 */
#ifndef MONOCLE_REPORT_VIEW_H
#define MONOCLE_REPORT_VIEW_H

#include "profile.h"

#include <regex.h>

typedef enum {
	MONOCLE__NAMES_CSHARP, /* as in C#'s sources; and comments for people */
	MONOCLE__NAMES_MONO,   /* as they are in the profile */
} monocle__names;

typedef enum {
	MONOCLE__THREADS_NOT,  /* all threads are added up */
	MONOCLE__THREADS_ROOT, /* each is the outermost frame of its stacks */
	MONOCLE__THREADS_ONLY, /* each is all of its stacks: a table of threads */
} monocle__thread_frames;

typedef enum {
	MONOCLE__IDLE_SHOWN,
	MONOCLE__IDLE_LEFT_OUT, /* what threads with nothing to do waited is left out, and a comment says so */
	MONOCLE__IDLE_MARKED,   /* such samples get the label MONOCLE__IDLE_LABEL, a number */
} monocle__idle;

#define MONOCLE__IDLE_LABEL "idle"

/*
 * Lists end with a NULL; NULL is an empty one. Regular expressions are POSIX's extended ones and look for a match
 * anywhere in a function's name, in either spelling; globs are for whole names.
 */
typedef struct {
	monocle__names names;
	bool fold;        /* of the framework's frames above the program's own, one stands for all between */
	bool mine;        /* only frames of the program's own code; what it called costs the caller */
	bool tell_images; /* functions of one name in two images have the image behind it */
	monocle__thread_frames threads;
	monocle__idle idle;
	const char *const *focus;                               /* only samples with a frame that matches one */
	const char *const *ignore;                              /* no samples with such a frame */
	const char *const *hide;                                /* no such frames; what they cost is their callers' */
	const char *const *thread_globs, *const *process_globs; /* only their samples */
} monocle__view_options;

enum { MONOCLE__VIEW_REGEX = REG_EXTENDED | REG_NOSUB };

/* Does the text match one of the globs? */
bool monocle__view_matches (const char *text, const char *const *globs);

/*
 * The sum of every value is that of the samples that are left, but that calls of what is not shown (`mine`, `hide`) are
 * not counted: they are no calls of what is. Comments say what was left out. Labels and calls that were slow are kept.
 * NULL: out of memory, or a regular expression is wrong.
 */
monocle__profile *monocle__view_new (const monocle__profile *profile, const monocle__view_options *options);

#endif
