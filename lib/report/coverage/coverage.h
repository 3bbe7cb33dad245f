/*
 * SPDX-License-Identifier: MIT
 *
 * coverage.h - coverage in memory: read from .mcov files (cover-file.h), added up, and looked at by line.
 *
 * Arrays and strings belong to the coverage; strings are valid UTF-8 without NUL. Not thread safe. One and the same
 * image (MVID) of several files is one image here, and counts of its methods are summed, so that opening several files
 * is merging them. Of a method whose points differ between two files of one MVID one body is kept (which one does not
 * depend on the order of the files) and the others are left out; such methods are counted in `conflicts`.
 *
 *   points and arms    as the compiler made them, per method
 *   files              what people read: lines of a source file, with the points that begin there
 *
 * A line is coverable if a visible point begins on it or goes on over it. Its hits are the most of the points that
 * begin on it: what a `for` line has three of ran as often as the one that ran most. Where none begins, it has the hits
 * of the innermost that goes on over it.
 */
#ifndef MONOCLE_REPORT_COVERAGE_H
#define MONOCLE_REPORT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MONOCLE__COVERAGE_NONE UINT32_MAX

typedef struct {
	const char *name, *path;
	uint8_t mvid[16];
	uint32_t first_type, type_count; /* in types, after monocle__coverage_settle */
} monocle__coverage_image;

/* A source file, once for all images: paths are the same when they are after path maps and case is kept. */
typedef struct {
	const char *path;  /* as symbols have it, after path maps, with slashes */
	const char *local; /* where it is on this machine; NULL: it was not found. monocle__coverage_find_sources */
	uint8_t hash[32];
	uint32_t hash_size;
	uint32_t first_line, line_count; /* in lines, after monocle__coverage_settle */
} monocle__coverage_file;

/* A class that a person wrote; what the compiler nested into it is folded into it. */
typedef struct {
	const char *name; /* "N.Outer.Inner<T>" for people */
	const char *full; /* "N.Outer`1/Inner" */
	uint32_t image, token;
	uint32_t first_method, method_count;
} monocle__coverage_type;

/* A method that a person wrote: with what the compiler made of its lambdas, local functions, async and iterators. */
typedef struct {
	const char *name; /* "Add (int,int)" */
	uint32_t type, token;
	uint32_t flags; /* monocle__cover_method_flags */
	uint32_t first_body, body_count;
	uint32_t file, line; /* of its first point; NONE and 0: it has none */
	uint64_t calls;      /* hits of its first point */
} monocle__coverage_method;

/* One method of the metadata, with its points. */
typedef struct {
	const char *name; /* "MoveNext ()" */
	uint32_t method, token;
	uint32_t first_point, point_count, first_arm, arm_count;
} monocle__coverage_body;

typedef struct {
	uint32_t il_offset, file, start_line, end_line; /* end_line 0: unknown */
	uint32_t start_column, end_column;
	uint64_t hits;
} monocle__coverage_point;

typedef struct {
	uint32_t il_offset, target_offset;
	uint32_t point; /* index in points */
	uint32_t path;
	uint32_t branch; /* the same of all arms of a branch, and of its twins in other images of the source */
	bool of_switch;
	uint64_t hits;
} monocle__coverage_arm;

/* A line that can be covered, ascending within its file. */
typedef struct {
	uint32_t number;
	uint32_t method; /* the one whose point begins first there, or goes on over it */
	uint64_t hits;
	uint32_t statements; /* that begin on it; a statement has one column, however many points */
	uint32_t statements_hit;
	uint32_t arms, arms_hit;       /* of all branches on it; twins count once */
	uint32_t first_branch_of_line; /* in line_arms */
} monocle__coverage_line;

typedef struct {
	uint64_t lines, lines_hit, arms, arms_hit, methods, methods_hit, types, types_hit;
} monocle__coverage_sums;

