/*
 * SPDX-License-Identifier: MIT
 *
 * check-signals.c - signal handlers of checked modules run inside a wrapper that says so. See check.h.
 *
 * What the module's sigaction () and signal () get for a function of the module's own is our handler; what they tell
 * of before is translated back. Handlers of others, SIG_DFL and SIG_IGN pass through. One handler per signal is
 * remembered, as the system does.
 */
#include "check.h"
#include "invariant.h"

#include <signal.h>
#include <string.h>

typedef void (*handler) (int number, siginfo_t *info, void *context);

static handler handlers[NSIG]; /* the module's; written before the system knows ours */
static int wants_info[NSIG];   /* its SA_SIGINFO */

/* Also for handlers that take the number only: what more they get does not harm. */
static void
on_signal (int number, siginfo_t *info, void *context)
{
	handler of_module = __atomic_load_n (&handlers[number], __ATOMIC_ACQUIRE);
	monocle__stay stay;

	MONOCLE__INVARIANT (number > 0 && number < NSIG);
	if (!of_module)
		return;
	monocle__check_enter (&stay, NULL, IN_SIGNAL);
	of_module (number, info, context);
	monocle__check_leave (&stay);
}

static bool
is_modules (const monocle__import *import, handler function)
{
	void (*plain) (int) = (void (*) (int)) (void *) function;

	return plain != SIG_DFL && plain != SIG_IGN && plain != SIG_ERR &&
	       monocle__check_lies_in (import->map, (void *) function);
}

static void
translate_back (struct sigaction *action, handler before, int wanted_info)
{
	if (action->sa_sigaction != on_signal)
		return;
	action->sa_sigaction = before;
	if (!wanted_info)
		action->sa_flags &= ~SA_SIGINFO;
}

typedef int (*sigaction_func) (int number, const struct sigaction *action, struct sigaction *old);

static int
change (int number, const struct sigaction *action, struct sigaction *old, uintptr_t d_, uintptr_t e_,
        monocle__import *import)
{
	sigaction_func system = (sigaction_func) import->target;
	struct sigaction ours;
	if (number <= 0 || number >= NSIG)
		return system (number, action, old);
	handler before = __atomic_load_n (&handlers[number], __ATOMIC_ACQUIRE);
	int wanted_info = wants_info[number];
	if (action && is_modules (import, action->sa_sigaction)) {
		ours = *action;
		ours.sa_sigaction = on_signal;
		ours.sa_flags |= SA_SIGINFO;
		__atomic_store_n (&handlers[number], action->sa_sigaction, __ATOMIC_RELEASE);
		wants_info[number] = action->sa_flags & SA_SIGINFO;
		action = &ours;
	}
	int result = system (number, action, old);
	if (result == 0 && old)
		translate_back (old, before, wanted_info);
	return result;
}

typedef void (*plain_handler) (int number);
typedef plain_handler (*signal_func) (int number, plain_handler function);

static plain_handler
change_plain (int number, plain_handler function, uintptr_t c_, uintptr_t d_, uintptr_t e_, monocle__import *import)
{
	signal_func system = (signal_func) import->target;
	handler given = (handler) (void *) function;
	if (number <= 0 || number >= NSIG)
		return system (number, function);
	handler before = __atomic_load_n (&handlers[number], __ATOMIC_ACQUIRE);
	if (is_modules (import, given)) {
		__atomic_store_n (&handlers[number], given, __ATOMIC_RELEASE);
		wants_info[number] = 0;
		function = (plain_handler) (void *) on_signal;
	}
	plain_handler was = system (number, function);
	return was == (plain_handler) (void *) on_signal ? (plain_handler) (void *) before : was;
}

void *
monocle__check_signal_replacement (const char *function)
{
	if (!strcmp (function, "sigaction"))
		return (void *) change;
	if (!strcmp (function, "signal"))
		return (void *) change_plain;
	return NULL;
}
