/*
 * SPDX-License-Identifier: MIT
 *
 * groups.c - see groups.h.
 */
#include "groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"
#include "view.h"

/* What tells the processes of a merged profile apart. */
typedef struct {
	const char *name; /* "" when unknown */
	int64_t pid;      /* 0 when unknown */
	bool is_idle;
} process_label;

typedef struct {
	const monocle__profile *profile;
	const monocle__threads *threads;
	process_label *processes; /* by sample */
} sorting;

void
monocle__groups_free (monocle__groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; groups->groups && i < groups->count; i++) {
		free (groups->groups[i].process);
		free (groups->groups[i].thread);
	}
	free (groups->groups);
	free (groups->of_sample);
	free (groups);
}

static process_label
process_of (const monocle__profile *profile, size_t sample)
{
	const monocle__sample *s = &profile->samples[sample];
	process_label found = { .name = "" };
	for (size_t i = 0; i < s->label_count; i++) {
		const monocle__label *label = &profile->labels[s->labels + i];
		if (strcmp (label->key, "process") == 0 && label->text)
			found.name = label->text;
		else if (strcmp (label->key, "pid") == 0 && !label->text)
			found.pid = label->number;
		else if (strcmp (label->key, MONOCLE__IDLE_LABEL) == 0 && !label->text)
			found.is_idle = label->number != 0;
	}
	return found;
}

static uint32_t
thread_of (const sorting *s, uint32_t sample)
{
	return s->threads->count ? s->threads->of_sample[sample] : 0;
}

static int
compare_samples (const void *a, const void *b, void *data)
{
	const sorting *s = data;
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
	const process_label *x = &s->processes[i], *y = &s->processes[k];
	int names = strcmp (x->name, y->name);
	if (names)
		return names;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (thread_of (s, i) != thread_of (s, k))
		return thread_of (s, i) < thread_of (s, k) ? -1 : 1;
	return x->is_idle - y->is_idle;
}

static char *
process_text (const process_label *process)
{
	char *text;
	int length = process->pid == 0
	               ? asprintf (&text, "%s", process->name)
	               : asprintf (&text, *process->name ? "%s (%" PRId64 ")" : "%s%" PRId64, process->name, process->pid);
	return length < 0 ? NULL : text;
}

static bool
add_group (monocle__groups *groups, const sorting *s, uint32_t sample)
{
	bool has_sample = sample < s->profile->sample_count;
	const char *thread = has_sample && s->threads->count ? s->threads->names[thread_of (s, sample)] : "";
	monocle__group *group = &groups->groups[groups->count++];
	group->process = process_text (has_sample ? &s->processes[sample] : &(process_label) { .name = "" });
	group->thread = strdup (thread);
	group->is_idle = has_sample && s->processes[sample].is_idle;
	return group->process && group->thread;
}

/* Walks over the samples in the order of their groups. */
static bool
make_groups (monocle__groups *groups, sorting *s, const uint32_t *order)
{
	size_t count = s->profile->sample_count;
	if (count == 0)
		return add_group (groups, s, 0);
	for (size_t i = 0; i < count; i++) {
		if ((i == 0 || compare_samples (&order[i - 1], &order[i], s) != 0) && !add_group (groups, s, order[i]))
			return false;
		groups->of_sample[order[i]] = (uint32_t) groups->count - 1;
	}
	return true;
}

monocle__groups *
monocle__groups_new (const monocle__profile *profile)
{
	size_t count = profile->sample_count;
	monocle__threads *threads = monocle__threads_new (profile);
	sorting s = { profile, threads, calloc (count + 1, sizeof *s.processes) };
	uint32_t *order = calloc (count + 1, sizeof *order);
	monocle__groups *groups = calloc (1, sizeof *groups);
	bool good = threads && s.processes && order && groups;
	if (good) {
		groups->groups = calloc (count + 1, sizeof *groups->groups);
		groups->of_sample = calloc (count + 1, sizeof *groups->of_sample);
		good = groups->groups && groups->of_sample;
	}
	for (size_t i = 0; good && i < count; i++) {
		s.processes[i] = process_of (profile, i);
		order[i] = (uint32_t) i;
	}
	if (good) {
		qsort_r (order, count, sizeof *order, compare_samples, &s);
		good = make_groups (groups, &s, order);
	}
	monocle__threads_free (threads);
	free (s.processes);
	free (order);
	if (good)
		return groups;
	monocle__groups_free (groups);
	return NULL;
}
