/*
 * SPDX-License-Identifier: MIT
 *
 * ext-events.h - the events that Mono does not have, one row each, in the form of <mono/metadata/profiler-events.h>.
 * Rows keep their place for ever. <monocle/ext.h> says what each event means.
 */

/* clang-format off */
MONO_PROFILER_EVENT_3(exception_phase,        ExceptionPhase,
                      MonocleExceptionPhase, phase, MonoMethod *, method, MonoObject *, exception)
MONO_PROFILER_EVENT_3(suspension,             Suspension,
                      MonocleSuspensionPhase, phase, MonocleSuspensionReason, reason, uint64_t, nanoseconds)
MONO_PROFILER_EVENT_2(thread_suspension,      ThreadSuspension, uintptr_t, tid, mono_bool, suspended)
MONO_PROFILER_EVENT_3(jit_inlining,           JitInlining,
                      MonoMethod *, caller, MonoMethod *, callee, mono_bool *, allowed)
MONO_PROFILER_EVENT_3(code_search,            CodeSearch,
                      MonocleCodeSearch, phase, MonoMethod *, method, mono_bool *, allowed)
MONO_PROFILER_EVENT_4(rejit,                  Rejit,
                      MonocleRejitPhase, phase, MonoMethod *, method, uint64_t, version, int32_t, result)
MONO_PROFILER_EVENT_3(load_failed,            LoadFailed,
                      MonocleLoadKind, kind, const char *, name, int32_t, result)
MONO_PROFILER_EVENT_2(thread_os_id,           ThreadOsId, uintptr_t, tid, uint64_t, os_id)
MONO_PROFILER_EVENT_3(transition,             Transition,
                      MonocleTransition, direction, MonocleTransitionReason, reason, MonoMethod *, method)
MONO_PROFILER_EVENT_4(survivors,              Survivors,
                      const void *const *, starts, const void *const *, now_at, const uint64_t *, sizes,
                      uint64_t, count)
MONO_PROFILER_EVENT_1(class_unloaded,         ClassUnloaded, MonoClass *, klass)
MONO_PROFILER_EVENT_3(allocation_sampled,     AllocationSampled,
                      MonoClass *, klass, uint64_t, size, uint64_t, stands_for)
MONO_PROFILER_EVENT_3(sample_asleep,          SampleAsleep,
                      uintptr_t, tid, uint64_t, os_id, const MonocleAsleep *, stack)
/* clang-format on */
