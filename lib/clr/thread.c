/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - managed threads. Modules know a thread by its pthread_t; the runtime by an id that it reuses.
 *
 * ThreadAssignedToOSThread is the first word on the thread itself, so thread_started is raised there. The runtime may destroy
 * a thread from another one (the finalizer); its pthread_t was kept for that. A name that is set before the thread runs is
 * kept until thread_started was raised.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "clr.h"

typedef struct thread {
	struct thread *next;
	ThreadID id;
	uintptr_t tid;            /* pthread_t; 0 until it runs */
	char *name;               /* set before it ran */
} thread;

static thread *threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static thread *
find_or_add (ThreadID id)
{
	thread *t;
	for (t = threads; t; t = t->next)
		if (t->id == id)
			return t;
	t = calloc (1, sizeof *t);
	if (!t)
		return NULL;
	t->id = id;
	t->next = threads;
	threads = t;
	return t;
}

/* Takes the thread out of the list; its name goes with it. 0 when it never ran. */
static uintptr_t
take_out (ThreadID id)
{
	uintptr_t tid = 0;
	pthread_mutex_lock (&lock);
	for (thread **at = &threads; *at; at = &(*at)->next)
		if ((*at)->id == id) {
			thread *gone = *at;
			*at = gone->next;
			tid = gone->tid;
			free (gone->name);
			free (gone);
			break;
		}
	pthread_mutex_unlock (&lock);
	return tid;
}

static void
tell_name (uintptr_t tid, const char *name)
{
	monocle_thread_set_name (tid, name);
	monocle_raise_thread_name (tid, name);
}

static void
start (ThreadID id)
{
	uintptr_t tid = (uintptr_t) pthread_self ();
	pthread_mutex_lock (&lock);
	thread *t = find_or_add (id);
	bool is_new = t && t->tid != tid;
	char *name = is_new ? t->name : NULL;
	if (is_new) {
		t->tid = tid;
		t->name = NULL;
	}
	pthread_mutex_unlock (&lock);
	if (!is_new)
		return;
	monocle_thread_attach (tid);
	monocle_raise_thread_started (tid);
	if (name)
		tell_name (tid, name);
	free (name);
}

HRESULT
monocle__callback_ThreadAssignedToOSThread (ICorProfilerCallback11 *self, ThreadID id, DWORD os_thread)
{
	if (os_thread == (DWORD) syscall (SYS_gettid))
		start (id);
	return S_OK;
}

HRESULT
monocle__callback_ThreadDestroyed (ICorProfilerCallback11 *self, ThreadID id)
{
	uintptr_t tid = take_out (id);
	if (!tid)
		return S_OK;
	monocle_raise_thread_stopping (tid);
	monocle_raise_thread_stopped (tid);
	monocle_raise_thread_exited (tid);
	monocle_thread_detach (tid);
	return S_OK;
}

/* The runtime gives a counted UTF-16 string without an end. */
static char *
utf8_name (const WCHAR *name, ULONG length)
{
	char *text = malloc ((size_t) length * 3 + 1), *to = text;
	for (ULONG i = 0; text && i < length; i++) {
		uint32_t c = name[i];
		if (c >= 0xD800 && c < 0xE000)
			c = '?';
		if (c >= 0x800)
			*to++ = (char) (0xE0 | c >> 12);
		if (c >= 0x80)
			*to++ = (char) (c >= 0x800 ? 0x80 | (c >> 6 & 0x3F) : 0xC0 | c >> 6);
		*to++ = (char) (c >= 0x80 ? 0x80 | (c & 0x3F) : c);
	}
	if (text)
		*to = 0;
	return text;
}

HRESULT
monocle__callback_ThreadNameChanged (ICorProfilerCallback11 *self, ThreadID id, ULONG length, WCHAR *name)
{
	char *text = length ? utf8_name (name, length) : NULL;
	if (!text)
		return S_OK;
	pthread_mutex_lock (&lock);
	thread *t = find_or_add (id);
	uintptr_t tid = t ? t->tid : 0;
	if (t && !tid) {
		free (t->name);
		t->name = text;
		text = NULL;
	}
	pthread_mutex_unlock (&lock);
	if (tid)
		tell_name (tid, text);
	free (text);
	return S_OK;
}
