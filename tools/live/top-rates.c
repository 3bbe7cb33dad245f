/*
 * SPDX-License-Identifier: MIT
 *
 * top-rates.c - see top-rates.h.
 */
#include "top-rates.h"

#include "column.h"
#include "nanoseconds.h"

#include <stdio.h>
#include <string.h>

const char *
monocle__top_rates_silence (const monocle__top_rates *rates)
{
	static char words[48] = "";
	if (!rates->silence)
		return "";
	snprintf (words, sizeof words, "no figures for %.0f s", (double) rates->silence / 1e9);
	return words;
}

void
monocle__top_rates_read (monocle__top_rates *rates, const monocle__live_watched *at)
{
	const monocle__live_figures *figures = monocle__live_session_figures (at->session);
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	double seconds = (double) (now - (rates->time ? rates->time : at->since)) / 1e9;
	for (size_t i = 0; i < MONOCLE__LIVE_FIGURES; i++) {
		uint64_t before = rates->values[i];
		rates->values[i] = figures->values[i];
		rates->is_known[i] = figures->is_known[i];
		rates->rates[i] =
		    seconds > 0 && figures->values[i] >= before ? (double) (figures->values[i] - before) / seconds : 0;
	}
	rates->time = now;
	rates->is_mute = at->process.kind == MONOCLE__LIVE_MONO;
	rates->silence = monocle__live_session_silence (at->session);
}

/* A word of a line; a few may be in use at once. */
static const char *
amount (const monocle__top_rates *rates, monocle__live_figure figure)
{
	static const char *const units[] = { "count", "bytes", "nanoseconds" };
	static char words[16][32];
	static unsigned next;
	char *word = words[next++ % 16];
	if (!rates->is_known[figure])
		return "-";
	monocle__amount_format ((int64_t) rates->values[figure], units[monocle__live_figure_rows[figure].unit], word,
	                        sizeof words[0]);
	return word;
}

static const char *
bytes_rate (const monocle__top_rates *rates, monocle__live_figure figure)
{
	static char word[40];
	if (!rates->is_known[figure])
		return "-";
	monocle__amount_format ((int64_t) rates->rates[figure], "bytes", word, sizeof word);
	return word;
}

/* Of a second. */
static double
percent (const monocle__top_rates *rates, monocle__live_figure figure)
{
	return rates->rates[figure] / 1e7;
}

static void
mute_lines (const monocle__top_rates *rates, char lines[MONOCLE__TOP_LINES][MONOCLE__TOP_LINE_SIZE])
{
	for (size_t i = 1; i < MONOCLE__TOP_LINES; i++)
		lines[i][0] = '\0';
	snprintf (lines[0], MONOCLE__TOP_LINE_SIZE, "CPU %.1f %%   threads %s   memory %s",
	          percent (rates, MONOCLE__LIVE_CPU), amount (rates, MONOCLE__LIVE_THREADS),
	          amount (rates, MONOCLE__LIVE_RESIDENT));
	snprintf (lines[1], MONOCLE__TOP_LINE_SIZE, "Mono tells no more from outside");
}

void
monocle__top_rates_line (const monocle__top_rates *rates, char line[MONOCLE__TOP_LINE_SIZE])
{
	double collections =
	    rates->rates[MONOCLE__LIVE_GC_0] + rates->rates[MONOCLE__LIVE_GC_1] + rates->rates[MONOCLE__LIVE_GC_2];
	int used = snprintf (line, MONOCLE__TOP_LINE_SIZE, "CPU %.1f %%   threads %s   memory %s",
	                     percent (rates, MONOCLE__LIVE_CPU), amount (rates, MONOCLE__LIVE_THREADS),
	                     amount (rates, MONOCLE__LIVE_RESIDENT));
	if (rates->is_mute || used < 0 || used >= MONOCLE__TOP_LINE_SIZE)
		return;
	snprintf (line + used, (size_t) (MONOCLE__TOP_LINE_SIZE - used),
	          "   heap %s   allocated %s/s   collections %.1f/s   paused %.1f %%   exceptions %.1f/s   contended %.1f/s"
	          "   queue %s",
	          amount (rates, MONOCLE__LIVE_HEAP), bytes_rate (rates, MONOCLE__LIVE_ALLOCATED), collections,
	          percent (rates, MONOCLE__LIVE_GC_PAUSE), rates->rates[MONOCLE__LIVE_EXCEPTIONS],
	          rates->rates[MONOCLE__LIVE_CONTENTIONS], amount (rates, MONOCLE__LIVE_POOL_QUEUE));
}

void
monocle__top_rates_lines (const monocle__top_rates *rates, char lines[MONOCLE__TOP_LINES][MONOCLE__TOP_LINE_SIZE])
{
	size_t size = MONOCLE__TOP_LINE_SIZE;
	if (rates->is_mute) {
		mute_lines (rates, lines);
		return;
	}
	snprintf (lines[0], size, "CPU %.1f %%   threads %s   memory %s   methods %s, compiling %.1f %%",
	          percent (rates, MONOCLE__LIVE_CPU), amount (rates, MONOCLE__LIVE_THREADS),
	          amount (rates, MONOCLE__LIVE_RESIDENT), amount (rates, MONOCLE__LIVE_METHODS),
	          percent (rates, MONOCLE__LIVE_COMPILING));
	snprintf (lines[1], size, "heap %s   gen0 %s   gen1 %s   gen2 %s   large %s   pinned %s",
	          amount (rates, MONOCLE__LIVE_HEAP), amount (rates, MONOCLE__LIVE_HEAP_0),
	          amount (rates, MONOCLE__LIVE_HEAP_1), amount (rates, MONOCLE__LIVE_HEAP_2),
	          amount (rates, MONOCLE__LIVE_HEAP_LARGE), amount (rates, MONOCLE__LIVE_HEAP_PINNED));
	snprintf (lines[2], size, "allocated %s/s   collections gen0 %.1f/s, gen1 %.1f/s, gen2 %.1f/s",
	          bytes_rate (rates, MONOCLE__LIVE_ALLOCATED), rates->rates[MONOCLE__LIVE_GC_0],
	          rates->rates[MONOCLE__LIVE_GC_1], rates->rates[MONOCLE__LIVE_GC_2]);
	snprintf (lines[3], size, "paused %.1f %%, longest %s   exceptions %.1f/s   contended %.1f/s",
	          percent (rates, MONOCLE__LIVE_GC_PAUSE), amount (rates, MONOCLE__LIVE_GC_PAUSE_MOST),
	          rates->rates[MONOCLE__LIVE_EXCEPTIONS], rates->rates[MONOCLE__LIVE_CONTENTIONS]);
	snprintf (lines[4], size, "pool %s threads, queue %s, %.1f items/s", amount (rates, MONOCLE__LIVE_POOL_THREADS),
	          amount (rates, MONOCLE__LIVE_POOL_QUEUE), rates->rates[MONOCLE__LIVE_POOL_ITEMS]);
	if (rates->values[MONOCLE__LIVE_LOST]) {
		size_t used = strlen (lines[4]);
		snprintf (lines[4] + used, size - used, "   %s events lost", amount (rates, MONOCLE__LIVE_LOST));
	}
}
