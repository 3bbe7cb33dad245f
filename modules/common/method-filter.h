/*
 * SPDX-License-Identifier: MIT
 *
 * method-filter.h - which methods a module listens to, by a callspec. Compiled into each module that needs it.
 *
 * Most methods are answered by their image alone, because a runtime asks for each method that it compiles, again when
 * it inlines and (Mono) for each frame that an exception unwinds.
 */
#ifndef MONOCLE_MODULES_METHOD_FILTER_H
#define MONOCLE_MODULES_METHOD_FILTER_H

#include <stdbool.h>

#include <mono/metadata/profiler.h>

/* Reads the callspec, once. False: it is wrong; one line in the name of `module` was logged. Init window. */
bool method_filter_init (const char *module, const char *spec);
/* Any context in which the method may be asked for its name. */
bool method_filter_wants (MonoMethod *method);

/* Callbacks: all call events of the methods that are wanted; and an address that may mean another image from now on. */
MonoProfilerCallInstrumentationFlags method_filter (MonoProfiler *profiler, MonoMethod *method);
void method_filter_image_unloading (MonoProfiler *profiler, MonoImage *image);

#endif
