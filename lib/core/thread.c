/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - managed threads, as the host and modules told of them.
 *
 * A thread is known by its tid, the value of pthread_self (), so the current thread is found without thread-local
 * storage. A tid that is used again gets a new record. Any thread, any context, except for what allocates.
 */
#include "idmap.h"
#include "records.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <mono/jit/jit.h>
#include <mono/metadata/threads.h>

struct _MonoThread {
	uintptr_t tid;
	int32_t managed_id;
	bool is_foreign;               /* attached by a module, unknown to the host */
	_Atomic(const char *) name;
};

static monocle__idmap threads;
static _Atomic(MonoThread *) main_thread;
static _Atomic(int32_t) last_managed_id;

static MonoThread *
find (uintptr_t tid)
{
	return monocle__idmap_find (&threads, tid);
}

static MonoThread *
attach (uintptr_t tid, bool is_foreign)
{
	MonoThread *thread = find (tid), *none = NULL;
	if (thread)
		return thread;
	thread = monocle__arena_alloc (sizeof *thread);
	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->is_foreign = is_foreign;
	thread->managed_id = atomic_fetch_add (&last_managed_id, 1) + 1;
	if (!monocle__idmap_bind (&threads, tid, thread))
		return NULL;
	if (tid == (uintptr_t) pthread_self () && syscall (SYS_gettid) == getpid ())
		atomic_compare_exchange_strong (&main_thread, &none, thread);
	return thread;
}

MonoThread *
monocle_thread_attach (uintptr_t tid)
{
	MonoThread *thread = attach (tid, false);
	/* The module was first; now the runtime knows the thread too. */
	if (thread)
		thread->is_foreign = false;
	return thread;
}

void
monocle_thread_detach (uintptr_t tid)
{
	monocle__idmap_drop (&threads, tid);
}

void
monocle_thread_set_name (uintptr_t tid, const char *name)
{
	MonoThread *thread = find (tid);
	const char *copy = monocle__arena_string (name);
	if (thread && (copy || !name))
		atomic_store_explicit (&thread->name, copy, memory_order_release);
}

/* --- mono_thread_* ------------------------------------------------------------------------------------------------ */

MonoThread *
mono_thread_current (void)
{
	return find ((uintptr_t) pthread_self ());
}

MonoThread *
mono_thread_get_main (void)
{
	return atomic_load_explicit (&main_thread, memory_order_acquire);
}

/*
 * Nothing in the core asks for an attached thread, so this only makes mono_thread_current () answer. The host is not
 * told, no event is raised, and the runtime does not stop the thread for a collection.
 */
MonoThread *
mono_thread_attach (MonoDomain *domain)
{
	return attach ((uintptr_t) pthread_self (), true);
}

void
mono_threads_attach_tools_thread (void)
{
	attach ((uintptr_t) pthread_self (), true);
}

/* Only what a module attached is detached by it: the runtime's own threads end when the host says so. */
void
mono_thread_detach (MonoThread *thread)
{
	if (thread && thread->is_foreign)
		monocle__idmap_drop (&threads, thread->tid);
}

int32_t
mono_thread_get_managed_id (MonoThread *thread)
{
	return thread ? thread->managed_id : -1;
}

mono_bool
mono_thread_is_foreign (MonoThread *thread)
{
	return thread && thread->is_foreign;
}

char *
mono_thread_get_name_utf8 (MonoThread *thread)
{
	const char *name = thread ? atomic_load_explicit (&thread->name, memory_order_acquire) : NULL;
	return name ? strdup (name) : NULL;
}
