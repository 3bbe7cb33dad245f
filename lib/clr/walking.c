/*
 * SPDX-License-Identifier: MIT
 *
 * walking.c - stacks are to be walked, and no module asked for samples when the program started.
 *
 * Then nobody has kept a map of its code. What an attach does for that is done here: code is heard of from now on, what
 * was compiled ahead is looked up in the images that are there, and the runtime is asked for what it has compiled. It
 * stays so; the next time there is nothing to do.
 */
#include "walking.h"
#include <time.h>
#include "code/codemap.h"
#include "code/sampling.h"
#include "images/image.h"
#include "state.h"
#include "wants.h"

/* Those that may be unloaded have no code that was compiled ahead. Others map themselves when they come. */
static void
map_images (void)
{
	for (monocle__clr_image *i = monocle__clr_image_next (NULL); i; i = monocle__clr_image_next (i))
		if (i->id && !i->is_collectible)
			monocle__codemap_image (i);
}

static void
await_map (void)
{
	enum { LOOK_NS = 1000000, LOOKS = 2000 };
	for (int i = 0; i < LOOKS && monocle__codemap_is_catching_up (); i++)
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
}

static mono_bool
walks (void *host)
{
	bool is_mapped = monocle__codemap_wanted ();
	if (!monocle__sampling_grant ())
		return 0;
	if (!is_mapped) {
		monocle__codemap_catch_up_begin ();
		map_images ();
		monocle__wants_update ();
		monocle__codemap_catch_up ();
	}
	await_map ();
	return 1;
}

void
monocle__walking_ops (monocle_host_ops *ops)
{
	ops->walks = walks;
}
