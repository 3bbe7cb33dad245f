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
#include <monocle/kit.h>

/* Reads the callspec, once. False: it is wrong; one line in the name of `module` was logged. Init window. */
bool method_filter_init (const char *module, const char *spec);
/* Of monocle_profiler_leave_NAME (): nobody asks any more. */
void method_filter_leave (void);
/* Any context in which the method may be asked for its name. */
bool method_filter_wants (MonoMethod *method);
/* The same of another spec, which is asked by the method's names; and by a type's alone, for `T:`. */
bool method_filter_matches (const monocle_kit_callspec *spec, MonoMethod *method);
bool method_filter_matches_class (const monocle_kit_callspec *spec, MonoClass *klass);

enum {
	METHOD_FILTER_EVENTS = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	                       MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
	                       MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE
};

/* Callbacks: all call events of the methods that are wanted; and an address that may mean another image from now on. */
MonoProfilerCallInstrumentationFlags method_filter (MonoProfiler *profiler, MonoMethod *method);
void method_filter_image_unloading (MonoProfiler *profiler, MonoImage *image);

#endif
