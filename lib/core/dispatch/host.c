/*
 * SPDX-License-Identifier: MIT
 *
 * host.c - the host of this process and the parts of its life.
 *
 *      AWAITED --init--> WINDOW --startup_done--> DELIVERING --shutdown--> ENDED
 *                                                  |      ^
 *                                             reopen      startup_done
 *                                                  v      |
 *                                          DELIVERING + WINDOW
 *
 * The phase is one word that any thread may read at any time. The transitions belong to the host, in normal context;
 * two of them at once do no harm. A program that embeds a runtime loads modules before there is a host; what they
 * enable is promised (feature.c). Modules keep pointers into the core, so there is a way back to the first phase only
 * for a host that leaves a program to which it was attached: it knows that nobody is in a module any more (leave).
 */
#include "host.h"

#include <stdatomic.h>
#include <string.h>
#include <monocle/embed.h>
#include "arena.h"
#include "control/control.h"
#include "event.h"
#include "feature.h"
#include "filter.h"
#include "handle.h"
#include "invariant.h"
#include "load/loader.h"
#include "load/roster.h"
#include "load/self.h"
#include "log.h"
#include "pause.h"
#include "sample/sampler.h"
#include "stacks.h"

enum { AWAITED = 0, WINDOW = 1, DELIVERING = 2, ENDED = 4, QUIET = 8 };

static atomic_uint phase;

static const monocle_host_ops no_ops;
static monocle_host_ops registered; /* written by the thread that claimed, before `ops` points at it */
static const monocle_host_ops *_Atomic ops = &no_ops;
static atomic_bool claimed; /* by the first host, before it is complete */

const monocle_host_ops *
monocle__host_ops (void)
{
	return atomic_load_explicit (&ops, memory_order_acquire);
}

static atomic_uint session;

unsigned
monocle__host_session (void)
{
	return atomic_load (&session);
}

bool
monocle__host_awaited (void)
{
	return atomic_load_explicit (&phase, memory_order_seq_cst) == AWAITED;
}

bool
monocle__host_window_open (void)
{
	unsigned is = atomic_load_explicit (&phase, memory_order_seq_cst);
	return is == AWAITED || is & WINDOW;
}

bool
monocle__host_delivering (void)
{
	return atomic_load_explicit (&phase, memory_order_seq_cst) & DELIVERING;
}

bool
monocle__host_is_quiet (void)
{
	return atomic_load_explicit (&phase, memory_order_seq_cst) & (QUIET | ENDED);
}

bool
monocle__host_ended (void)
{
	return atomic_load_explicit (&phase, memory_order_seq_cst) & ENDED;
}

static atomic_bool shutting_down;

void
monocle__host_begin_shutdown (void)
{
	atomic_store_explicit (&shutting_down, true, memory_order_release);
}

bool
monocle__host_shutting_down (void)
{
	return atomic_load_explicit (&shutting_down, memory_order_acquire) || monocle__host_ended ();
}

/* Sets and clears bits, unless the end came first. Answers the phase before. */
static unsigned
move_phase (unsigned set, unsigned clear)
{
	unsigned was = atomic_load_explicit (&phase, memory_order_seq_cst), next;
	do {
		if (was & ENDED)
			return was;
		next = (was & ~clear) | set;
		MONOCLE__INVARIANT (!(next & ENDED) || next == ENDED);
	} while (!atomic_compare_exchange_strong_explicit (&phase, &was, next, memory_order_seq_cst, memory_order_seq_cst));
	return was;
}

static bool
is_valid (const monocle_host_ops *candidate)
{
	return candidate && candidate->size >= offsetof (monocle_host_ops, event_wanted) &&
	       candidate->api_version == MONOCLE_HOST_API_VERSION;
}

const char *
monocle_host_name (void)
{
	const monocle_host_ops *current = monocle__host_ops ();
	if (current == &no_ops)
		return NULL;
	return current->name ? current->name : "unnamed";
}

/* For people: "10.0.1 (CoreCLR)", or the host's name. */
static const char *
runtime (void)
{
	const char *version = monocle__host_ops ()->runtime_version, *name = monocle_host_name ();
	return version ? version : name ? name : "unknown";
}

/* A host that comes again has its strings already. */
static const char *
copy_text (const char *text, const char *before)
{
	return text && before && strcmp (text, before) == 0 ? before : monocle__arena_string (text);
}

/* What the host's version of the struct does not have stays zero. Its strings may be on its stack. */
static bool
copy_ops (const monocle_host_ops *candidate)
{
	const char *name = registered.name, *version = registered.runtime_version;
	memset (&registered, 0, sizeof registered);
	memcpy (&registered, candidate, candidate->size < sizeof registered ? candidate->size : sizeof registered);
	registered.size = sizeof registered;
	registered.name = copy_text (candidate->name, name);
	registered.runtime_version = copy_text (candidate->runtime_version, version);
	return !registered.name == !candidate->name && !registered.runtime_version == !candidate->runtime_version;
}

