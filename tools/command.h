/* SPDX-License-Identifier: MIT
 *
 * command.h - what a sub-command of `monocle` is, and what all of them share.
 */
#ifndef MONOCLE_TOOLS_COMMAND_H
#define MONOCLE_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	MONOCLE__EXIT_OK = 0,
	MONOCLE__EXIT_FAILED = 1, /* an input that cannot be read, an output that cannot be written */
	MONOCLE__EXIT_USAGE = 2,
	MONOCLE__EXIT_RUN_FAILED = 125, /* `run` itself, before the program was started */
	MONOCLE__EXIT_CANNOT_EXECUTE = 126,
	MONOCLE__EXIT_NOT_FOUND = 127,
	MONOCLE__EXIT_SIGNAL = 128, /* plus the number of the signal that ended the program */
};

typedef struct {
	const char *name;
	const char *summary; /* a few words, no full stop */
	const char *usage;   /* what follows "monocle " */
	const char *help;    /* the options, ends with a line feed */
	/* argv[0] is the name. The result is the exit code. */
	int (*run) (int argc, char **argv);
} monocle__command;

struct option;

extern const monocle__command monocle__command_run;
extern const monocle__command monocle__command_report;
extern const monocle__command monocle__command_flame;
extern const monocle__command monocle__command_diff;
extern const monocle__command monocle__command_convert;
extern const monocle__command monocle__command_list;
extern const monocle__command monocle__command_doctor;

/* "monocle: MESSAGE\n" on stderr, in one write. */
void monocle__say (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* The same, then how to get help. Answers MONOCLE__EXIT_USAGE. */
int monocle__usage_error (const monocle__command *command, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* "LINE\n" on stdout, made fit to be printed: control characters and the like are replaced. */
void monocle__print_line (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/*
 * getopt_long (), which is not let speak for itself: '?' comes after a message. `letters` begins with ":" (behind a "+"
 * if there is one), so that a missing value is told from an unknown option.
 */
int monocle__option_next (const monocle__command *command, int argc, char **argv, const char *letters,
                          const struct option *options);
/* Prints the command's help to stdout. Answers the exit code. */
int monocle__command_help (const monocle__command *command);

/* Formats into new memory; ends the command when there is none. The caller frees. */
char *monocle__format (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* A number of an option: digits only, at most SIZE_MAX / 2. */
bool monocle__try_number (const char *text, size_t *ret_number);

#endif
