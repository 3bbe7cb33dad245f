/*
 * SPDX-License-Identifier: MIT
 *
 * env-format.h - the files that can hold an environment, and how each quotes a value.
 */
#ifndef MONOCLE_TOOLS_ENV_FORMAT_H
#define MONOCLE_TOOLS_ENV_FORMAT_H

#include "command/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	const char *name;
	const char *begin;                   /* the line before the first variable; NULL: none */
	const char *before, *equals, *after; /* what is around a variable's name and its value */
	/* The spelling of a character, made in `spelled` or constant; NULL: the character itself. */
	const char *(*spell) (uint32_t code, char spelled[16]);
	const char *refused; /* characters that it cannot hold, "" for none */
	bool is_utf8;        /* and it can hold nothing else */
	bool is_script;      /* read where it is made; the others are read somewhere else, by somebody else's program */
	/* What begins with `base` is a folder that the line `maker` makes; NULL: no line can. */
	const char *base, *maker;
	const char *advice; /* what else makes a folder, with %s for its name; NULL: the user knows */
} monocle__env_format;

/* The `choice` of an option row; the index is that of the table. */
monocle__choice monocle__env_format_choice (size_t index);
const monocle__env_format *monocle__env_format_get (size_t index);

/* Why the value cannot be written, as "MONOCLE_PROFILE …" goes on; NULL: it can. */
const char *monocle__env_format_refuse (const monocle__env_format *format, const char *value);
void monocle__env_format_write (FILE *out, const monocle__env_format *format, const char *name, const char *value);
/* Writes the line that makes the folder. False: there is none for this one. */
bool monocle__env_format_make_folder (FILE *out, const monocle__env_format *format, const char *folder);

#endif
