/*
 * SPDX-License-Identifier: MIT
 *
 * collector.c - collections and finalisation as Mono reports them.
 *
 *     the runtime's event     what modules see (6 pre stop, 10 pre stop locked, 7 stopped, 0 start, 5 end, 8, 9, 11)
 *     SuspendEEBegin          nothing yet: the generation is not known
 *     GCStart                 6, 10, 7 with its generation, then 0
 *     GCEnd                   5
 *     GCHeapStats             gc_resize, when the size changed
 *     RestartEEBegin          6, 10, 7 if no GCStart came (the second pause of a background collection); 8
 *     RestartEEEnd            9, 11
 *
 * So 6 and 10 come when the world is stopped already. Only suspensions for a collection count. (The server collector of
 * .NET 9 and later also stops the world to change the number of its heaps, and gives the reason that a background
 * collection has: then nothing is collected, and nothing is said.) The runtime does them one at a time, on one thread.
 * With the server collector that is the thread of its first heap, and GCStart and GCEnd may come on another one: there
 * all is said by one voice (voice.c).
 *
 * But SuspendEEBegin comes before a thread waits for its turn, and RestartEEEnd after the next one may have it: whoever
 * is to say 6 waits for 11 of the pause before. A background collection starts inside one pause and ends outside of
 * any; ephemeral ones nest in it: their GCStart and GCEnd are told apart by number.
 *
 * `is_serial` as Mono has it: in 0 and 5 it says "an old generation, concurrently", in the others the contrary.
 */
#include "collector.h"
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "images/class-load.h"
#include "images/layout.h"
#include "images/resolve.h"
#include "invariant.h"
#include "pause.h"
#include "service.h"
#include "state.h"
#include "thread-memory.h"
#include "voice.h"

enum { REASON_GC = 1, REASON_GC_PREPARATION = 6, TYPE_BACKGROUND = 1 };

static atomic_uint stopping;          /* threads that stop the world for a collection, or wait to do so */
static atomic_bool is_paused;         /* from 7 to 8; written while the world is stopped */
static atomic_uint paused_generation; /* of the pause that is going on */
static atomic_bool is_paused_serially;
static atomic_int restarting;   /* the thread that has said 8 and not 11; negative: it says 9 and 11 */
static atomic_uint background;  /* number + 1 of the background collection that is going on, 0: none */
static atomic_uint foreground;  /* the same of another one */
static atomic_bool is_followed; /* a collection in the background would be known of */
static atomic_uint ended;       /* collections so far */
static atomic_int starter;      /* the thread that says 8 just now, in whose callbacks the heap may be walked */
static _Atomic (uint64_t) heap_size;

static int
own_tid (void)
{
	return (int) syscall (SYS_gettid);
}

/* Steps that are told in one go. */
typedef struct {
	struct {
		MonoProfilerGCEvent event;
		uint32_t generation;
		bool is_serial;
	} list[4];
	unsigned count;
} steps;

static void
add_step (steps *s, MonoProfilerGCEvent event, uint32_t generation, bool is_serial)
{
	MONOCLE__INVARIANT (s->count < sizeof s->list / sizeof *s->list);
	s->list[s->count].event = event;
	s->list[s->count].generation = generation;
	s->list[s->count++].is_serial = is_serial;
}

/* A step of the pause that is going on. */
static void
add_pause_step (steps *s, MonoProfilerGCEvent event)
{
	add_step (s, event, atomic_load (&paused_generation), atomic_load (&is_paused_serially));
}

static void
raise_steps (void *data)
{
	const steps *s = data;
	for (unsigned i = 0; i < s->count; i++) {
		bool is_start = s->list[i].event == MONO_GC_EVENT_PRE_START_WORLD; /* one at a time; others may cross it */
		if (!monocle__clr_listened (MONOCLE_EVENT_gc_event))
			continue;
		if (is_start)
			atomic_store (&starter, own_tid ());
		monocle_raise_gc_event (s->list[i].event, s->list[i].generation, s->list[i].is_serial);
		if (is_start)
			atomic_store (&starter, 0);
	}
}

