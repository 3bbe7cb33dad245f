/*
 * SPDX-License-Identifier: MIT
 *
 * shown-comment.c - see shown-comment.h.
 *
 * Where `monocle run` has a module write is a place that is gone when the profile is read; and runtimes do not say what
 * they are called.
 */
#include "shown-comment.h"

#include <stdio.h>
#include <string.h>

#include "spool-name.h"

static bool
begins_with (const char *text, const char *what)
{
	return strncmp (text, what, strlen (what)) == 0;
}

/* Options are separated by commas. A comma in a value is kept by quotes or a backslash: then nothing is left out. */
static bool
leave_out_output (const char *comment, char *buffer, size_t size)
{
	const char *option = strstr (comment, "output="), *end;
	size_t before;
	if (!option || option == comment || (option[-1] != ',' && option[-1] != ':') || strpbrk (comment, "\"'\\"))
		return false;
	end = strchr (option, ',');
	before = (size_t) (option - comment) - 1;
	snprintf (buffer, size, "%.*s%s%s", (int) before, comment, end ? (option[-1] == ':' ? ":" : ",") : "",
	          end ? end + 1 : "");
	return true;
}

void
monocle__shown_comment_runtime (const char *runtime, char *buffer, size_t size)
{
	static const char clr[] = " (CoreCLR)";
	const char *end = strstr (runtime, clr);
	if (*runtime < '0' || *runtime > '9')
		snprintf (buffer, size, "%s", runtime);
	else if (end && !end[strlen (clr)])
		snprintf (buffer, size, ".NET %.*s", (int) (end - runtime), runtime);
	else
		snprintf (buffer, size, "Mono %.*s", (int) strcspn (runtime, " "), runtime);
}

static bool
name_runtime (const char *comment, char *buffer, size_t size)
{
	static const char key[] = "runtime: ";
	char runtime[256];
	monocle__shown_comment_runtime (comment + strlen (key), runtime, sizeof runtime);
	snprintf (buffer, size, "%s%s", key, runtime);
	return strcmp (buffer, comment) != 0;
}

/* That less came than was asked for is how it should be, unless it was less than half. */
static bool
tell_rate (const char *comment, char *buffer, size_t size)
{
	double asked, achieved, more = 0;
	char samples[128];
	int fields = sscanf (comment, "rate: %lf Hz asked for, %lf Hz achieved: %127[^;]; %lf more", &asked, &achieved,
	                     samples, &more);
	if (fields < 3 || achieved * 2 < asked)
		return false;
	snprintf (buffer, size,
	          more >= 0.005 ? "rate: %.0f Hz, %s; %.2f more went into hitting sleepers" : "rate: %.0f Hz, %s", asked,
	          samples, more);
	return true;
}

/* In the words of who has stopped it. */
static bool
tell_end (const char *comment, char *buffer, size_t size)
{
	if (strcmp (comment, MONOCLE__SPOOL_DIED) != 0)
		return false;
	snprintf (buffer, size, "end: the process was killed, or died; this is complete up to that moment");
	return true;
}

bool
monocle__shown_comment (const char *comment, char *buffer, size_t size)
{
	if (begins_with (comment, "desc: "))
		return leave_out_output (comment, buffer, size);
	if (begins_with (comment, "rate: "))
		return tell_rate (comment, buffer, size);
	if (begins_with (comment, "end: "))
		return tell_end (comment, buffer, size);
	return begins_with (comment, "runtime: ") && name_runtime (comment, buffer, size);
}
