/*
 * SPDX-License-Identifier: MIT
 *
 * collector.c - collections and finalisation as Mono tells of them.
 *
 *     the runtime's event     what modules see (6 pre stop, 10 pre stop locked, 7 stopped, 0 start, 5 end, 8, 9, 11)
 *     SuspendEEBegin          nothing yet: the generation is not known
 *     GCStart                 6, 10, 7 with its generation, then 0
 *     GCEnd                   5
 *     GCHeapStats             gc_resize, when the size changed
 *     RestartEEBegin          6, 10, 7 if no GCStart came (the second pause of a background collection); 8
 *     RestartEEEnd            9, 11
 *
 * So 6 and 10 come when the world is stopped already. Only suspensions for a collection count. The runtime does them
 * one at a time, on one thread (with the server collector the thread of its first heap; GCStart and GCEnd may then come
 * on another of its threads). A background collection starts inside one pause and ends outside of any; ephemeral ones
 * nest in it: their GCStart and GCEnd are told apart by number.
 *
 * `is_serial` as Mono has it: in 0 and 5 it says "an old generation, concurrently", in the others the contrary.
 */
#include "clr.h"

enum { REASON_GC = 1, REASON_GC_PREPARATION = 6, TYPE_BACKGROUND = 1 };

enum { RUNNING, STOPPING, STOPPED };

static atomic_int world;                    /* written by the thread that stops it */
static atomic_uint paused_generation;       /* of the pause that is going on */
static atomic_bool is_paused_serially;
static atomic_uint background;              /* number + 1 of the background collection that is going on, 0: none */
static atomic_uint foreground;              /* the same of another one */
static atomic_uint ended;                   /* collections so far */
static _Atomic uint64_t heap_size;

static void
raise_event (MonoProfilerGCEvent event, bool is_serial)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_event))
		monocle_raise_gc_event (event, atomic_load (&paused_generation), is_serial);
}

/* Before the generation is known the world is only stopping for us. */
static void
announce_stop (uint32_t generation, bool is_serial)
{
	atomic_store (&paused_generation, generation);
	atomic_store (&is_paused_serially, is_serial);
	atomic_store (&world, STOPPED);
	raise_event (MONO_GC_EVENT_PRE_STOP_WORLD, is_serial);
	raise_event (MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED, is_serial);
	raise_event (MONO_GC_EVENT_POST_STOP_WORLD, is_serial);
}

void
monocle__collector_stopping (uint32_t reason)
{
	if (reason == REASON_GC || reason == REASON_GC_PREPARATION)
		atomic_store (&world, STOPPING);
}

void
monocle__collector_start (uint32_t number, uint32_t generation, uint32_t type)
{
	bool in_background = type == TYPE_BACKGROUND;
	if (atomic_load (&world) == STOPPING)
		announce_stop (generation, !in_background);
	atomic_store (in_background ? &background : &foreground, number + 1);
	if (monocle__clr_listened (MONOCLE_EVENT_gc_event))
		monocle_raise_gc_event (MONO_GC_EVENT_START, generation, in_background);
}

void
monocle__collector_end (uint32_t number, uint32_t generation)
{
	bool in_background = atomic_load (&background) == number + 1;
	if (!in_background && atomic_load (&foreground) != number + 1)
		return; /* it began before anybody listened */
	atomic_store (in_background ? &background : &foreground, 0);
	atomic_fetch_add (&ended, 1);
	if (monocle__clr_listened (MONOCLE_EVENT_gc_event))
		monocle_raise_gc_event (MONO_GC_EVENT_END, generation, in_background);
}

void
monocle__collector_size (uint64_t size)
{
	if (atomic_exchange (&heap_size, size) != size && monocle__clr_listened (MONOCLE_EVENT_gc_resize))
		monocle_raise_gc_resize (size);
}

void
monocle__collector_starting_world (void)
{
	if (atomic_load (&world) == STOPPING)
		announce_stop (2, false);
	if (atomic_load (&world) == STOPPED)
		raise_event (MONO_GC_EVENT_PRE_START_WORLD, atomic_load (&is_paused_serially));
}

void
monocle__collector_started_world (void)
{
	if (atomic_exchange (&world, RUNNING) != STOPPED)
		return;
	raise_event (MONO_GC_EVENT_POST_START_WORLD, atomic_load (&is_paused_serially));
	raise_event (MONO_GC_EVENT_POST_START_WORLD_UNLOCKED, atomic_load (&is_paused_serially));
}

uint32_t
monocle__collector_pauses (void)
{
	return atomic_load (&ended);
}

/* --- finalisation: all on the finalizer thread -------------------------------------------------------------------- */

static monocle__clr_stand_in finalized;

static void
end_object (void)
{
	MonoObject *object = monocle__clr_take_back (&finalized);
	if (object && monocle__clr_listened (MONOCLE_EVENT_gc_finalized_object))
		monocle_raise_gc_finalized_object (object);
}

void
monocle__finalizer_begin (void)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalizing))
		monocle_raise_gc_finalizing ();
}

/* The runtime says when an object's turn comes, not when it is over: that is when the next one's comes. */
void
monocle__finalizer_object (MonoObject *object)
{
	end_object ();
	monocle__clr_remember (&finalized, object);
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalizing_object))
		monocle_raise_gc_finalizing_object (object);
}

void
monocle__finalizer_end (void)
{
	end_object ();
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalized))
		monocle_raise_gc_finalized ();
}

/* --- objects that must be named again later ----------------------------------------------------------------------- */

void
monocle__clr_remember (monocle__clr_stand_in *place, MonoObject *object)
{
	place->object = object;
	place->pauses = monocle__collector_pauses ();
	place->like[0] = object ? *(const uintptr_t *) object & ~(uintptr_t) 7 : 0;
}

MonoObject *
monocle__clr_take_back (monocle__clr_stand_in *place)
{
	MonoObject *object = place->object;
	place->object = NULL;
	return object && place->pauses != monocle__collector_pauses () ? (MonoObject *) place->like : object;
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

HRESULT
monocle__callback_ObjectAllocated (ICorProfilerCallback11 *self, ObjectID object, ClassID klass)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_allocation))
		monocle_raise_gc_allocation ((MonoObject *) object);
	return S_OK;
}
