/*
 * SPDX-License-Identifier: MIT
 *
 * topic-choice.c - see topic-choice.h.
 */
#include "topic-choice.h"

#include "column.h"
#include "command/command.h"
#include "topics.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

monocle__choice
monocle__topic_choice_name (size_t index)
{
	return (monocle__choice) { index < MONOCLE__TOPIC_COUNT ? monocle__topic_names[index] : NULL, NULL };
}

const char *
monocle__topic_choice_given (const monocle__topic_choice *choice)
{
	return choice->topic != SIZE_MAX ? "--topic" : choice->shot != SIZE_MAX ? "--shot" : NULL;
}

/* The topic's last value that is not zero throughout; SIZE_MAX: the profile has nothing of the topic. */
static size_t
find_value (const monocle__profile *profile, monocle__topic topic)
{
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < profile->value_count; i++) {
		if (monocle__topic_of (profile, i) == topic && monocle__profile_sum (profile, i) != 0)
			found = i;
	}
	return found;
}

/* "calls (1.234 s self), gc (12.5 ms gc_time)" without `but`; the caller frees. */
static char *
list_topics (const monocle__profile *profile, monocle__topic but)
{
	char *list = monocle__format ("%s", "");
	for (size_t i = 0; i < MONOCLE__TOPIC_COUNT; i++) {
		size_t value = i == (size_t) but ? SIZE_MAX : find_value (profile, (monocle__topic) i);
		char amount[64], *longer;
		if (value == SIZE_MAX)
			continue;
		monocle__amount_format (monocle__profile_sum (profile, value), profile->value_types[value].unit, amount,
		                        sizeof amount);
		longer = monocle__format ("%s%s%s (%s %s)", list, *list ? ", " : "", monocle__topic_names[i], amount,
		                          profile->value_types[value].type);
		free (list);
		list = longer;
	}
	return list;
}

static int
say_missing (const char *path, const monocle__profile *profile, monocle__topic topic)
{
	char *list = list_topics (profile, MONOCLE__TOPIC_COUNT);
	if (*list)
		monocle__say ("%s has nothing about %s; it has: %s", path, monocle__topic_names[topic], list);
	else
		monocle__say ("%s has nothing about %s", path, monocle__topic_names[topic]);
	free (list);
	return -1;
}

static int
keep (monocle__topic topic, size_t shot, const char *path, monocle__profile *profile)
{
	if (find_value (profile, topic) == SIZE_MAX)
		return say_missing (path, profile, topic);
	size_t last = monocle__topics_last_shot (profile);
	if (monocle__topics_keep (profile, topic, shot))
		return 0;
	monocle__say ("%s has no heap shot %zu; the last one is %zu", path, shot, last);
	return -1;
}

int
monocle__topic_choice_apply (const monocle__topic_choice *choice, const char *path, monocle__profile *profile)
{
	monocle__topic topic = choice->topic == SIZE_MAX ? MONOCLE__TOPIC_HEAPSHOT : (monocle__topic) choice->topic;
	if (!monocle__topic_choice_given (choice))
		return 0;
	if (choice->shot == SIZE_MAX)
		return keep (topic, 0, path, profile);
	if (topic == MONOCLE__TOPIC_HEAPSHOT && choice->shot > 0)
		return keep (topic, choice->shot, path, profile);
	monocle__say (choice->shot ? "--shot is for --topic=heapshot" : "heap shots are counted from 1");
	return -1;
}

/* Before the others: so many may follow that the last are not shown. */
static bool
try_say_others (monocle__profile *profile, const char *list)
{
	char *line = monocle__format ("also in it: %s; --topic=NAME shows one", list);
	const char *comment = monocle__profile_text (profile, line, strlen (line));
	bool added = comment && monocle__profile_add_comment (profile, comment);
	free (line);
	if (!added)
		return false;
	memmove (profile->comments + 1, profile->comments, (profile->comment_count - 1) * sizeof *profile->comments);
	profile->comments[0] = comment;
	return true;
}

int
monocle__topic_choice_one (const monocle__topic_choice *choice, const char *path, monocle__profile *profile)
{
	bool said;
	monocle__topic topic;
	char *list;
	if (monocle__topic_choice_given (choice) || monocle__topics_find (profile).count == 0)
		return monocle__topic_choice_apply (choice, path, profile);
	topic = monocle__topic_of (profile, monocle__profile_main_value (profile));
	list = list_topics (profile, topic);
	said = try_say_others (profile, list);
	free (list);
	if (!said) {
		monocle__say ("%s: out of memory", path);
		return -1;
	}
	return keep (topic, 0, path, profile);
}
