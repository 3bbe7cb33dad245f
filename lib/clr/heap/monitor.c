/*
 * SPDX-License-Identifier: MIT
 *
 * monitor.c - contended monitors: the runtime says that a thread is going to wait, and that it waits no more.
 *
 * Whether it has the lock then is seen from the lock itself, whose address the runtime gave. System.Threading.Lock
 * (.NET 9) uses the same events; it is not a monitor, and Mono has none.
 *
 * From .NET 11 on all locks are such objects, and those of monitors are told from the others by managed-lock.c. There
 * the end of a wait is only told of who has the lock then. Of others a wait for the lock's event has ended, and the
 * lock says that no thread was told to wake up, or it was another one, and the next event of this thread shows it.
 */
#include "monitor.h"
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include "collector.h"
#include "managed-lock.h"
#include "state.h"
#include "thread-memory.h"

enum { FIRST_MANAGED = 11 };

bool
monocle__monitor_needs_waits (void)
{
	return monocle__clr_state.major >= FIRST_MANAGED;
}

static void
raise (monocle_event event, MonoObject *object)
{
	if (!monocle__clr_listened (event))
		return;
	if (event == MONOCLE_EVENT_monitor_contention)
		monocle_raise_monitor_contention (object);
	else if (event == MONOCLE_EVENT_monitor_acquired)
		monocle_raise_monitor_acquired (object);
	else
		monocle_raise_monitor_failed (object);
}

/* NULL: the thread waits for none. */
static MonoObject *
take_back (monocle__waiting *waiting)
{
	return waiting ? monocle__collector_take_back (&waiting->object) : NULL;
}

static void
begin (monocle__waiting *waiting, uintptr_t lock, bool is_managed, MonoObject *object)
{
	waiting->lock = lock;
	waiting->is_managed = is_managed;
	monocle__collector_remember (&waiting->object, object);
	raise (MONOCLE_EVENT_monitor_contention, object);
}

/* --- locks that are objects: their threads are not stopped here, so the collector is held ------------------------- */

static void
begin_managed (monocle__waiting *waiting, uintptr_t lock)
{
	if (!monocle__managed_lock_prepare () || !monocle__collector_hold ())
		return;
	MonoObject *before = take_back (waiting), *object = monocle__managed_lock_owner (lock, NULL);
	if (before)
		raise (MONOCLE_EVENT_monitor_failed, before);
	if (object)
		begin (waiting, lock, true, object);
	monocle__collector_let_go ();
}

static void
end_managed (monocle__waiting *waiting, monocle_event event)
{
	if (!monocle__collector_hold ())
		return;
	MonoObject *object = take_back (waiting);
	if (object)
		raise (event, object);
	monocle__collector_let_go ();
}

void
monocle__monitor_woken (void)
{
	monocle__waiting *waiting = monocle__thread_memory_waiting ();
	bool is_signalled = false;
	if (!waiting || !waiting->object.object || !waiting->is_managed || !monocle__collector_hold ())
		return;
	bool is_known = monocle__managed_lock_owner (waiting->lock, &is_signalled) != NULL;
	monocle__collector_let_go ();
	if (is_known && !is_signalled)
		end_managed (waiting, MONOCLE_EVENT_monitor_failed);
}

/* --- locks of the runtime's own ----------------------------------------------------------------------------------- */

void
monocle__monitor_contended (uintptr_t lock, MonoObject *object)
{
	monocle__waiting *waiting = monocle__thread_memory_waiting ();
	if (!waiting || !object)
		return;
	if (monocle__clr_state.major >= FIRST_MANAGED)
		begin_managed (waiting, lock);
	else if (!monocle__managed_lock_is (object))
		begin (waiting, lock, false, object);
}

/*
 * The lock as the runtimes that we have seen lay it out, in three words: state (bit 0: taken) and recursion; the owner
 * as the runtime knows it, which has changed its form; the owner's system thread id. The event comes before a new owner
 * has written itself down: a lock that is taken and has no owner yet is ours, unless another thread took it in that
 * very moment. In other runtimes giving up is not seen.
 */
enum { SEEN_FIRST = 8, SEEN_LAST = 10 };

static bool
is_owner (uintptr_t lock)
{
	const uintptr_t *words = (const uintptr_t *) lock;
	if (!lock || monocle__clr_state.major < SEEN_FIRST || monocle__clr_state.major > SEEN_LAST)
		return true;
	if (!(__atomic_load_n (&words[0], __ATOMIC_ACQUIRE) & 1))
		return false;
	uintptr_t tid = __atomic_load_n (&words[2], __ATOMIC_RELAXED);
	return !tid || tid == (uintptr_t) syscall (SYS_gettid);
}

void
monocle__monitor_ended (void)
{
	monocle__waiting *waiting = monocle__thread_memory_waiting ();
	if (waiting && waiting->is_managed) {
		end_managed (waiting, MONOCLE_EVENT_monitor_acquired);
		return;
	}
	MonoObject *object = take_back (waiting);
	if (object)
		raise (is_owner (waiting->lock) ? MONOCLE_EVENT_monitor_acquired : MONOCLE_EVENT_monitor_failed, object);
}
