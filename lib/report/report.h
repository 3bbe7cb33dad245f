/*
 * SPDX-License-Identifier: MIT
 *
 * report.h - what can be made of a profile: a table, a tree, rows for other programs, a picture.
 *
 * Writers write to a stdio stream and do not look at its errors: the caller asks ferror () and fflush () once. They
 * answer 0, or -1 when memory is exhausted.
 */
#ifndef MONOCLE_REPORT_REPORT_H
#define MONOCLE_REPORT_REPORT_H

#include "profile.h"

#include <stdio.h>

typedef enum { MONOCLE__SORT_SELF, MONOCLE__SORT_TOTAL, MONOCLE__SORT_CALLS } monocle__sort;

typedef struct {
	const char *title; /* what the profile is called, usually its file name */
	monocle__sort sort;
	size_t limit;         /* rows; 0: all */
	const char *subject;  /* what a row of the table is; NULL: "method" */
	bool lines;           /* it was made by monocle__line_view_new () */
	bool tree;            /* paths instead of methods */
	size_t width;         /* text: columns of the terminal; 0: as long as it gets */
	bool bold;            /* text: headings in bold */
	bool own_first;       /* text: the program's own methods have a table before, where the first rows are of others */
	bool apart;           /* text, of a snapshot: equal stacks are not printed as one */
	bool brief;           /* text: of the comments only those that report a loss */
	uint64_t took;        /* text: nanoseconds in which a snapshot was asked for and read; 0: somebody else took it */
	const char *ellipsis; /* text: what replaces the missing middle of a name */
	bool upright;         /* flame: callers at the bottom, not on top */
	bool diff;            /* flame: the values are before and after; colours tell what grew */
	bool foldable;        /* flame: all frames are there, and the page may collapse the framework's */
	bool folded;          /* flame: with `foldable`: it begins so */
	bool idle;            /* flame: what is marked as MONOCLE__IDLE_LABEL (view/view.h) is shown at first */
	const char *editor;   /* flame: the address that opens {file} at {line}; NULL or "": none does */
	double min_share;     /* flame: frames narrower than this part of the whole fold; 0: only in large profiles */
} monocle__report_options;

typedef int monocle__report_writer (FILE *out, const monocle__profile *profile, const monocle__report_options *options);

/*
 * monocle__report_text () and the like. tsv is a header line, then a row per method (or per path with `tree`, depth
 * first, with its `depth`). Tab, line feed, carriage return and backslash in a name become \t \n \r \\, other control
 * characters \xNN.
 */
#define REPORT_FORMAT(name, is_for_people) monocle__report_writer monocle__report_##name;
#include "report-formats.def"
#undef REPORT_FORMAT
/* The address that opens a file in Visual Studio Code. */
#define MONOCLE__REPORT_VSCODE "vscode://file{file}:{line}"
/* One HTML file that needs nothing else. `limit` and `sort` mean nothing to it. */
monocle__report_writer monocle__report_flame;
/* A picture of the main value: SVG without a script. Of the options for a flame graph it has no colours of a diff. */
monocle__report_writer monocle__report_svg;

#endif
