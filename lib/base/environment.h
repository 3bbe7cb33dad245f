/*
 * SPDX-License-Identifier: MIT
 *
 * environment.h - the one door to the environment of a process that we are guests in.
 *
 * In a set-user-id or set-group-id program, or one with capabilities from its file, the environment is the caller's and
 * the rights are not: a file name in a variable would be written with them, a module that it names would be run. The
 * kernel says so in AT_SECURE, and there is no variable for us then, whatever its name.
 *
 * A program that we are attached to while it runs was not started for us: what its environment says of Monocle is about
 * something else, and the core has settings instead (settings.c), which are asked for by a weak name, since the toolkit
 * also lives in processes without a core.
 */
#ifndef MONOCLE_BASE_ENVIRONMENT_H
#define MONOCLE_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

__attribute__ ((weak, visibility ("default"))) int monocle_host_setting (const char *name, const char **ret_value);

static inline bool
monocle__environment_is_believed (void)
{
	return !getauxval (AT_SECURE);
}

/* The variable's text, borrowed; NULL: it is not set, or the environment is not to be believed. */
static inline const char *
monocle__variable (const char *name)
{
	const char *value = NULL;
	if (!monocle__environment_is_believed ())
		return NULL;
	return monocle_host_setting && monocle_host_setting (name, &value) ? value : getenv (name);
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
