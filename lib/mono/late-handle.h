/*
 * SPDX-License-Identifier: MIT
 *
 * late-handle.h - Mono's profiler functions as a module has them that comes when Mono runs already, and goes again.
 *
 * Mono takes a handle at any time and never gives one up, and nobody can tell whether a thread is in a callback. So
 * such a module is given other functions in the slots that the dynamic linker has filled (check/slots.h):
 *
 *     module --mono_profiler_create ()--> a twin, with a handle of Mono's, which the next attach takes again
 *     Mono --raise--> a wrapper of ours, which counts who is inside --> the module's callback, if it still has one
 *
 * Sampling has to be enabled before Mono starts, by whoever will choose its mode: it is ours, and lent to the first
 * module that enables it. What instruments code would stay in the code, and is refused.
 */
#ifndef MONOCLE_LATE_HANDLE_H
#define MONOCLE_LATE_HANDLE_H

#include <stdbool.h>
#include <mono/metadata/profiler.h>
#include <monocle/host.h>

/* Asked of Mono by name, since the umbrella is linked to nothing of it. NULL: this Mono has no such function. */
typedef struct {
	MonoProfilerHandle (*create) (MonoProfiler *prof);
	mono_bool (*enable_sampling) (MonoProfilerHandle handle);
	mono_bool (*set_sample_mode) (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency);
	mono_bool (*get_sample_mode) (MonoProfilerHandle handle, MonoProfilerSampleMode *mode, uint32_t *frequency);
	void (*set_cleanup) (MonoProfilerHandle handle, MonoProfilerCleanupCallback callback);
	void (*set[MONOCLE_EVENT_COUNT]) (MonoProfilerHandle handle, void *callback);
} monocle__late_handle_mono;

/*
 * Before Mono starts: finds its functions and enables sampling. NULL: that cannot be done here, and ret_reason says
 * why. Once.
 */
const monocle__late_handle_mono *monocle__late_handle_begin (const char **ret_reason);

/* The library of this code gets our functions, before any of it runs. False: that is not possible. */
bool monocle__late_handle_take (const void *code);

/* A toolkit that was in the process before the umbrella asks it for settings from now on, too. */
void monocle__late_handle_reach_toolkit (void);

/*
 * What was there before the modules came, and their end, which no module is told twice. On a thread that Mono knows,
 * newest handle first.
 */
void monocle__late_handle_raise_domain (MonoDomain *domain);
void monocle__late_handle_raise_assembly (MonoAssembly *assembly, MonoImage *image);
void monocle__late_handle_raise_initialized (void);
void monocle__late_handle_raise_end_begin (void);

/*
 * No callback is called any more when runtime_shutdown_end has been, the last one, for which threads inside of another
 * are waited for. False: after two seconds a thread is inside still.
 */
bool monocle__late_handle_stop (void);
/* Handles have no owner from now on. After monocle__late_handle_stop () was true. */
void monocle__late_handle_forget (void);

#endif
