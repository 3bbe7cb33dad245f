/*
 * SPDX-License-Identifier: MIT
 *
 * view.c - see view.h.
 *
 * Stacks are rewritten from the outermost frame inwards. Of the framework's frames above the program's innermost own
 * frame each run becomes one. Nobody of ours called the first run, which is "[framework]", or "[async]" where it lets
 * an async method of ours go on. Of a run between two frames of ours the first one stays, the method that our code
 * called. How an async method begins is nothing to show. Below the innermost own frame all stays: it is what our code
 * uses.
 * A process that runs tests has a framework of its own, which nobody is looking for: what it does by itself, without a
 * test on the stack, is "[test framework]".
 *
 * What is taken out of a stack stays with its sample as hidden frames, so that a method that is shown elsewhere has
 * its exact total.
 */
#include "view.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "column.h"
#include "idle.h"
#include "invariant.h"
#include "machines.h"
#include "origin.h"
#include "profile-copy.h"
#include "shown-comment.h"
#include "threads.h"

enum { NAME_SIZE = 4096, NONE = UINT32_MAX };

enum mark { FOCUS = 1, IGNORE = 2, HIDE = 4 };

typedef struct {
	uint32_t *functions; /* of the copy */
	uint32_t *places;    /* as many */
	size_t count, capacity, place_capacity;
} frame_list;

/* Programs that run tests. */
static const char *const test_hosts[] = { "testhost*", NULL };

typedef struct {
	const monocle__profile *from;
	const monocle__view_options *options;
	monocle__profile_copy copy;
	const char **names;         /* by function, texts of the copy */
	uint8_t *origins, *marks;   /* by function */
	monocle__threads *threads;  /* NULL: nobody asks for them */
	uint32_t *thread_functions; /* by thread: its frame, NONE until a sample has it */
	uint8_t *unwanted_threads;
	uint8_t *idle;         /* by sample: its thread has nothing to do; NULL: nobody asks, or none has */
	bool is_other_process; /* of all samples that have no label of their own */
	uint32_t framework, resumed, hidden_frame; /* functions of the copy, NONE until a stack has it */
	frame_list shown, taken;
	bool is_folded;
	bool is_test_host;   /* the program is one that runs tests */
	bool is_test;        /* the sample is of a process that runs tests */
	bool is_leaf_hidden; /* and other frames of the sample are shown */
	bool has_types;      /* the innermost frame is no code but the type of an exception, and stays; of one sample */
} view;

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool
is_assembly_type (const monocle__function *function)
{
	size_t length = strlen (function->filename);
	return length > 4 && strcmp (function->filename + length - 4, ".dll") == 0 && !strpbrk (function->name, " :([");
}

/* What the function is called in C#; NULL: as before. false: out of memory. */
static bool
make_name (view *v, size_t index, monocle__machine machine)
{
	const monocle__function *function = &v->from->functions[index];
	char name[NAME_SIZE];
	bool is_made = monocle__csharp_name (function->name, machine, name, sizeof name);
	if (!is_made && is_assembly_type (function)) /* exceptions have the type as a frame */
		is_made = monocle__csharp_name_of_type (function->name, name, sizeof name);
	if (!is_made || strcmp (name, function->name) == 0)
		return true;
	return monocle__profile_copy_text (v->copy.to, name, &v->names[index]);
}

static bool
make_names (view *v)
{
	monocle__machine *machines = monocle__machines_new (v->from);
	bool good = machines != NULL;
	for (size_t i = 0; good && i < v->from->function_count; i++)
		good = make_name (v, i, machines[i]);
	free (machines);
	return good;
}

static const char *
name_of (const view *v, uint32_t function)
{
	return v->names[function] ? v->names[function] : v->from->functions[function].name;
}

static int
compare_names (const void *a, const void *b, void *data)
{
	const view *v = data;
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
	int names = strcmp (name_of (v, x), name_of (v, y));
	return names ? names : strcmp (v->from->functions[x].filename, v->from->functions[y].filename);
}

static bool
add_image (view *v, uint32_t index)
{
	const monocle__function *function = &v->from->functions[index];
	char name[NAME_SIZE];
	if (!*function->filename)
		return true;
	snprintf (name, sizeof name, "%s [%s]", name_of (v, index), function->filename);
	return monocle__profile_copy_text (v->copy.to, name, &v->names[index]);
}

