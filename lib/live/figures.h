/*
 * SPDX-License-Identifier: MIT
 *
 * figures.h - the figures of one running program: what its runtime's events, and /proc, have told until now.
 */
#ifndef MONOCLE_LIVE_FIGURES_H
#define MONOCLE_LIVE_FIGURES_H

#include "nettrace.h"

typedef enum {
#define FIGURE(name, label, unit, kind, heading) MONOCLE__LIVE_##name,
#include "figures.def"
	MONOCLE__LIVE_FIGURES
} monocle__live_figure;

typedef enum { MONOCLE__LIVE_COUNT, MONOCLE__LIVE_BYTES, MONOCLE__LIVE_NANOSECONDS } monocle__live_unit;
typedef enum { MONOCLE__LIVE_SUM, MONOCLE__LIVE_NOW, MONOCLE__LIVE_MOST } monocle__live_growth;

typedef struct {
	const char *name; /* for programs */
	const char *heading;
	monocle__live_unit unit;
	monocle__live_growth growth;
} monocle__live_figure_row;

extern const monocle__live_figure_row monocle__live_figure_rows[MONOCLE__LIVE_FIGURES];

enum { MONOCLE__LIVE_TICKS = 512 };

typedef struct {
	uint64_t values[MONOCLE__LIVE_FIGURES];
	bool is_known[MONOCLE__LIVE_FIGURES]; /* something has told it, if only that it is 0 */
	/* Between events, which come in the order of their threads, not of time. */
	uint64_t times[MONOCLE__LIVE_FIGURES]; /* of what was told last */
	uint64_t suspended_since;              /* 0: not suspended */
	uint64_t allocated, allocated_time;    /* what counters have told of allocations, and until when */
	struct {
		uint64_t time, bytes;
	} ticks[MONOCLE__LIVE_TICKS]; /* what was allocated since, by pieces of time */
} monocle__live_figures;

void monocle__live_figures_init (monocle__live_figures *figures);
/* A monocle__live_event_handler; the context is the figures. */
void monocle__live_figures_event (const monocle__live_event *event, void *figures);
/* Makes sums of what was told in parts; before values are read. */
void monocle__live_figures_settle (monocle__live_figures *figures);

static inline void
monocle__live_figures_set (monocle__live_figures *figures, monocle__live_figure figure, uint64_t value)
{
	figures->values[figure] = value;
	figures->is_known[figure] = true;
}

#endif
