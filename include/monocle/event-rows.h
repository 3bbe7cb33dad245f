/*
 * SPDX-License-Identifier: MIT
 *
 * event-rows.h - the rows of <mono/metadata/profiler-events.h> and <monocle/ext-events.h> in one form, whatever the
 * number of their arguments.
 *
 * Define one of these before each include, which undefines it again:
 *
 *   MONOCLE_EVENT_ROW        for every event
 *   MONOCLE_MONO_EVENT_ROW   for Mono's alone
 *   MONOCLE_EXT_EVENT_ROW    for the others alone
 *
 *   (name, setter, Callback, parameters, raised, arguments, count, types, names)
 *
 *   name         gc_resize
 *   setter       mono_profiler_set_gc_resize_callback; monocle_profiler_set_... where Mono has no such event
 *   Callback     MonoProfilerGCResizeCallback; Monocle...Callback
 *   parameters   (MonoProfiler *prof, uintptr_t size), of the callback
 *   raised       (uintptr_t size), or (void)
 *   arguments    (prof, size), to call the callback with
 *   count        1, `prof` not counted
 *   types        ("uintptr_t"); MONOCLE_EVENT_TYPE (type) of each, if that is defined before, too
 *   names        ("size")
 *
 * MONOCLE_EVENT_LIST takes the brackets away: MONOCLE_EVENT_LIST names.
 */

#ifdef MONOCLE_EVENT_ROW
#define MONOCLE_MONO_EVENT_ROW MONOCLE_EVENT_ROW
#define MONOCLE_EXT_EVENT_ROW  MONOCLE_EVENT_ROW
#endif
#ifndef MONOCLE_EVENT_TYPE
#define MONOCLE_EVENT_TYPE(type) #type
#endif
#define MONOCLE_EVENT_LIST(...) __VA_ARGS__

/* clang-format off */
#define MONO_PROFILER_EVENT_0(name, Type) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof), (void), (prof), 0, (), ())
#define MONO_PROFILER_EVENT_1(name, Type, t1, a1) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof, t1 a1), (t1 a1), (prof, a1), 1, (MONOCLE_EVENT_TYPE (t1)), (#a1))
#define MONO_PROFILER_EVENT_2(name, Type, t1, a1, t2, a2) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof, t1 a1, t2 a2), (t1 a1, t2 a2), (prof, a1, a2), 2, \
	              (MONOCLE_EVENT_TYPE (t1), MONOCLE_EVENT_TYPE (t2)), (#a1, #a2))
#define MONO_PROFILER_EVENT_3(name, Type, t1, a1, t2, a2, t3, a3) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof, t1 a1, t2 a2, t3 a3), (t1 a1, t2 a2, t3 a3), \
	              (prof, a1, a2, a3), 3, \
	              (MONOCLE_EVENT_TYPE (t1), MONOCLE_EVENT_TYPE (t2), MONOCLE_EVENT_TYPE (t3)), (#a1, #a2, #a3))
#define MONO_PROFILER_EVENT_4(name, Type, t1, a1, t2, a2, t3, a3, t4, a4) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof, t1 a1, t2 a2, t3 a3, t4 a4), (t1 a1, t2 a2, t3 a3, t4 a4), \
	              (prof, a1, a2, a3, a4), 4, \
	              (MONOCLE_EVENT_TYPE (t1), MONOCLE_EVENT_TYPE (t2), MONOCLE_EVENT_TYPE (t3), MONOCLE_EVENT_TYPE (t4)), \
	              (#a1, #a2, #a3, #a4))
#define MONO_PROFILER_EVENT_5(name, Type, t1, a1, t2, a2, t3, a3, t4, a4, t5, a5) \
	MONOCLE__ROW (name, Type, (MonoProfiler *prof, t1 a1, t2 a2, t3 a3, t4 a4, t5 a5), \
	              (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5), (prof, a1, a2, a3, a4, a5), 5, \
	              (MONOCLE_EVENT_TYPE (t1), MONOCLE_EVENT_TYPE (t2), MONOCLE_EVENT_TYPE (t3), MONOCLE_EVENT_TYPE (t4), \
	               MONOCLE_EVENT_TYPE (t5)), (#a1, #a2, #a3, #a4, #a5))

#ifdef MONOCLE_MONO_EVENT_ROW
#define MONOCLE__ROW(name, Type, ...) \
	MONOCLE_MONO_EVENT_ROW (name, mono_profiler_set_##name##_callback, MonoProfiler##Type##Callback, __VA_ARGS__)
#include <mono/metadata/profiler-events.h>
#undef MONOCLE__ROW
#undef MONOCLE_MONO_EVENT_ROW
#endif
#ifdef MONOCLE_EXT_EVENT_ROW
#define MONOCLE__ROW(name, Type, ...) \
	MONOCLE_EXT_EVENT_ROW (name, monocle_profiler_set_##name##_callback, Monocle##Type##Callback, __VA_ARGS__)
#include <monocle/ext-events.h>
#undef MONOCLE__ROW
#undef MONOCLE_EXT_EVENT_ROW
#endif
/* clang-format on */

#undef MONO_PROFILER_EVENT_0
#undef MONO_PROFILER_EVENT_1
#undef MONO_PROFILER_EVENT_2
#undef MONO_PROFILER_EVENT_3
#undef MONO_PROFILER_EVENT_4
#undef MONO_PROFILER_EVENT_5
#undef MONOCLE_EVENT_ROW
#undef MONOCLE_EVENT_TYPE
#undef MONOCLE_EVENT_LIST