/* In `order` equal names are neighbours, of one file beside each other. */
static bool
tell_equal_names (view *v, const uint32_t *order, size_t count)
{
	for (size_t first = 0, next; first < count; first = next) {
		const char *name = name_of (v, order[first]);
		for (next = first + 1; next < count && strcmp (name_of (v, order[next]), name) == 0;)
			next++;
		const monocle__function *a = &v->from->functions[order[first]], *b = &v->from->functions[order[next - 1]];
		if (strcmp (a->filename, b->filename) == 0)
			continue;
		for (size_t i = first; i < next; i++) {
			if (!add_image (v, order[i]))
				return false;
		}
	}
	return true;
}

static bool
tell_images (view *v)
{
	size_t count = v->from->function_count;
	uint32_t *order = calloc (count + 1, sizeof *order);
	bool good = order != NULL;
	for (size_t i = 0; good && i < count; i++)
		order[i] = (uint32_t) i;
	if (good && count)
		qsort_r (order, count, sizeof *order, compare_names, v);
	good = good && tell_equal_names (v, order, count);
	free (order);
	return good;
}

/* --- which frames and samples ------------------------------------------------------------------------------------- */

static bool
mark_matches (view *v, const char *pattern, enum mark mark)
{
	regex_t regex;
	if (regcomp (&regex, pattern, MONOCLE__VIEW_REGEX) != 0)
		return false;
	for (size_t i = 0; i < v->from->function_count; i++) {
		if ((v->names[i] && regexec (&regex, v->names[i], 0, NULL, 0) == 0) ||
		    regexec (&regex, v->from->functions[i].name, 0, NULL, 0) == 0)
			v->marks[i] |= (uint8_t) mark;
	}
	regfree (&regex);
	return true;
}

static bool
mark_all (view *v, const char *const *patterns, enum mark mark)
{
	for (; patterns && *patterns; patterns++) {
		if (!mark_matches (v, *patterns, mark))
			return false;
	}
	return true;
}

bool
monocle__view_matches (const char *text, const char *const *globs)
{
	for (; globs && *globs; globs++) {
		if (fnmatch (*globs, text, 0) == 0)
			return true;
	}
	return false;
}

/* A thread has all of its stacks from one function of the copy. */
static bool
init_threads (view *v)
{
	const monocle__view_options *options = v->options;
	if (!options->thread_globs && options->threads == MONOCLE__THREADS_NOT)
		return true;
	v->threads = monocle__threads_new (v->from);
	if (!v->threads)
		return false;
	v->thread_functions = calloc (v->threads->count + 1, sizeof *v->thread_functions);
	v->unwanted_threads = calloc (v->threads->count + 1, 1);
	for (size_t i = 0; v->thread_functions && v->unwanted_threads && i <= v->threads->count; i++) {
		const char *name = i < v->threads->count ? v->threads->names[i] : "";
		v->thread_functions[i] = NONE;
		v->unwanted_threads[i] = options->thread_globs && !monocle__view_matches (name, options->thread_globs);
	}
	return v->thread_functions && v->unwanted_threads;
}

/* Without labels all samples are of the process in the comment: by its name or its number. */
static bool
is_wanted_process (const monocle__profile *profile, const char *const *globs)
{
	for (size_t i = 0; i < profile->comment_count; i++) {
		char text[NAME_SIZE], *pid, *host;
		if (sscanf (profile->comments[i], "program: %4000[^\n]", text) != 1 || !(pid = strstr (text, ", pid ")))
			continue;
		*pid = '\0';
		pid += strlen (", pid ");
		if ((host = strchr (pid, ',')))
			*host = '\0';
		if (monocle__view_matches (text, globs) || monocle__view_matches (pid, globs))
			return true;
	}
	return false;
}

