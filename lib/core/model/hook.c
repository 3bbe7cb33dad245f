/*
 * SPDX-License-Identifier: MIT
 *
 * hook.c - functions that modules and embedders install for an assembly's load and for the runtime's end.
 *
 * They are listeners of the core's own handle, so whoever installs one needs none. Hooks are in a list that only grows
 * at its head; Mono runs the newest first as well, and takes a function as often as it is installed.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include "dispatch/event.h"
#include "dispatch/host.h"

typedef struct hook {
	struct hook *next;
	MonoAssemblyLoadFunc func;
	void *user_data;
	unsigned session; /* of the host: modules of one that left are gone, with their functions */
} hook;

static _Atomic (hook *) newest;
static _Atomic (MonoDomainFunc) cleanup;

static void
run_hooks (MonoProfiler *prof, MonoAssembly *assembly)
{
	for (hook *at = atomic_load_explicit (&newest, memory_order_acquire); at; at = at->next)
		if (at->session == monocle__host_session ())
			at->func (assembly, at->user_data);
}

void
mono_install_assembly_load_hook (MonoAssemblyLoadFunc func, void *user_data)
{
	hook *made = func ? malloc (sizeof *made) : NULL;
	if (!made) {
		if (func)
			monocle_log ("out of memory: an assembly load hook was not installed");
		return;
	}
	*made = (hook) { atomic_load (&newest), func, user_data, monocle__host_session () };
	while (!atomic_compare_exchange_weak (&newest, &made->next, made))
		;
	mono_profiler_set_assembly_loaded_callback (monocle__event_own (), run_hooks);
}

static void
run_cleanup (MonoProfiler *prof)
{
	MonoDomainFunc func = atomic_exchange (&cleanup, NULL);
	if (func)
		func (mono_get_root_domain (), NULL);
}

void
mono_install_runtime_cleanup (MonoDomainFunc func)
{
	atomic_store (&cleanup, func);
	mono_profiler_set_runtime_shutdown_end_callback (monocle__event_own (), func ? run_cleanup : NULL);
}
