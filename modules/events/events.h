/*
 * SPDX-License-Identifier: MIT
 *
 * events.h - what the files of the module share.
 */
#ifndef MONOCLE_MODULES_EVENTS_H
#define MONOCLE_MODULES_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/profiler.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

/* --- the events (choice.c): every row of the two tables ----------------------------------------------------------- */

enum { ARGUMENTS_MAX = 5 };

/* As <monocle/events.def> has them. */
enum {
	USUAL,
	NAMED, /* nobody gets it who did not name it: it changes the program, or fills the disk */
	NEVER, /* it comes in signal handlers, where a line may not be made */
};

typedef struct {
	const char *name;
	void (*set) (MonoProfilerHandle handle, void *callback); /* NULL: this host has no such event */
	unsigned count;
	const char *types[ARGUMENTS_MAX]; /* as the row spells them */
	const char *names[ARGUMENTS_MAX];
	uint8_t choice; /* USUAL, NAMED, NEVER */
	int closes;     /* the index of the event that began what this one ends; -1: none */
	bool is_chosen;
} event;

extern event all_events[];
extern const size_t event_count;

/*
 * Chooses by three lists of words, PREFIX+PREFIX..., each may be NULL: `only` these; the usual ones `also` with these,
 * `without` those. A word stands for every event whose name begins with it. False: a word that fits no event; one line
 * was logged.
 */
bool choose_events (const char *only, const char *also, const char *without);
/* Calls as well. */
void choose_calls (void);
bool is_chosen (const char *name);

/* --- values as text (show.c) -------------------------------------------------------------------------------------- */

typedef struct {
	char *at, *end; /* room for one more character and a NUL is always kept */
} text;

void put (text *out, const char *string);
/* Filled up in front to `width`. */
void put_number (text *out, uint64_t value, unsigned base, int width, char filler);

/* How a C type is passed and shown. */
typedef struct {
	const char *spelled;
	uint8_t size; /* 4 or 8 bytes */
	void (*show) (text *out, const void *value);
} kind;

/* How an argument of that type is shown in the event of that name. NULL: no row for the type, which a test forbids. */
const kind *kind_of (const char *name, const char *type);

/* --- the tap (tap.c): one function behind every callback ---------------------------------------------------------- */

/* Sets callbacks for all chosen events. False: no memory for closures; one line was logged. */
bool tap_install (MonoProfilerHandle handle, monocle_kit_text *log, bool indent, bool clock);
/* No lines from now on, or lines again. Any thread. */
void tap_silence (bool silent);
/* Gives back what it has, and the log, when no thread is in the module any more. */
void tap_leave (void);

#endif
