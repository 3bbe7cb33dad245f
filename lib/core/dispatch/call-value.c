/*
 * SPDX-License-Identifier: MIT
 *
 * call-value.c - the getters of call contexts: a context is the host's, a buffer is a copy of what it shows.
 *
 * A host that has to keep values for a context asks which ones anybody can read (monocle_call_values_wanted ()). A
 * module tells by what it imports. One that imports none of the getters looks them up by itself, or leaves them to
 * another library: it may read anything but locals, which cost the most and which nobody who runs on Mono reads.
 */
#include "call-value.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "load/elf.h"

enum {
	THIS = 1u << MONOCLE_CALL_THIS,
	ARGUMENTS = 1u << MONOCLE_CALL_ARGUMENT,
	LOCALS = 1u << MONOCLE_CALL_LOCAL,
	RESULTS = 1u << MONOCLE_CALL_RESULT | 1u << MONOCLE_CALL_AWAITED_RESULT,
};

/* clang-format off */
static const struct { const char *name; unsigned value; } getters[] = {
	{ "mono_profiler_call_context_get_this",     THIS },
	{ "mono_profiler_call_context_get_argument", ARGUMENTS },
	{ "mono_profiler_call_context_get_local",    LOCALS },
	{ "mono_profiler_call_context_get_result",   RESULTS }, /* the other getter is weak: no import says so */
};
/* clang-format on */

static atomic_uint wanted;  /* only grows */
static atomic_bool granted; /* false, then true for ever */

static void
note_getter (const char *name, void *data)
{
	unsigned *values = data;
	for (size_t i = 0; i < sizeof getters / sizeof *getters; i++)
		if (strcmp (name, getters[i].name) == 0)
			*values |= getters[i].value;
}

void
monocle__call_value_wanted_by (const void *caller)
{
	unsigned values = 0;
	Dl_info object;
	if (!dladdr (caller, &object) || !object.dli_fname ||
	    monocle__elf_each_needed (object.dli_fname, note_getter, &values) != MONOCLE_OK || !values)
		values = THIS | ARGUMENTS | RESULTS;
	atomic_fetch_or_explicit (&wanted, values, memory_order_relaxed);
}

void
monocle__call_value_grant (void)
{
	atomic_store_explicit (&granted, true, memory_order_release);
}

uint32_t
monocle_call_values_wanted (void)
{
	bool any = atomic_load_explicit (&granted, memory_order_acquire);
	return any ? atomic_load_explicit (&wanted, memory_order_relaxed) : 0;
}

/*
 * Where the getters are called, errno may be what the program's own native call has left. A value of no bytes cannot
 * be, but a buffer of none would be one.
 */
static void *
copy (MonoProfilerCallContext *context, monocle_call_value value, uint32_t position)
{
	const monocle_host_ops *host = monocle__host_ops ();
	const void *data = NULL;
	uint32_t size = 0;
	if (!context || !host->call_value || !atomic_load_explicit (&granted, memory_order_acquire) ||
	    host->call_value (host->host, context, value, position, &data, &size) != MONOCLE_OK)
		return NULL;
	int saved_errno = errno;
	void *buffer = data ? malloc (size ? size : 1) : calloc (1, size ? size : 1);
	errno = saved_errno;
	if (buffer && data)
		memcpy (buffer, data, size);
	return buffer;
}

void *
mono_profiler_call_context_get_this (MonoProfilerCallContext *context)
{
	return copy (context, MONOCLE_CALL_THIS, 0);
}

void *
mono_profiler_call_context_get_argument (MonoProfilerCallContext *context, uint32_t position)
{
	return copy (context, MONOCLE_CALL_ARGUMENT, position);
}

void *
mono_profiler_call_context_get_local (MonoProfilerCallContext *context, uint32_t position)
{
	return copy (context, MONOCLE_CALL_LOCAL, position);
}

void *
mono_profiler_call_context_get_result (MonoProfilerCallContext *context)
{
	return copy (context, MONOCLE_CALL_RESULT, 0);
}

void *
monocle_call_context_get_awaited_result (MonoProfilerCallContext *context)
{
	return copy (context, MONOCLE_CALL_AWAITED_RESULT, 0);
}

void
mono_profiler_call_context_free_buffer (void *buffer)
{
	int saved_errno = errno;
	free (buffer);
	errno = saved_errno;
}
