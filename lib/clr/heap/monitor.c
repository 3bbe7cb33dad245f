/*
 * SPDX-License-Identifier: MIT
 *
 * monitor.c - contended monitors: the runtime says that a thread is going to wait, and that it waits no more.
 *
 * Whether it has the lock then is seen from the lock itself, whose address the runtime gave. System.Threading.Lock
 * (.NET 9) uses the same events; it is not a monitor, and Mono has none.
 */
#include "monitor.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <monocle/host.h>
#include "collector.h"
#include "state.h"
#include "thread-memory.h"

static bool
is_monitor (MonoObject *object)
{
	MonoClass *klass = mono_object_get_class (object);
	return klass && (strcmp (mono_class_get_name (klass), "Lock") != 0 ||
	                 strcmp (mono_class_get_namespace (klass), "System.Threading") != 0);
}

void
monocle__monitor_contended (uintptr_t lock, MonoObject *object)
{
	monocle__waiting *waiting = monocle__thread_memory_waiting ();
	if (!waiting || !object || !is_monitor (object))
		return;
	waiting->lock = lock;
	monocle__collector_remember (&waiting->object, object);
	if (monocle__clr_listened (MONOCLE_EVENT_monitor_contention))
		monocle_raise_monitor_contention (object);
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
	MonoObject *object = waiting ? monocle__collector_take_back (&waiting->object) : NULL;
	if (!object)
		return;
	if (is_owner (waiting->lock)) {
		if (monocle__clr_listened (MONOCLE_EVENT_monitor_acquired))
			monocle_raise_monitor_acquired (object);
	} else if (monocle__clr_listened (MONOCLE_EVENT_monitor_failed)) {
		monocle_raise_monitor_failed (object);
	}
}
