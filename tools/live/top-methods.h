/*
 * SPDX-License-Identifier: MIT
 *
 * top-methods.h - where a process that is sampled has spent its last seconds, out of the spool that it writes.
 */
#ifndef MONOCLE_TOOLS_TOP_METHODS_H
#define MONOCLE_TOOLS_TOP_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MONOCLE__TOP_ROUNDS = 5 };

typedef struct {
	char *name;
	int64_t self, total;
} monocle__top_method;

typedef struct {
	monocle__top_method *rows;
	size_t count;
	double time; /* seconds; when it was read */
} monocle__top_round;

typedef struct {
	char *spool;                                    /* NULL: none is known yet */
	monocle__top_round rounds[MONOCLE__TOP_ROUNDS]; /* sums since the profile began; the newest first */
	monocle__top_method *rows;                      /* what came in these rounds; the names are the newest round's */
	size_t count;
	int64_t sum;    /* of all samples of these rounds */
	double seconds; /* that they are about */
	bool is_time;   /* values are nanoseconds */
} monocle__top_methods;

/* Reads once more. False: the process writes no samples. */
bool monocle__top_methods_read (monocle__top_methods *methods, pid_t pid, double now);
/* The profile until now, to a file beside the current folder's others. The caller frees the name; NULL: it failed. */
char *monocle__top_methods_write (const monocle__top_methods *methods, const char *program, pid_t pid);
void monocle__top_methods_done (monocle__top_methods *methods);

#endif
