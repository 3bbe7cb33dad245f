/*
 * SPDX-License-Identifier: MIT
 *
 * per-thread.c - the trees of a profile's threads, one at a time.
 */
#include "per-thread.h"

#include "threads.h"

#include <stdlib.h>

typedef struct {
	void (*write) (const monocle__tree *tree, const char *name, size_t number, void *context);
	void *context;
} writer;

static bool
write_thread (const writer *w, const monocle__profile *profile, const monocle__threads *threads, uint8_t *wanted,
              size_t number)
{
	monocle__profile *part;
	monocle__tree *tree;
	bool written;
	wanted[number] = 1;
	part = monocle__threads_select (profile, threads, threads->count ? wanted : NULL);
	wanted[number] = 0;
	tree = part ? monocle__tree_new (part) : NULL;
	written = tree && monocle__tree_sort (tree, SIZE_MAX);
	if (written)
		w->write (tree, threads->count ? threads->names[number] : "", number, w->context);
	monocle__tree_free (tree);
	monocle__profile_free (part);
	return written;
}

int
monocle__per_thread (const monocle__profile *profile,
                     void (*write) (const monocle__tree *tree, const char *name, size_t number, void *context),
                     void *context)
{
	monocle__threads *threads = monocle__threads_new (profile);
	uint8_t *wanted = threads ? calloc (threads->count + 1, 1) : NULL;
	writer w = { write, context };
	bool written = wanted != NULL;
	for (size_t i = 0; written && (i == 0 || i < threads->count); i++)
		written = write_thread (&w, profile, threads, wanted, i);
	free (wanted);
	monocle__threads_free (threads);
	return written ? 0 : -1;
}
