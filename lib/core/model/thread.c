/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - managed threads, as the host and modules announced them.
 *
 * A thread is known by its tid, the value of pthread_self (), so the current thread is found without thread-local
 * storage. The system gives tids out again at once, and a thread that gets one takes the record of the thread before:
 * programs that start a million threads have a few records. Any thread, any context, except for what allocates.
 *
 * The beginning and the end of a thread that a module attached are told here, as Mono tells them: once, on the thread
 * itself, and at its end where the module does not detach it. A thread that the host attached is the host's to tell.
 * What was begun here is ended here, also when the host has attached the thread meanwhile.
 */
#include "thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <mono/jit/jit.h>
#include <mono/metadata/threads.h>
#include <monocle/host.h>
#include "arena.h"
#include "idmap.h"
#include "invariant.h"
#include "pause.h"
#include "records.h"
#include "sample/sampler.h"

enum { NAME_SIZE = 128, NO_NAME = -1 };

struct _MonoThread {
	uintptr_t tid;
	_Atomic (bool) is_attached;
	_Atomic (bool) is_foreign; /* attached by a module, unknown to the host */
	_Atomic (bool) is_begun;   /* its thread_started was raised here, and its end will be */
	_Atomic (int32_t) managed_id;
	_Atomic (int) name; /* which of the two is current; the other one is written */
	char names[2][NAME_SIZE];
	atomic_bool is_tool;            /* a module's own, which is not sampled */
	_Atomic (uintptr_t) stands_for; /* the thread whose end this one tells; 0: none */
	monocle__sampled sampled;
};

static monocle__idmap threads;
static _Atomic (MonoThread *) main_thread;
static _Atomic (int32_t) last_managed_id;
static _Atomic (unsigned) standing; /* threads that tell the end of another one */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t attached; /* of a thread that a module attached: its record */
static bool has_key;

static MonoThread *
find (uintptr_t tid)
{
	MonoThread *thread = monocle__idmap_find (&threads, tid);
	MONOCLE__INVARIANT (!thread || thread->tid == tid);
	return thread && atomic_load_explicit (&thread->is_attached, memory_order_acquire) ? thread : NULL;
}

MonoThread *
monocle__thread_find (uintptr_t tid)
{
	return find (tid);
}

static MonoThread *
record_of (uintptr_t tid)
{
	MonoThread *thread = monocle__idmap_find (&threads, tid);
	if (thread || !(thread = monocle__arena_alloc (sizeof *thread)))
		return thread;
	thread->tid = thread->sampled.tid = tid;
	return monocle__idmap_bind (&threads, tid, thread) ? thread : NULL;
}

/* As on Mono the thread is known while its end is told. */
static void
tell_end (MonoThread *thread)
{
	if (!atomic_exchange (&thread->is_begun, false))
		return;
	monocle_raise_thread_stopping (thread->tid);
	monocle_raise_thread_stopped (thread->tid);
	monocle_raise_thread_exited (thread->tid);
}

static void
detach (MonoThread *thread)
{
	if (!thread)
		return;
	tell_end (thread);
	atomic_store_explicit (&thread->is_attached, false, memory_order_release);
	monocle__sampler_detach (&thread->sampled);
}

static MonoThread *
attach (uintptr_t tid, bool is_foreign, bool is_tool)
{
	MonoThread *thread = find (tid), *none = NULL;
	if (thread || !(thread = record_of (tid)))
		return thread;
	atomic_store (&thread->is_foreign, is_foreign);
	atomic_store (&thread->is_tool, is_tool);
	atomic_store (&thread->name, NO_NAME);
	atomic_store (&thread->managed_id, atomic_fetch_add (&last_managed_id, 1) + 1);
	atomic_store_explicit (&thread->is_attached, true, memory_order_release);
	MONOCLE__PAUSE (thread_attached);
	if (tid == (uintptr_t) pthread_self () && syscall (SYS_gettid) == getpid ())
		atomic_compare_exchange_strong (&main_thread, &none, thread);
	return thread;
}

/* From now on sample_hit may come on the calling thread. */
static MonoThread *
sample (MonoThread *thread)
{
	if (thread && thread->tid == (uintptr_t) pthread_self () && !atomic_load (&thread->is_tool))
		monocle__sampler_attach (&thread->sampled, (pid_t) syscall (SYS_gettid));
	return thread;
}

monocle__sampled *
monocle__thread_sampled (void)
{
	MonoThread *thread = find ((uintptr_t) pthread_self ());
	return thread && !atomic_load_explicit (&thread->is_tool, memory_order_relaxed) ? &thread->sampled : NULL;
}

bool
monocle__thread_is_tool (void)
{
	MonoThread *thread = find ((uintptr_t) pthread_self ());
	return thread && atomic_load_explicit (&thread->is_tool, memory_order_relaxed);
}

MonoThread *
monocle_thread_attach (uintptr_t tid)
{
	MonoThread *thread = attach (tid, false, false);
	/* A module may have been first; now the runtime knows the thread too. */
	if (thread)
		atomic_store (&thread->is_foreign, false);
	return sample (thread);
}

MonoThread *
monocle_thread_meet (uintptr_t tid, uint64_t os_id)
{
	MonoThread *thread = attach (tid, false, false), *none = NULL;
	if (!thread)
		return NULL;
	atomic_store (&thread->is_foreign, false);
	if ((pid_t) os_id == getpid ())
		atomic_compare_exchange_strong (&main_thread, &none, thread);
	monocle__sampler_attach (&thread->sampled, (pid_t) os_id);
	return thread;
}

