/*
 * SPDX-License-Identifier: MIT
 *
 * roster.c - see roster.h. The text is guarded by a lock, under which no code of others runs.
 */
#include "roster.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <monocle/host.h>
#include "log-level.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[2048];   /* "NAME from FILE, NAME from FILE" */
static unsigned unnamed;  /* for which there was no room */
static char runtime[128]; /* "" before the first line */

enum { NAMES_MOST = 64, NAME_SIZE = 128 };
static char names[NAMES_MOST][NAME_SIZE];
static unsigned name_count;

/* Under the lock. */
static void
add (const char *name, const char *file)
{
	size_t length = strlen (text), more = strlen (name) + strlen (file) + sizeof ", from ";
	if (length + more < sizeof text)
		snprintf (text + length, sizeof text - length, "%s%s from %s", length ? ", " : "", name, file);
	else
		unnamed++;
}

/* Under the lock. One that was closed comes again under its name. */
static void
remember (const char *name)
{
	for (unsigned i = 0; i < name_count; i++)
		if (!strncmp (names[i], name, NAME_SIZE - 1))
			return;
	if (name_count < NAMES_MOST)
		snprintf (names[name_count++], NAME_SIZE, "%s", name);
}

/* Under the lock. */
static void
say (void)
{
	char more[32] = "";
	if (unnamed)
		snprintf (more, sizeof more, " and %u more", unnamed);
	if (text[0] || unnamed)
		MONOCLE__LOG_INFO ("loaded %s%s; the runtime is %s", text, more, runtime);
	text[0] = '\0';
	unnamed = 0;
}

void
monocle__roster_add (const char *name, void *code)
{
	Dl_info info;
	const char *file = dladdr (code, &info) && info.dli_fname ? info.dli_fname : "an unknown file";
	pthread_mutex_lock (&lock);
	add (name, file);
	remember (name);
	if (runtime[0])
		say ();
	pthread_mutex_unlock (&lock);
}

void
monocle__roster_each (void (*each) (void *data, const char *name), void *data)
{
	pthread_mutex_lock (&lock);
	for (unsigned i = 0; i < name_count; i++)
		each (data, names[i]);
	pthread_mutex_unlock (&lock);
}

bool
monocle__roster_is_empty (void)
{
	pthread_mutex_lock (&lock);
	bool is_empty = !name_count;
	pthread_mutex_unlock (&lock);
	return is_empty;
}

void
monocle__roster_remove (const char *name)
{
	pthread_mutex_lock (&lock);
	for (unsigned i = 0; i < name_count; i++)
		if (!strncmp (names[i], name, NAME_SIZE - 1)) {
			memmove (names[i], names[i + 1], (name_count - i - 1) * NAME_SIZE);
			name_count--;
			break;
		}
	pthread_mutex_unlock (&lock);
}

void
monocle__roster_forget (void)
{
	pthread_mutex_lock (&lock);
	name_count = 0;
	pthread_mutex_unlock (&lock);
}

void
monocle__roster_say (const char *name)
{
	pthread_mutex_lock (&lock);
	snprintf (runtime, sizeof runtime, "%s", name);
	say ();
	pthread_mutex_unlock (&lock);
}
