/*
 * SPDX-License-Identifier: MIT
 *
 * topic-choice.h - what a user wants to see of a profile that is about several things.
 */
#ifndef MONOCLE_TOOLS_TOPIC_CHOICE_H
#define MONOCLE_TOOLS_TOPIC_CHOICE_H

#include "command/options.h"
#include "profile.h"

/* What --topic and --shot said. SIZE_MAX: it was not given. */
typedef struct {
	size_t topic, shot;
} monocle__topic_choice;

#define MONOCLE__TOPIC_CHOICE_NONE \
	(monocle__topic_choice) \
	{ \
		SIZE_MAX, SIZE_MAX \
	}

/* The rows of the two options; `member` of a command's arguments is a monocle__topic_choice. */
#define MONOCLE__TOPIC_CHOICE_OPTIONS(arguments, member) \
	{ "topic", \
	  0, \
	  MONOCLE__OPTION_CHOICE, \
	  offsetof (arguments, member.topic), \
	  NULL, \
	  "of a profile that is about several things (.mlpd): only this one", \
	  .choice = monocle__topic_choice_name }, \
	{ \
		"shot", 0, MONOCLE__OPTION_NUMBER, offsetof (arguments, member.shot), "N", \
		    "which heap shot of several, counted from 1; with it --topic=heapshot is meant.\nDefault: the last", \
		    .wanted = "takes the number of a heap shot" \
	}

monocle__choice monocle__topic_choice_name (size_t index);

/* Of what was given, the first option's name; NULL: nothing was. */
const char *monocle__topic_choice_given (const monocle__topic_choice *choice);

/*
 * Leaves what was asked for; nothing was: all of it. 0, or -1 after one line on stderr: the profile has nothing of it.
 */
int monocle__topic_choice_apply (const monocle__topic_choice *choice, const char *path, monocle__profile *profile);
/*
 * The same, but where nothing was asked for and the profile has topics, what is left is the topic with most to tell. A
 * comment says which others there are.
 */
int monocle__topic_choice_one (const monocle__topic_choice *choice, const char *path, monocle__profile *profile);

#endif
