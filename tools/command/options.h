/*
 * SPDX-License-Identifier: MIT
 *
 * options.h - a command's options as rows.
 *
 * What is parsed, what --help prints, what a wrong option or value is answered with, what shells complete, and the
 * manual's synopsis (doc/gen_command.py) are made of the same rows.
 */
#ifndef MONOCLE_TOOLS_OPTIONS_H
#define MONOCLE_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
	MONOCLE__OPTION_ON,     /* bool: becomes true */
	MONOCLE__OPTION_OFF,    /* bool: becomes false */
	MONOCLE__OPTION_TEXT,   /* const char *: the value as it is given */
	MONOCLE__OPTION_NUMBER, /* size_t */
	MONOCLE__OPTION_CHOICE, /* size_t: the index of the choice */
	MONOCLE__OPTION_READ,   /* anything: `try_read` understands the value */
} monocle__option_kind;

/* One value of MONOCLE__OPTION_CHOICE. A choice without a name ends them. */
typedef struct {
	const char *name;
	const char *help; /* one line, or NULL: the option's own help says enough */
} monocle__choice;

typedef struct {
	const char *name; /* without dashes; NULL: there is only the letter */
	char letter;      /* 0: there is only the name. Where it is there, the usage shows it, and not the name */
	monocle__option_kind kind;
	size_t target;        /* offset in the command's arguments. Neighbours with the same one exclude each other */
	const char *argument; /* what the value is called; NULL: there is no value, or its choices are named */
	const char *help;     /* lines without a line feed at the end; NULL where choices have their own */
	const char *wanted;   /* NUMBER, READ: how the complaint about a value goes on, as "takes a number of rows" */
	monocle__choice (*choice) (size_t index);
	bool (*try_read) (const char *value, void *target);
	bool is_needed;   /* the command does nothing without it; it complains itself */
	bool is_repeated; /* may be given several times */
} monocle__option;

struct monocle__command;

/* A command's rows end with one that has neither name nor letter. */
static inline bool
monocle__option_is_end (const monocle__option *option)
{
	return !option->name && !option->letter;
}

/*
 * Reads the options of a command line into `arguments` and moves the operands to the end: the first is
 * argv[optind] then. False: there is nothing more to do, and *ret_code is the exit code. Help was printed, or one line
 * said what is wrong.
 */
bool monocle__options_read (const struct monocle__command *command, int argc, char **argv, void *arguments,
                            int *ret_code);

/*
 * Where "--" is before the options are read; `argc`: nowhere. Reading moves words that stand before it behind it: there
 * were such words when optind is not greater then.
 */
int monocle__options_find_dashes (int argc, char *const *argv);

/* "self, total or calls". The caller frees. */
char *monocle__options_list_choices (const monocle__option *option);

/* Prints the command's help to stdout. Returns the exit code. */
int monocle__options_help (const struct monocle__command *command);

#endif
