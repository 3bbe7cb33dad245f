/*
 * SPDX-License-Identifier: MIT
 *
 * profiler-events.h - the events, one row each: what is in this table exists everywhere.
 *
 * Define MONO_PROFILER_EVENT_0 to _5 before each include and undefine them afterwards. The number is that of arguments;
 * a row is (name, TypeName, type1, name1, ...). Rows keep their place for ever. doc/events.md and profiler.h say what
 * each event means. Order and spelling of the first 62 rows are Mono 6.8's; the last two come from its successors.
 */

/* Sources older than the fifth argument do not define this one. */
#ifndef MONO_PROFILER_EVENT_5
#define MONO_PROFILER_EVENT_5(...)
#endif

/* clang-format off */

/* The runtime. */
MONO_PROFILER_EVENT_0(runtime_initialized,    RuntimeInitialized)
MONO_PROFILER_EVENT_0(runtime_shutdown_begin, RuntimeShutdownBegin)
MONO_PROFILER_EVENT_0(runtime_shutdown_end,   RuntimeShutdownEnd)

/* Remoting contexts. */
MONO_PROFILER_EVENT_1(context_loaded,         ContextLoaded, MonoAppContext *, context)
MONO_PROFILER_EVENT_1(context_unloaded,       ContextUnloaded, MonoAppContext *, context)

/* Application domains. */
MONO_PROFILER_EVENT_1(domain_loading,         DomainLoading, MonoDomain *, domain)
MONO_PROFILER_EVENT_1(domain_loaded,          DomainLoaded, MonoDomain *, domain)
MONO_PROFILER_EVENT_1(domain_unloading,       DomainUnloading, MonoDomain *, domain)
MONO_PROFILER_EVENT_1(domain_unloaded,        DomainUnloaded, MonoDomain *, domain)
MONO_PROFILER_EVENT_2(domain_name,            DomainName, MonoDomain *, domain, const char *, name)

/* The JIT and its memory. */
MONO_PROFILER_EVENT_1(jit_begin,              JitBegin, MonoMethod *, method)
MONO_PROFILER_EVENT_1(jit_failed,             JitFailed, MonoMethod *, method)
MONO_PROFILER_EVENT_2(jit_done,               JitDone, MonoMethod *, method, MonoJitInfo *, jinfo)
MONO_PROFILER_EVENT_2(jit_chunk_created,      JitChunkCreated, const mono_byte *, chunk, uintptr_t, size)
MONO_PROFILER_EVENT_1(jit_chunk_destroyed,    JitChunkDestroyed, const mono_byte *, chunk)
MONO_PROFILER_EVENT_4(jit_code_buffer,        JitCodeBuffer,
                      const mono_byte *, buffer, uint64_t, size, MonoProfilerCodeBufferType, type, const void *, data)

/* Classes. */
MONO_PROFILER_EVENT_1(class_loading,          ClassLoading, MonoClass *, klass)
MONO_PROFILER_EVENT_1(class_failed,           ClassFailed, MonoClass *, klass)
MONO_PROFILER_EVENT_1(class_loaded,           ClassLoaded, MonoClass *, klass)

/* Classes in domains. */
MONO_PROFILER_EVENT_1(vtable_loading,         VTableLoading, MonoVTable *, vtable)
MONO_PROFILER_EVENT_1(vtable_failed,          VTableFailed, MonoVTable *, vtable)
MONO_PROFILER_EVENT_1(vtable_loaded,          VTableLoaded, MonoVTable *, vtable)

/* Images; their types are called Module. */
MONO_PROFILER_EVENT_1(image_loading,          ModuleLoading, MonoImage *, image)
MONO_PROFILER_EVENT_1(image_failed,           ModuleFailed, MonoImage *, image)
MONO_PROFILER_EVENT_1(image_loaded,           ModuleLoaded, MonoImage *, image)
MONO_PROFILER_EVENT_1(image_unloading,        ModuleUnloading, MonoImage *, image)
MONO_PROFILER_EVENT_1(image_unloaded,         ModuleUnloaded, MonoImage *, image)

/* Assemblies; three of the types have an L too many, for good. */
MONO_PROFILER_EVENT_1(assembly_loading,       AssemblyLoading, MonoAssembly *, assembly)
MONO_PROFILER_EVENT_1(assembly_loaded,        AssemblyLLoaded, MonoAssembly *, assembly)
MONO_PROFILER_EVENT_1(assembly_unloading,     AssemblyLUnloading, MonoAssembly *, assembly)
MONO_PROFILER_EVENT_1(assembly_unloaded,      AssemblyLUnloaded, MonoAssembly *, assembly)