bool
monocle__collector_is_starting_world (void)
{
	return atomic_load (&starter) == own_tid ();
}

static void
tell (steps *s)
{
	if (s->count && monocle__clr_listened (MONOCLE_EVENT_gc_event))
		monocle__voice_say (raise_steps, s);
}

/* The pause of thread `tid` is over, unless that was said already, or is being said (a negative `tid`). */
static void
end_pause (int tid)
{
	int expected = tid;
	steps s = { .count = 0 };
	MONOCLE__PAUSE (collector_ends_pause);
	if (tid <= 0 || !atomic_compare_exchange_strong (&restarting, &expected, -tid))
		return;
	MONOCLE__PAUSE (collector_tells_end);
	add_pause_step (&s, MONO_GC_EVENT_POST_START_WORLD);
	add_pause_step (&s, MONO_GC_EVENT_POST_START_WORLD_UNLOCKED);
	MONOCLE__INVARIANT (atomic_load (&restarting) == -tid);
	tell (&s);
	atomic_store (&restarting, 0);
}

/*
 * The thread that ended the last pause is on its way to say so. It is in native code, where it is not stopped; when it
 * is kept from going on all the same, another one speaks for it.
 */
static void
await_last_pause (void)
{
	enum { TRIES = 2000, PAUSE_NS = 10000 };
	struct timespec pause = { 0, PAUSE_NS };
	int tid = atomic_load (&restarting);
	for (int i = 0; tid && tid != own_tid () && i < TRIES; i++) {
		nanosleep (&pause, NULL);
		tid = atomic_load (&restarting);
	}
	end_pause (tid);
}

/* Before the generation is known the world is only stopping for us. */
static void
add_stop (steps *s, uint32_t generation, bool is_serial)
{
	await_last_pause ();
	MONOCLE__INVARIANT (!atomic_load (&is_paused)); /* the runtime does them one at a time */
	atomic_store (&paused_generation, generation);
	atomic_store (&is_paused_serially, is_serial);
	atomic_store (&is_paused, true);
	add_pause_step (s, MONO_GC_EVENT_PRE_STOP_WORLD);
	add_pause_step (s, MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED);
	add_pause_step (s, MONO_GC_EVENT_POST_STOP_WORLD);
}

/* --- threads that keep the world from being stopped --------------------------------------------------------------- */

/*
 * The runtime tells of some objects on threads that it does not stop, and by an address that holds until the next
 * collection. So no collection begins as long as such a thread needs the object, just as if the runtime had to stop it.
 * Who waits longer than anything here can take has missed an event: then nothing is held any more.
 */
enum { HOLD_TRIES = 100000, HOLD_NS = 20000 };

static atomic_uint holders;
static atomic_bool is_hold_off;

/* False: not within two seconds. */
static bool
await_none (const atomic_uint *count)
{
	struct timespec pause = { 0, HOLD_NS };
	for (int i = 0; i < HOLD_TRIES && !atomic_load (&is_hold_off); i++) {
		if (!atomic_load (count))
			return true;
		nanosleep (&pause, NULL);
	}
	atomic_store (&is_hold_off, true);
	return false;
}

bool
monocle__collector_hold (void)
{
	while (!atomic_load (&is_hold_off)) {
		atomic_fetch_add (&holders, 1);
		MONOCLE__PAUSE (collector_holds);
		if (!atomic_load (&stopping))
			return true;
		atomic_fetch_sub (&holders, 1);
		await_none (&stopping);
	}
	return false;
}

void
monocle__collector_let_go (void)
{
	unsigned were = atomic_fetch_sub (&holders, 1);
	MONOCLE__INVARIANT (were != 0);
}

/* --- threads that stop the world for something else --------------------------------------------------------------- */

static atomic_int others[16];

static bool
take_other (int tid)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		int expected = tid;
		if (atomic_compare_exchange_strong (&others[i], &expected, 0))
			return true;
	}
	return false;
}

