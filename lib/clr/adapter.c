/*
 * SPDX-License-Identifier: MIT
 *
 * adapter.c - start and end: the runtime's Initialize and Shutdown as Mono's start-up and shutdown. Attaching is
 * attach.c's.
 *
 * Whatever fails here, the program runs on unprofiled and one line says why. Modules are loaded inside Initialize,
 * before any managed code; that is their init window. A program that starts the runtime itself may have loaded others
 * before; they are served as well. The runtime announces no moment at which it is initialised, so
 * runtime_initialized comes before the first image that is not corlib: as in Mono, corlib is up by then and the
 * program's assembly is not.
 */
#include "adapter.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "attach.h"
#include "beside.h"
#include "code/code.h"
#include "code/sampling.h"
#include "code/stack.h"
#include "contract.h"
#include "environment.h"
#include "forks.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/roots.h"
#include "images/emitted.h"
#include "images/image.h"
#include "images/layout.h"
#include "log-level.h"
#include "probes/context.h"
#include "probes/direct.h"
#include "probes/gate.h"
#include "probes/reinstrument.h"
#include "process.h"
#include "quiet.h"
#include "run-note.h"
#include "service.h"
#include "stacks.h"
#include "state.h"
#include "walking.h"
#include "wants.h"

/* --- what the core tells ------------------------------------------------------------------------------------------ */

static void
event_wanted (void *host, monocle_event event, int wanted)
{
	if (event == MONOCLE_EVENT_method_begin_invoke || event == MONOCLE_EVENT_method_end_invoke)
		atomic_fetch_add (&monocle__clr_state.filter_epoch, 1);
	if (wanted && atomic_load (&monocle__clr_state.started))
		monocle__wants_update ();
}

static void
filter_changed (void *host)
{
	atomic_fetch_add (&monocle__clr_state.filter_epoch, 1);
	if (atomic_load (&monocle__clr_state.started))
		monocle__wants_update ();
}

/*
 * Allocations can be reported only when that was asked for before anything was allocated; clauses, before anything was
 * compiled.
 */
static int
enable (void *host, monocle_feature feature)
{
	static const char *const needs_rewriting[MONOCLE_FEATURE_COUNT] = {
		[MONOCLE_FEATURE_COVERAGE] = "coverage",
		[MONOCLE_FEATURE_CLAUSES] = "exception clauses",
		[MONOCLE_FEATURE_CALL_CONTEXT] = "call contexts",
	};
	if (atomic_load (&monocle__clr_state.started))
		return 0;
	if (feature == MONOCLE_FEATURE_SAMPLING)
		return monocle__sampling_grant ();
	if (monocle__clr_state.attached)
		return 0;
	if (feature == MONOCLE_FEATURE_ALLOCATIONS)
		atomic_store (&monocle__clr_state.allocations, true);
	if (monocle__clr_state.beside && needs_rewriting[feature]) {
		static atomic_bool told[MONOCLE_FEATURE_COUNT];
		monocle__beside_refuse (needs_rewriting[feature], MONOCLE__BESIDE_REWRITE, &told[feature]);
		return -1;
	}
	if (feature == MONOCLE_FEATURE_CLAUSES) {
		atomic_store (&monocle__clr_state.clauses, true);
		monocle__stack_walks_alone ();
	}
	if (feature == MONOCLE_FEATURE_COVERAGE)
		atomic_store (&monocle__clr_state.coverage, true);
	return 1;
}

/*
 * Mono has stopped all other threads when it says runtime_shutdown_end, and its own modules expect that none runs.
 * False: they could not be stopped.
 */
static bool
be_alone (void)
{
	enum { TRIES = 1000, PAUSE_NS = 1000000, INFO_SUSPENDS = 10 };
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = E_FAIL;
	monocle__forks_hold ();
	for (int i = 0; i < TRIES && monocle__clr_state.info_version >= INFO_SUSPENDS && hr < 0; i++) {
		hr = info->vtbl->SuspendRuntime (info);
		if (hr != CORPROF_E_SUSPENSION_IN_PROGRESS)
			break;
		nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
	}
	if (hr < 0)
		monocle__forks_release ();
	return hr >= 0;
}

static void
be_among_others (void)
{
	monocle__clr_state.info->vtbl->ResumeRuntime (monocle__clr_state.info);
	monocle__forks_release ();
}

