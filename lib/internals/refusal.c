/*
 * SPDX-License-Identifier: MIT
 *
 * refusal.c - what Mono's own modules ask for that is not there outside Mono. Each caller gets on without it.
 */
#include <monocle/host.h>
#include "internals.h"

/* Of the log profiler's managed control class, which no other runtime has. */
void
mono_add_internal_call_internal (const char *name, const void *function)
{
}

/* That of the program's precompiled code, where Mono has made it one unit. */
char *
mono_runtime_get_aotid (void)
{
	return NULL;
}

void
mono_perfcounter_foreach (monocle__perfcounter_func func, void *data)
{
}

/* The aot profiler's option send-to-method; it calls mono_runtime_try_invoke () next, which the core refuses. */
MonoString *
mono_string_new_checked (MonoDomain *domain, const char *text, MonoError *error)
{
	monocle_log ("mono_string_new_checked: no object is made in the program's heap; it returned NULL");
	return NULL;
}
