/*
 * SPDX-License-Identifier: MIT
 *
 * command.h - what a sub-command of `monocle` is, and what all of them share.
 */
#ifndef MONOCLE_TOOLS_COMMAND_H
#define MONOCLE_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options.h"

enum {
	MONOCLE__EXIT_OK = 0,
	MONOCLE__EXIT_FAILED = 1, /* an input that cannot be read, an output that cannot be written */
	MONOCLE__EXIT_USAGE = 2,
	MONOCLE__EXIT_BELOW = 3,        /* coverage is less than --fail-under wants */
	MONOCLE__EXIT_RUN_FAILED = 125, /* `run` itself, before the program was started */
	MONOCLE__EXIT_CANNOT_EXECUTE = 126,
	MONOCLE__EXIT_NOT_FOUND = 127,
	MONOCLE__EXIT_SIGNAL = 128, /* plus the number of the signal that ended the program */
};

typedef struct monocle__command {
	const char *name;
	const char *summary;  /* a few words, no full stop */
	const char *operands; /* what it takes besides options, "[FILE]"; NULL: nothing */
	const char *verbs;    /* of the second operand, for completion: "start|stop"; NULL: it is no verb */
	bool has_command;     /* the operands are a command line: they come last, and options in it are not ours */
	const monocle__option *options;
	const char *about, *more;   /* the help before and after the options; lines. `more` may be NULL */
	const char *examples;       /* two command lines, which end the help */
	const char *without_output; /* of a command without -o: what does write files. NULL: nothing is to be said */
	/* argv[0] is the name. The result is the exit code. */
	int (*run) (int argc, char **argv);
} monocle__command;

/* "monocle: MESSAGE\n" on stderr, in one write. */
void monocle__say (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* The same, with how to get help at the end of the line. Returns MONOCLE__EXIT_USAGE. */
int monocle__usage_error (const monocle__command *command, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* "LINE\n" on stdout, made fit to be printed: control characters and the like are replaced. */
void monocle__print_line (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* Formats into new memory; ends the command when there is none. The caller frees. */
char *monocle__format (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* A number of an option: digits only, at most SIZE_MAX / 2. */
bool monocle__try_number (const char *text, size_t *ret_number);

#endif
