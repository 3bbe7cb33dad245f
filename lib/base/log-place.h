/*
 * SPDX-License-Identifier: MIT
 *
 * log-place.h - where the lines of this process go.
 *
 * The stderr of a program may be read by another program, which takes a line of ours for the program's own: a build
 * tool takes it for an error of its compiler. So the first of these that there is has them:
 *
 *   MONOCLE_LOG=FILE            that file
 *   MONOCLE_RUN_DIR             a file of the process there: a command of ours waits, and says what is in it
 *   MONOCLE_LOG=stderr          stderr: what the user knows to be read by people, the log of a container say
 *   the variables loaded us     stderr where people read it, a terminal or the journal; else a file of the process in
 *                               the folder in which it was started
 *   a person or program did     stderr, as Mono has it for `mono --profile=NAME`, and embedders for their own
 */
#ifndef MONOCLE_BASE_LOG_PLACE_H
#define MONOCLE_BASE_LOG_PLACE_H

#include <limits.h>
#include <stdbool.h>

/* In the folder of the run: what process PID said, and, as the file's size, how many lines of it are missing. */
#define MONOCLE__LOG_PLACE_MESSAGES "messages" /* PID.messages */
#define MONOCLE__LOG_PLACE_LOST     "lost"     /* PID.WORD.lost; WORD tells the libraries of the process apart */
/* What a process may say in a file that we chose, in bytes; then one more line says that it ends there. */
enum { MONOCLE__LOG_PLACE_MOST = 1 << 20 };
/* What MONOCLE_LOG may be instead of a file. */
#define MONOCLE__LOG_PLACE_STDERR "stderr"

/* With one byte more than a path may have, what is too long stays too long when it is cut. */
typedef struct {
	char file[PATH_MAX + 1]; /* what MONOCLE_LOG names, absolute; "": none */
	char run[PATH_MAX + 1];  /* the folder of the run; "": nobody waits */
	bool is_handed;          /* `file` came with an attach, whose command reads it */
	bool is_stderr;          /* stderr is where lines go without those two, whoever reads it */
} monocle__log_place;

/* This process is a command of ours, and no guest in a program: lines go to its stderr. Before any line. */
void monocle__log_place_be_command (void);
/* Reads the variables, or the settings of an attach. Async-safe as far as getenv () is. */
void monocle__log_place_find (monocle__log_place *ret_place);
/* Is stderr a terminal, or what the journal reads for a service? Async-safe as far as getenv () is. */
bool monocle__log_place_is_for_people (void);
/* The folder in which the process was started, or was when Monocle came; "": none. */
const char *monocle__log_place_start (void);

#endif
