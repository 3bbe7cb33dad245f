/*
 * SPDX-License-Identifier: MIT
 *
 * attach.c - coming into a program that runs, and leaving it.
 *
 *   the runtime's attaching thread     InitializeForAttach: settings, core, modules (their init window), event mask
 *                                      ProfilerAttachComplete: what is there already, as events
 *   a thread of ours                   waits: for the time, or the file "stop"; then the modules' end, all hooks off,
 *                                      RequestProfilerDetach
 *   the runtime's detaching thread     ProfilerDetachSucceeded: no thread is in a callback any more; the rest is given
 *                                      back, modules are closed
 *
 * The library itself stays in the process, and so does the core with its records: the next attach finds what it knew. A
 * signal may be on its way to our handler, and threads end through our thread-local memory, long after all is over.
 *
 * Who attached reads how it went from notes in the folder of the run: "loaded", then "detached" when a next attach is
 * possible, or "asleep" with the reason why the runtime keeps us.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "adapter.h"
#include "attach-block.h"
#include "background.h"
#include "code/codemap.h"
#include "code/sampling.h"
#include "environment.h"
#include "heap/collector.h"
#include "heap/gc-handle.h"
#include "heap/roots.h"
#include "heap/voice.h"
#include "images/dynamic-method.h"
#include "images/image.h"
#include "nanoseconds.h"
#include "run-note.h"
#include "service.h"
#include "state.h"
#include "thread.h"
#include "wants.h"

static struct {
	uint64_t end; /* when the time is over, as CLOCK_MONOTONIC has it, once it has begun; UINT64_MAX: never */
	char stop[PATH_MAX];
	pthread_t thread;
} attached;

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* Also when the folder has gone: then nobody waits for us. */
static bool
is_asked_to_stop (void)
{
	char folder[PATH_MAX];
	char *slash;
	if (access (attached.stop, F_OK) == 0)
		return true;
	snprintf (folder, sizeof folder, "%s", attached.stop);
	slash = strrchr (folder, '/');
	if (slash)
		*slash = '\0';
	return access (folder, F_OK) != 0 && errno == ENOENT;
}

/* A thread that keeps the signal blocked never answers. */
static void
await_threads (void)
{
	enum { PATIENCE_MS = 50, TIMES = 10 };
	for (int i = 0; i < TIMES && !is_asked_to_stop () && !monocle__threads_ask_silent (PATIENCE_MS); i++)
		;
}

/* A module that is to take one look, and to go, has all threads, and names for what it sees. */
static void
await_beginning (void)
{
	enum { LOOK_NS = 1000000, LOOKS = 2000 };
	await_threads ();
	for (int i = 0; i < LOOKS && monocle__codemap_is_catching_up () && !is_asked_to_stop (); i++)
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	if (attached.end != UINT64_MAX)
		attached.end += monocle__nanoseconds (CLOCK_MONOTONIC);
}

static void
await_end (void)
{
	enum { LOOK_NS = 20000000, ASK_MS = 1 };
	for (;;) {
		monocle__threads_ask_silent (ASK_MS);
		uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
		if (now >= attached.end || atomic_load (&monocle__clr_state.ended) || is_asked_to_stop ())
			return;
		uint64_t wait = attached.end - now < LOOK_NS ? attached.end - now : LOOK_NS;
		nanosleep (&(struct timespec) { 0, (long) wait }, NULL);
	}
}

/* The runtime waits for threads that are in a callback, and looks as seldom as every 300 ms. */
static void
leave (void)
{
	enum { EXPECTED_MS = 100 };
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__service_leave (); /* who asks the runtime now would be told that we are leaving */
	monocle__wants_end ();
	HRESULT hr = info->vtbl->RequestProfilerDetach (info, EXPECTED_MS);
	if (hr < 0) {
		char reason[160];
		snprintf (reason, sizeof reason, "%s (0x%08X)", monocle__hresult_name (hr), (unsigned) hr);
		monocle__run_note ("asleep", reason);
	}
}

/* The runtime tells roots in collections that a profiler asks for; the program's own would be waited for in vain. */
static void
ask_for_roots (void)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_roots) && !is_asked_to_stop ())
		mono_gc_collect (mono_gc_max_generation ());
}

static void *
run (void *nothing)
{
	pthread_setname_np (pthread_self (), MONOCLE__ATTACH_BLOCK_THREAD);
	await_beginning ();
	ask_for_roots ();
	await_end ();
	bool was_ended = atomic_load (&monocle__clr_state.ended);
	monocle__adapter_end (NULL);
	if (!was_ended)
		leave ();
	return NULL;
}

/* The core waits for signal handlers that still run. */
static bool
leave_core (void)
{
	enum { TRIES = 10 };
	int result = MONOCLE_E_BUSY;
	for (int i = 0; i < TRIES && result == MONOCLE_E_BUSY; i++)
		result = monocle_host_leave ();
	return result == MONOCLE_OK;
}