/* Several may end us; the first one counts. */
void
monocle__adapter_end_modules (void)
{
	unsigned refused = atomic_load (&monocle__clr_state.refused);
	if (atomic_exchange (&monocle__clr_state.ended, true))
		return;
	if (refused > 1)
		monocle__clr_complain ("%u methods could not be given call probes", refused);
	monocle__clr_reach_initialized ();
	monocle__heap_ending (true);
	monocle_raise_runtime_shutdown_begin ();
	monocle__heap_ending (false);
	monocle_host_quieten ();
	bool is_alone = monocle_host_ends_alone () && be_alone ();
	monocle_raise_runtime_shutdown_end ();
	if (is_alone)
		be_among_others ();
	monocle_host_shutdown ();
}

/* The runtime ends, or the program that embeds it says that it is not needed any more. */
void
monocle__adapter_end (void *host)
{
	monocle__service_end (); /* collecting and loading now would meet the runtime's own end */
	monocle__adapter_end_modules ();
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static const struct {
	const GUID *iid;
	int version;
} info_versions[] = {
	{ &IID_ICorProfilerInfo15, 15 }, { &IID_ICorProfilerInfo14, 14 }, { &IID_ICorProfilerInfo13, 13 },
	{ &IID_ICorProfilerInfo12, 12 }, { &IID_ICorProfilerInfo11, 11 }, { &IID_ICorProfilerInfo10, 10 },
	{ &IID_ICorProfilerInfo9, 9 },   { &IID_ICorProfilerInfo8, 8 },
};

static bool
take_info (IUnknown *unknown)
{
	for (size_t i = 0; i < sizeof info_versions / sizeof *info_versions; i++)
		if (unknown->vtbl->QueryInterface (unknown, info_versions[i].iid, (void **) &monocle__clr_state.info) >= 0) {
			monocle__clr_state.info_version = info_versions[i].version;
			return true;
		}
	monocle__clr_complain (
	    "this runtime is too old: it offers no ICorProfilerInfo8 (.NET Core 3.1 or later is needed)");
	return false;
}

static void
describe_runtime (char *text, size_t size)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	USHORT instance, major = 0, minor = 0, build = 0, qfe = 0;
	COR_PRF_RUNTIME_TYPE type;
	ULONG length;
	WCHAR unused[256]; /* .NET Core 3.1 tells nothing where this has no room */
	HRESULT hr = info->vtbl->GetRuntimeInformation (info, &instance, &type, &major, &minor, &build, &qfe,
	                                                sizeof unused / sizeof *unused, &length, unused);
	if (hr < 0)
		monocle__clr_complain_hr ("GetRuntimeInformation", hr);
	monocle__clr_state.major = major;
	snprintf (text, size, "%u.%u.%u (CoreCLR)", major, minor, build);
}

/* What metadata knows lib/describe answers; what only the runtime knows, the rooms. */
static void
fill_ops (monocle_host_ops *ops)
{
	monocle__describe_init (&monocle__clr_image_owner);
	monocle__describe_fill_ops (ops);
	monocle__clr_code_ops (ops);
	monocle__clr_stack_ops (ops);
	monocle__clr_stacks_ops (ops);
	monocle__walking_ops (ops);
	monocle__clr_object_ops (ops);
	monocle__clr_layout_ops (ops);
	monocle__clr_heap_ops (ops);
	ops->call_value = monocle__context_value;
	ops->callback_changed = monocle__direct_changed;
	ops->reinstrument = monocle__reinstrument;
}

static char runtime[64]; /* for people */

static int
start_host (void)
{
	monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "coreclr",
		.runtime_version = runtime,
		.event_wanted = event_wanted,
		.event_support = monocle__wants_support,
		.filter_changed = filter_changed,
		.enable = enable,
		.end = monocle__adapter_end,
		.silence = monocle__quiet_silence,
		.load = monocle__clr_state.late ? monocle__attach_load : NULL,
		.unload = monocle__clr_state.attached ? monocle__attach_unload : NULL,
	};
	fill_ops (&ops);
	monocle__images_watch_unloads (monocle__reinstrument_unloading);
	int result = monocle_host_init (&ops);
	if (result && result != MONOCLE_E_BUSY) /* the core said who owns the process */
		monocle__clr_complain ("the core could not start (%d); not profiling", result);
	return result;
}

bool
monocle__adapter_start (IUnknown *unknown, const char **ret_reason)
{
	enum { FIRST_ASKED = 11 }; /* of earlier runtimes nothing has to be known that they say of their data */
	if (unknown && !take_info (unknown)) {
		*ret_reason = "the runtime is too old";
		return false;
	}
	describe_runtime (runtime, sizeof runtime);
	if (monocle__clr_state.major >= FIRST_ASKED)
		monocle__contract_open ();
	monocle__clr_state.counts = monocle_event_counts ();
	monocle__clr_state.handles = monocle_event_handles ();
	monocle__forks_begin ();
	*ret_reason = "the profiler core could not start";
	return start_host () == 0;
}

