/*
 * SPDX-License-Identifier: MIT
 *
 * method-near.c - see method-near.h.
 */
#include "method-near.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <monocle/kit.h>

#include "method-filter.h"

enum { NAME_SIZE = 128 };

/* "M:Type:", and what the callspec calls the method. Written in the init window. */
static char type[NAME_SIZE], wanted[NAME_SIZE];
static monocle_kit_callspec *of_type; /* all methods of the type; NULL: there is nothing to guess */
static bool is_found;                 /* the callspec matches; relaxed */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char nearest[NAME_SIZE]; /* under lock, with how near it is */
static size_t nearest_score;

void
method_near_init (const char *spec)
{
	const char *colon = strrchr (spec, ':'), *error;
	char all[NAME_SIZE + 2];
	if (strncmp (spec, "M:", 2) != 0 || colon < spec + 2 || strpbrk (spec, "*?,;") || strlen (spec) >= NAME_SIZE)
		return;
	snprintf (type, sizeof type, "%.*s:", (int) (colon - spec), spec);
	snprintf (wanted, sizeof wanted, "%s", colon + 1);
	snprintf (all, sizeof all, "%s*", type);
	of_type = monocle_kit_callspec_new (all, &error);
}

/* How many letters both begin with, and end with. */
static size_t
score_of (const char *name)
{
	size_t length = strlen (name), other = strlen (wanted), least = length < other ? length : other, begin = 0, end = 0;
	while (begin < least && name[begin] == wanted[begin])
		begin++;
	while (begin + end < least && name[length - 1 - end] == wanted[other - 1 - end])
		end++;
	return (begin + end) * 2 >= other ? begin + end : 0;
}

void
method_near_note (MonoMethod *method, bool is_wanted)
{
	const char *name;
	size_t score;
	if (!of_type || __atomic_load_n (&is_found, __ATOMIC_RELAXED))
		return;
	if (is_wanted) {
		__atomic_store_n (&is_found, true, __ATOMIC_RELAXED);
		return;
	}
	name = mono_method_get_name (method);
	score = score_of (name);
	if (!score || !method_filter_matches (of_type, method))
		return;
	pthread_mutex_lock (&lock);
	if (score > nearest_score) {
		nearest_score = score;
		snprintf (nearest, sizeof nearest, "%s", name);
	}
	pthread_mutex_unlock (&lock);
}

bool
method_near_find (char *buffer, size_t size)
{
	bool is_near;
	pthread_mutex_lock (&lock);
	is_near = nearest_score && !__atomic_load_n (&is_found, __ATOMIC_RELAXED);
	if (is_near)
		snprintf (buffer, size, "%s%s", type, nearest);
	pthread_mutex_unlock (&lock);
	return is_near;
}
