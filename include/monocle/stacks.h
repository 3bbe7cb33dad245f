/*
 * SPDX-License-Identifier: MIT
 *
 * monocle/stacks.h - the stacks of all threads, taken once in a process where Monocle is already.
 *
 * Whoever holds the threads (the core, or Mono's umbrella) and the module `sample`, which knows what frames are called
 * and how they are written, speak so with each other when `monocle stack` asks over the control socket. The module need
 * not have been loaded: its library is opened, asked and closed. Nothing here is a module's business otherwise.
 */
#ifndef MONOCLE_STACKS_H
#define MONOCLE_STACKS_H

#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

MONO_BEGIN_DECLS

/* What is called of each thread; on several threads at once. No event is raised for it. */
typedef struct {
	uint32_t size; /* sizeof (MonocleLook) */
	void *data;
	/* On the thread itself, in a signal handler: as sample_hit, and what may be done there may be done here. */
	void (*hit)(void *data, const mono_byte *ip, const void *context);
	/* As sample_asleep, of a thread that is not woken up: on the one that looks. */
	void (*asleep)(void *data, uintptr_t tid, uint64_t os_id, const MonocleAsleep *asleep);
} MonocleLook;

typedef struct {
	uint32_t size;      /* sizeof (MonocleStacks) */
	const char *output; /* an absolute path, in a folder that is there */
	mono_bool is_async; /* async methods that wait, too: costs a collection */
	/* Nobody else uses it; gc_event may be set while async methods are looked for. NULL: they cannot be. */
	MonoProfilerHandle handle;
	/*
	 * Calls `look` once of each thread, and waits for them, so many milliseconds at most. Answers how many threads did
	 * not come; negative: no thread can be looked at, or, MONOCLE_STACKS_STUCK, one has begun and does not come out, so
	 * that what `look` uses must stay. Otherwise nothing of `look` is in use when it returns. Normal context.
	 */
	int (*look)(const MonocleLook *look, uint32_t milliseconds);
	/* Is the process, or its runtime, about to end? Then there is no time left for this. Any context. */
	mono_bool (*is_over)(void);
	/* A line for who asked, of what is missing from the answer. */
	void (*say)(void *data, const char *line);
	void *data;
} MonocleStacks;

enum { MONOCLE_STACKS_STUCK = -1000 };

/*
 * What the module's library exports: writes the file, whole, before it returns NULL; else why there is none, as the end
 * of a sentence that stays. One call at a time, on a plain thread that the runtime does not know, with all signals
 * blocked. A library that has once answered MONOCLE_STACKS_STAYS must never be closed.
 */
#define MONOCLE_STACKS_TAKE  "monocle_stacks_take"
#define MONOCLE_STACKS_STAYS "a thread does not come out of a look at its stack"
typedef const char *(*MonocleStacksTake) (const MonocleStacks *request);

MONO_END_DECLS

#endif