/* One that finds no place is taken for a collection only if a thread waits to collect. */
static void
add_other (int tid)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		int expected = 0;
		if (atomic_compare_exchange_strong (&others[i], &expected, tid))
			return;
	}
}

/* --- the runtime's events ----------------------------------------------------------------------------------------- */

/* Who stops the world to collect is a thread of the program, or one that a server collector made for it. */
static void
meet_collector (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ThreadID thread = 0;
	if (monocle__voice_is_made () || monocle__service_is_self ())
		return;
	if (info->vtbl->GetCurrentThreadID (info, &thread) < 0)
		monocle__voice_begin ();
}

void
monocle__collector_stopping (uint32_t reason)
{
	take_other (own_tid ()); /* its end went by unheard */
	if (reason == REASON_GC)
		meet_collector ();
	if (reason == REASON_GC || reason == REASON_GC_PREPARATION) {
		atomic_fetch_add (&stopping, 1);
		MONOCLE__PAUSE (collector_awaits_holders);
		await_none (&holders);
	} else {
		add_other (own_tid ());
	}
}

/*
 * Before the first collection there was none in the background, and one that collects everything does not begin while
 * such a one is under way: whatever was missed before, from here on all is known.
 */
static void
follow (uint32_t number, uint32_t generation, bool in_background)
{
	enum { FIRST = 1, OLDEST = 2 };
	if (number != FIRST && generation != OLDEST)
		return;
	if (!in_background)
		atomic_store (&background, 0);
	atomic_store (&is_followed, true);
}

void
monocle__collector_lose_track (void)
{
	atomic_store (&is_followed, false);
}

void
monocle__collector_leave (void)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		atomic_store (&others[i], 0);
	atomic_store (&stopping, 0);
	atomic_store (&is_hold_off, false);
	atomic_store (&is_paused, false);
	atomic_store (&restarting, 0);
	atomic_store (&background, 0);
	atomic_store (&foreground, 0);
	atomic_store (&is_followed, false);
	atomic_store (&heap_size, 0);
	atomic_fetch_add (&ended, 1); /* objects that are remembered move unseen from here on */
}

bool
monocle__collector_is_alone (void)
{
	return atomic_load (&is_followed) && !atomic_load (&background);
}

void
monocle__collector_start (uint32_t number, uint32_t generation, uint32_t type)
{
	bool in_background = type == TYPE_BACKGROUND;
	steps s = { .count = 0 };
	if (!atomic_load (&is_paused) && atomic_load (&stopping))
		add_stop (&s, generation, !in_background);
	atomic_store (in_background ? &background : &foreground, number + 1);
	follow (number, generation, in_background);
	add_step (&s, MONO_GC_EVENT_START, generation, in_background);
	tell (&s);
}

void
monocle__collector_end (uint32_t number, uint32_t generation)
{
	bool in_background = atomic_load (&background) == number + 1;
	steps s = { .count = 0 };
	if (!in_background && atomic_load (&foreground) != number + 1)
		return; /* it began before anybody listened */
	atomic_store (in_background ? &background : &foreground, 0);
	atomic_fetch_add (&ended, 1);
	add_step (&s, MONO_GC_EVENT_END, generation, in_background);
	tell (&s);
}

static void
raise_resize (void *size)
{
	monocle_raise_gc_resize (*(uint64_t *) size);
}

void
monocle__collector_size (uint64_t size)
{
	if (atomic_exchange (&heap_size, size) != size && monocle__clr_listened (MONOCLE_EVENT_gc_resize))
		monocle__voice_say (raise_resize, &size);
}

void
monocle__collector_starting_world (void)
{
	steps s = { .count = 0 };
	if (take_other (own_tid ()) || !atomic_load (&stopping))
		return;
	if (!atomic_load (&is_paused) && atomic_load (&background))
		add_stop (&s, 2, false);
	if (atomic_load (&is_paused)) {
		add_pause_step (&s, MONO_GC_EVENT_PRE_START_WORLD);
		tell (&s);
		atomic_store (&restarting, own_tid ());
		atomic_store (&is_paused, false);
	}
	unsigned were = atomic_fetch_sub (&stopping, 1);
	MONOCLE__INVARIANT (were != 0);
}

