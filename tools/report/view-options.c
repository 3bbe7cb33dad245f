/*
 * SPDX-License-Identifier: MIT
 *
 * view-options.c - see view-options.h.
 */
#include "view-options.h"

#include <stdint.h>
#include <stdlib.h>

#include "command/command.h"
#include "threads.h"

monocle__choice
monocle__view_options_names_choice (size_t index)
{
	static const char *const names[] = { [MONOCLE__NAMES_CSHARP] = "csharp", [MONOCLE__NAMES_MONO] = "mono" };
	return (monocle__choice) { index < sizeof names / sizeof *names ? names[index] : NULL, NULL };
}

bool
monocle__view_options_try_regex (const char *text, void *list)
{
	regex_t regex;
	if (regcomp (&regex, text, MONOCLE__VIEW_REGEX) != 0)
		return false;
	regfree (&regex);
	return monocle__word_list_try_add (text, list);
}

const char *
monocle__view_options_given (const monocle__view_arguments *arguments)
{
	const struct {
		bool is_given;
		const char *name;
	} rows[] = {
		{ arguments->all_frames, "--all-frames" },
		{ arguments->folded, "--fold" },
		{ arguments->mine, "--mine" },
		{ arguments->focus.count, "--focus" },
		{ arguments->ignore.count, "--ignore" },
		{ arguments->hide.count, "--hide" },
		{ arguments->thread.count, "--thread" },
		{ arguments->process.count, "--process" },
		{ arguments->names != SIZE_MAX, "--names" },
		{ arguments->threads, "--threads" },
		{ arguments->idle, "--idle" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].is_given)
			return rows[i].name;
	}
	return NULL;
}

static const char *const *
words_of (const monocle__word_list *list)
{
	return list->count ? list->words : NULL;
}

static monocle__view_options
options_of (const monocle__view_plan *plan)
{
	const monocle__view_arguments *arguments = plan->arguments;
	bool for_people = plan->by_default == MONOCLE__VIEW_FOR_PEOPLE;
	monocle__view_options options = {
		.names = for_people ? MONOCLE__NAMES_CSHARP : MONOCLE__NAMES_MONO,
		.fold = !plan->is_page && ((for_people && !arguments->all_frames) || arguments->folded),
		.mine = arguments->mine,
		.tell_images = plan->tell_images && for_people,
		.focus = words_of (&arguments->focus),
		.ignore = words_of (&arguments->ignore),
		.hide = words_of (&arguments->hide),
		.thread_globs = words_of (&arguments->thread),
		.process_globs = words_of (&arguments->process),
	};
	if (plan->is_page)
		options.idle = MONOCLE__IDLE_MARKED;
	else if (plan->leaves_out_idle && for_people && !arguments->idle)
		options.idle = MONOCLE__IDLE_LEFT_OUT;
	if (arguments->names != SIZE_MAX)
		options.names = (monocle__names) arguments->names;
	if (arguments->threads)
		options.threads = plan->is_table ? MONOCLE__THREADS_ONLY : MONOCLE__THREADS_ROOT;
	return options;
}

monocle__profile *
monocle__view_options_for_people (const monocle__profile *profile)
{
	static const monocle__view_options options = { .fold = true, .tell_images = true, .idle = MONOCLE__IDLE_LEFT_OUT };
	return monocle__view_new (profile, &options);
}

/* --- what is left ------------------------------------------------------------------------------------------------- */

/* "main, worker, ..." */
static char *
list_threads (const monocle__threads *threads)
{
	enum { SHOWN = 8 };
	char *list = monocle__format ("%s", "");

	for (size_t i = 0; i < threads->count && i < SHOWN; i++) {
		const char *name = *threads->names[i] ? threads->names[i] : "(no name)";
		char *longer = monocle__format ("%s%s%.60s", list, i ? ", " : "", name);
		free (list);
		list = longer;
	}
	if (threads->count > SHOWN) {
		char *longer = monocle__format ("%s and %zu more", list, threads->count - SHOWN);
		free (list);
		list = longer;
	}
	return list;
}

/* Some samples are of a thread that is asked for, or nobody asks. False after one line. */
static bool
has_threads (const monocle__view_arguments *arguments, const monocle__threads *threads, const char *path)
{
	char *list;
	bool is_asked = arguments->thread.count || arguments->threads, has_match = !arguments->thread.count;
	for (size_t i = 0; i < threads->count && !has_match; i++)
		has_match = monocle__view_matches (threads->names[i], arguments->thread.words);
	if (!is_asked || (threads->count && has_match))
		return true;
	list = list_threads (threads);
	if (threads->count == 0)
		monocle__say ("%s does not tell threads apart: none of its samples has the label 'thread'; modules write it "
		              "with the option threads, as sample:threads",
		              path);
	else
		monocle__say ("no thread of %s matches '%s'; it has: %s", path, arguments->thread.words[0], list);
	free (list);
	return false;
}

static int
check_threads (const monocle__view_arguments *arguments, const monocle__profile *profile, const char *path)
{
	monocle__threads *threads;
	bool good;
	if (!arguments->thread.count && !arguments->threads)
		return MONOCLE__EXIT_OK;
	threads = monocle__threads_new (profile);
	if (!threads)
		monocle__say ("%s: out of memory", path);
	good = threads && has_threads (arguments, threads, path);
	monocle__threads_free (threads);
	return good ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
}

static bool
is_empty (const monocle__profile *profile)
{
	return profile->sample_count == 0 && profile->slow_call_count == 0;
}

int
monocle__view_options_apply (const monocle__view_plan *plan, const char *path, monocle__profile **profile)
{
	monocle__view_options options = options_of (plan);
	monocle__profile *shown;
	int code = check_threads (plan->arguments, *profile, path);
	bool was_empty = is_empty (*profile);
	if (code != MONOCLE__EXIT_OK)
		return code;
	shown = monocle__view_new (*profile, &options);
	if (!shown) {
		monocle__say ("%s: out of memory", path);
		return MONOCLE__EXIT_FAILED;
	}
	monocle__profile_free (*profile);
	*profile = shown;
	if (is_empty (shown) && !was_empty) {
		monocle__say ("nothing of %s is left: no stack is as the options ask", path);
		return MONOCLE__EXIT_FAILED;
	}
	return MONOCLE__EXIT_OK;
}
