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
 *
 * After an attach this is how all methods get their probes, compiled or not, precompiled or not; those of an image that
 * comes, before any of its code runs. What was asked for is kept in a list, with the methods that the runtime found to
 * hold copies, and taken back at the end (RequestRevert), so that the program's code is again what it was, and as fast.
 *
 * While the runtime serves a request it goes through methods that hold copies, which may be of any image, and it does
 * not mind that one is unloaded meanwhile, which it dies of. So what is about to be unloaded is taken off the list, and
 * waits (unloads.h) until no request is under way.
 */
#include "reinstrument.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <monocle/host.h>
#include "forks.h"
#include "gate.h"
#include "images/image.h"
#include "pause.h"
#include "probing.h"
#include "service.h"
#include "state.h"
#include "unloads.h"

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

/* `all`, of an attach: the methods that have, or are to have, further bodies. */
static struct {
	pthread_mutex_t lock;
	bool is_on;
	list all;
} late = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
drop (list *l, ModuleID module)
{
	ULONG kept = 0;
	for (ULONG i = 0; i < l->count; i++)
		if (l->modules[i] != module) {
			l->modules[kept] = l->modules[i];
			l->methods[kept++] = l->methods[i];
		}
	l->count = kept;
}

void
monocle__reinstrument_unloading (ModuleID module)
{
	pthread_mutex_lock (&late.lock);
	drop (&late.all, module);
	pthread_mutex_unlock (&late.lock);
}

/* False: the attach is over. */
static bool
note (const list *l)
{
	pthread_mutex_lock (&late.lock);
	bool is_on = late.is_on;
	for (ULONG i = 0; is_on && i < l->count; i++)
		add (&late.all, l->modules[i], l->methods[i]);
	pthread_mutex_unlock (&late.lock);
	return is_on;
}

static HRESULT
request (const list *l)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	if (monocle__clr_state.late && !note (l))
		return S_OK;
	MONOCLE__PAUSE (reinstrument_noted);
	monocle__unloads_hold ();
	monocle__forks_hold ();
	HRESULT hr = info->vtbl->RequestReJITWithInliners (
	    info, COR_PRF_REJIT_BLOCK_INLINING | COR_PRF_REJIT_INLINING_CALLBACKS, l->count, l->modules, l->methods);
	if (hr >= 0)
		hr = info->vtbl->RequestReJIT (info, l->count, l->modules, l->methods);
	monocle__forks_release ();
	monocle__unloads_release ();
	if (hr < 0)
		monocle__clr_complain_hr ("RequestReJIT", hr);
	return hr;
}

static HRESULT
request_wanted (list *l)
{
	if (l->cut)
		monocle__clr_complain ("out of memory: some methods keep the probes that they have");
	HRESULT hr = l->count ? request (l) : S_OK;
	free (l->modules);
	free (l->methods);
	return hr;
}

static bool
takes_requests (const monocle__clr_image *image)
{
	return image->id && image->cli.readable && !image->is_collectible && !image->is_editable &&
	       monocle__probing_takes_late (image);
}

/* Is it one whose calls are wanted, and which the runtime gives no further bodies? That is told. */
static void
tell_if_editable (monocle__clr_image *image)
{
	if (image->id && image->is_editable && monocle__clr_state.late && monocle_call_filter_installed () &&
	    monocle__probing_wants_image (image))
		monocle__gate_admits (image);
}

static HRESULT
request_all (void)
{
	list l = { 0 };
	atomic_fetch_add (&monocle__clr_state.filter_epoch, 1);
	for (monocle__clr_image *i = monocle__clr_image_next (NULL); i; i = monocle__clr_image_next (i))
		if (takes_requests (i))
			collect (i, &l);
		else
			tell_if_editable (i);
	return request_wanted (&l);
}

static void
reinstrument (void *nothing)
{
	request_all ();
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

/* --- after an attach ---------------------------------------------------------------------------------------------- */

static void
image_came (monocle__clr_image *image)
{
	list l = { 0 };
	tell_if_editable (image);
	if (!takes_requests (image) || !monocle_call_filter_installed ())
		return;
	collect (image, &l);
	request_wanted (&l);
}

static void
say_what_is_left_out (void)
{
	monocle__clr_image *image = monocle__clr_image_corlib ();
	bool wanted = false;
	for (uint32_t row = 1; image && row <= image->method_rows && !wanted; row++)
		wanted = monocle__probing_wants (image, 0x06000000 | row);
	if (wanted)
		monocle__clr_complain ("methods of %s are not counted in a program that runs already", image->cli.name);
}

bool
monocle__reinstrument_begin (void)
{
	pthread_mutex_lock (&late.lock);
	late.is_on = true;
	pthread_mutex_unlock (&late.lock);
	monocle__gate_attached ();
	monocle__images_watch (image_came);
	if (monocle_call_filter_installed ())
		say_what_is_left_out ();
	return request_all () >= 0;
}

/* Whom it tells of a method that holds a copy of one that was asked for, it tells before the method is compiled. */
bool
monocle__reinstrument_takes (monocle__clr_image *image, mdToken method)
{
	ModuleID module = image->id;
	if (!monocle__clr_state.late)
		return true;
	bool wanted = monocle__probing_takes_late (image) && monocle__probing_wants (image, method);
	list more = wanted ? (list) { 0 } : (list) { &module, &method, 1, 1, false };
	return note (&more) && wanted;
}

static void
revert (list *l)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT *results = l->count ? calloc (l->count, sizeof *results) : NULL;
	HRESULT hr = !l->count ? S_OK
	           : results   ? info->vtbl->RequestRevert (info, l->count, l->modules, l->methods, results)
	                       : E_OUTOFMEMORY;
	if (hr < 0)
		monocle__clr_complain_hr ("RequestRevert", hr);
	free (results);
	free (l->modules);
	free (l->methods);
	*l = (list) { 0 };
}

void
monocle__reinstrument_end (void)
{
	monocle__images_watch (NULL);
	monocle__unloads_hold (); /* before the list is taken, so that what goes is off it, or waits */
	pthread_mutex_lock (&late.lock);
	late.is_on = false;
	list all = late.all;
	late.all = (list) { 0 };
	pthread_mutex_unlock (&late.lock);
	MONOCLE__PAUSE (reinstrument_list_taken);
	monocle__forks_hold ();
	revert (&all);
	monocle__forks_release ();
	monocle__unloads_release ();
}

void
monocle__reinstrument_forget (void)
{
	for (monocle__clr_image *i = monocle__clr_image_next (NULL); i; i = monocle__clr_image_next (i))
		if (takes_requests (i))
			monocle__probing_forget (i);
}
