/*
 * SPDX-License-Identifier: MIT
 *
 * check.c - where threads are, and whether what they call is allowed there. See check.h.
 *
 * A thread's place is a chain of stays on its own stack; one word per thread, under a pthread key that exists only
 * when checks are on, points at the innermost. Entering and leaving store that word and nothing else, so a signal
 * handler that comes between two instructions finds a sound chain and leaves it as it was. Places add up: a class that
 * is loaded inside a call probe is in both.
 */
#include "check.h"
#include "invariant.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <monocle/host.h>

static const struct {
	bool skipped;
	const char *text;
} places[] = {
#define PLACE(name, skipped, text) { skipped, text },
#include "check.def"
#undef PLACE
};

static const struct {
	uint32_t not_in, only_in;
	const char *text;
} needs[] = {
#define NEED(name, not_in, only_in, text) { not_in, only_in, text },
#include "check.def"
#undef NEED
};

_Static_assert(MONOCLE__PLACES <= 32, "a place is a bit of a word");

static pthread_key_t key;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* --- places ------------------------------------------------------------------------------------------------------- */

static void
make_key (void)
{
	has_key = pthread_key_create (&key, NULL) == 0;
}

bool
monocle__check_init (void)
{
	pthread_once (&once, make_key);
	return has_key;
}

monocle__stay *
monocle__check_stay (void)
{
	return has_key ? pthread_getspecific (key) : NULL;
}

void
monocle__check_enter (monocle__stay *stay, const char *name, uint32_t own)
{
	monocle__stay *below = monocle__check_stay ();

	MONOCLE__INVARIANT (below != stay);
	stay->below = below;
	stay->name = name;
	stay->places = own;
	stay->all_places = own | (below ? below->all_places : 0);
	pthread_setspecific (key, stay);
}

void
monocle__check_leave (monocle__stay *stay)
{
	MONOCLE__INVARIANT (monocle__check_stay () == stay);
	pthread_setspecific (key, stay->below);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

/* Which places forbid the call: bits of `not_in`, or what the thread lacks. 0: the call is allowed. */
static uint32_t
forbidding (const monocle__contract *contract, const monocle__stay *stay)
{
	uint32_t here = stay ? stay->all_places : 0, only_in = needs[contract->need].only_in;
	if (contract->need == MONOCLE__NEED_WINDOW && !monocle__check_window_is_open ())
		here |= IN_LATE;
	here &= needs[contract->need].not_in;
	if (only_in && !(stay && stay->all_places & only_in))
		here |= IN_OUTSIDE;
	if (!here && !stay && contract->needs_thread && !monocle__check_thread_is_known ())
		here = IN_STRANGER;
	return here;
}

/* The event that put the thread into one of these places: the innermost such. */
static const monocle__stay *
culprit (const monocle__stay *stay, uint32_t forbidden)
{
	while (stay && !(stay->places & forbidden))
		stay = stay->below;
	return stay;
}

static void
report (const monocle__import *import, const monocle__stay *where, int place, bool skipped)
{
	const char *event = where && where->name ? where->name : "";
	bool stranger = 1u << place == IN_STRANGER;
	monocle_log ("module %s called %s %s%s%s%s, where it is not allowed: %s%s", import->module, import->function,
	             places[place].text, *event ? " (" : "", event, *event ? ")" : "",
	             stranger ? "mono_thread_attach () makes it known" : needs[import->contract->need].text,
	             skipped ? "; it was not executed" : "");
}

static bool
judge (monocle__import *import)
{
	const monocle__stay *stay = monocle__check_stay ();
	uint32_t forbidden = forbidding (import->contract, stay);
	if (!forbidden)
		return true;
	const monocle__stay *where = culprit (stay, forbidden);
	MONOCLE__INVARIANT (forbidden != 0 && (!where || where->places & forbidden));
	int place = __builtin_ctz (where ? where->places & forbidden : forbidden);
	bool skipped = places[place].skipped || (1u << place == IN_STRANGER && monocle__check_strangers_die ());
	if (!(atomic_fetch_or_explicit (&import->reported, 1u << place, memory_order_relaxed) >> place & 1))
		report (import, where, place, skipped);
	return !skipped;
}

monocle__verdict
monocle__check_call (monocle__import *import)
{
	int saved_errno = errno;
	bool goes_on = !import->contract || judge (import);
	errno = saved_errno;
	if (!goes_on)
		return (monocle__verdict) { NULL, import->contract->failure };
	if (import->replacement)
		return (monocle__verdict) { import->replacement, (intptr_t) import };
	return (monocle__verdict) { import->target, 0 };
}

/* --- contracts ---------------------------------------------------------------------------------------------------- */

enum { ANYONE, THREAD };

static const monocle__contract contracts[] = {
#define CONTRACT(need, thread, function, failure) { #function, MONOCLE__NEED_##need, thread, failure },
#include "contracts.def"
#undef CONTRACT
#define MONOCLE_MONO_EVENT_ROW(name, setter, ...) { #setter, MONOCLE__NEED_SETTER, ANYONE, 0 },
#include <monocle/event-rows.h>
};

const monocle__contract *
monocle__check_contract_of (const char *function)
{
	for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++)
		if (!strcmp (contracts[i].function, function))
			return &contracts[i];
	return NULL;
}
