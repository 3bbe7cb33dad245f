/*
 * SPDX-License-Identifier: MIT
 *
 * check.h - MONOCLE_CHECK=1: modules' calls are held against the contracts of the functions they call.
 *
 * Every public function says where it may be called (contracts.def, and its comment in the headers). A call that is not
 * allowed often works, until the day it deadlocks. With checks on, the module's own slots for mono_* functions (its
 * global offset table) are rewritten when it is loaded: each leads to a thunk of this module and function, which looks
 * where the calling thread is, then goes on to the function. Callbacks that the module sets are wrapped, so that a
 * thread knows where it is. Nothing of this exists while checks are off, and calls of others are never checked.
 *
 *     module's code --call--> slot --> thunk --> monocle__check_call () --> the function, or its documented failure
 *     runtime --raise--> wrapper: enter a place --> module's callback --> leave it
 *
 * Callbacks that others wait for are timed on the way (check-slow.c).
 *
 * check.c judges, check-module.c patches, check-callbacks.c and check-signals.c wrap, arch/ has the thunk. All of it
 * knows no host: it is compiled into the core and into Mono's umbrella.
 */
#ifndef MONOCLE_CHECK_H
#define MONOCLE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* --- for candidate.c ---------------------------------------------------------------------------------------------- */

/* Calls `init (desc)`, with checks when they are wanted. `name` as users know the module. Normal context. */
void monocle__check_start (const char *name, void (*init) (const char *desc), const char *desc);

/* Does the init function of some module run right now? Any context. */
bool monocle__check_starting (void);

/* --- what the library knows that contains this (core: check-host.c; umbrella: lib/mono/check-mono.c) -------------- */

/* Does the runtime know the calling thread? Any context. */
bool monocle__check_thread_is_known (void);
/* Would mono_profiler_enable_* () still be heard? Any context. */
bool monocle__check_window_is_open (void);
/* Would a call from a thread that is not known end the process? */
bool monocle__check_strangers_die (void);

/* --- places (check.c) --------------------------------------------------------------------------------------------- */

enum {
#define PLACE(name, skipped, text) MONOCLE__PLACE_##name,
#include "check.def"
#undef PLACE
	MONOCLE__PLACES
};

enum {
#define PLACE(name, skipped, text) IN_##name = 1 << MONOCLE__PLACE_##name,
#include "check.def"
#undef PLACE
};

/* One callback of a module that a thread is in. It is on the thread's stack, inside the wrapper. */
typedef struct monocle__stay {
	struct monocle__stay *below; /* what it interrupted or is nested in; NULL: nothing */
	const char *name;            /* of the event */
	uint32_t places;             /* of the callback itself */
	uint32_t all_places;         /* and of everything below */
	void *callback;              /* the module's function, for a wrapper that gets no other word of its own */
} monocle__stay;

/* False: no key for threads could be had, so nothing can be checked. Normal context. */
bool monocle__check_init (void);
/* Any context. The two calls pair on one thread. */
void monocle__check_enter (monocle__stay *stay, const char *name, uint32_t places);
void monocle__check_leave (monocle__stay *stay);
/* Where the calling thread is; NULL: in no callback. */
monocle__stay *monocle__check_stay (void);

/* --- how long callbacks take (check-slow.c) ----------------------------------------------------------------------- */

/* The slow callbacks of one module and event. Any thread. */
typedef struct monocle__slowness {
	struct monocle__slowness *next; /* of those that are not 0 */
	const char *module, *event;
	_Atomic (uint64_t) count;
	_Atomic (uint64_t) longest; /* ns */
} monocle__slowness;

/* One callback that is timed; on its thread's stack. */
typedef struct {
	uint32_t places;             /* where others wait; 0: nowhere, it is not timed */
	uint64_t wall, cpu;          /* ns */
	long voluntary, involuntary; /* switches to other threads */
} monocle__watch;

/* Around a callback, inside its stay. What is slow is reported, once; the rest is counted, and told at the exit. */
void monocle__check_watch_begin (monocle__watch *watch, const monocle__stay *stay);
/* `subject`: the event's first argument. */
void monocle__check_watch_end (const monocle__watch *watch, monocle__slowness *slow, uintptr_t subject);

/* --- contracts (contracts.def) ------------------------------------------------------------------------------------ */

typedef struct {
	const char *function;
	uint8_t need;      /* MONOCLE__NEED_* */
	bool needs_thread; /* of those that the runtime knows */
	intptr_t failure;  /* what the function returns when it fails */
} monocle__contract;

enum {
#define NEED(name, not_in, only_in, text) MONOCLE__NEED_##name,
#include "check.def"
#undef NEED
};

/* NULL: the function has none. */
const monocle__contract *monocle__check_contract_of (const char *function);

/* --- one function that one module calls (check-module.c) ---------------------------------------------------------- */

typedef struct {
	void *gate;                        /* first: the thunk jumps through it */
	void *target;                      /* the function */
	void *replacement;                 /* ours in its place, NULL: none; gets the import as sixth argument */
	const monocle__contract *contract; /* NULL: none */
	const char *module, *function;
	const void *map;           /* the module, as the dynamic linker knows it */
	_Atomic uint32_t reported; /* places, a bit each */
} monocle__import;

/* What a thunk does next: calls `function`, with `word` as sixth argument unless it is 0; or returns `word`. */
typedef struct {
	void *function;
	intptr_t word;
} monocle__verdict;

/* The gate's question. Any context, errno stays. */
monocle__verdict monocle__check_call (monocle__import *import);

/* Does the address belong to that object? Normal context. */
bool monocle__check_lies_in (const void *map, void *address);

/* Our function in the place of `function`, NULL: none. */
void *monocle__check_callback_replacement (const char *function);
void *monocle__check_signal_replacement (const char *function);

#endif