HRESULT
monocle__adapter_decline (const char *reason)
{
	monocle__run_note ("declined", reason);
	MONOCLE__LOG_DEBUG ("CoreCLR: this process is not profiled: %s", reason);
	return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
}

/* Where it matters whether a later runtime is as the newest that is known, answers are those of what is not known. */
void
monocle__adapter_note (void)
{
	monocle__run_note ("loaded", runtime);
	if (monocle__clr_state.major > MONOCLE__CLR_NEWEST)
		monocle__clr_complain (
		    ".NET %u is newer than this version of Monocle and is taken for .NET %d; what pointers point to "
		    "is not known",
		    monocle__clr_state.major, MONOCLE__CLR_NEWEST);
}

/* A program that named us to its own runtime, by setenv (), has named us to its children as well. */
static bool
is_child_of_embedder (void)
{
	const char *pid = monocle__variable ("MONOCLE_EMBED_PID");
	return pid && *pid && atol (pid) != (long) getpid ();
}

/*
 * The runtime was told to load us, but no module was named, and the program has loaded none. Modules that were named
 * and failed had their line already. What is loaded from now on is told that it is too late. Where the environment is
 * not believed nothing is known of what it names, nor of who would hear of it.
 */
static HRESULT
decline_idle (void)
{
	const char *options = monocle__variable ("MONO_ENV_OPTIONS");
	bool is_named = monocle__variable ("MONOCLE_PROFILE") || monocle__variable ("MONO_PROFILE") ||
	                (options && strstr (options, "--profile"));
	if (!is_named && monocle__environment_is_believed () && !is_child_of_embedder ())
		monocle__clr_complain (
		    "no module is named: MONOCLE_PROFILE=NAME[:ARGUMENTS] says which to load; not profiling");
	monocle_host_shutdown ();
	return monocle__adapter_decline ("no module was loaded");
}

/* For Mono it is a word of its own; CoreCLR lets modules be attached when no profiler is in the process, so we go. */
static bool
stands_by (void)
{
	const char *profiles = monocle__variable ("MONOCLE_PROFILE");
	return profiles && strcmp (profiles, "standby") == 0;
}

/*
 * Where this process is declined after take_info () the reference stays: the core keeps our operations, and modules
 * that run may call them.
 */
HRESULT
monocle__callback_Initialize (ICorProfilerCallback11 *self, IUnknown *unknown)
{
	const char *reason = "";
	if (!monocle__process_is_meant (&reason))
		return monocle__adapter_decline (reason);
	if (stands_by ())
		return monocle__adapter_decline ("it stands by for monocle attach");
	monocle__clr_state.try_fault = monocle__variable ("MONOCLE_CLR_TRY_FAULT") != NULL;
	if (!monocle__adapter_start (unknown, &reason))
		return monocle__adapter_decline (reason);
	if (monocle_host_load_from_env () <= 0 && !monocle_host_has_handles ())
		return decline_idle ();
	monocle__service_begin ();
	monocle_host_startup_done ();
	if (!monocle__wants_begin ()) {
		monocle_host_shutdown (); /* the modules run already and have to end */
		return monocle__adapter_decline ("the runtime refused the event mask");
	}
	atomic_store (&monocle__clr_state.started, true);
	monocle__gate_begin ();
	if (!monocle__clr_state.beside)
		monocle__roots_register ();
	monocle_raise_domain_loading (monocle_domain_root ());
	monocle_raise_domain_loaded (monocle_domain_root ());
	monocle__wants_update (); /* what modules' own threads asked for meanwhile */
	monocle__adapter_note ();
	return S_OK;
}

HRESULT
monocle__callback_LoadAsNotificationOnly (ICorProfilerCallback11 *self, BOOL *ret_notification)
{
	if (atomic_load (&monocle__clr_state.started)) { /* named twice: the runtime drops this one */
		*ret_notification = 0;
		return S_OK;
	}
	monocle__clr_state.beside = monocle__beside_another ();
	*ret_notification = monocle__clr_state.beside;
	return S_OK;
}

/* --- end ---------------------------------------------------------------------------------------------------------- */

HRESULT
monocle__callback_Shutdown (ICorProfilerCallback11 *self)
{
	monocle__adapter_end (NULL);
	if (monocle__clr_state.attached)
		monocle__run_note ("ended", "");
	return S_OK;
}