/* Calls. */
MONO_PROFILER_EVENT_2(method_enter,           MethodEnter, MonoMethod *, method, MonoProfilerCallContext *, context)
MONO_PROFILER_EVENT_2(method_leave,           MethodLeave, MonoMethod *, method, MonoProfilerCallContext *, context)
MONO_PROFILER_EVENT_2(method_tail_call,       MethodTailCall, MonoMethod *, method, MonoMethod *, target)
MONO_PROFILER_EVENT_2(method_exception_leave, MethodExceptionLeave, MonoMethod *, method, MonoObject *, exception)
MONO_PROFILER_EVENT_1(method_free,            MethodFree, MonoMethod *, method)
MONO_PROFILER_EVENT_1(method_begin_invoke,    MethodBeginInvoke, MonoMethod *, method)
MONO_PROFILER_EVENT_1(method_end_invoke,      MethodEndInvoke, MonoMethod *, method)

/* Exceptions. */
MONO_PROFILER_EVENT_1(exception_throw,        ExceptionThrow, MonoObject *, exception)
MONO_PROFILER_EVENT_4(exception_clause,       ExceptionClause,
                      MonoMethod *, method, uint32_t, index, MonoExceptionEnum, type, MonoObject *, exception)

/* The garbage collector. */
MONO_PROFILER_EVENT_3(gc_event,               GCEvent2,
                      MonoProfilerGCEvent, event, uint32_t, generation, mono_bool, is_serial)
MONO_PROFILER_EVENT_1(gc_allocation,          GCAllocation, MonoObject *, object)
MONO_PROFILER_EVENT_2(gc_moves,               GCMoves, MonoObject *const *, objects, uint64_t, count)
MONO_PROFILER_EVENT_1(gc_resize,              GCResize, uintptr_t, size)
MONO_PROFILER_EVENT_3(gc_handle_created,      GCHandleCreated,
                      uint32_t, handle, MonoGCHandleType, type, MonoObject *, object)
MONO_PROFILER_EVENT_2(gc_handle_deleted,      GCHandleDeleted, uint32_t, handle, MonoGCHandleType, type)
MONO_PROFILER_EVENT_0(gc_finalizing,          GCFinalizing)
MONO_PROFILER_EVENT_0(gc_finalized,           GCFinalized)
MONO_PROFILER_EVENT_1(gc_finalizing_object,   GCFinalizingObject, MonoObject *, object)
MONO_PROFILER_EVENT_1(gc_finalized_object,    GCFinalizedObject, MonoObject *, object)
MONO_PROFILER_EVENT_5(gc_root_register,       RootRegister,
                      const mono_byte *, start, uintptr_t, size, MonoGCRootSource, source, const void *, key,
                      const char *, name)
MONO_PROFILER_EVENT_1(gc_root_unregister,     RootUnregister, const mono_byte *, start)
MONO_PROFILER_EVENT_3(gc_roots,               GCRoots,
                      uint64_t, count, const mono_byte *const *, addresses, MonoObject *const *, objects)

/* Monitors. */
MONO_PROFILER_EVENT_1(monitor_contention,     MonitorContention, MonoObject *, object)
MONO_PROFILER_EVENT_1(monitor_failed,         MonitorFailed, MonoObject *, object)
MONO_PROFILER_EVENT_1(monitor_acquired,       MonitorAcquired, MonoObject *, object)

/* Threads. */
MONO_PROFILER_EVENT_1(thread_started,         ThreadStarted, uintptr_t, tid)
MONO_PROFILER_EVENT_1(thread_stopping,        ThreadStopping, uintptr_t, tid)
MONO_PROFILER_EVENT_1(thread_stopped,         ThreadStopped, uintptr_t, tid)
MONO_PROFILER_EVENT_1(thread_exited,          ThreadExited, uintptr_t, tid)
MONO_PROFILER_EVENT_2(thread_name,            ThreadName, uintptr_t, tid, const char *, name)

/* Sampling. */
MONO_PROFILER_EVENT_2(sample_hit,             SampleHit, const mono_byte *, ip, const void *, context)

/* From later Mono; never raised by Mono 6.8. */
MONO_PROFILER_EVENT_2(inline_method,          InlineMethod, MonoMethod *, method, MonoMethod *, inlined_method)
MONO_PROFILER_EVENT_2(method_samplepoint,     MethodSamplepoint,
                      MonoMethod *, method, MonoProfilerCallContext *, context)
/* clang-format on */
