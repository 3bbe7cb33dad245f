/*
 * SPDX-License-Identifier: MIT
 *
 * top-rates.h - what a process did in the last interval, and the words for it.
 */
#ifndef MONOCLE_TOOLS_TOP_RATES_H
#define MONOCLE_TOOLS_TOP_RATES_H

#include "live-watch.h"

typedef struct {
	uint64_t silence;                    /* nanoseconds in which nothing came, when it is too long; else 0 */
	uint64_t time;                       /* of CLOCK_MONOTONIC; 0: nothing was read yet */
	double rates[MONOCLE__LIVE_FIGURES]; /* of sums, a second */
	uint64_t values[MONOCLE__LIVE_FIGURES];
	bool is_known[MONOCLE__LIVE_FIGURES];
	bool is_mute; /* the runtime, a Mono, tells none */
} monocle__top_rates;

/* "no figures for 7 s", or "": a program that is stopped, or stands still, sends none. */
const char *monocle__top_rates_silence (const monocle__top_rates *rates);

enum { MONOCLE__TOP_LINES = 5, MONOCLE__TOP_LINE_SIZE = 256 };

void monocle__top_rates_read (monocle__top_rates *rates, const monocle__live_watched *at);
/* What matters most, in one line that no screen is needed for. */
void monocle__top_rates_line (const monocle__top_rates *rates, char line[MONOCLE__TOP_LINE_SIZE]);
/* Lines of 80 columns, for a screen. */
void monocle__top_rates_lines (const monocle__top_rates *rates, char lines[MONOCLE__TOP_LINES][MONOCLE__TOP_LINE_SIZE]);

#endif
