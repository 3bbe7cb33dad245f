/*
 * SPDX-License-Identifier: MIT
 *
 * test_sample_module.c - the module `sample` on a host whose stacks are scripted: what becomes of each kind of frame.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "../core/child.h"

static char path[] = "/tmp/monocle-sample-XXXXXX";
static char *text; /* the profile's stacks, one a line: the outermost frame first, and how often */

/* --- the host ----------------------------------------------------------------------------------------------------- */

static const monocle_frame *the_frames;
static int the_count, the_result;

static int
walk_stack (void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	for (int i = 0; i < the_count; i++) {
		if (the_frames[i].kind == MONOCLE_FRAME_NATIVE && !(flags & MONOCLE_WALK_NATIVE))
			continue;
		if (visit (&the_frames[i], data))
			return 1;
	}
	return the_result;
}

static int
enable (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_SAMPLING;
}

__attribute__ ((noinline)) void native_outer (void);
__attribute__ ((noinline)) void native_inner (void);

void
native_outer (void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

void
native_inner (void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

static void
start (const char *options)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "scripted",
		.runtime_version = "scripted 1",
		.enable = enable,
		.walk_stack = walk_stack,
	};
	char desc[300];
	int fd = mkstemp (path);
	CHECK (fd >= 0);
	close (fd);
	snprintf (desc, sizeof desc, "sample:freq=1000,output=%s%s", path, options);
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	CHECK (monocle_host_load (desc) == MONOCLE_OK);
	monocle_host_startup_done ();
}

/* Uses the CPU for this long, then is hit. */
static void
burn_and_hit (long milliseconds, const monocle_frame *frames, int count, int result)
{
	struct timespec before, now;
	the_frames = frames;
	the_count = count;
	the_result = result;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &before);
	do
		clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - before.tv_sec) * 1000000000 + now.tv_nsec - before.tv_nsec < milliseconds * 1000000);
	monocle_raise_sample_hit ((const mono_byte *) native_inner, "context");
}

/* After so long that a sample is worth it at the usual frequency. */
static void
hit (const monocle_frame *frames, int count, int result)
{
	burn_and_hit (2, frames, count, result);
}

static void
finish (void)
{
	char command[400];
	monocle_raise_runtime_shutdown_begin ();
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
	snprintf (command, sizeof command, "%s convert --to=collapsed --names=mono --all-frames --value=samples -o - %s",
	          MONOCLE, path);
	FILE *pipe = popen (command, "r");
	text = calloc (1, 1 << 16);
	CHECK (pipe && text);
	text[fread (text, 1, (1 << 16) - 1, pipe)] = 0;
	CHECK (pclose (pipe) == 0);
	unlink (path);
	printf ("%s", text); /* Shown when a check fails. */
	fflush (stdout);
}

static bool
has_line (const char *line)
{
	size_t length = strlen (line);
	for (const char *found = text; (found = strstr (found, line)); found++)
		if ((found == text || found[-1] == '\n') && found[length] == '\n')
			return true;
	return false;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

#define NATIVE(function) \
	{ \
		.ip = (uintptr_t) function + 2, .kind = MONOCLE_FRAME_NATIVE \
	}
#define STUB \
	{ \
		.ip = 0x1000, .kind = MONOCLE_FRAME_STUB \
	}
#define NOBODY \
	{ \
		.ip = 0x2000, .start = (const void *) 0x2000, .kind = MONOCLE_FRAME_MANAGED \
	}

static const monocle_frame frames[] = { NATIVE (native_inner), STUB, NOBODY, NATIVE (native_outer) };

CHILD_TEST (frames_of_all_kinds_are_shown)
{
	start ("");
	hit (frames, 4, 0);
	hit (frames, 4, -1);
	hit (frames, 1, 0);
	hit (frames, 0, -1);
	finish ();
	CHECK (has_line ("[unknown];[stub] 1"));
	CHECK (has_line ("[truncated];[unknown];[stub] 1"));
	CHECK (has_line ("[native] 2"));
}

CHILD_TEST (native_frames_are_shown_on_request)
{
	start (",native,depth=3");
	hit (frames, 3, 0);
	hit (frames, 4, 0);
	finish ();
	CHECK (has_line ("[unknown];[stub];native_inner 1"));
	CHECK (has_line ("[truncated];[unknown];[stub];native_inner 1"));
}

CHILD_TEST (a_thread_that_used_nothing_is_not_sampled)
{
	start (",freq=10");
	for (int i = 0; i < 5; i++)
		burn_and_hit (100, frames, 4, 0);
	for (int i = 0; i < 100; i++) /* Next to nothing was used in between, also under a sanitizer: no samples. */
		monocle_raise_sample_hit ((const mono_byte *) native_inner, "context");
	finish ();
	CHECK (has_line ("[unknown];[stub] 5"));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (frames_of_all_kinds_are_shown),
		cmocka_unit_test (native_frames_are_shown_on_request),
		cmocka_unit_test (a_thread_that_used_nothing_is_not_sampled),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
