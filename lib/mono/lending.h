/*
 * SPDX-License-Identifier: MIT
 *
 * lending.h - Mono's sampler is the umbrella's, and lent to the first module that wants it.
 *
 * Mono hits threads only for who asked for that before it started, and tells every handle of every hit. So that threads
 * can be looked at (look.h) whatever modules are there, the umbrella asks, and the modules that it starts before Mono
 * does are given other functions in the slots that the dynamic linker has filled (check/slots.h):
 *
 *     module --mono_profiler_enable_sampling ()--> the umbrella's handle, lent to the first that asks
 *     Mono --sample_hit--> a handle of ours for each module --> the module's callback, unless the hit is a look's
 */
#ifndef MONOCLE_LENDING_H
#define MONOCLE_LENDING_H

#include <stdbool.h>
#include <mono/metadata/profiler.h>

/*
 * Before the first module is started: asks for the sampler. False: it cannot be had, or somebody else may want it; then
 * modules are left as they are. Main thread, once; later calls answer the same.
 */
bool monocle__lending_begin (void);
/* The library of this code gets our functions, before any of it runs. */
void monocle__lending_take (const void *code);
/* Does every module that the umbrella started come by our functions? */
bool monocle__lending_is_tight (void);
/* The umbrella's handle, for modules that come late; NULL: a module has it, or nothing was asked for. */
MonoProfilerHandle monocle__lending_handle (void);

#endif
