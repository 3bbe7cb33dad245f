/*
 * SPDX-License-Identifier: MIT
 *
 * threads.c - samples by the thread that they are labelled with.
 */
#include "threads.h"

#include "invariant.h"
#include "profile-copy.h"

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

static bool
copy_samples (monocle__profile_copy *copy, const monocle__threads *threads, const uint8_t *wanted)
{
	for (size_t i = 0; i < copy->from->sample_count; i++) {
		const monocle__sample *sample = &copy->from->samples[i];
		const uint32_t *frames = copy->from->frames + sample->frames;
		if ((!wanted || wanted[threads->of_sample[i]]) &&
		    !monocle__profile_copy_sample (copy, i, frames, sample->depth))
			return false;
	}
	return true;
}

monocle__profile *
monocle__threads_select (const monocle__profile *profile, const monocle__threads *threads, const uint8_t *wanted)
{
	monocle__profile_copy copy;
	monocle__profile *selected = NULL;
	if (monocle__profile_copy_init (&copy, profile, true) && copy_samples (&copy, threads, wanted)) {
		selected = copy.to;
		copy.to = NULL;
	}
	monocle__profile_copy_done (&copy);
	return selected;
}
