/*
 * SPDX-License-Identifier: MIT
 *
 * look.c - the stacks of all threads, once, for who asks over the control socket (monocle/stacks.h).
 *
 * The module may be at work at the same time, or not have been started at all: nothing here is what the module counts,
 * and what both use is theirs together (the names of places, the runtime's libraries), or each has its own. Threads are
 * looked at by the host, without events: no module is told of a hit that nobody asked it for.
 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/profiler.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>
#include <monocle/kit.h>
#include <monocle/stacks.h>

#include "drain-thread.h"

enum { DEPTH = 256, LOOK_MS = 1000, WRITE_MS = 10000, STEP_NS = 5000000, TRIES = 4 };

struct look {
	const MonocleStacks *request;
	monocle_kit_stacks *stacks;
	struct frames frames;
	struct states states;
	char program[THREAD_NAME]; /* of the first thread, as the kernel has it */
	atomic_uint added;
	atomic_bool is_short; /* some stack was not walked to its end, because Mono has to be asked first */
};

/* --- one thread: in a signal handler, or from outside ------------------------------------------------------------- */

static void
name_thread (struct look *look, const struct subject *subject)
{
	char name[THREAD_NAME];
	const char *known = runtime_thread_name (subject, look->program, name);
	if (known)
		monocle_kit_stacks_thread_name (look->stacks, subject->tid, known);
}

static void
take (struct look *look, const struct subject *subject, uintptr_t ip, stack_walker walk_it, const void *from)
{
	enum { FEW = 16 };
	monocle_kit_frame few[FEW + STACK_MORE], *frames = frames_take (&look->frames);
	struct stack stack = { .frames = frames ? frames : few, .ip = ip, .has_lines = true };
	const uint64_t values[2] = { look->request->is_async ? 0 : 1, look->request->is_async ? 1 : 0 };
	stack.room = frames ? DEPTH : FEW;
	stack.work = runtime_own_work (subject->tid);
	name_thread (look, subject);
	bool whole = walk_it (&stack, from);
	stack_complete (&stack, subject, whole);
	if (!whole && !subject->asleep)
		look->is_short = true;
	uintptr_t state = state_frame (&look->states, subject, subject->asleep ? NULL : from);
	if (state)
		stack.frames[stack.count++] = (monocle_kit_frame) { (void *) state, 0 };
	monocle_kit_stacks_add (look->stacks, stack.frames, stack.count, subject->tid, values);
	look->added++;
	if (frames)
		frames_give_back (&look->frames, frames);
}

static void
hit (void *data, const mono_byte *ip, const void *context)
{
	struct subject self = subject_self ();
	take (data, &self, (uintptr_t) ip, stack_walk, context);
}

