/*
 * SPDX-License-Identifier: MIT
 *
 * threads.h - threads, as the runtime knows them.
 */
#ifndef MONO_METADATA_THREADS_H
#define MONO_METADATA_THREADS_H

#include <mono/utils/mono-publib.h>
#include <mono/metadata/object.h>
#include <mono/metadata/appdomain.h>

MONO_BEGIN_DECLS

typedef mono_bool (*MonoThreadManageCallback) (MonoThread *thread);

/* The calling thread; NULL where the runtime does not know it (Mono 6.8 asserts there). Any context. */
MONO_API MonoThread *mono_thread_current (void);
/* The thread that started the runtime. Any context. */
MONO_API MonoThread *mono_thread_get_main (void);

/*
 * Makes the calling thread known, raising thread_started; the thread already known is returned as it is. A thread of a
 * module that stays attached keeps Mono from ending: detach it before shutdown. Not in a signal handler.
 */
MONO_API MonoThread *mono_thread_attach (MonoDomain *domain);
/*
 * The opposite, on the same thread; raises thread_stopping, thread_stopped and thread_exited. Not in a
 * signal handler.
 */
MONO_API void mono_thread_detach (MonoThread *thread);
/*
 * Attaches a thread that the collector will not stop; it must not touch managed objects. Not in a signal
 * handler.
 */
MONO_API void mono_threads_attach_tools_thread (void);

/* Detaches the calling thread when the runtime has asked it to end, and says so. 0 outside Mono. Normal context. */
MONO_API mono_bool mono_thread_detach_if_exiting (void);

/* NULL when it has no name. Caller frees. Normal context. */
MONO_API char *mono_thread_get_name_utf8 (MonoThread *thread);
/* Thread.ManagedThreadId. Any context. */
MONO_API int32_t mono_thread_get_managed_id (MonoThread *thread);
/* Nonzero for threads that managed code did not create: attached ones, and the main thread. Any context. */
MONO_API mono_bool mono_thread_is_foreign (MonoThread *thread);
/*
 * The stacks of all threads are printed soon, without the caller waiting for it: on stdout, outside Mono one line each
 * where the log goes. Any context.
 */
MONO_API void mono_threads_request_thread_dump (void);
/* With a callback that returns 0 the runtime does not wait for the thread at shutdown. Normal context. */
MONO_API void mono_thread_set_manage_callback (MonoThread *thread, MonoThreadManageCallback func);

MONO_END_DECLS

#endif
