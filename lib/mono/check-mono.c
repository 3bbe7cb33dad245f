/*
 * SPDX-License-Identifier: MIT
 *
 * check-mono.c - what the checks ask about a real Mono. Any context.
 *
 * The umbrella names no function of Mono's, so that it loads wherever it is put; this one is looked up, once, when the
 * first thread is asked about.
 */
#include <dlfcn.h>
#include <stddef.h>
#include "check/check.h"

/* Its current domain is a plain thread-local word of Mono's: NULL on threads that it does not know. */
bool
monocle__check_thread_is_known (void)
{
	static void *(*domain_get) (void);
	void *(*found) (void) = __atomic_load_n (&domain_get, __ATOMIC_ACQUIRE);
	if (!found) {
		found = (void *(*) (void) ) dlsym (RTLD_DEFAULT, "mono_domain_get");
		__atomic_store_n (&domain_get, found, __ATOMIC_RELEASE);
	}
	return !found || found ();
}

/* Mono closes it right after the last module was started: as long as one is being started it is open. */
bool
monocle__check_window_is_open (void)
{
	return monocle__check_starting ();
}

/* Most functions of Mono assert that the thread is attached. */
bool
monocle__check_strangers_die (void)
{
	return true;
}
