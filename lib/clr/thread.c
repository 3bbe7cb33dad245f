/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - managed threads. Modules know a thread by its pthread_t; the runtime by an id that it reuses.
 *
 * ThreadAssignedToOSThread is the first word on the thread itself, so thread_started is raised there. The runtime may
 * destroy a thread from another one (the finalizer), long after the system gave its pthread_t to a new thread: then the
 * old one ends for modules when the new one starts. Where that end is being told already, the new one waits for it. A
 * name that is set before the thread runs is kept until thread_started was raised.
 *
 * A module's own thread that runs managed code after the module has attached it becomes one of the runtime's, too. The
 * core has told its beginning then, and tells its end.
 */
#include "thread.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "code/sampling.h"
#include "corprof.h"
#include "exceptions/exception.h"
#include "pause.h"
#include "read-file.h"
#include "service.h"
#include "state.h"
#include "utf16.h"

typedef struct thread {
	struct thread *next;
	ThreadID id;
	uintptr_t tid;   /* pthread_t; 0 until it runs, or until it has told it */
	uint64_t os_id;  /* of one that ran before us and has not told its tid yet */
	char *name;      /* set before it ran */
	bool is_ending;  /* a thread is reporting so; it has no id any more */
	bool is_modules; /* a module had attached it: the core tells of it */
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

uintptr_t
monocle__clr_thread_tid (ThreadID id)
{
	uintptr_t tid = 0;
	pthread_mutex_lock (&lock);
	for (thread *t = threads; t && !tid; t = t->next)
		if (t->id == id)
			tid = t->tid;
	pthread_mutex_unlock (&lock);
	return tid;
}

/* The thread stays in the list while its end is told. NULL: its start was not reported. */
static thread *
begin_end (ThreadID id)
{
	pthread_mutex_lock (&lock);
	thread *t = threads;
	while (t && (t->id != id || t->is_ending))
		t = t->next;
	if (t) {
		t->id = 0;
		t->os_id = 0;
		t->is_ending = true;
	}
	pthread_mutex_unlock (&lock);
	MONOCLE__PAUSE (thread_ending);
	return t;
}

/* Takes the thread out of the list; its name goes with it. */
static void
take_out (thread *gone)
{
	pthread_mutex_lock (&lock);
	for (thread **at = &threads; *at; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	pthread_mutex_unlock (&lock);
	free (gone->name);
	free (gone);
}

/* Under the lock. */
static bool
is_ending (uintptr_t tid)
{
	bool found = false;
	for (thread *t = threads; t && !found; t = t->next)
		found = t->is_ending && t->tid == tid;
	return found;
}

/*
 * Takes the lock while no end of the tid is being told: none begins before it is given back. A module's callback that
 * takes longer than a second is not waited for.
 */
static void
lock_after_end (uintptr_t tid)
{
	enum { TRIES = 10000, PAUSE_NS = 100000 };
	struct timespec pause = { 0, PAUSE_NS };
	pthread_mutex_lock (&lock);
	for (int i = 0; i < TRIES && is_ending (tid); i++) {
		pthread_mutex_unlock (&lock);
		nanosleep (&pause, NULL);
		pthread_mutex_lock (&lock);
	}
}

static void
tell_name (uintptr_t tid, const char *name)
{
	monocle_thread_set_name (tid, name);
	monocle_raise_thread_name (tid, name);
}

/* Modules clear away what they keep of "their" thread: meanwhile this one stands for the one that has ended. */
static void
tell_end (uintptr_t tid)
{
	bool is_other = tid != (uintptr_t) pthread_self ();
	if (is_other)
		monocle_thread_stand_for (tid);
	monocle_raise_thread_stopping (tid);
	monocle_raise_thread_stopped (tid);
	monocle_raise_thread_exited (tid);
	MONOCLE__PAUSE (thread_exited);
	if (is_other)
		monocle_thread_stand_for (0);
	monocle_thread_detach (tid);
}

/*
 * Only `own` may have its tid: takes it from a thread that is dead without an announcement of the runtime. True: the
 * end of that one is to be told. Under the lock.
 */
static bool
take_tid (const thread *own)
{
	bool taken = false;
	for (thread *t = threads; t; t = t->next)
		if (t != own && t->tid == own->tid && !t->is_ending) {
			t->tid = 0;
			taken |= !t->is_modules;
		}
	return taken;
}

static void
start (ThreadID id)
{
	uintptr_t tid = (uintptr_t) pthread_self ();
	bool was_taken = false;
	MONOCLE__PAUSE (thread_starts);
	lock_after_end (tid);
	thread *t = find_or_add (id);
	bool is_new = t && t->tid != tid;
	char *name = is_new ? t->name : NULL;
	if (is_new) {
		t->tid = tid;
		t->os_id = 0;
		t->name = NULL;
		was_taken = take_tid (t);
		t->is_modules = !was_taken && monocle_thread_is_attached (tid);
	}
	pthread_mutex_unlock (&lock);
	MONOCLE__PAUSE (thread_has_tid);
	if (!is_new)
		return;
	if (was_taken)
		tell_end (tid);
	monocle__sampling_thread_began ();
	monocle_thread_attach (tid);
	if (!t->is_modules) {
		monocle_raise_thread_started (tid);
		monocle_raise_thread_os_id (tid, (uint64_t) syscall (SYS_gettid));
	}
	if (name)
		tell_name (tid, name);
	free (name);
}

HRESULT
monocle__callback_ThreadAssignedToOSThread (ICorProfilerCallback11 *self, ThreadID id, DWORD os_thread)
{
	if (os_thread == (DWORD) syscall (SYS_gettid) && !monocle__service_is_self ())
		start (id);
	return S_OK;
}

HRESULT
monocle__callback_ThreadDestroyed (ICorProfilerCallback11 *self, ThreadID id)
{
	thread *t = begin_end (id);
	if (t && t->tid && !t->is_modules)
		tell_end (t->tid);
	if (t && t->tid == (uintptr_t) pthread_self ())
		monocle__exception_end ();
	if (t)
		take_out (t);
	return S_OK;
}

/* The runtime gives counted text without an end. */
static char *
utf8_name (const WCHAR *name, ULONG length)
{
	size_t size = (size_t) length * 3 + 1;
	char *text = malloc (size);
	if (text)
		monocle__utf16_to_utf8 (name, length, text, size);
	return text;
}

/* That a thread loses its name is not reported, as on Mono; it only has none from then on. */
HRESULT
monocle__callback_ThreadNameChanged (ICorProfilerCallback11 *self, ThreadID id, ULONG length, WCHAR *name)
{
	char *text = length ? utf8_name (name, length) : NULL;
	if (length && !text)
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
	if (tid && text)
		tell_name (tid, text);
	else if (tid)
		monocle_thread_set_name (tid, NULL);
	free (text);
	return S_OK;
}

/* --- threads that were there before us ---------------------------------------------------------------------------- */

/* In the kernel, where the runtime puts the first fifteen bytes of it. False: it has gone. */
static bool
read_kernel_name (uint64_t os_id, char *name, size_t size)
{
	size_t length = monocle__read_file_of_thread (os_id, "comm", name, size);
	if (length)
		name[length - (name[length - 1] == '\n')] = '\0';
	return length > 0;
}

/* A thread that nobody has named is called as the one that made it; at last, as the program. */
static void
tell_kernel_name (uintptr_t tid, uint64_t os_id)
{
	char name[64], program[64];
	if (read_kernel_name (os_id, name, sizeof name) &&
	    read_kernel_name ((uint64_t) getpid (), program, sizeof program) && strcmp (name, program))
		tell_name (tid, name);
}

/* Threads that are asked together. */
typedef struct {
	ThreadID ids[MONOCLE_THREADS_ASKED];
	uint64_t os_ids[MONOCLE_THREADS_ASKED];
	uintptr_t tids[MONOCLE_THREADS_ASKED]; /* the answers */
	uint32_t count;
} question;

/* Unless it has told of itself, or ended, meanwhile. */
static void
meet (ThreadID id, uintptr_t tid, uint64_t os_id)
{
	char *name = NULL;
	bool is_modules = false;
	pthread_mutex_lock (&lock);
	thread *t = threads;
	while (t && !(t->id == id && t->os_id == os_id))
		t = t->next;
	if (t) {
		t->tid = tid;
		t->os_id = 0;
		t->is_modules = is_modules = monocle_thread_is_attached (tid);
		name = t->name;
		t->name = NULL;
	}
	pthread_mutex_unlock (&lock);
	if (!t)
		return;
	monocle_thread_meet (tid, os_id);
	if (!is_modules) {
		monocle_raise_thread_started (tid);
		monocle_raise_thread_os_id (tid, os_id);
	}
	if (name)
		tell_name (tid, name);
	else
		tell_kernel_name (tid, os_id);
	free (name);
}

/* The runtime may tell much later that one of them has ended. */
static void
collect_silent (question *asked)
{
	asked->count = 0;
	pthread_mutex_lock (&lock);
	for (thread *t = threads; t && asked->count < MONOCLE_THREADS_ASKED; t = t->next) {
		if (t->os_id && syscall (SYS_tgkill, getpid (), (pid_t) t->os_id, 0))
			t->os_id = 0;
		if (t->os_id) {
			asked->ids[asked->count] = t->id;
			asked->os_ids[asked->count++] = t->os_id;
		}
	}
	pthread_mutex_unlock (&lock);
}

/* A thread answers when it runs next, which takes a while on a busy machine, and when it lets the signal come. */
bool
monocle__threads_ask_silent (uint32_t milliseconds)
{
	question *asked = malloc (sizeof *asked);
	uint32_t silent = 0;
	if (!asked)
		return true;
	collect_silent (asked);
	if (asked->count)
		monocle_threads_ask (asked->os_ids, asked->count, milliseconds, asked->tids);
	for (uint32_t i = 0; i < asked->count; i++) {
		if (asked->tids[i])
			meet (asked->ids[i], asked->tids[i], asked->os_ids[i]);
		else
			silent++;
	}
	free (asked);
	return silent == 0;
}

static void
expect (const ThreadID *ids, uint32_t count)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	for (uint32_t i = 0; i < count; i++) {
		DWORD os_id = 0;
		if (info->vtbl->GetThreadInfo (info, ids[i], &os_id) < 0 || !os_id)
			continue;
		pthread_mutex_lock (&lock);
		thread *t = find_or_add (ids[i]);
		if (t && !t->tid)
			t->os_id = os_id;
		pthread_mutex_unlock (&lock);
	}
}

void
monocle__threads_catch_up (void)
{
	enum { PATIENCE_MS = 100 };
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ICorProfilerThreadEnum *all = NULL;
	ThreadID *ids = malloc (MONOCLE_THREADS_ASKED * sizeof *ids);
	ULONG count = 0;
	HRESULT hr = ids ? info->vtbl->EnumThreads (info, &all) : E_OUTOFMEMORY;
	while (hr >= 0 && all->vtbl->Next (all, MONOCLE_THREADS_ASKED, ids, &count) >= 0 && count) {
		expect (ids, count);
		monocle__threads_ask_silent (PATIENCE_MS);
	}
	if (hr < 0)
		monocle__clr_complain_hr ("EnumThreads", hr);
	else
		all->vtbl->Release (all);
	free (ids);
}

void
monocle__threads_leave (void)
{
	pthread_mutex_lock (&lock);
	thread *t = threads;
	threads = NULL;
	pthread_mutex_unlock (&lock);
	while (t) {
		thread *next = t->next;
		if (t->tid && !t->is_modules)
			monocle_thread_detach (t->tid);
		free (t->name);
		free (t);
		t = next;
	}
}