int
monocle_host_init (const monocle_host_ops *candidate)
{
	char who[512];
	monocle__log_init ();
	if (!is_valid (candidate))
		return MONOCLE_E_INVALID;
	if (atomic_exchange_explicit (&claimed, true, memory_order_acq_rel)) {
		const char *name = monocle_host_name ();
		monocle_log ("this process is profiled by the host %s already", name ? name : "that is just starting");
		return MONOCLE_E_BUSY;
	}
	monocle__self_enter_global_scope ();
	if (monocle__self_has_rival (who, sizeof who)) {
		atomic_store_explicit (&claimed, false, memory_order_release);
		monocle_log ("not profiling: %s", who);
		return MONOCLE_E_BUSY;
	}
	if (!copy_ops (candidate)) {
		atomic_store_explicit (&claimed, false, memory_order_release);
		return MONOCLE_E_NO_MEMORY;
	}
	MONOCLE__INVARIANT (atomic_load (&claimed) && monocle__host_ops () == &no_ops);
	atomic_store_explicit (&ops, &registered, memory_order_release);
	move_phase (WINDOW, 0);
	monocle__feature_settle ();
	monocle__event_announce ();
	monocle__filter_announce ();
	return MONOCLE_OK;
}

/* --- standby ------------------------------------------------------------------------------------------------------ */

/* Of the last host that had these; it is idle, or at work again. */
static struct {
	const char *(*load) (void *host, uint32_t milliseconds, const char *const *settings);
	const char *(*unload) (void *host);
	void *host;
} idle;
static bool stays; /* on the thread that ends an attach */

static const char *
load (const monocle__attach_block *given)
{
	const char *settings[MONOCLE__ATTACH_BLOCK_TEXTS + 1] = { NULL };
	for (uint32_t i = 0; i < given->count; i++)
		settings[i] = given->texts[i];
	return idle.load (idle.host, given->milliseconds, settings);
}

static bool
is_loaded (void)
{
	return !monocle__roster_is_empty ();
}

static const char *
unload (void)
{
	return idle.unload (idle.host);
}

void
monocle_host_stand_by (mono_bool will)
{
	if (!monocle__host_ops ()->load)
		return;
	stays = will != 0;
	monocle__control_hold (stays);
}

/* Modules that a program made itself, without a file, are its own business. */
static void
begin_control (void)
{
	static monocle__control_host control;
	const monocle_host_ops *host = monocle__host_ops ();
	control.runtime = runtime ();
	idle.load = host->load;
	idle.unload = host->unload;
	idle.host = host->host;
	control.load = host->load && host->unload ? load : NULL;
	control.is_loaded = is_loaded;
	control.unload = host->unload ? unload : NULL;
	control.stacks = monocle__stacks_take;
	if (!monocle__host_delivering () && !monocle__roster_is_empty ())
		monocle__control_begin (&control);
}

void
monocle_host_startup_done (void)
{
	if (monocle__host_ops () == &no_ops)
		return;
	begin_control ();
	move_phase (DELIVERING, WINDOW);
	MONOCLE__PAUSE (host_delivers);
	monocle__handle_publish ();
	monocle__event_publish ();
	monocle__roster_say (runtime ());
}

void
monocle_host_reopen (void)
{
	if (monocle__host_delivering ())
		move_phase (WINDOW, 0);
}

void
monocle_runtime_end (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->end && monocle__host_delivering ())
		host->end (host->host);
}

static atomic_bool is_loud; /* a thread did not come out of a module when all was to be silent */

/* Nothing is delivered any more: hides it from threads that come, and waits for those that are inside a module. */
static void
become_silent (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	monocle__event_publish ();
	monocle__handle_publish ();
	bool is_silent = monocle__sampler_await_handlers ();
	if (host->silence)
		is_silent = host->silence (host->host) && is_silent;
	atomic_store (&is_loud, !is_silent);
}

void
monocle_host_quieten (void)
{
	if (!monocle__host_delivering ())
		return;
	move_phase (QUIET, DELIVERING);
	become_silent ();
}

mono_bool
monocle_host_ends_alone (void)
{
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle))
		if (handle->wrap)
			return 1;
	return 0;
}

/* A module frees in its cleanup callback what its other callbacks use: none runs any more, or this one never does. */
static void
clean_up (void)
{
	if (atomic_load (&is_loud)) {
		monocle_log ("a thread does not come out of a module's callback: cleanup callbacks are left out");
		return;
	}
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle))
		monocle__handle_cleanup (handle);
}

/* Handles are never freed here, so the list stays sound under threads that are inside a raise function. */
void
monocle_host_shutdown (void)
{
	unsigned was = monocle__host_ops () == &no_ops ? ENDED : move_phase (ENDED, WINDOW | DELIVERING | QUIET);
	if (was & ENDED)
		return;
	MONOCLE__PAUSE (host_has_ended);
	if (!stays)
		monocle__control_end ();
	if (!(was & QUIET))
		become_silent ();
	monocle__sampler_end ();
	monocle__event_clear ((monocle__handle *) monocle__event_own ());
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle)) {
		monocle__event_clear (handle);
		monocle__filter_clear (handle);
	}
	clean_up ();
}

/* Handles are freed after the modules, whose last functions may still name them. */
int
monocle_host_leave (void)
{
	if (!monocle__host_ended ())
		return MONOCLE_E_INVALID;
	if (!monocle__sampler_leave ())
		return MONOCLE_E_BUSY;
	monocle__handles_forget (monocle__loader_close ());
	atomic_fetch_add (&session, 1);
	monocle__feature_forget ();
	monocle__roster_forget ();
	atomic_store_explicit (&ops, &no_ops, memory_order_release);
	atomic_store_explicit (&shutting_down, false, memory_order_release);
	atomic_store (&is_loud, false);
	atomic_store_explicit (&phase, AWAITED, memory_order_seq_cst);
	atomic_store_explicit (&claimed, false, memory_order_release);
	stays = false;
	monocle__control_hold (false);
	return MONOCLE_OK;
}
