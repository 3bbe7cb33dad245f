/*
 * SPDX-License-Identifier: MIT
 *
 * drain-thread.c - see drain-thread.h. On the drain thread only.
 *
 * Mono's tables may be read only by threads that it knows. It is attached as what Mono calls a tools thread: the
 * collector does not stop it, the sampler does not hit it, no thread_started is raised for it, and Mono does not wait
 * for it at the end. Other hosts answer any thread.
 */
#include "drain-thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/threads.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>

#include "name-text.h"
#include "written-name.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t attached; /* not NULL on threads that are */
static bool has_key;

static bool
make_key (void)
{
	pthread_mutex_lock (&lock);
	has_key = has_key || pthread_key_create (&attached, NULL) == 0;
	bool has = has_key;
	pthread_mutex_unlock (&lock);
	return has;
}

/*
 * From the moment that Mono knows the thread until it knows it as one of this kind, a collection waits for it to answer
 * a signal: one of the real-time signals, which the drain thread blocks like all others.
 */
static void
attach (void)
{
	sigset_t suspends, before;
	sigemptyset (&suspends);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset (&suspends, number);
	sigaddset (&suspends, SIGPWR);
	pthread_sigmask (SIG_UNBLOCK, &suspends, &before);
	mono_threads_attach_tools_thread ();
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void
drain_thread_begin (void *data)
{
	if (monocle_event_support || !make_key () || pthread_getspecific (attached))
		return;
	pthread_setspecific (attached, &attached);
	attach ();
}

void
drain_thread_leave (void)
{
	pthread_mutex_lock (&lock);
	if (has_key)
		pthread_key_delete (attached);
	has_key = false;
	pthread_mutex_unlock (&lock);
}

MonoMethod *
drain_thread_method_at (uintptr_t address)
{
	MonoJitInfo *info = mono_jit_info_table_find (mono_get_root_domain (), (void *) address);
	return info ? mono_jit_info_get_method (info) : NULL;
}

size_t
drain_thread_name (void *method, char *buffer, size_t size)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	char *name = mono_method_full_name (method, 1), *written = name ? written_name (method, name) : NULL;
	const char *shown = written ? written : name ? name : "[unknown]";
	char origin[MONOCLE_KIT_ORIGIN_SIZE];
	name_text_origin (method, UINT32_MAX, origin);
	size_t length = name_text_put (shown, mono_image_get_filename (image), origin, buffer, size);
	mono_free (name);
	free (written);
	return length;
}
