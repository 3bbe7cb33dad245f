/*
 * SPDX-License-Identifier: MIT
 *
 * test_roster.c - the line that says which modules were loaded, when there are more of them than it has room for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/roster.h"

static char path[] = "/tmp/monocle-roster-XXXXXX";

/* The last line of the log. */
static const char *
last_line (void)
{
	static char line[4096];
	FILE *file = fopen (path, "r");
	assert_non_null (file);
	while (fgets (line, sizeof line, file))
		;
	fclose (file);
	return line;
}

static void
modules_without_room_are_counted_once (void **state)
{
	for (int i = 0; i < 40; i++) {
		char name[128];
		snprintf (name, sizeof name, "%0100d", i);
		monocle__roster_add (name, (void *) last_line);
	}
	monocle__roster_say ("tested");
	assert_non_null (strstr (last_line (), " more; the runtime is tested\n"));
	monocle__roster_add ("late", (void *) last_line);
	assert_non_null (strstr (last_line (), "loaded late from "));
	assert_null (strstr (last_line (), " more; "));
}

int
main (void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test (modules_without_room_are_counted_once) };
	int fd = mkstemp (path);
	if (fd < 0)
		return 1;
	close (fd);
	setenv ("MONOCLE_LOG", path, 1);
	setenv ("MONOCLE_LOG_LEVEL", "info", 1);
	int failed = cmocka_run_group_tests (tests, NULL, NULL);
	unlink (path);
	return failed;
}
