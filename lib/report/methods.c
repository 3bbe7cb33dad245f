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

/*
 * `seen` holds, by function, the number (from 1) of the last sample that had it on its stack. A frame that is hidden
 * counts like any other, and makes no row: only what is shown somewhere has one.
 */
static void
add_samples (monocle__methods *methods, size_t *seen, uint8_t *shown)
{
	const monocle__profile *profile = methods->profile;
	size_t width = profile->value_count;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const monocle__sample *sample = &profile->samples[i];
		const int64_t *values = monocle__profile_values (profile, i);
		if (sample->depth == 0)
			continue;
		const uint32_t *frames = profile->frames + sample->frames;
		MONOCLE__INVARIANT (sample->frames + sample->depth + sample->hidden <= profile->frame_count);
		add_row (methods->self + frames[0] * width, values, width);
		for (size_t k = 0; k < sample->depth + sample->hidden; k++) {
			MONOCLE__INVARIANT (frames[k] < profile->function_count);
			if (seen[frames[k]] != i + 1)
				add_row (methods->total + frames[k] * width, values, width);
			seen[frames[k]] = i + 1;
			shown[frames[k]] |= k < sample->depth;
		}
	}
}

monocle__methods *
monocle__methods_new (const monocle__profile *profile)
{
	size_t functions = profile->function_count;
	monocle__methods *methods = calloc (1, sizeof *methods);
	size_t *seen = calloc (functions + 1, sizeof *seen);
	uint8_t *shown = calloc (functions + 1, 1);
	if (!methods || !seen || !shown)
		goto fail;
	methods->profile = profile;
	methods->order = calloc (functions + 1, sizeof *methods->order);
	methods->self = calloc ((functions + 1) * profile->value_count, sizeof *methods->self);
	methods->total = calloc ((functions + 1) * profile->value_count, sizeof *methods->total);
	if (!methods->order || !methods->self || !methods->total)
		goto fail;
	add_samples (methods, seen, shown);
	for (size_t i = 0; i < functions; i++) {
		if (shown[i])
			methods->order[methods->count++] = (uint32_t) i;
	}
	MONOCLE__INVARIANT (methods->count <= functions);
	free (seen);
	free (shown);
	return methods;
fail:
	free (seen);
	free (shown);
	monocle__methods_free (methods);
	return NULL;
}

typedef struct {
	const monocle__methods *methods;
	const int64_t *keys;
	size_t value;
} sort_context;

static int
compare_amounts (const int64_t *amounts, const sort_context *context, uint32_t x, uint32_t y)
{
	size_t width = context->methods->profile->value_count;
	int64_t of_x = amounts[x * width + context->value], of_y = amounts[y * width + context->value];
	return of_x > of_y ? -1 : of_x < of_y;
}

static int
compare_rows (const void *a, const void *b, void *data)
{
	const sort_context *context = data;
	const monocle__profile *profile = context->methods->profile;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	int amounts = compare_amounts (context->keys, context, x, y), names;
	if (amounts == 0)
		amounts = compare_amounts (context->methods->total, context, x, y);
	if (amounts)
		return amounts;
	names = strcmp (profile->functions[x].name, profile->functions[y].name);
	return names ? names : strcmp (profile->functions[x].filename, profile->functions[y].filename);
}

void
monocle__methods_sort (monocle__methods *methods, size_t value, bool by_total)
{
	sort_context context = { methods, by_total ? methods->total : methods->self, value };
	qsort_r (methods->order, methods->count, sizeof *methods->order, compare_rows, &context);
}
