/*
 * SPDX-License-Identifier: MIT
 *
 * marks.h - what the metadata of an image says of its methods that is of interest here.
 */
#ifndef MONOCLE_MODULES_COVER_MARKS_H
#define MONOCLE_MODULES_COVER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include <mono/metadata/image.h>
#include "pattern.h"

enum {
	MARK_EXCLUDED = 1,   /* by an attribute of its own, or of what it is in, or of the method that it was made of */
	MARK_COMPILER = 2,   /* has CompilerGenerated */
	MARK_UNWANTED = 4,   /* and is not wanted if it has */
	MARK_ACCESSOR = 8,   /* of a property */
	MARK_GENERATED = 16, /* has GeneratedCode, or what it is in has; only where that excludes it */
};

typedef struct {
	MonoImage *image;
	uint32_t method_count, type_count;
	uint8_t *methods, *types; /* MARK_*, by row - 1 */
	uint32_t *enclosing;      /* row of the type that a type is nested in; 0: none. By row - 1 */
	uint32_t *first_method;   /* row, by row of the type - 1, and one more at the end */
	bool is_excluded;         /* all of it */
	bool counts_generated;
} marks;

/*
 * Reads an image. `attributes` exclude besides ExcludeFromCodeCoverage: names with or without namespace, and with or
 * without "Attribute". GeneratedCode excludes unless `generated` says that such code counts. False: no memory.
 * Free it with marks_free () in any case.
 */
bool marks_read (marks *ret_marks, MonoImage *image, const pattern_list *attributes, bool generated);
void marks_free (marks *m);

/* "N.Outer`1/Inner", of a type's row. */
void marks_name_type (const marks *m, uint32_t type, char *name, uint32_t size);
/* Names as the metadata has them, borrowed. */
const char *marks_type_name (const marks *m, uint32_t type);
const char *marks_method_name (const marks *m, uint32_t method);

#endif
