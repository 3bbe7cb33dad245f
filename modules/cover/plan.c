/*
 * SPDX-License-Identifier: MIT
 *
 * plan.c - see plan.h. Mono tells of one method at a time, through a callback that has no data but the handle's: what
 * the calling thread has asked for is found in a list of what is asked for at the moment.
 */
#include "plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_HIDDEN = 0xfeefee };

static MonoProfilerHandle the_handle;

bool
plan_is_hosts (void)
{
	return monocle_coverage_set_counters && monocle_coverage_plan;
}

void
plan_init (MonoProfilerHandle handle)
{
	the_handle = handle;
}

/* --- source files of Mono's --------------------------------------------------------------------------------------- */

struct document {
	struct document *next;
	MonocleCoverageDocument said;
	char path[];
};

static struct document *documents; /* the one that was asked for last comes first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct document *
new_document (const char *path)
{
	struct document *d = malloc (sizeof *d + strlen (path) + 1);
	if (d) {
		strcpy (d->path, path);
		d->said = (MonocleCoverageDocument) { .path = d->path };
	}
	return d;
}

static const MonocleCoverageDocument *
document_of (const char *path)
{
	pthread_mutex_lock (&lock);
	struct document **at = &documents;
	while (*at && strcmp ((*at)->path, path))
		at = &(*at)->next;
	struct document *d = *at;
	if (d)
		*at = d->next;
	else
		d = new_document (path);
	if (d) {
		d->next = documents;
		documents = d;
	}
	pthread_mutex_unlock (&lock);
	return d ? &d->said : NULL;
}

/* --- points of Mono's --------------------------------------------------------------------------------------------- */

/* On the stack of the thread that asks. */
struct asked {
	MonocleCoveragePoint *points;
	uint32_t count, room;
	const uint32_t *offsets; /* of counters, ascending */
	uint32_t *sums;
	uint32_t next;
	pthread_t thread;
	struct asked *other;
};

static struct asked *all_asked;
static pthread_mutex_t asked_lock = PTHREAD_MUTEX_INITIALIZER; /* not held while Mono answers */

static void
ask (MonoMethod *method, struct asked *asked, MonoProfilerCoverageCallback answer)
{
	struct asked **at = &all_asked;
	asked->thread = pthread_self ();
	pthread_mutex_lock (&asked_lock);
	asked->other = all_asked;
	all_asked = asked;
	pthread_mutex_unlock (&asked_lock);
	mono_profiler_get_coverage_data (the_handle, method, answer);
	pthread_mutex_lock (&asked_lock);
	while (*at != asked)
		at = &(*at)->other;
	*at = asked->other;
	pthread_mutex_unlock (&asked_lock);
}

/* Of the calling thread, which is in ask (). */
static struct asked *
own_asked (void)
{
	pthread_mutex_lock (&asked_lock);
	struct asked *own = all_asked;
	while (own && !pthread_equal (own->thread, pthread_self ()))
		own = own->other;
	pthread_mutex_unlock (&asked_lock);
	return own;
}

static bool
is_seen (const MonoProfilerCoverageData *data)
{
	return data->file_name && *data->file_name && data->line && data->line < LINE_HIDDEN;
}

static void
add_point (MonoProfiler *profiler, const MonoProfilerCoverageData *data)
{
	struct asked *asked = is_seen (data) ? own_asked () : NULL;
	if (!asked)
		return;
	if (asked->count && asked->points[asked->count - 1].il_offset == data->il_offset)
		return; /* A place is counted once, whatever symbols say of it. */
	if (asked->count == asked->room) {
		uint32_t room = asked->room ? 2 * asked->room : 64;
		MonocleCoveragePoint *longer = realloc (asked->points, room * sizeof *longer);
		if (!longer)
			return;
		asked->points = longer;
		asked->room = room;
	}
	const MonocleCoverageDocument *document = document_of (data->file_name);
	if (document)
		asked->points[asked->count] = (MonocleCoveragePoint) { .document = document,
			                                                   .il_offset = data->il_offset,
			                                                   .start_line = data->line,
			                                                   .start_column = data->column,
			                                                   .counter = asked->count };
	asked->count += document != NULL;
}

void
plan_show (MonoMethod *method, void (*show) (void *data, const MonocleCoveragePlan *plan), void *data)
{
	if (plan_is_hosts ()) {
		monocle_coverage_plan (method, show, data);
		return;
	}
	struct asked asked = { .points = NULL };
	ask (method, &asked, add_point);
	MonocleCoveragePlan plan = { .method = method, .point_count = asked.count, .counter_count = asked.count };
	plan.points = asked.points;
	if (asked.count)
		show (data, &plan);
	free (asked.points);
}

static void
add_counter (MonoProfiler *profiler, const MonoProfilerCoverageData *data)
{
	struct asked *asked = own_asked ();
	while (asked && asked->next < asked->count && asked->offsets[asked->next] < data->il_offset)
		asked->next++;
	if (asked && asked->next < asked->count && asked->offsets[asked->next] == data->il_offset)
		asked->sums[asked->next++] += data->counter;
}

void
plan_add_counters (MonoMethod *method, const uint32_t *offsets, uint32_t *sums, uint32_t count)
{
	struct asked asked = { .offsets = offsets, .sums = sums, .count = count };
	ask (method, &asked, add_counter);
}
