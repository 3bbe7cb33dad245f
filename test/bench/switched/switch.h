/*
 * SPDX-License-Identifier: MIT
 *
 * switch.h - included in front of a module's own files: what the module asks for is asked for when a bench says "on",
 * and taken back when it says "off". All else of the module is as it is.
 *
 * The bench writes '1' or '0' to the descriptor that MONOCLE_SWITCH names, and reads an answer when it is so.
 */
#ifndef MONOCLE_BENCH_SWITCH_H
#define MONOCLE_BENCH_SWITCH_H

#include <stdbool.h>
#include <mono/metadata/profiler.h>

typedef void (*switch_setter) (MonoProfilerHandle handle, void *callback);

/* Sets the callback while the switch is on, and NULL while it is off. */
void switch_callback (switch_setter set, MonoProfilerHandle handle, void *callback);
/* The mode while the switch is on, and NONE while it is off; the answer is that of setting it now. */
mono_bool switch_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency);
/* Calls this whenever the switch is set, on a thread of its own with all signals blocked. */
void switch_call (void (*set) (bool is_on));

#define SWITCHED(set, handle, callback) \
	switch_callback ((switch_setter) (void (*) (void)) (set), handle, (void *) (callback))

#ifndef SWITCH_ITSELF
#define mono_profiler_set_method_enter_callback(h, c)     SWITCHED (mono_profiler_set_method_enter_callback, h, c)
#define mono_profiler_set_method_leave_callback(h, c)     SWITCHED (mono_profiler_set_method_leave_callback, h, c)
#define mono_profiler_set_method_tail_call_callback(h, c) SWITCHED (mono_profiler_set_method_tail_call_callback, h, c)
#define mono_profiler_set_method_exception_leave_callback(h, c) \
	SWITCHED (mono_profiler_set_method_exception_leave_callback, h, c)
#define mono_profiler_set_exception_throw_callback(h, c) SWITCHED (mono_profiler_set_exception_throw_callback, h, c)
#define mono_profiler_set_sample_mode(h, m, f)           switch_mode (h, m, f)
#endif

#endif