void
monocle__collector_say (void (*say) (void *data), void *data)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ThreadID thread = 0;
	bool is_collecting = monocle__voice_is_made () && (atomic_load (&is_paused) || atomic_load (&restarting));
	if (is_collecting && !monocle__service_is_self () && info->vtbl->GetCurrentThreadID (info, &thread) < 0)
		monocle__voice_say (say, data);
	else
		say (data);
}

void
monocle__collector_started_world (void)
{
	end_pause (own_tid ());
}

/* --- the last collection ------------------------------------------------------------------------------------------ */

bool
monocle__collector_last_start (void)
{
	enum { OLDEST = 2 };
	steps s = { .count = 0 };
	if (atomic_load (&stopping) || atomic_load (&is_paused))
		return false;
	atomic_store (&background, 0); /* it is over: such a collection waits for that */
	atomic_store (&is_followed, true);
	add_stop (&s, OLDEST, true);
	add_step (&s, MONO_GC_EVENT_START, OLDEST, false);
	tell (&s);
	return true;
}

void
monocle__collector_last_end (void)
{
	steps s = { .count = 0 };
	atomic_fetch_add (&ended, 1);
	add_step (&s, MONO_GC_EVENT_END, atomic_load (&paused_generation), false);
	add_pause_step (&s, MONO_GC_EVENT_PRE_START_WORLD);
	tell (&s);
	atomic_store (&is_paused, false);
}

void
monocle__collector_last_started_world (void)
{
	steps s = { .count = 0 };
	add_pause_step (&s, MONO_GC_EVENT_POST_START_WORLD);
	add_pause_step (&s, MONO_GC_EVENT_POST_START_WORLD_UNLOCKED);
	tell (&s);
}

/* How many collections have ended: objects that were met before another one may have moved. */
static uint32_t
pauses (void)
{
	return atomic_load (&ended);
}

/* --- finalisation: all on the finalizer thread -------------------------------------------------------------------- */

static monocle__stand_in finalized;

static void
end_object (void)
{
	MonoObject *object = monocle__collector_take_back (&finalized);
	if (object && monocle__clr_listened (MONOCLE_EVENT_gc_finalized_object))
		monocle_raise_gc_finalized_object (object);
}

void
monocle__collector_finalizer_begin (void)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalizing))
		monocle_raise_gc_finalizing ();
}

/* The runtime says when an object's turn comes, not when it is over: that is when the next one's comes. */
void
monocle__collector_finalizer_object (MonoObject *object)
{
	end_object ();
	monocle__collector_remember (&finalized, object);
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalizing_object))
		monocle_raise_gc_finalizing_object (object);
}

void
monocle__collector_finalizer_end (void)
{
	end_object ();
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalized))
		monocle_raise_gc_finalized ();
}

/* --- objects that must be named again later ----------------------------------------------------------------------- */

void
monocle__collector_remember (monocle__stand_in *place, MonoObject *object)
{
	place->object = object;
	place->pauses = pauses ();
	place->like[0] = object ? monocle__clr_layout_class_id (object) : 0;
}

MonoObject *
monocle__collector_take_back (monocle__stand_in *place)
{
	MonoObject *object = place->object;
	place->object = NULL;
	MONOCLE__INVARIANT ((int32_t) (pauses () - place->pauses) >= 0 || !object);
	return object && place->pauses != pauses () ? (MonoObject *) place->like : object;
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

HRESULT
monocle__callback_ObjectAllocated (ICorProfilerCallback11 *self, ObjectID object, ClassID klass)
{
	if (monocle__class_load_wanted ())
		monocle__class_load_met (monocle__resolve_class (klass));
	if (monocle__clr_listened (MONOCLE_EVENT_gc_allocation))
		monocle_raise_gc_allocation ((MonoObject *) object);
	return S_OK;
}
