/*
 * SPDX-License-Identifier: MIT
 *
 * methods.c - the flat table: what each function cost by itself and with everything it called.
 */
#include "invariant.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

void
monocle__methods_free (monocle__methods *methods)
{
	if (!methods)
		return;
	free (methods->order);
	free (methods->self);
	free (methods->total);
	free (methods);
}

static void
add_row (int64_t *sums, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sums[i] = monocle__add (sums[i], values[i]);
}

/* `seen` holds, by function, the number (from 1) of the last sample that had it on its stack. */
static void
add_samples (monocle__methods *methods, size_t *seen)
{
	const monocle__profile *profile = methods->profile;
	size_t width = profile->value_count;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const monocle__sample *sample = &profile->samples[i];
		const int64_t *values = monocle__profile_values (profile, i);
		if (sample->depth == 0)
			continue;
		const uint32_t *frames = profile->frames + sample->frames;
		MONOCLE__INVARIANT (sample->frames + sample->depth <= profile->frame_count);
		add_row (methods->self + frames[0] * width, values, width);
		for (size_t k = 0; k < sample->depth; k++) {
			MONOCLE__INVARIANT (frames[k] < profile->function_count);
			if (seen[frames[k]] != i + 1)
				add_row (methods->total + frames[k] * width, values, width);
			seen[frames[k]] = i + 1;
		}
	}
}

monocle__methods *
monocle__methods_new (const monocle__profile *profile)
{
	size_t functions = profile->function_count;
	monocle__methods *methods = calloc (1, sizeof *methods);
	size_t *seen = calloc (functions + 1, sizeof *seen);
	if (!methods || !seen)
		goto fail;
	methods->profile = profile;
	methods->order = calloc (functions + 1, sizeof *methods->order);
	methods->self = calloc ((functions + 1) * profile->value_count, sizeof *methods->self);
	methods->total = calloc ((functions + 1) * profile->value_count, sizeof *methods->total);
	if (!methods->order || !methods->self || !methods->total)
		goto fail;
	add_samples (methods, seen);
	for (size_t i = 0; i < functions; i++) {
		if (seen[i])
			methods->order[methods->count++] = (uint32_t) i;
	}
	MONOCLE__INVARIANT (methods->count <= functions);
	free (seen);
	return methods;
fail:
	free (seen);
	monocle__methods_free (methods);
	return NULL;
}

typedef struct {
	const monocle__methods *methods;
	const int64_t *keys;
	size_t value;
} sort_context;

static int
compare_rows (const void *a, const void *b, void *data)
{
	const sort_context *context = data;
	const monocle__profile *profile = context->methods->profile;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	int64_t key_x = context->keys[x * profile->value_count + context->value];
	int64_t key_y = context->keys[y * profile->value_count + context->value];
	int names;
	if (key_x != key_y)
		return key_x > key_y ? -1 : 1;
	names = strcmp (profile->functions[x].name, profile->functions[y].name);
	return names ? names : strcmp (profile->functions[x].filename, profile->functions[y].filename);
}

void
monocle__methods_sort (monocle__methods *methods, size_t value, bool by_total)
{
	sort_context context = { methods, by_total ? methods->total : methods->self, value };
	qsort_r (methods->order, methods->count, sizeof *methods->order, compare_rows, &context);
}
