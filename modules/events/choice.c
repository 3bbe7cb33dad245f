/*
 * SPDX-License-Identifier: MIT
 *
 * choice.c - the table of events, made of the rows, and which of them are listened to.
 */
#include "events.h"

#include <string.h>

/* clang-format off */

/*
 * Mono 6.8 does not know the last two rows, nor the others of ext-events.h: their setters are looked for, not needed.
 */
extern __typeof__ (mono_profiler_set_inline_method_callback) mono_profiler_set_inline_method_callback
    __attribute__ ((weak));
extern __typeof__ (mono_profiler_set_method_samplepoint_callback) mono_profiler_set_method_samplepoint_callback
    __attribute__ ((weak));

/* The place of each event in all_events, and what the events' own table says of it. */
enum {
	ROW_NOTHING = -1,
#define MONOCLE_EVENT_ROW(name, ...) ROW_##name,
#include <monocle/event-rows.h>
};
enum {
#define EVENT(name, place, choice, closes, ...) CHOICE_OF_##name = choice, CLOSED_BY_##name = ROW_##closes,
#include <monocle/events.def>
};

/* Setters differ in the type of the callback only; what is set is a closure that is made for the row. */
#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, count, types, names) \
	{ #name, (void (*) (MonoProfilerHandle, void *)) (void (*) (void)) setter, count, \
	  { MONOCLE_EVENT_LIST types }, { MONOCLE_EVENT_LIST names }, CHOICE_OF_##name, CLOSED_BY_##name, false },

event all_events[] = {
#include <monocle/event-rows.h>
};

/* clang-format on */

const size_t event_count = sizeof all_events / sizeof *all_events;

static bool
begins_with (const char *name, const char *word, size_t length)
{
	return !strncmp (name, word, length) && (!name[length] || name[length] == '_' || word[length - 1] == '_');
}

static bool
begins_usual (const char *word, size_t length)
{
	for (size_t i = 0; i < event_count; i++)
		if (all_events[i].choice == USUAL && begins_with (all_events[i].name, word, length))
			return true;
	return false;
}

/* Marks all events that begin with the word, or the usual ones of these if there are any; returns how many. */
static unsigned
mark (const char *word, size_t length, bool chosen, bool prefers_usual)
{
	unsigned count = 0;
	bool usual = prefers_usual && begins_usual (word, length);
	for (size_t i = 0; i < event_count; i++) {
		const char *name = all_events[i].name;
		if (!begins_with (name, word, length) || (usual && name[length] && all_events[i].choice != USUAL))
			continue;
		bool is_never = all_events[i].choice == NEVER;
		if (chosen && is_never && !name[length])
			monocle_kit_log ("events", "%s is not shown: it comes in signal handlers, where no line can be made", name);
		all_events[i].is_chosen = chosen && !is_never;
		count++;
	}
	return count;
}

static bool
mark_list (const char *list, bool chosen, bool prefers_usual)
{
	while (list && *list) {
		size_t length = strcspn (list, "+");
		if (length && !mark (list, length, chosen, prefers_usual)) {
			monocle_kit_log_failure ("events", "no event begins with \"%.*s\"; doc/events.md lists them", (int) length,
			                         list);
			return false;
		}
		list += length + (list[length] == '+');
	}
	return true;
}

/* Real Mono does not say, and delivers all of its own. */
static bool
comes (const char *name)
{
	return !monocle_event_support || monocle_event_support (name) != MONOCLE_SUPPORT_NONE;
}

/* What was asked for and does not come is said, on one line; what comes with the usual ones is left out in silence. */
static void
leave_out_what_never_comes (bool was_asked)
{
	char names[1024];
	text list = { names, names + sizeof names - 1 };
	for (size_t i = 0; i < event_count; i++) {
		event *e = &all_events[i];
		if (!e->is_chosen || (e->set && comes (e->name)))
			continue;
		e->is_chosen = false;
		put (&list, list.at == names ? "" : ", ");
		put (&list, e->name);
	}
	*list.at = 0;
	if (was_asked && list.at != names)
		monocle_kit_log ("events", "never on this runtime: %s", names);
}

bool
choose_events (const char *only, const char *also, const char *without)
{
	for (size_t i = 0; i < event_count; i++)
		all_events[i].is_chosen = !only && all_events[i].choice == USUAL;
	if (!only)
		leave_out_what_never_comes (false);
	if (!mark_list (only, true, true) || !mark_list (also, true, false) || !mark_list (without, false, false))
		return false;
	leave_out_what_never_comes (true);
	return true;
}

void
choose_calls (void)
{
	mark_list ("method_enter+method_leave+method_tail_call+method_exception_leave", true, false);
}

bool
is_chosen (const char *name)
{
	for (size_t i = 0; i < event_count; i++)
		if (strcmp (all_events[i].name, name) == 0)
			return all_events[i].is_chosen;
	return false;
}
