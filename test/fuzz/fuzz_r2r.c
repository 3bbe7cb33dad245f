/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_r2r.c - any bytes as a flat and as a mapped image with precompiled code; what opens is asked everything.
 */
#include <stdlib.h>

#include "r2r.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct {
	const monocle__r2r *r2r;
	uint32_t visits, sum;
} walk;

static void
see_function (walk *w, uint32_t function)
{
	if (function >= w->r2r->function_count)
		abort ();
	monocle__r2r_function f = monocle__r2r_get (w->r2r, function);
	const uint8_t *unwind = monocle__r2r_unwind (w->r2r, &f);
	for (int i = 0; unwind && i < 4 + 2 * unwind[2]; i++)
		w->sum += unwind[i];
	uint32_t found = monocle__r2r_find (w->r2r, f.begin, 0, w->r2r->function_count - 1);
	if (found != UINT32_MAX && found >= w->r2r->function_count)
		abort ();
}

static void
see_method (uint32_t row, uint32_t function, void *data)
{
	walk *w = data;
	if (!row)
		abort ();
	w->visits++;
	see_function (w, function);
}

static void
see_instance (uint32_t offset, uint32_t function, void *data)
{
	walk *w = data;
	monocle__r2r_signature signature;
	if (offset >= w->r2r->instances_size)
		abort ();
	monocle__ecma_cursor cursor =
	    monocle__ecma_cursor_over (w->r2r->instances + offset, w->r2r->instances_size - offset);
	if (monocle__r2r_read_signature (&cursor, &signature))
		abort ();
	const char *name = monocle__r2r_assembly (w->r2r, signature.context ? signature.context : signature.row);
	w->sum += name ? (uint8_t) *name : 0;
	w->visits++;
	see_function (w, function);
}

static void
see_cold (uint32_t cold, uint32_t function, void *data)
{
	see_function (data, cold);
	see_function (data, function);
}

static void
walk_opened (const uint8_t *data, size_t size, bool mapped)
{
	static monocle__ecma_image image;
	monocle__r2r r2r;
	if (monocle__ecma_open_pe (&image, data, size, mapped) || monocle__r2r_open (&r2r, &image))
		return;
	walk w = { .r2r = &r2r };
	for (uint32_t i = 0; i < r2r.function_count; i++)
		see_function (&w, i);
	monocle__r2r_each_method (&r2r, see_method, &w);
	monocle__r2r_each_instance (&r2r, see_instance, &w);
	/* A tree of four levels has 16 leaves, an entry of the hash table takes a byte. */
	if (w.visits > 16 * (uint64_t) r2r.methods_size + r2r.instances_size)
		abort ();
	monocle__r2r_each_cold (&r2r, see_cold, &w);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	walk_opened (data, size, false);
	walk_opened (data, size, true);
	return 0;
}
