/*
 * SPDX-License-Identifier: MIT
 *
 * lending.c - see lending.h. Modules call these functions in any context once they run; what allocates is done when a
 * handle is made.
 */
#include "lending.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "check/slots.h"
#include "cmdline.h"
#include "environment.h"
#include "look.h"

static struct {
	MonoProfilerHandle (*create) (MonoProfiler *prof);
	mono_bool (*enable_sampling) (MonoProfilerHandle handle);
	mono_bool (*set_sample_mode) (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency);
	mono_bool (*get_sample_mode) (MonoProfilerHandle handle, MonoProfilerSampleMode *mode, uint32_t *frequency);
	void (*set_sample_hit) (MonoProfilerHandle handle, MonoProfilerSampleHitCallback callback);
} mono;

/* A handle that a module has made, and the one of ours by which it hears of hits. */
typedef struct borrower {
	struct borrower *next;
	MonoProfilerHandle handle, ear;
	MonoProfiler *prof; /* the module's */
	_Atomic (MonoProfilerSampleHitCallback) hit;
} borrower;

static _Atomic (borrower *) borrowers;
static MonoProfilerHandle owner;             /* NULL: nothing is lent */
static _Atomic (MonoProfilerHandle) current; /* who has it */
static bool is_leaky;

/* --- what Mono and modules call ----------------------------------------------------------------------------------- */

static void
on_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	const borrower *to = (const borrower *) prof;
	MonoProfilerSampleHitCallback callback = monocle__look_is_here () ? NULL : atomic_load (&to->hit);
	if (callback)
		callback (to->prof, ip, context);
}

static MonoProfilerHandle
create (MonoProfiler *prof)
{
	MonoProfilerHandle handle = mono.create (prof);
	borrower *made = handle ? calloc (1, sizeof *made) : NULL;
	if (!made || !(made->ear = mono.create ((MonoProfiler *) made))) {
		free (made);
		is_leaky = true;
		return handle;
	}
	made->handle = handle;
	made->prof = prof;
	made->next = atomic_load (&borrowers);
	while (!atomic_compare_exchange_weak (&borrowers, &made->next, made))
		;
	return handle;
}

static void
set_sample_hit (MonoProfilerHandle handle, MonoProfilerSampleHitCallback callback)
{
	borrower *at = atomic_load (&borrowers);
	while (at && at->handle != handle)
		at = at->next;
	if (!at) {
		mono.set_sample_hit (handle, callback);
		return;
	}
	atomic_store (&at->hit, callback);
	mono.set_sample_hit (at->ear, callback ? on_hit : NULL);
}

/* Later callers are told yes as well, as Mono tells them. */
static mono_bool
enable_sampling (MonoProfilerHandle handle)
{
	MonoProfilerHandle nobody = NULL;
	mono_bool is_enabled = mono.enable_sampling (handle);
	if (is_enabled)
		atomic_compare_exchange_strong (&current, &nobody, handle);
	return is_enabled;
}

static MonoProfilerHandle
stand_in (MonoProfilerHandle handle)
{
	return handle && handle == atomic_load (&current) ? owner : handle;
}

static mono_bool
set_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency)
{
	return mono.set_sample_mode (stand_in (handle), mode, frequency);
}

static mono_bool
get_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode *mode, uint32_t *frequency)
{
	return mono.get_sample_mode (stand_in (handle), mode, frequency);
}

static const monocle__slots_row replacements[] = {
	{ "mono_profiler_create", (void *) create },
	{ "mono_profiler_enable_sampling", (void *) enable_sampling },
	{ "mono_profiler_set_sample_mode", (void *) set_sample_mode },
	{ "mono_profiler_get_sample_mode", (void *) get_sample_mode },
	{ "mono_profiler_set_sample_hit_callback", (void *) set_sample_hit },
};

void
monocle__lending_take (const void *code)
{
	if (owner)
		is_leaky |= !monocle__slots_replace (code, replacements, sizeof replacements / sizeof *replacements);
}

bool
monocle__lending_is_tight (void)
{
	return owner && !is_leaky;
}

MonoProfilerHandle
monocle__lending_handle (void)
{
	return atomic_load (&current) ? NULL : owner;
}

/* --- before Mono starts ------------------------------------------------------------------------------------------- */

/* "--profile=log", for Mono itself: its module may want the sampler, and would not get it from us. */
static bool
names_another (const char *word)
{
	static const char option[] = "--profile", ours[] = "monocle";
	if (strncmp (word, option, sizeof option - 1))
		return false;
	const char *name = word + sizeof option - 1;
	if (*name != '=')
		return *name == '\0';
	name++;
	return strncmp (name, ours, sizeof ours - 1) || (name[sizeof ours - 1] && name[sizeof ours - 1] != ':');
}

static bool
is_named_another (void)
{
	const char *options = monocle__variable ("MONO_ENV_OPTIONS");
	char *rest = NULL, *copy = options ? strdup (options) : NULL, words[4096];
	bool found = false;
	for (char *word = copy ? strtok_r (copy, " \t", &rest) : NULL; word && !found; word = strtok_r (NULL, " \t", &rest))
		found = names_another (word);
	free (copy);
	size_t size = monocle__cmdline_read (words, sizeof words);
	for (size_t at = 0; at < size && !found; at += strlen (words + at) + 1)
		found = names_another (words + at);
	return found;
}

#define FIND(member, name) (*(void **) &mono.member = dlsym (RTLD_DEFAULT, name))

static bool
find_functions (void)
{
	return FIND (create, "mono_profiler_create") && FIND (enable_sampling, "mono_profiler_enable_sampling") &&
	       FIND (set_sample_mode, "mono_profiler_set_sample_mode") &&
	       FIND (get_sample_mode, "mono_profiler_get_sample_mode") &&
	       FIND (set_sample_hit, "mono_profiler_set_sample_hit_callback");
}

/* Can the words of modules be changed at all? Ours are asked. */
static bool
has_slots (void)
{
	monocle__slots slots;
	return monocle__slots_read_of ((void *) has_slots, &slots);
}

static bool
take_sampler (void)
{
	MonoProfilerSampleMode mode;
	uint32_t frequency;
	if (!find_functions () || !has_slots () || is_named_another ())
		return false;
	MonoProfilerHandle mine = mono.create (NULL);
	if (mine && mono.enable_sampling (mine) && mono.get_sample_mode (mine, &mode, &frequency))
		owner = mine;
	return owner != NULL;
}

bool
monocle__lending_begin (void)
{
	static bool is_begun;
	const char *control = monocle__variable ("MONOCLE_CONTROL");
	if (is_begun)
		return owner != NULL;
	is_begun = true;
	return !(control && !strcmp (control, "0")) && take_sampler () && monocle__look_begin ();
}