void
monocle_thread_detach (uintptr_t tid)
{
	detach (find (tid));
}

/* What of a name fits, up to the end of a UTF-8 character. */
static size_t
fitting (const char *name)
{
	size_t length = strnlen (name, NAME_SIZE);
	if (length < NAME_SIZE)
		return length;
	for (length = NAME_SIZE - 1; length && ((unsigned char) name[length] & 0xC0) == 0x80;)
		length--;
	return length;
}

/* Names are short; what does not fit is cut. */
void
monocle_thread_set_name (uintptr_t tid, const char *name)
{
	MonoThread *thread = find (tid);
	if (!thread)
		return;
	int next = atomic_load (&thread->name) == 0;
	size_t length = name ? fitting (name) : 0;
	if (name) {
		MONOCLE__INVARIANT (length < NAME_SIZE);
		memcpy (thread->names[next], name, length);
		memset (thread->names[next] + length, 0, NAME_SIZE - length);
	}
	atomic_store_explicit (&thread->name, name ? next : NO_NAME, memory_order_release);
}

mono_bool
monocle_thread_is_attached (uintptr_t tid)
{
	return find (tid) != NULL;
}

uintptr_t
monocle_thread_self (void)
{
	uintptr_t self = (uintptr_t) pthread_self ();
	const MonoThread *own = atomic_load (&standing) ? monocle__idmap_find (&threads, self) : NULL;
	uintptr_t other = own ? atomic_load (&own->stands_for) : 0;
	return other ? other : self;
}

/* The calling thread's record need not be attached for this. */
void
monocle_thread_stand_for (uintptr_t tid)
{
	MonoThread *own = record_of ((uintptr_t) pthread_self ());
	uintptr_t before = own ? atomic_exchange (&own->stands_for, tid) : tid;
	if (tid && !before)
		atomic_fetch_add (&standing, 1);
	else if (!tid && before)
		atomic_fetch_sub (&standing, 1);
}

/* --- mono_thread_* ------------------------------------------------------------------------------------------------ */

MonoThread *
mono_thread_current (void)
{
	return find (monocle_thread_self ());
}

MonoThread *
mono_thread_get_main (void)
{
	return atomic_load_explicit (&main_thread, memory_order_acquire);
}

/* Attached still; by the host, too, which may hear of the end when another thread has the tid. */
static void
thread_ends (void *thread)
{
	detach (thread);
}

static void
make_key (void)
{
	has_key = pthread_key_create (&attached, thread_ends) == 0;
}

/* The calling thread, by a module. */
static MonoThread *
attach_self (bool is_tool)
{
	MonoThread *thread = attach ((uintptr_t) pthread_self (), true, is_tool);
	pthread_once (&once, make_key);
	if (has_key && thread && atomic_load (&thread->is_foreign))
		pthread_setspecific (attached, thread);
	return thread;
}

/*
 * Nothing in the core asks for an attached thread, so this makes mono_thread_current () answer, and tells modules. The
 * host is not told, and the runtime does not stop the thread for a collection.
 */
MonoThread *
mono_thread_attach (MonoDomain *domain)
{
	MonoThread *thread = sample (attach_self (false));
	if (thread && atomic_load (&thread->is_foreign) && !atomic_exchange (&thread->is_begun, true)) {
		monocle_raise_thread_started (thread->tid);
		monocle_raise_thread_os_id (thread->tid, (uint64_t) syscall (SYS_gettid));
	}
	return thread;
}

/* One that the module attached before becomes such a thread. No event tells of it, as on Mono. */
void
mono_threads_attach_tools_thread (void)
{
	MonoThread *thread = attach_self (true);
	if (!thread || !atomic_load (&thread->is_foreign) || atomic_exchange (&thread->is_tool, true))
		return;
	monocle__sampler_detach (&thread->sampled);
}

/* Only what a module attached is detached by it: the runtime's own threads end when the host says so. */
void
mono_thread_detach (MonoThread *thread)
{
	if (thread && atomic_load (&thread->is_foreign))
		detach (thread);
	else if (thread)
		tell_end (thread);
}

/* There is one domain, so there is never another one to go back to. */
MonoDomain *
mono_jit_thread_attach (MonoDomain *domain)
{
	mono_thread_attach (domain);
	return NULL;
}

mono_bool
mono_thread_detach_if_exiting (void)
{
	return 0;
}

/* The runtime's end waits for no thread that a module attached, whatever the callback would say. */
void
mono_thread_set_manage_callback (MonoThread *thread, MonoThreadManageCallback func)
{
}

int32_t
mono_thread_get_managed_id (MonoThread *thread)
{
	return thread ? atomic_load (&thread->managed_id) : -1;
}

/* The main thread counts as attached, as on Mono: no managed code started it. */
mono_bool
mono_thread_is_foreign (MonoThread *thread)
{
	return thread && (atomic_load (&thread->is_foreign) || thread == mono_thread_get_main ());
}

char *
mono_thread_get_name_utf8 (MonoThread *thread)
{
	int name = thread ? atomic_load_explicit (&thread->name, memory_order_acquire) : NO_NAME;
	MONOCLE__INVARIANT (name == NO_NAME || name == 0 || name == 1);
	return name == NO_NAME ? NULL : strndup (thread->names[name], NAME_SIZE - 1);
}
