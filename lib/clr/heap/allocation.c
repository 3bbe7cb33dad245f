/*
 * SPDX-License-Identifier: MIT
 *
 * allocation.c - allocations as samples, which the runtime grants at any time and for little.
 *
 * .NET 10 draws them: each byte is drawn with the same small chance, and the object that it lies in is told, once. An
 * object of s bytes is told with the chance 1 - e^(-s / MEAN), so it stands for s / (1 - e^(-s / MEAN)) bytes.
 *
 * Older runtimes tick: whenever a piece of memory that a thread allocates from is full and 100 KiB have gone since the
 * last tick, the object that did not fit any more is told, with what has gone. .NET 10 ticks as well when somebody
 * listens to gc_finalizing_object: that is not told.
 */
#include "allocation.h"
#include <monocle/host.h>
#include "images/resolve.h"
#include "state.h"

enum {
	DRAWN_FIRST = 10, /* the first .NET that draws */
	MEAN = 100 * 1024,
};

bool
monocle__allocation_is_drawn (void)
{
	return monocle__clr_state.major >= DRAWN_FIRST;
}

static void
tell (ClassID id, uint64_t size, uint64_t stands_for)
{
	if (monocle__clr_listened (MONOCLE_EVENT_allocation_sampled))
		monocle_raise_allocation_sampled (id ? monocle__resolve_class (id) : NULL, size, stands_for);
}

void
monocle__allocation_ticked (ClassID id, uint64_t size, uint64_t amount)
{
	if (!monocle__allocation_is_drawn ())
		tell (id, size, amount);
}

/* e^-x is (1 - x / 1024)^1024, to a thousandth where it matters. */
void
monocle__allocation_drawn (ClassID id, uint64_t size)
{
	enum { SQUARINGS = 10, SURE = 16 };
	double x = (double) size / MEAN, missed = 1 - x / (1 << SQUARINGS);
	for (int i = 0; i < SQUARINGS && x < SURE; i++)
		missed *= missed;
	tell (id, size, x < SURE && size ? (uint64_t) ((double) size / (1 - missed)) : size);
}
