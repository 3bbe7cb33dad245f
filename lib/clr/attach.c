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
 * A runtime that was asked for further bodies of methods, as calls need them, lets nobody leave. Then we stand by: the
 * program has its own code again and nothing of ours runs, but the control socket, through which the next attach comes
 * (monocle__attach_load ()):
 *
 *   NEVER --InitializeForAttach--> AT_WORK --the end--> IDLE --load--> AT_WORK ...
 *                                     |--the runtime lets us go--> NEVER
 *                                     '--a thread does not come out of here--> STUCK
 *
 * Who attached reads how it went from notes in the folder of the run: "loaded", then "detached" or "standing-by" when a
 * next attach is possible, or "asleep" with the reason why the runtime keeps us; "ended" when the runtime came to its
 * end in order before.
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
#include "attach.h"
#include "background.h"
#include "code/codemap.h"
#include "code/sampling.h"
#include "control-words.h"
#include "environment.h"
#include "heap/collector.h"
#include "heap/gc-handle.h"
#include "heap/roots.h"
#include "heap/voice.h"
#include "images/dynamic-method.h"
#include "images/image.h"
#include "nanoseconds.h"
#include "pause.h"
#include "probes/reinstrument.h"
#include "quiet.h"
#include "run-note.h"
#include "service.h"
#include "state.h"
#include "thread.h"
#include "wants.h"

static struct {
	uint64_t end;        /* when the time is over, as CLOCK_MONOTONIC has it, once it has begun; UINT64_MAX: never */
	char stop[PATH_MAX]; /* "": nobody waits in a folder */
	pthread_t thread;
	atomic_bool is_asked; /* to end now */
	enum { NEVER, AT_WORK, IDLE, STUCK } _Atomic phase;
} attached;

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* Also when the folder has gone: then nobody waits for us. */
static bool
is_asked_to_stop (void)
{
	char folder[PATH_MAX];
	char *slash;
	if (atomic_load (&attached.is_asked) || (attached.stop[0] && access (attached.stop, F_OK) == 0))
		return true;
	if (!attached.stop[0])
		return false;
	snprintf (folder, sizeof folder, "%s", attached.stop);
	slash = strrchr (folder, '/');
	if (slash)
		*slash = '\0';
	return access (folder, F_OK) != 0 && errno == ENOENT;
}

