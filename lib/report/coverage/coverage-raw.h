/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-raw.h - what coverage files say, added up, before anything is folded or sorted: the store that reading
 * fills, settling looks at and writing writes.
 *
 * Texts are interned: two are equal when their pointers are. Images, documents, types and methods are found by what
 * they are, so that the same of several files is one. Adding is commutative and associative: which of two bodies that
 * disagree is kept depends on them alone, and not on the order of the files.
 */
#ifndef MONOCLE_REPORT_COVERAGE_RAW_H
#define MONOCLE_REPORT_COVERAGE_RAW_H

#include "coverage.h"

/* From a 32-bit hash to indexes; open addressing, at most half full. */
typedef struct {
	uint64_t *slots; /* the hash in the upper half, index + 1 in the lower; 0: free */
	size_t slot_count, count;
} monocle__coverage_raw_table;

typedef struct {
	const char *name, *path;
	uint8_t mvid[16];
} monocle__coverage_raw_image;

typedef struct {
	const char *path;
	uint8_t hash[32];
	uint32_t hash_size;
} monocle__coverage_raw_document;

typedef struct {
	const char *name;
	uint32_t image, token;
} monocle__coverage_raw_type;

typedef struct {
	uint32_t il_offset, document, start_line, end_line;
	uint16_t start_column, end_column;
	bool beyond; /* no place to cover as long as it does not run: MONOCLE__COVER_POINT_BEYOND */
	uint64_t hits;
} monocle__coverage_raw_point;

typedef struct {
	uint32_t il_offset, target_offset, point, path, flags;
	uint64_t hits;
} monocle__coverage_raw_arm;

typedef struct {
	const char *name;
	uint32_t type, token, kickoff, flags;
	size_t first_point, first_arm;
	uint32_t point_count, arm_count;
} monocle__coverage_raw_method;

typedef struct monocle__coverage_text_block monocle__coverage_text_block;

typedef struct {
	monocle__coverage_text_block *blocks;
	const char **texts;
	size_t text_count, text_capacity;
	monocle__coverage_raw_image *images;
	size_t image_count, image_capacity;
	monocle__coverage_raw_document *documents;
	size_t document_count, document_capacity;
	monocle__coverage_raw_type *types;
	size_t type_count, type_capacity;
	monocle__coverage_raw_method *methods;
	size_t method_count, method_capacity;
	monocle__coverage_raw_point *points; /* of methods, and holes where a body was replaced */
	size_t point_count, point_capacity;
	monocle__coverage_raw_arm *arms;
	size_t arm_count, arm_capacity;
	uint64_t conflicts; /* methods about whose body files disagree */
	monocle__coverage_raw_table by_text, by_image, by_document, by_type, by_method;
} monocle__coverage_raw;

/* What settling works out besides the public arrays. */
struct monocle__coverage_private {
	monocle__coverage_raw raw;
	bool has_read;             /* a file */
	const char **file_paths;   /* by file: its path as the symbols have it */
	uint32_t *first_of_point;  /* by point: where its lines begin in lines_of_points; those of the next end them */
	uint32_t *lines_of_points; /* that a point decides, ascending; each has at least the one that it begins on */
	bool *never;               /* by point: monocle__coverage_never_ran */
	monocle__coverage_sums total, *image_sums, *file_sums, *type_sums, *method_sums;
};

void monocle__coverage_raw_done (monocle__coverage_raw *raw);

/* The bytes as interned text, made valid UTF-8 without NUL. NULL: out of memory. */
const char *monocle__coverage_raw_text (monocle__coverage_raw *raw, const char *bytes, size_t length);

/* Index of what is there already or is added now; NONE: out of memory. Texts are interned ones. */
uint32_t monocle__coverage_raw_image_of (monocle__coverage_raw *raw, const monocle__coverage_raw_image *image);
uint32_t monocle__coverage_raw_document_of (monocle__coverage_raw *raw, const monocle__coverage_raw_document *document);
uint32_t monocle__coverage_raw_type_of (monocle__coverage_raw *raw, const monocle__coverage_raw_type *type);
/*
 * Adds a method whose points and arms are the last ones of the store. They stay there, or are added to those of the
 * same method, or one of two bodies that differ is left out. 0, or -1: out of memory.
 */