typedef struct {
	bool counts;                          /* hits are numbers of executions, else 0 and 1 */
	bool mixed;                           /* some files have counts and some hits: numbers of executions were lost */
	bool settled;                         /* the arrays are filled */
	bool incomplete;                      /* a process that wrote it had no clean end */
	uint64_t begun_ns, ended_ns;          /* CLOCK_REALTIME, of the first and the last; 0: unknown */
	uint64_t losses[8];                   /* summed; enum monocle__cover_loss */
	uint64_t left_out;                    /* methods that generators wrote: the most of one file */
	uint64_t conflicts;                   /* methods of which counters were left out because files disagree */
	uint32_t processes;                   /* files of processes that were read, or were merged into what was read */
	const char *runtime, *program, *desc; /* of one file, whatever the order; "" */
	monocle__coverage_image *images;
	size_t image_count, image_capacity;
	monocle__coverage_file *files; /* sorted by path once settled */
	size_t file_count, file_capacity;
	monocle__coverage_type *types;
	size_t type_count, type_capacity;
	monocle__coverage_method *methods;
	size_t method_count, method_capacity;
	monocle__coverage_body *bodies;
	size_t body_count, body_capacity;
	monocle__coverage_point *points;
	size_t point_count, point_capacity;
	monocle__coverage_arm *arms;
	size_t arm_count, arm_capacity;
	monocle__coverage_line *lines;
	size_t line_count, line_capacity;
	uint32_t *line_arms; /* indexes into arms, by line; of twins the one that was taken most */
	size_t line_arm_count, line_arm_capacity;
	struct monocle__coverage_private *priv;
} monocle__coverage;

typedef struct {
	const char *const *map;        /* "FROM=TO" prefixes for paths, in order; NULL-terminated, may be NULL */
	const char *const *sources;    /* folders to look for sources in; NULL-terminated, may be NULL */
	const char *include, *exclude; /* globs of files, separated by commas, of whole paths or of ends; NULL: all, none */
} monocle__coverage_options;

monocle__coverage *monocle__coverage_new (void); /* NULL: out of memory */
void monocle__coverage_free (monocle__coverage *coverage);

/* Do the bytes begin as a coverage file does? */
bool monocle__coverage_recognise (const void *data, size_t size);
/*
 * Adds what a file says. 0, or -1 and *ret_error (static text, which goes on after a name and a colon): it is none, it
 * is hostile, or out of memory. After that the coverage may have parts of it, and can only be freed.
 */
int monocle__coverage_add (monocle__coverage *coverage, const void *data, size_t size, const char **ret_error);
/*
 * After the last file, once: folds, sorts, makes files and lines. Only what has points (in files that are included)
 * is in the arrays. Bodies of a method begin with its own, and points of a body are in the order of the file. 0, or -1:
 * out of memory.
 */
int monocle__coverage_settle (monocle__coverage *coverage, const monocle__coverage_options *options);
/* After settling: looks for each file's `local`. 0, or -1: out of memory. */
int monocle__coverage_find_sources (monocle__coverage *coverage, const monocle__coverage_options *options);
/* Writes all as one file that monocle__coverage_add reads (merging). Before or after settling. 0, or -1. */
int monocle__coverage_write (FILE *out, const monocle__coverage *coverage);

/* The lines that a point has a say about, as indexes: that which it begins on, then more, ascending. Settled. */
const uint32_t *monocle__coverage_lines_of_point (const monocle__coverage *coverage, uint32_t point,
                                                  uint32_t *ret_count);

/* Did the statement of a point never run, though the line did on which it begins? Settled. */
bool monocle__coverage_never_ran (const monocle__coverage *coverage, uint32_t point);

/*
 * Sums; `image`, `file`, `type`: of the one with that index only, or MONOCLE__COVERAGE_NONE. A source in several images
 * counts once in those of a file and of the whole. Settled.
 */
monocle__coverage_sums monocle__coverage_sum (const monocle__coverage *coverage);
monocle__coverage_sums monocle__coverage_sum_of_image (const monocle__coverage *coverage, uint32_t image);
monocle__coverage_sums monocle__coverage_sum_of_file (const monocle__coverage *coverage, uint32_t file);
/* Of what an image has in a file. 0, or -1: out of memory. */
int monocle__coverage_sum_of_part (const monocle__coverage *coverage, uint32_t image, uint32_t file,
                                   monocle__coverage_sums *ret_sums);
monocle__coverage_sums monocle__coverage_sum_of_type (const monocle__coverage *coverage, uint32_t type);
monocle__coverage_sums monocle__coverage_sum_of_method (const monocle__coverage *coverage, uint32_t method);

/* covered / total in percent, 100 when there is nothing to cover; rounded down to hundredths, so that 100 means all. */
double monocle__coverage_percent (uint64_t covered, uint64_t total);

#endif
