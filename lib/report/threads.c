/*
 * SPDX-License-Identifier: MIT
 *
 * threads.c - samples by the thread that they are labelled with.
 */
#include "threads.h"

#include "array.h"
#include "invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
monocle__threads_free (monocle__threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; threads->names && i < threads->count; i++)
		free (threads->names[i]);
	free (threads->names);
	free (threads->of_sample);
	free (threads);
}

static const monocle__label *
thread_label (const monocle__profile *profile, size_t sample)
{
	const monocle__sample *s = &profile->samples[sample];
	for (size_t i = 0; i < s->label_count; i++) {
		const monocle__label *label = &profile->labels[s->labels + i];
		if (strcmp (label->key, "thread") == 0)
			return label;
	}
	return NULL;
}

/* No label, then numbers, then names. */
static int
compare_labels (const monocle__label *a, const monocle__label *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (!a->text != !b->text)
		return a->text ? 1 : -1;
	if (a->text)
		return strcmp (a->text, b->text);
	return a->number < b->number ? -1 : a->number > b->number;
}

static int
compare_samples (const void *a, const void *b, void *data)
{
	const monocle__profile *profile = data;
	return compare_labels (thread_label (profile, *(const uint32_t *) a),
	                       thread_label (profile, *(const uint32_t *) b));
}

static char *
label_name (const monocle__label *label)
{
	char number[24];
	if (label && label->text)
		return strdup (label->text);
	if (label)
		snprintf (number, sizeof number, "%" PRId64, label->number);
	return strdup (label ? number : "");
}

/* Walks over the samples in the order of their threads. */
static bool
name_threads (monocle__threads *threads, const monocle__profile *profile, const uint32_t *order)
{
	for (size_t i = 0; i < profile->sample_count; i++) {
		if (i == 0 || compare_samples (&order[i - 1], &order[i], (void *) (uintptr_t) profile) != 0) {
			threads->names[threads->count] = label_name (thread_label (profile, order[i]));
			if (!threads->names[threads->count])
				return false;
			threads->count++;
		}
		MONOCLE__INVARIANT (threads->count != 0 && threads->count <= i + 1);
		threads->of_sample[order[i]] = (uint32_t) threads->count - 1;
	}
	return true;
}

/* Only the nameless one: the profile says nothing about threads. */
static void
drop_nameless (monocle__threads *threads)
{
	if (threads->count != 1 || *threads->names[0])
		return;
	free (threads->names[0]);
	threads->count = 0;
}

monocle__threads *
monocle__threads_new (const monocle__profile *profile)
{
	monocle__threads *threads = calloc (1, sizeof *threads);
	uint32_t *order = calloc (profile->sample_count + 1, sizeof *order);
	if (!threads || !order)
		goto fail;
	threads->names = calloc (profile->sample_count + 1, sizeof *threads->names);
	threads->of_sample = calloc (profile->sample_count + 1, sizeof *threads->of_sample);
	if (!threads->names || !threads->of_sample)
		goto fail;
	for (size_t i = 0; i < profile->sample_count; i++)
		order[i] = (uint32_t) i;
	qsort_r (order, profile->sample_count, sizeof *order, compare_samples, (void *) (uintptr_t) profile);
	if (!name_threads (threads, profile, order))
		goto fail;
	drop_nameless (threads);
	free (order);
	return threads;
fail:
	free (order);
	monocle__threads_free (threads);
	return NULL;
}

/* --- some threads of a profile ------------------------------------------------------------------------------------ */

enum { NOT_YET = UINT32_MAX };

typedef struct {
	const monocle__profile *from;
	monocle__profile *to;
	uint32_t *functions; /* by function of `from`, NOT_YET until a stack has it */
	uint32_t *stack;
	size_t stack_capacity;
} copier;

/* NULL stays NULL; false: out of memory. */
static bool
copy_text (monocle__profile *to, const char *text, const char **ret_text)
{
	*ret_text = text ? monocle__profile_text (to, text, strlen (text)) : NULL;
	return !text || *ret_text;
}

static bool
copy_head (monocle__profile *to, const monocle__profile *from)
{
	for (size_t i = 0; i < from->value_count; i++) {
		monocle__value_type type;
		if (!copy_text (to, from->value_types[i].type, &type.type) ||
		    !copy_text (to, from->value_types[i].unit, &type.unit) ||
		    !monocle__profile_add_value_type (to, type.type, type.unit))
			return false;
	}
	for (size_t i = 0; i < from->comment_count; i++) {
		const char *comment;
		if (!copy_text (to, from->comments[i], &comment) || !monocle__profile_add_comment (to, comment))
			return false;
	}
	to->time_nanos = from->time_nanos;
	to->duration_nanos = from->duration_nanos;
	return copy_text (to, from->default_type, &to->default_type);
}

static bool
copy_function (copier *c, uint32_t index)
{
	monocle__function function = c->from->functions[index];
	size_t added;
	if (!copy_text (c->to, function.name, &function.name) ||
	    !copy_text (c->to, function.system_name, &function.system_name) ||
	    !copy_text (c->to, function.filename, &function.filename))
		return false;
	added = monocle__profile_add_function (c->to, &function);
	c->functions[index] = (uint32_t) added;
	return added != SIZE_MAX;
}

static bool
copy_labels (copier *c, const monocle__sample *sample)
{
	for (size_t i = 0; i < sample->label_count; i++) {
		monocle__label label = c->from->labels[sample->labels + i];
		if (!copy_text (c->to, label.key, &label.key) || !copy_text (c->to, label.text, &label.text) ||
		    !copy_text (c->to, label.unit, &label.unit) || !monocle__profile_add_label (c->to, &label))
			return false;
	}
	return true;
}

static bool
copy_sample (copier *c, size_t index)
{
	const monocle__sample *sample = &c->from->samples[index];
	if (!MONOCLE__RESERVE (c->stack, c->stack_capacity, sample->depth + 1))
		return false;
	for (size_t i = 0; i < sample->depth; i++) {
		uint32_t function = c->from->frames[sample->frames + i];
		if (c->functions[function] == NOT_YET && !copy_function (c, function))
			return false;
		c->stack[i] = c->functions[function];
	}
	return monocle__profile_add_sample (c->to, c->stack, sample->depth, monocle__profile_values (c->from, index)) &&
	       copy_labels (c, sample);
}

static bool
copy_samples (copier *c, const monocle__threads *threads, const uint8_t *wanted)
{
	for (size_t i = 0; i < c->from->function_count; i++)
		c->functions[i] = NOT_YET;
	for (size_t i = 0; i < c->from->sample_count; i++) {
		if ((!wanted || wanted[threads->of_sample[i]]) && !copy_sample (c, i))
			return false;
	}
	return true;
}

monocle__profile *
monocle__threads_select (const monocle__profile *profile, const monocle__threads *threads, const uint8_t *wanted)
{
	copier c = { .from = profile, .to = monocle__profile_new (SIZE_MAX) };
	c.functions = calloc (profile->function_count + 1, sizeof *c.functions);
	if (!c.to || !c.functions || !copy_head (c.to, profile) || !copy_samples (&c, threads, wanted)) {
		monocle__profile_free (c.to);
		c.to = NULL;
	}
	free (c.functions);
	free (c.stack);
	return c.to;
}
