/*
 * SPDX-License-Identifier: MIT
 *
 * state.c - the one adapter of this process, and what it complains of. Any thread of the program.
 */
#include "state.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <monocle/host.h>

monocle__clr monocle__clr_state;

void
monocle__clr_complain (const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	monocle_log ("CoreCLR: %s", text);
}

void
monocle__clr_complain_hr (const char *call, HRESULT hr)
{
	if (hr == CORPROF_E_PROFILER_DETACHING)
		return;
	monocle__clr_complain ("%s failed: %s (0x%08X)", call, monocle__hresult_name (hr), (unsigned) hr);
}

void
monocle__clr_reach_initialized (void)
{
	if (!atomic_exchange (&monocle__clr_state.initialized, true))
		monocle_raise_runtime_initialized ();
}
