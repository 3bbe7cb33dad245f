/*
 * SPDX-License-Identifier: MIT
 *
 * thread-dump.c - the stacks of all threads in the log, when a module asks for them.
 *
 * The words are Mono's, a line of the log for each of its lines. The host gathers and shows the stacks; while it does,
 * further requests are part of this one.
 */
#include <stdlib.h>
#include <mono/metadata/threads.h>
#include "debug.h"
#include "dispatch/host.h"
#include "log.h"
#include "thread.h"

static void
log_begin (void *nothing)
{
	monocle_log ("Full thread dump:");
}

static void
log_thread (uintptr_t tid, void *nothing)
{
	MonoThread *thread = monocle__thread_find (tid);
	char *name = thread ? mono_thread_get_name_utf8 (thread) : NULL;
	monocle_log ("\"%s\" tid=0x%lx", name ? name : "<unnamed thread>", (unsigned long) tid);
	free (name);
}

static int
log_frame (const monocle_frame *frame, void *nothing)
{
	char *text = frame->method ? monocle__debug_frame_text (frame->method, frame->start, frame->native_offset) : NULL;
	monocle_log ("  %s", text ? text : "at <unknown>");
	free (text);
	return 0;
}

void
mono_threads_request_thread_dump (void)
{
	static const monocle_threads_visitor visitor = { log_begin, log_thread, log_frame, NULL };
	const monocle_host_ops *ops = monocle__host_ops ();
	bool can = ops->visit_threads && monocle__host_delivering ();
	int result = can ? ops->visit_threads (ops->host, &visitor) : MONOCLE_E_REFUSED;
	if (result < 0 && result != MONOCLE_E_BUSY)
		MONOCLE__LOG_ONCE ("the stacks of the threads, which a module asks for, cannot be had from this host now");
}
