/*
 * SPDX-License-Identifier: MIT
 *
 * top-screen.h - the picture of `monocle top`, and what keys do to it.
 */
#ifndef MONOCLE_TOOLS_TOP_SCREEN_H
#define MONOCLE_TOOLS_TOP_SCREEN_H

#include "live-threads.h"
#include "live-watch.h"
#include "terminal.h"
#include "top-methods.h"
#include "top-rates.h"
#include "top-sampler.h"

typedef enum { MONOCLE__TOP_THREADS, MONOCLE__TOP_METHODS, MONOCLE__TOP_VIEWS } monocle__top_view;

typedef struct {
	monocle__live_thread *rows; /* of the last reading */
	size_t count;
	double *shares; /* by row: of a CPU, in the last interval */
	pid_t pid;
	uint64_t time;
} monocle__top_threads;

typedef struct {
	monocle__live_watch *watch;
	monocle__terminal terminal;
	monocle__top_rates rates[MONOCLE__LIVE_WATCHED_MOST];
	monocle__top_threads threads;
	monocle__top_methods methods;
	monocle__top_sampler sampler;
	pid_t methods_pid;
	bool has_methods;
	size_t process; /* which one is shown */
	monocle__top_view view;
	bool by_total, by_name; /* methods: by total, not self; threads: by name, not CPU */
	bool is_frozen, is_searching, has_help;
	char search[64];
	size_t first; /* row of the table */
	char note[160];
	void (*quit) (void *context);
	void *context;
} monocle__top_screen;

/* Reads what has changed, unless the screen is frozen, and draws. */
void monocle__top_screen_tick (monocle__top_screen *screen);
void monocle__top_screen_draw (monocle__top_screen *screen);
void monocle__top_screen_key (monocle__top_screen *screen, int key);
void monocle__top_screen_done (monocle__top_screen *screen);

#endif