static void
see_asleep (void *data, uintptr_t tid, uint64_t os_id, const MonocleAsleep *asleep)
{
	struct subject subject = { .tid = tid, .asleep = (int) os_id };
	take (data, &subject, asleep->frames[0].ip, stack_walk_asleep, asleep);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Of what was not known to be code the runtime is asked when a walk has met it. Has some been found since? */
static bool
await_code (const MonocleStacks *request, uint64_t before)
{
	uint64_t found = 0;
	if (!monocle_code_awaited)
		return false;
	for (int i = 0; monocle_code_awaited (&found) && i < LOOK_MS && !request->is_over (); i += STEP_NS / 1000000)
		nanosleep (&(struct timespec) { .tv_nsec = STEP_NS }, NULL);
	return found != before;
}

static uint64_t
code_found (void)
{
	uint64_t found = 0;
	if (monocle_code_awaited)
		monocle_code_awaited (&found);
	return found;
}

/* As monocle/stacks.h has it. */
static int
look_once (struct look *look)
{
	const MonocleLook visitor = { .size = sizeof visitor, .data = look, .hit = hit, .asleep = see_asleep };
	look->added = 0;
	look->is_short = false;
	state_look (&look->states);
	return look->request->look (&visitor, LOOK_MS);
}

/* What one look has met the next one can name. */
static int
look_until_named (struct look *look)
{
	const MonocleStacks *request = look->request;
	for (int i = 0;; i++) {
		uint64_t before = code_found ();
		int missing = look_once (look);
		bool is_better = missing >= 0 && await_code (request, before);
		if (missing < 0 || i == TRIES || request->is_over () || (!is_better && !look->is_short))
			return missing;
		monocle_kit_stacks_sync (look->stacks, WRITE_MS);
		monocle_kit_stacks_reset (look->stacks, WRITE_MS);
	}
}

/* --- async methods ------------------------------------------------------------------------------------------------ */

static void
say_of_async (void *data, const char *line)
{
	const struct look *look = data;
	char text[160];
	snprintf (text, sizeof text, "async: %s", line);
	look->request->say (look->request->data, text);
}

static void
look_for_async (struct look *look)
{
	const MonocleStacks *request = look->request;
	if (!request->is_async || request->is_over ())
		return;
	mono_profiler_set_gc_event_callback (request->handle, async_gc_event);
	async_take (look->stacks, DEPTH, say_of_async, look);
	mono_profiler_set_gc_event_callback (request->handle, NULL);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static bool
open_stacks (struct look *look)
{
	const MonocleStacks *request = look->request;
	char *runtime = mono_get_runtime_build_info ();
	monocle_kit_stacks_config config = {
		.size = sizeof config,
		.module = "snapshot",
		.output = request->output,
		.desc = "sample:lines,snapshot",
		.runtime = runtime,
		.values = { { "threads", "count" } },
		.period = 1,
		.threads = true,
		.resolve = name_resolve_place,
		.name = name_of_place,
		.begin = drain_thread_begin,
		.pieces = true,
		.apart = true,
		.shorten = monocle_event_support ? plumbing_leave_out : NULL,
	};
	if (request->is_async) {
		config.values[1] = config.values[0];
		config.values[0] = (monocle_kit_value_type) { "async", "count" };
	}
	look->stacks = monocle_kit_stacks_open (&config);
	mono_free (runtime);
	return look->stacks != NULL;
}

static void
say_missing (const MonocleStacks *request, int count)
{
	char text[100];
	snprintf (text, sizeof text, "%d thread%s did not answer, and %s not among these", count, count == 1 ? "" : "s",
	          count == 1 ? "is" : "are");
	if (count > 0)
		request->say (request->data, text);
}

/* NULL, or why there is no file. */
static const char *
fill (struct look *look)
{
	const MonocleStacks *request = look->request;
	int missing = look_until_named (look);
	if (missing == MONOCLE_STACKS_STUCK)
		return MONOCLE_STACKS_STAYS;
	if (missing < 0)
		return "its threads cannot be looked at";
	look_for_async (look);
	if (request->is_over ())
		return "it is ending";
	if (!look->added)
		return missing ? "no thread has answered" : "it has no threads that run managed code";
	say_missing (request, missing);
	return monocle_kit_stacks_cut (look->stacks, WRITE_MS) ? NULL : "the stacks cannot be written";
}

/* The module is not in the process otherwise, and nobody will tell it of threads that end. */
static void
leave (void)
{
	monocle_kit_aot_threads_end ();
	drain_thread_leave ();
	name_leave ();
}

static void
prepare (struct look *look)
{
	subject_program (look->program);
	if (monocle_event_support)
		runtime_look ();
	else
		monocle_kit_aot_look ();
}

__attribute__ ((visibility ("default"))) const char *monocle_stacks_take (const MonocleStacks *request);

const char *
monocle_stacks_take (const MonocleStacks *given)
{
	MonocleStacks request = { .size = 0 };
	struct look *look = calloc (1, sizeof *look);
	const char *error = "out of memory";
	memcpy (&request, given, given->size < sizeof request ? given->size : sizeof request);
	if (look && request.is_async && !monocle_event_support) {
		request.say (request.data, "async methods that wait cannot be found on Mono; there are threads only");
		request.is_async = 0;
	}
	if (look && frames_init (&look->frames, DEPTH + STACK_MORE)) {
		look->request = &request;
		prepare (look);
		error = open_stacks (look) ? fill (look) : "the stacks cannot be written";
		if (error && !strcmp (error, MONOCLE_STACKS_STAYS))
			return error;
		monocle_kit_stacks_close (look->stacks);
		monocle_kit_stacks_free (look->stacks);
		frames_leave (&look->frames);
	}
	if (!sample_is_started ())
		leave ();
	free (look);
	return error;
}
