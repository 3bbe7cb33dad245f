/*
 * SPDX-License-Identifier: MIT
 *
 * environment.h - the one door to the environment of a process that we are guests in.
 *
 * In a set-user-id or set-group-id program, or one with capabilities from its file, the environment is the caller's and
 * the rights are not: a file name in a variable would be written with them, a module that it names would be run. The
 * kernel says so in AT_SECURE, and there is no variable for us then, whatever its name.
 */
#ifndef MONOCLE_BASE_ENVIRONMENT_H
#define MONOCLE_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

static inline bool
monocle__environment_is_believed (void)
{
	return !getauxval (AT_SECURE);
}

/* The variable's text, borrowed; NULL: it is not set, or the environment is not to be believed. */
static inline const char *
monocle__variable (const char *name)
{
	return monocle__environment_is_believed () ? getenv (name) : NULL;
}

/* 0, or that there is no memory. Other threads must not ask the environment meanwhile. */
static inline int
monocle__variable_set (const char *name, const char *value)
{
	return setenv (name, value, 1);
}

/* All variables, for a command that we start; none where the environment is not to be believed. */
static inline char *const *
monocle__variables (void)
{
	static char *const none[] = { NULL };
	return environ && monocle__environment_is_believed () ? environ : none;
}

#endif
