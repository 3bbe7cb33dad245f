/*
 * SPDX-License-Identifier: MIT
 *
 * check-host.c - what the checks ask about the host of the core. Any context.
 */
#include "check.h"

#include <mono/metadata/threads.h>
#include "dispatch/host.h"

bool
monocle__check_thread_is_known (void)
{
	return mono_thread_current () != NULL;
}

bool
monocle__check_window_is_open (void)
{
	return monocle__host_window_open ();
}

/* The core answers everybody. */
bool
monocle__check_strangers_die (void)
{
	return false;
}