/* A thread that keeps the signal blocked never answers, and costs the pauses; a handler of the program's ends soon. */
static void
await_threads (void)
{
	enum { PATIENCE_MS = 50, TIMES = 20, PAUSE_NS = 5000000 };
	for (int i = 0; i < TIMES && !is_asked_to_stop () && !monocle__threads_ask_silent (PATIENCE_MS); i++)
		nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
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

/* Who asks the runtime now would be told that we are leaving. Who waits until all is asked about waits in vain. */
static void
leave_service (void)
{
	monocle__service_leave ();
	monocle__codemap_abandon_catch_up ();
}

/* The runtime waits for threads that are in a callback, and looks as seldom as every 300 ms. */
static void
leave (void)
{
	enum { EXPECTED_MS = 300 };
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	leave_service ();
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

/* Who stays keeps what the runtime gave. */
static void
forget_state (void)
{
	if (atomic_load (&attached.phase) != IDLE) {
		monocle__clr_state.info = NULL;
		monocle__clr_state.attached = false;
		monocle__clr_state.late = false;
	}
	atomic_store (&monocle__clr_state.started, false);
	atomic_store (&monocle__clr_state.initialized, false);
	atomic_store (&monocle__clr_state.refused, 0);
	atomic_store (&monocle__clr_state.ended, false);
}

/* What is there stays as it is, for ever. */
static void
get_stuck (const char *reason)
{
	attached.phase = STUCK;
	monocle_host_stand_by (false);
	monocle__run_note ("asleep", reason);
}

/* No thread is in a callback or a probe, nor will be. `next`: the phase when all is done, of which `note` tells. */
static void
give_back (int next, const char *note)
{
	monocle__voice_leave ();
	if (!leave_core ()) {
		get_stuck ("a signal handler of Monocle does not come to its end");
		return;
	}
	monocle__sampling_leave ();
	monocle__images_leave ();
	monocle__dynamic_methods_leave ();
	monocle__threads_leave ();
	monocle__collector_leave ();
	monocle__gc_handle_leave ();
	monocle__service_forget ();
	attached.phase = next;
	forget_state ();
	monocle__run_note (note, "");
	monocle_host_settings (NULL);
}

HRESULT
monocle__callback_ProfilerDetachSucceeded (ICorProfilerCallback11 *self)
{
	pthread_join (attached.thread, NULL);
	give_back (NEVER, "detached");
	return S_OK;
}

/* The program gets its own code back, calls that are under way with probes find no module any more. */
static void
stand_by (void)
{
	pthread_detach (pthread_self ());
	leave_service ();
	monocle__reinstrument_end ();
	monocle__wants_end ();
	if (!monocle__quiet_await ()) {
		get_stuck ("a callback of Monocle does not come to its end");
		return;
	}
	monocle__reinstrument_forget ();
	give_back (IDLE, "standing-by");
}

static void *
run (void *nothing)
{
	bool is_late = monocle__clr_state.late;
	pthread_setname_np (pthread_self (), MONOCLE__ATTACH_BLOCK_THREAD);
	MONOCLE__PAUSE (attach_begun);
	if (is_late)
		monocle__reinstrument_begin ();
	monocle__adapter_note ();
	await_beginning ();
	ask_for_roots ();
	await_end ();
	bool was_ended = atomic_load (&monocle__clr_state.ended);
	if (is_late && !was_ended)
		monocle_host_stand_by (true);
	monocle__adapter_end_modules ();
	if (!was_ended)
		(is_late ? stand_by : leave) ();
	return NULL;
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

/* Without a block nobody is known who would hear a line, so the code that the runtime hands on says it. */
static HRESULT
read_block (const void *data, UINT size, monocle__attach_block *ret_block)
{
	if (!monocle__environment_is_believed ())
		return (HRESULT) MONOCLE__ATTACH_BLOCK_PRIVILEGED;
	int error = monocle__attach_block_read (ret_block, data, size);
	if (error)
		return (HRESULT) (error == -EPROTO ? MONOCLE__ATTACH_BLOCK_VERSION : MONOCLE__ATTACH_BLOCK_NONE);
	return S_OK;
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

/* The time begins when samples flow. False: nobody would hear of it. */
static bool
plan_end (uint32_t milliseconds)
{
	const char *folder = monocle__variable ("MONOCLE_RUN_DIR");
	attached.end = milliseconds ? milliseconds * UINT64_C (1000000) : UINT64_MAX;
	attached.stop[0] = '\0';
	atomic_store (&attached.is_asked, false);
	return folder && snprintf (attached.stop, sizeof attached.stop, "%s/%s", folder, MONOCLE__ATTACH_BLOCK_STOP) <
	                     (int) sizeof attached.stop;
}

static HRESULT
give_up (const char *reason)
{
	if (attached.phase == IDLE)
		monocle_host_stand_by (true);
	monocle_host_shutdown ();
	if (leave_core ()) {
		monocle__sampling_leave ();
		forget_state ();
	}
	HRESULT hr = monocle__adapter_decline (reason);
	monocle_host_settings (NULL);
	return hr;
}

/* ReJIT with inliners came with ICorProfilerInfo10. Whoever stays anyway need not be asked. */
static bool
wants_late_calls (void)
{
	const char *wish = monocle__variable ("MONOCLE_ATTACH_CALLS");
	return attached.phase == IDLE || (wish && strcmp (wish, "1") == 0);
}

/* Modules are loaded, and what the runtime is to tell is asked for. S_OK, or why it came to nothing, which was told. */
static HRESULT
load_modules (void)
{
	monocle_host_load_from_env ();
	if (!monocle_host_has_handles ())
		return give_up ("no module was loaded");
	if (attached.phase != IDLE && !monocle_call_filter_installed ())
		monocle__clr_state.late = false;
	monocle__service_begin ();
	monocle_host_startup_done ();
	monocle__codemap_catch_up_begin ();
	monocle__images_catch_up_begin ();
	if (!monocle__wants_begin_attached ()) {
		leave_service ();
		return give_up ("the runtime refused the event mask");
	}
	return S_OK;
}

/* Modules were there before, in an attach that the runtime broke off, or a start that came to nothing. */
HRESULT
monocle__callback_InitializeForAttach (ICorProfilerCallback11 *self, IUnknown *unknown, void *data, UINT size)
{
	monocle__attach_block block;
	const char *reason = "";
	HRESULT hr = read_block (data, size, &block);
	if (hr < 0)
		return hr;
	if (monocle_host_settings (block.texts) || !plan_end (block.milliseconds) || asks_help ())
		return E_INVALIDARG;
	monocle_host_leave ();
	monocle__clr_state.attached = true;
	monocle__clr_state.late = wants_late_calls ();
	if (!monocle__adapter_start (unknown, &reason)) {
		hr = monocle__adapter_decline (reason);
		monocle_host_settings (NULL);
		return hr;
	}
	return load_modules ();
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
	attached.phase = AT_WORK;
	if (!monocle__background_start (&attached.thread, run, NULL, 0)) {
		monocle__clr_complain ("attaching: no thread can be made; nothing is profiled");
		monocle__adapter_end (NULL);
	}
	return S_OK;
}

/* --- standing by -------------------------------------------------------------------------------------------------- */

/* What is at its end is waited for. */
static bool
await_idle (void)
{
	enum { LOOK_NS = 5000000, LOOKS = 4000 };
	for (int i = 0; i < LOOKS && attached.phase == AT_WORK && atomic_load (&monocle__clr_state.ended); i++)
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	return attached.phase == IDLE;
}

/* On the control socket's thread. Nothing is to be said about a folder: it may come from `monocle ctl`. */
const char *
monocle__attach_load (void *host, uint32_t milliseconds, const char *const *settings)
{
	const char *reason = "the process's messages say why";
	if (!await_idle ())
		return attached.phase == STUCK ? "Monocle did not come to its end here" : MONOCLE__CONTROL_BUSY;
	if (!monocle__quiet_await ())
		return "the runtime cannot be stopped for a moment";
	if (monocle_host_settings (settings))
		return "there is no memory";
	plan_end (milliseconds);
	if (asks_help ()) {
		monocle_host_settings (NULL);
		return "a module's help is not to be had in a program that runs";
	}
	if (!monocle__adapter_start (NULL, &reason)) {
		monocle_host_settings (NULL);
		return reason;
	}
	if (load_modules () < 0)
		return reason;
	monocle__callback_ProfilerAttachComplete (NULL);
	return NULL;
}

/* On the control socket's thread, which an attach that leaves the process waits for. */
const char *
monocle__attach_unload (void *host)
{
	enum { LOOK_NS = 5000000, LOOKS = 4000 };
	if (attached.phase != AT_WORK)
		return "nothing is loaded";
	atomic_store (&attached.is_asked, true);
	if (!monocle__clr_state.late)
		return NULL;
	for (int i = 0; i < LOOKS && attached.phase == AT_WORK; i++)
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	return attached.phase == AT_WORK || attached.phase == STUCK ? "it does not come to its end" : NULL;
}