int monocle__coverage_raw_add_method (monocle__coverage_raw *raw, const monocle__coverage_raw_method *method);

/* Tables: `*at` begins as the hash; each call answers the next index with that hash, or NONE. */
uint32_t monocle__coverage_raw_table_next (const monocle__coverage_raw_table *table, uint32_t hash, size_t *at);
bool monocle__coverage_raw_table_add (monocle__coverage_raw_table *table, uint32_t hash, uint32_t index);

uint32_t monocle__coverage_raw_hash (uint32_t seed, const void *bytes, size_t length);
/* NONE: no file says anything of it. */
uint32_t monocle__coverage_raw_find_method (const monocle__coverage_raw *raw, uint32_t image, uint32_t token);

/* Total orders that no order of files changes. */
int monocle__coverage_raw_compare_images (const monocle__coverage_raw_image *a, const monocle__coverage_raw_image *b);
int monocle__coverage_raw_compare_documents (const monocle__coverage_raw_document *a,
                                             const monocle__coverage_raw_document *b);

/* Fills all but files, lines and sums; `file_of` says for each document which file it is. coverage-fold.c. */
int monocle__coverage_fold (monocle__coverage *coverage, const uint32_t *file_of);
/* Lines of files, and their arms; after the points. */
int monocle__coverage_make_lines (monocle__coverage *coverage);
/*
 * The arms that lines have, in the order of bodies: of twins in several images one. `ret_arms` has room for all. Fills
 * in `branch` of each arm. 0, or -1: out of memory.
 */
int monocle__coverage_twin_arms (monocle__coverage *coverage, uint32_t *ret_arms, size_t *ret_count);

/* By method and by class: the first one that is written in the same place, which may be itself. */
typedef struct {
	uint32_t *methods, *types;
} monocle__coverage_twins;

/* 0, or -1: out of memory. Done with in any case. */
int monocle__coverage_twins_find (const monocle__coverage *coverage, monocle__coverage_twins *ret_twins);
void monocle__coverage_twins_done (monocle__coverage_twins *twins);

/* Sums of everything; after the lines. */
int monocle__coverage_make_sums (monocle__coverage *coverage);

/* Does a person see the point? */
static inline bool
monocle__coverage_is_visible (const monocle__coverage_raw_point *point)
{
	return point->start_line != 0 && point->start_line != 0xfeefee && (!point->beyond || point->hits);
}

/* --- names (coverage-names.c) ------------------------------------------------------------------------------------- */

/* "N.Outer`1/Inner" as people write it; interned. NULL: out of memory. */
const char *monocle__coverage_name_for_people (monocle__coverage_raw *raw, const char *full);
/* "Run (Func`1<int>)" as people write it; interned. NULL: out of memory. */
const char *monocle__coverage_name_of_method (monocle__coverage_raw *raw, const char *name);
/* Length of the part of a type's name that a person wrote; all of it when the first class is a compiler's. */
size_t monocle__coverage_name_written (const char *full);
/* F# makes a file's values in <StartupCode$shop>.$Shop.Program: what is behind that, or all. */
const char *monocle__coverage_name_after_startup (const char *full);
/* Is the name of a method a compiler's? */
bool monocle__coverage_name_is_made (const char *name);
/*
 * The name of the method that a compiler's method was written in, as it can be told from its own name, or from the
 * classes around it. False: it cannot. *ret_name is part of one of them. *ret_sure is false where it may be the name of
 * something else.
 */
bool monocle__coverage_name_of_writer (const char *full, const char *name, const char **ret_name, size_t *ret_length,
                                       bool *ret_sure);
/* Is the method a lambda of Visual Basic, or of the state machine of one? No name says where it was written. */
bool monocle__coverage_name_is_of_lambda (const char *full, const char *name);
/* Length of a method's name without the types of its parameters. */
size_t monocle__coverage_name_length (const char *name);

/* --- paths (coverage-paths.c) ------------------------------------------------------------------------------------- */

/* The path with slashes and after the maps; interned. NULL: out of memory. */
const char *monocle__coverage_path_mapped (monocle__coverage_raw *raw, const char *path, const char *const *map);
/* Does any of the globs, separated by commas, match? */
bool monocle__coverage_path_matches (const char *path, const char *globs);

#endif
