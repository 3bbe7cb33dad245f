/*
 * SPDX-License-Identifier: MIT
 *
 * reinstrument.c - see reinstrument.h. The filters are asked about every method; those whose present body has other
 * probes than are wanted now get a further body from the runtime (ReJIT), which asks for its IL before the next call:
 *
 *   service thread     filters -> list -> RequestReJITWithInliners, RequestReJIT
 *   a program thread   GetReJITParameters -> probing.c -> rewrite.c, beginning with what the image has
 *
 * Copies in the code of callers are reached by the request with inliners only, which does nothing for a method that
 * calls itself: so both are made. Frames of the body before stay as they are until they return. Old ones are further
 * out than new ones, so an exception finds the entry of the frame that it passes; only where one method calls itself
 * across three changes it may take another one's. Images that may be unloaded keep their probes, since they may go
 * while this looks at them.
 */
#include "reinstrument.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <monocle/host.h>
#include "images/image.h"
#include "probing.h"
#include "service.h"
#include "state.h"

/* ICorProfilerInfo10 has the request with inliners. */
enum { INFO_WITH_INLINERS = 10 };

typedef struct {
	ModuleID *modules;
	mdToken *methods;
	ULONG count, capacity;
	bool cut; /* there is no memory for more */
} list;

static void
add (list *l, ModuleID module, mdToken method)
{
	if (l->count == l->capacity) {
		ULONG capacity = l->capacity ? 2 * l->capacity : 256;
		ModuleID *modules = realloc (l->modules, capacity * sizeof *modules);
		l->modules = modules ? modules : l->modules;
		mdToken *methods = modules ? realloc (l->methods, capacity * sizeof *methods) : NULL;
		l->methods = methods ? methods : l->methods;
		if (!methods) {
			l->cut = true;
			return;
		}
		l->capacity = capacity;
	}
	l->modules[l->count] = module;
	l->methods[l->count++] = method;
}

static void
collect (monocle__clr_image *image, list *l)
{
	for (uint32_t row = 1; row <= image->method_rows && !l->cut; row++)
		if (monocle__probing_differs (image, 0x06000000 | row))
			add (l, image->id, 0x06000000 | row);
}

static void
request (const list *l)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = info->vtbl->RequestReJITWithInliners (
	    info, COR_PRF_REJIT_BLOCK_INLINING | COR_PRF_REJIT_INLINING_CALLBACKS, l->count, l->modules, l->methods);
	if (hr >= 0)
		hr = info->vtbl->RequestReJIT (info, l->count, l->modules, l->methods);
	if (hr < 0)
		monocle__clr_complain_hr ("RequestReJIT", hr);
}

static void
reinstrument (void *nothing)
{
	list l = { 0 };
	atomic_fetch_add (&monocle__clr_state.filter_epoch, 1);
	for (monocle__clr_image *i = monocle__clr_image_next (NULL); i; i = monocle__clr_image_next (i))
		if (i->id && i->cli.readable && !i->is_collectible)
			collect (i, &l);
	if (l.cut)
		monocle__clr_complain ("out of memory: some methods keep the probes that they have");
	if (l.count)
		request (&l);
	free (l.modules);
	free (l.methods);
}

int
monocle__reinstrument (void *host)
{
	static atomic_bool told;
	if (monocle__clr_state.beside || monocle__clr_state.info_version < INFO_WITH_INLINERS) {
		if (!atomic_exchange (&told, true))
			monocle__clr_complain ("code that runs already keeps its probes: %s",
			                       monocle__clr_state.beside ? "the main profiler of this process is another one"
			                                                 : "the runtime is too old");
		return MONOCLE_E_REFUSED;
	}
	return monocle__service_post (reinstrument, &(char) { 0 }, 1) ? MONOCLE_OK : MONOCLE_E_REFUSED;
}