static void
forget_state (void)
{
	monocle__clr_state.info = NULL;
	monocle__clr_state.attached = false;
	atomic_store (&monocle__clr_state.started, false);
	atomic_store (&monocle__clr_state.initialized, false);
	atomic_store (&monocle__clr_state.refused, 0);
	atomic_store (&monocle__clr_state.ended, false);
}

HRESULT
monocle__callback_ProfilerDetachSucceeded (ICorProfilerCallback11 *self)
{
	pthread_join (attached.thread, NULL);
	monocle__voice_leave ();
	bool is_free = leave_core ();
	if (is_free) {
		monocle__sampling_leave ();
		monocle__images_leave ();
		monocle__dynamic_methods_leave ();
		monocle__threads_leave ();
		monocle__collector_leave ();
		monocle__gc_handle_leave ();
		monocle__service_forget ();
		forget_state ();
		monocle__run_note ("detached", "");
		monocle_host_settings (NULL);
	} else {
		monocle__run_note ("asleep", "a signal handler of Monocle does not come to its end");
	}
	return S_OK;
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static bool
read_block (const void *data, UINT size, monocle__attach_block *ret_block)
{
	int error = monocle__attach_block_read (ret_block, data, size);
	if (error)
		monocle__clr_complain ("attaching: %s", error == -EPROTO ? "the command is of another version of Monocle"
		                                                         : "the runtime was given no data for us");
	return !error;
}

/* A module that is asked for its help prints it and ends the process, which nobody who attaches wants. */
static bool
asks_help (void)
{
	const char *profiles = monocle__variable ("MONOCLE_PROFILE");
	if (!profiles || !strstr (profiles, ":help"))
		return false;
	monocle__clr_complain ("attaching: a module's help is not to be had in a program that runs");
	return true;
}

/* The time begins when samples flow. */
static bool
plan_end (const monocle__attach_block *block)
{
	const char *folder = monocle__variable ("MONOCLE_RUN_DIR");
	attached.end = block->milliseconds ? block->milliseconds * UINT64_C (1000000) : UINT64_MAX;
	return folder && snprintf (attached.stop, sizeof attached.stop, "%s/%s", folder, MONOCLE__ATTACH_BLOCK_STOP) <
	                     (int) sizeof attached.stop;
}

static HRESULT
give_up (const char *reason)
{
	monocle_host_shutdown ();
	if (leave_core ()) {
		monocle__sampling_leave ();
		forget_state ();
	}
	HRESULT hr = monocle__adapter_decline (reason);
	monocle_host_settings (NULL);
	return hr;
}

/* Modules were there before, in an attach that the runtime broke off, or a start that came to nothing. */
HRESULT
monocle__callback_InitializeForAttach (ICorProfilerCallback11 *self, IUnknown *unknown, void *data, UINT size)
{
	monocle__attach_block block;
	const char *reason = "";
	if (!monocle__environment_is_believed ()) {
		monocle__clr_complain ("attaching: the program has rights that are not its user's");
		return E_NOTIMPL;
	}
	if (!read_block (data, size, &block) || monocle_host_settings (block.texts) || !plan_end (&block) || asks_help ())
		return E_INVALIDARG;
	monocle_host_leave ();
	monocle__clr_state.attached = true;
	if (!monocle__adapter_start (unknown, &reason)) {
		HRESULT hr = monocle__adapter_decline (reason);
		monocle_host_settings (NULL);
		return hr;
	}
	monocle_host_load_from_env ();
	if (!monocle_host_has_handles ())
		return give_up ("no module was loaded");
	monocle__service_begin ();
	monocle_host_startup_done ();
	monocle__images_catch_up_begin ();
	if (!monocle__wants_begin_attached ()) {
		monocle__service_leave ();
		return give_up ("the runtime refused the event mask");
	}
	return S_OK;
}

/*
 * Threads after images, as in a program that starts: modules may ask a thread's stack for names. What happens from then
 * on is told when all of this is known.
 */
HRESULT
monocle__callback_ProfilerAttachComplete (ICorProfilerCallback11 *self)
{
	monocle__roots_register ();
	monocle_raise_domain_loading (monocle_domain_root ());
	monocle_raise_domain_loaded (monocle_domain_root ());
	monocle__images_catch_up ();
	monocle__clr_reach_initialized ();
	monocle__threads_catch_up ();
	atomic_store (&monocle__clr_state.started, true);
	monocle__wants_update ();
	monocle__codemap_catch_up ();
	monocle__adapter_note ();
	if (!monocle__background_start (&attached.thread, run, NULL, 0)) {
		monocle__clr_complain ("attaching: no thread can be made; nothing is profiled");
		monocle__adapter_end (NULL);
	}
	return S_OK;
}
