/*
 * SPDX-License-Identifier: MIT
 *
 * control-words.h - what is said over a control socket, and where that is: doc/control.md.
 */
#ifndef MONOCLE_BASE_CONTROL_WORDS_H
#define MONOCLE_BASE_CONTROL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "attach-block.h"

enum { MONOCLE__CONTROL_LINE = 16 << 10 }; /* bytes of a line, with its line feed */

/* A folder of this name and 16 more characters, the socket in it, and the thread that serves it (15 bytes at most). */
#define MONOCLE__CONTROL_FOLDER "monocle-ctl-"
#define MONOCLE__CONTROL_SOCKET "socket"
#define MONOCLE__CONTROL_THREAD "monocle-ctl"
/* The last line of an answer is one of these; a text follows the second, after a blank. */
#define MONOCLE__CONTROL_OK    "ok"
#define MONOCLE__CONTROL_ERROR "error"

/* What the text of `load` begins with where it may do better soon: another attach is at work, or about to leave. */
#define MONOCLE__CONTROL_BUSY "modules are loaded already"

typedef enum {
	MONOCLE__CONTROL_STATUS,
	MONOCLE__CONTROL_START,
	MONOCLE__CONTROL_STOP,
	MONOCLE__CONTROL_RESET,
	MONOCLE__CONTROL_SNAPSHOT,
	MONOCLE__CONTROL_LOAD,
	MONOCLE__CONTROL_UNLOAD,
	MONOCLE__CONTROL_STACKS,
	MONOCLE__CONTROL_VERBS
} monocle__control_verb;

typedef struct {
	monocle__control_verb verb;
	/* Of load, the settings; of stacks, what and where; else the name of a module, or "" for all of them. */
	const char *argument;
} monocle__control_request;

/*
 * Reads a request, `length` bytes and a NUL, without the line feed. NULL when it is good; else what is wrong, as the
 * text of an error. The request points into the line.
 */
const char *monocle__control_words_read (const char *line, size_t length, monocle__control_request *ret_request);
/* "status" */
const char *monocle__control_words_verb (monocle__control_verb verb);
/*
 * The version of the protocol in which what `words` begin with came: who asks says no higher one, and is understood by
 * processes that speak no other.
 */
int monocle__control_words_version (const char *words);

/*
 * What load is given, MILLISECONDS and then NAME=VALUE each, with a backslash before every blank and backslash in them;
 * one of them is MONOCLE_PROFILE. NULL when it is good; else what is wrong. The text is cut apart, and referred to.
 */
const char *monocle__control_words_settings (char *argument, monocle__attach_block *ret_settings);
/*
 * What stacks is given: "threads PATH" or, with async methods that wait, "async PATH". The path of the file that is to
 * be written, in the argument; NULL: it is neither.
 */
const char *monocle__control_words_stacks (const char *argument, bool *ret_async);
/* "load ..." as it is read there: its length, or 0: it does not fit, or is no line of text. */
size_t monocle__control_words_load (const monocle__attach_block *settings, char *text, size_t room);

#endif