static bool
is_kept_process (const view *v, const monocle__sample *sample)
{
	bool is_told = false;
	for (size_t i = 0; v->options->process_globs && i < sample->label_count; i++) {
		const monocle__label *label = &v->from->labels[sample->labels + i];
		char pid[24];
		bool is_process = strcmp (label->key, "process") == 0 && label->text;
		bool is_pid = strcmp (label->key, "pid") == 0 && !label->text;
		snprintf (pid, sizeof pid, "%lld", (long long) label->number);
		is_told = is_told || is_process || is_pid;
		if ((is_process || is_pid) && monocle__view_matches (is_process ? label->text : pid, v->options->process_globs))
			return true;
	}
	return !is_told && !v->is_other_process;
}

static bool
is_kept_stack (const view *v, const uint32_t *frames, size_t depth)
{
	bool is_focused = !v->options->focus;
	for (size_t i = 0; i < depth; i++) {
		if (v->marks[frames[i]] & IGNORE)
			return false;
		is_focused = is_focused || v->marks[frames[i]] & FOCUS;
	}
	return is_focused;
}

static size_t
thread_of (const view *v, size_t sample)
{
	return v->threads->count ? v->threads->of_sample[sample] : 0;
}

static bool
is_kept (const view *v, size_t index)
{
	const monocle__sample *sample = &v->from->samples[index];
	if (v->threads && v->unwanted_threads[thread_of (v, index)])
		return false;
	if (v->idle && v->idle[index] && v->options->idle == MONOCLE__IDLE_LEFT_OUT)
		return false;
	return is_kept_process (v, sample) && is_kept_stack (v, v->from->frames + sample->frames, sample->depth);
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

static bool
list_add (frame_list *list, uint32_t function, uint32_t place)
{
	if (!MONOCLE__RESERVE (list->functions, list->capacity, list->count + 1) ||
	    !MONOCLE__RESERVE (list->places, list->place_capacity, list->count + 1))
		return false;
	list->functions[list->count] = function;
	list->places[list->count++] = place;
	return true;
}

/* A frame of the profile, where it was. */
static bool
list_add_own (view *v, frame_list *list, const uint32_t *frame)
{
	size_t copied = monocle__profile_copy_function (&v->copy, *frame);
	uint32_t place = monocle__profile_place_index (v->from, (size_t) (frame - v->from->frames));
	return copied != SIZE_MAX && list_add (list, (uint32_t) copied, place);
}

/* A frame that stands for others. */
static bool
add_made (view *v, uint32_t *function, const char *name)
{
	const monocle__function made = { .name = name, .system_name = "", .filename = "" };
	if (*function == NONE) {
		size_t added = monocle__profile_add_function (v->copy.to, &made);
		if (added == SIZE_MAX)
			return false;
		*function = (uint32_t) added;
	}
	return list_add (&v->shown, *function, 0);
}

/* "[libcoreclr.so]" below itself is one library's. */
static bool
is_repeated (const view *v, const uint32_t *frames, size_t depth, size_t i)
{
	return v->options->fold && i + 1 < depth && frames[i] == frames[i + 1] &&
	     *v->from->functions[frames[i]].name == '[';
}

static bool
is_own (const view *v, uint32_t function)
{
	return v->origins[function] == MONOCLE__ORIGIN_OWN || v->marks[function] & FOCUS;
}

static bool
is_foldable (const view *v, uint32_t function)
{
	return !is_own (v, function) && monocle__origin_is_framework (v->origins[function]);
}

/* What stands for the frames from `outer` to `inner`, of which the outer one has the larger index. */
static bool
add_run (view *v, const uint32_t *frames, size_t depth, size_t outer, size_t inner)
{
	bool is_called = outer + 1 < depth && is_own (v, frames[outer + 1]), is_glue;
	size_t kept = SIZE_MAX, innermost = inner;
	bool good = true;
	while (innermost < outer && v->origins[frames[innermost]] == MONOCLE__ORIGIN_GLUE)
		innermost++;
	is_glue = v->origins[frames[innermost]] == MONOCLE__ORIGIN_GLUE;
	if (v->is_test && !is_called)
		good = add_made (v, &v->framework, "[test framework]");
	else if (!is_glue && v->origins[frames[is_called ? outer : innermost]] == MONOCLE__ORIGIN_RESUME)
		good = add_made (v, &v->resumed, "[async]");
	else if (!is_glue && !is_called)
		good = add_made (v, &v->framework, "[framework]");
	else if (!is_glue && v->origins[frames[outer]] != MONOCLE__ORIGIN_START)
		good = list_add_own (v, &v->shown, &frames[kept = outer]);
	for (size_t i = inner; good && i <= outer; i++)
		good = i == kept || list_add_own (v, &v->taken, &frames[i]);
	v->is_folded = true;
	return good;
}

static size_t
innermost_own (const view *v, const uint32_t *frames, size_t depth)
{
	size_t i = v->has_types ? 1 : 0;
	while (i < depth && !is_own (v, frames[i]))
		i++;
	return i;
}

static bool
add_frame (view *v, const uint32_t *frames, size_t depth, size_t i)
{
	bool is_type = v->has_types && i == 0;
	bool is_hidden = (v->marks[frames[i]] & HIDE) || (v->options->mine && !is_own (v, frames[i]) && !is_type);
	if (i == 0)
		v->is_leaf_hidden = is_hidden;
	return list_add_own (v, is_hidden || is_repeated (v, frames, depth, i) ? &v->taken : &v->shown, &frames[i]);
}

/* The frames that are left as they are: from the innermost own one inwards, or all where none is own. */
static size_t
count_plain (const view *v, const uint32_t *frames, size_t depth)
{
	size_t own = innermost_own (v, frames, depth);
	if (own < depth)
		return own + 1;
	return v->is_test && !v->has_types ? 0 : depth;
}

/* From the outermost frame inwards. */
static bool
add_frames (view *v, const uint32_t *frames, size_t depth)
{
	size_t plain = count_plain (v, frames, depth);
	for (size_t i = depth; i > 0; i--) {
		size_t inner = i - 1;
		bool is_run = v->options->fold && !v->options->mine && inner >= plain && is_foldable (v, frames[inner]);
		while (is_run && inner > plain && is_foldable (v, frames[inner - 1]))
			inner--;
		if (is_run ? !add_run (v, frames, depth, i - 1, inner) : !add_frame (v, frames, depth, inner))
			return false;
		i = inner + 1;
	}
	return true;
}

/* Nothing of a stack is left: its cost must be somewhere. */
static bool
add_stand_in (view *v, const uint32_t *frames, size_t depth)
{
	if (v->options->mine) {
		for (size_t i = depth; i > 0; i--) {
			if (!is_foldable (v, frames[i - 1]) && !(v->marks[frames[i - 1]] & HIDE))
				return list_add_own (v, &v->shown, &frames[i - 1]);
		}
		return add_made (v, &v->framework, "[framework]");
	}
	return add_made (v, &v->hidden_frame, "[hidden]");
}

static bool
add_thread (view *v, size_t sample)
{
	char name[NAME_SIZE];
	size_t thread = thread_of (v, sample);
	const char *own = v->threads->count ? v->threads->names[thread] : "", *text;
	if (v->thread_functions[thread] != NONE)
		return list_add (&v->shown, v->thread_functions[thread], 0);
	snprintf (name, sizeof name, "[thread%s%s]", *own ? " " : "s without a name", own);
	if (v->options->threads == MONOCLE__THREADS_ONLY)
		snprintf (name, sizeof name, "%s", *own ? own : "(no name)");
	text = monocle__profile_text (v->copy.to, name, strlen (name));
	return text && add_made (v, &v->thread_functions[thread], text);
}

static void
reverse (uint32_t *numbers, size_t count)
{
	for (size_t i = 0, k = count; i + 1 < k; i++) {
		uint32_t number = numbers[i];
		numbers[i] = numbers[--k];
		numbers[k] = number;
	}
}

static bool
has_value (const monocle__profile *profile, size_t sample, const char *type)
{
	size_t value = monocle__profile_find_value (profile, type);
	return value != SIZE_MAX && monocle__profile_values (profile, sample)[value] != 0;
}

/* One profile may be of several processes. */
static bool
is_of_test_host (const view *v, const monocle__sample *sample)
{
	for (size_t i = 0; i < sample->label_count; i++) {
		const monocle__label *label = &v->from->labels[sample->labels + i];
		if (strcmp (label->key, "process") == 0 && label->text)
			return monocle__view_matches (label->text, test_hosts);
	}
	return v->is_test_host;
}

static bool
make_stack (view *v, size_t index)
{
	const monocle__sample *sample = &v->from->samples[index];
	const uint32_t *frames = v->from->frames + sample->frames;
	v->shown.count = v->taken.count = 0;
	v->is_leaf_hidden = false;
	v->is_test = is_of_test_host (v, sample);
	v->has_types = has_value (v->from, index, "exceptions") || has_value (v->from, index, "rethrown");
	if (v->options->threads != MONOCLE__THREADS_NOT && !add_thread (v, index))
		return false;
	if (v->options->threads != MONOCLE__THREADS_ONLY) {
		size_t before = v->shown.count;
		if (!add_frames (v, frames, sample->depth))
			return false;
		if (sample->depth && v->shown.count == before) {
			v->is_leaf_hidden = false;
			if (!add_stand_in (v, frames, sample->depth))
				return false;
		}
	}
	reverse (v->shown.functions, v->shown.count);
	reverse (v->shown.places, v->shown.count);
	return true;
}

/* Hidden frames count in totals, but not on their lines. */
static bool
copy_places (view *v)
{
	return !v->shown.count || monocle__profile_set_places (v->copy.to, v->shown.places, v->shown.count);
}

/* A frame that is not shown leaves its caller what it cost, but not how often it was called. */
static void
forget_calls (view *v)
{
	monocle__profile *to = v->copy.to;
	size_t calls = monocle__profile_find_value (to, "calls");
	if (calls != SIZE_MAX)
		to->values[(to->sample_count - 1) * to->value_count + calls] = 0;
}

static bool
mark_idle (view *v)
{
	return monocle__profile_add_label (v->copy.to, &(monocle__label) { MONOCLE__IDLE_LABEL, NULL, 1, "" });
}

static bool
copy_samples (view *v)
{
	for (size_t i = 0; i < v->from->sample_count; i++) {
		if (!is_kept (v, i))
			continue;
		if (!make_stack (v, i) || !monocle__profile_copy_values (&v->copy, i, v->shown.functions, v->shown.count) ||
		    !monocle__profile_hide_frames (v->copy.to, v->taken.functions, v->taken.count) || !copy_places (v))
			return false;
		if (v->is_leaf_hidden)
			forget_calls (v);
		if (v->idle && v->idle[i] && !mark_idle (v))
			return false;
	}
	return true;
}

static bool
copy_slow_calls (view *v)
{
	for (size_t i = 0; i < v->from->slow_call_count; i++) {
		const monocle__slow_call *call = &v->from->slow_calls[i];
		if (v->options->thread_globs && !monocle__view_matches (call->thread_name, v->options->thread_globs))
			continue;
		if (is_kept_stack (v, v->from->frames + call->frames, call->depth) &&
		    !monocle__profile_copy_slow_call (&v->copy, call))
			return false;
	}
	return true;
}

/* --- comments ----------------------------------------------------------------------------------------------------- */

static bool
add_comment (view *v, const char *text)
{
	const char *own = monocle__profile_text (v->copy.to, text, strlen (text));
	return own && monocle__profile_add_comment (v->copy.to, own);
}

static bool
copy_comments (view *v)
{
	char text[NAME_SIZE];
	for (size_t i = 0; i < v->from->comment_count; i++) {
		const char *comment = v->from->comments[i];
		if (v->options->names == MONOCLE__NAMES_CSHARP && monocle__shown_comment (comment, text, sizeof text))
			comment = text;
		if (!add_comment (v, comment))
			return false;
	}
	return true;
}

static bool
tell_choices (view *v, const char *key, const char *const *words)
{
	char text[NAME_SIZE];
	for (; words && *words; words++) {
		snprintf (text, sizeof text, "%s: %s", key, *words);
		if (!add_comment (v, text))
			return false;
	}
	return true;
}

static bool
tell_idle (view *v)
{
	char text[160], amount[64];
	int64_t sum = 0;
	size_t value = monocle__profile_main_value (v->from);
	if (!v->idle || v->options->idle != MONOCLE__IDLE_LEFT_OUT)
		return true;
	for (size_t i = 0; i < v->from->sample_count; i++)
		sum = monocle__add (sum, v->idle[i] ? monocle__profile_values (v->from, i)[value] : 0);
	monocle__amount_format (sum, v->from->value_types[value].unit, amount, sizeof amount);
	snprintf (text, sizeof text,
	          "idle: %s of threads that waited for work, a timer or I/O is left out; --idle shows it", amount);
	return add_comment (v, text);
}

static bool
tell_view (view *v)
{
	const monocle__view_options *options = v->options;
	bool has_cost = monocle__profile_find_value (v->from, "threads") == SIZE_MAX; /* a snapshot counts threads */
	if (options->mine && !add_comment (v, has_cost ? "mine: only the program's own code is shown, with the cost of "
	                                                 "what it called"
	                                               : "mine: only the program's own code is shown"))
		return false;
	if (!tell_idle (v))
		return false;
	if (v->is_folded &&
	    !add_comment (v, "frames: the framework's above the program's own are folded; --all-frames shows them"))
		return false;
	return tell_choices (v, "threads", options->thread_globs) &&
	       tell_choices (v, "processes", options->process_globs) && tell_choices (v, "focus", options->focus) &&
	       tell_choices (v, "ignore", options->ignore) && tell_choices (v, "hide", options->hide);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* A program of which all threads had nothing to do is shown as it is. */
static bool
init_idle (view *v)
{
	size_t count = v->from->sample_count, found = 0;
	if (v->options->idle == MONOCLE__IDLE_SHOWN || !monocle__idle_is_told (v->from))
		return true;
	v->idle = calloc (count + 1, 1);
	if (!v->idle)
		return false;
	for (size_t i = 0; i < count; i++)
		found += v->idle[i] = monocle__idle_is (v->from, i, v->origins);
	if (found == 0 || found == count) {
		free (v->idle);
		v->idle = NULL;
	}
	return true;
}

static bool
view_init (view *v)
{
	size_t count = v->from->function_count;
	char program[256];
	v->names = calloc (count + 1, sizeof *v->names);
	v->origins = calloc (count + 1, 1);
	v->marks = calloc (count + 1, 1);
	if (!monocle__profile_copy_init (&v->copy, v->from, false) || !v->names || !v->origins || !v->marks)
		return false;
	v->copy.names = v->names;
	monocle__origin_program (v->from, program, sizeof program);
	v->is_test_host = monocle__view_matches (program, test_hosts);
	for (size_t i = 0; i < count; i++)
		v->origins[i] = (uint8_t) monocle__origin_of (&v->from->functions[i], program);
	v->is_other_process = v->options->process_globs && !is_wanted_process (v->from, v->options->process_globs);
	return init_idle (v);
}

/* Names in the source's words no longer tell whose code it is. */
static void
tell_origins (view *v)
{
	for (size_t i = 0; i < v->from->function_count; i++) {
		uint32_t index = v->copy.functions[i];
		if (index < v->copy.to->function_count)
			v->copy.to->functions[index].origin =
			    1 + (v->marks[i] & FOCUS ? (uint8_t) MONOCLE__ORIGIN_OWN : v->origins[i]);
	}
}

static bool
view_make (view *v)
{
	const monocle__view_options *options = v->options;
	if (options->names == MONOCLE__NAMES_CSHARP && !make_names (v))
		return false;
	if (options->tell_images && !tell_images (v))
		return false;
	return mark_all (v, options->focus, FOCUS) && mark_all (v, options->ignore, IGNORE) &&
	       mark_all (v, options->hide, HIDE) && init_threads (v) && copy_comments (v) && copy_samples (v) &&
	       copy_slow_calls (v) && tell_view (v);
}

static void
view_done (view *v)
{
	monocle__profile_copy_done (&v->copy);
	monocle__threads_free (v->threads);
	free (v->names);
	free (v->origins);
	free (v->marks);
	free (v->thread_functions);
	free (v->unwanted_threads);
	free (v->idle);
	free (v->shown.functions);
	free (v->shown.places);
	free (v->taken.functions);
	free (v->taken.places);
}

monocle__profile *
monocle__view_new (const monocle__profile *profile, const monocle__view_options *options)
{
	view v = { .from = profile, .options = options, .framework = NONE, .resumed = NONE, .hidden_frame = NONE };
	monocle__profile *made = NULL;
	if (view_init (&v) && view_make (&v)) {
		tell_origins (&v);
		made = v.copy.to;
		v.copy.to = NULL;
	}
	view_done (&v);
	return made;
}
