/*
 * SPDX-License-Identifier: MIT
 *
 * origin.h - whose code a function is, by its image where the profile knows it, else by its namespace.
 */
#ifndef MONOCLE_REPORT_ORIGIN_H
#define MONOCLE_REPORT_ORIGIN_H

#include "profile.h"

typedef enum {
	MONOCLE__ORIGIN_OTHER,     /* native code that is no runtime's, and what stands for frames: "[truncated]" */
	MONOCLE__ORIGIN_OWN,       /* managed code that is not known to be a library's */
	MONOCLE__ORIGIN_FRAMEWORK, /* of the runtime, its class libraries or a package */
	MONOCLE__ORIGIN_GLUE,      /* of the runtime, between managed code: wrappers and stubs */
	MONOCLE__ORIGIN_START,     /* of the framework: how an async method begins */
	MONOCLE__ORIGIN_RESUME,    /* of the framework: how what awaited one goes on */
} monocle__origin;

/* `program`: what the profiled program is called, without ".dll"; "" when unknown. Its image is own whatever it is. */
monocle__origin monocle__origin_of (const monocle__function *function, const char *program);

/* The same for a function of a view, which may have renamed it. */
static inline monocle__origin
monocle__origin_shown (const monocle__function *function, const char *program)
{
	return function->origin ? (monocle__origin) (function->origin - 1) : monocle__origin_of (function, program);
}

/* The program's name, as the profile's comment has it; cut to `size`. */
void monocle__origin_program (const monocle__profile *profile, char *buffer, size_t size);

/* Is what counts as the framework's in truth native code of the runtime, or what stands for its work, "[GC]"? */
bool monocle__origin_is_native (const monocle__function *function, monocle__origin origin);

static inline bool
monocle__origin_is_framework (monocle__origin origin)
{
	return origin >= MONOCLE__ORIGIN_FRAMEWORK;
}

#endif
