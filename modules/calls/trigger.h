/*
 * SPDX-License-Identifier: MIT
 *
 * trigger.h - when calls are counted: always, or from something that happens in the program.
 */
#ifndef MONOCLE_MODULES_TRIGGER_H
#define MONOCLE_MODULES_TRIGGER_H

#include <stdbool.h>

#include <mono/metadata/profiler.h>
#include <monocle/kit.h>

/* What counts a call. */
struct call_events {
	MonoProfilerMethodEnterCallback enter;
	MonoProfilerMethodLeaveCallback leave;
	MonoProfilerMethodTailCallCallback tail_call;
	MonoProfilerMethodExceptionLeaveCallback exception_leave;
};

/* What the option said; NULL: calls are counted always. False: it is wrong (logged). Init window. */
bool trigger_init (const char *option);
/* Sets the callbacks: `events`, or what calls them while calls are counted. Init window, after trigger_init (). */
void trigger_set_events (MonoProfilerHandle handle, monocle_kit_spool *spool, const struct call_events *events);
/* Sets these and no others, at any time. Normal context. */
void trigger_set_callbacks (MonoProfilerHandle handle, const struct call_events *events);
/* Is it a method that begins the counting? Such a method is counted whatever is chosen. As method_filter_wants (). */
bool trigger_wants (MonoMethod *method);
/* The calling thread ends. */
void trigger_thread_exited (void);
/* An address may mean another method from now on. */
void trigger_image_unloading (void);
/* Of monocle_profiler_leave_calls (): nobody asks any more. */
void trigger_leave (void);

#endif
