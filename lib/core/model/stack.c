/*
 * SPDX-License-Identifier: MIT
 *
 * stack.c - walks over the frames of the calling thread, in Mono's three forms and in ours.
 *
 * The host walks; here its frames become what each visitor expects. A walk without a context is for normal context, and
 * walks managed code only. One with a signal handler's context is async-safe: nothing here allocates, locks or keeps
 * anything.
 */
#include <mono/metadata/loader.h>
#include "debug.h"
#include "dispatch/host.h"
#include "first-body.h"
#include "log.h"

static int
walk (const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return ops->walk_stack ? ops->walk_stack (ops->host, context, flags, visit, data) : MONOCLE_E_UNKNOWN;
}

/* --- from where the thread is ------------------------------------------------------------------------------------- */

typedef struct {
	MonoStackWalk func;
	void *data;
	bool il;
} mono_visitor;

/* What the runtime generates for itself has no name to be told by, unless the host gave it one: a wrapper. */
static int
visit_mono (const monocle_frame *frame, void *data)
{
	const mono_visitor *visitor = data;
	uint32_t il_offset = UINT32_MAX;
	if (!frame->method || frame->kind == MONOCLE_FRAME_NATIVE)
		return 0;
	monocle__first_body_met (frame->method, frame->start);
	if (visitor->il)
		il_offset = monocle__debug_il_offset (frame->method, frame->start, frame->native_offset);
	return visitor->func (frame->method, frame->start ? (int32_t) frame->native_offset : -1, (int32_t) il_offset,
	                      frame->kind == MONOCLE_FRAME_MANAGED, visitor->data);
}

void
mono_stack_walk (MonoStackWalk func, void *user_data)
{
	mono_visitor visitor = { func, user_data, true };
	if (func)
		walk (NULL, 0, visit_mono, &visitor);
}

void
mono_stack_walk_no_il (MonoStackWalk func, void *user_data)
{
	mono_visitor visitor = { func, user_data, false };
	if (func)
		walk (NULL, 0, visit_mono, &visitor);
}

static mono_bool
take_managed (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed, void *data)
{
	*(MonoMethod **) data = method;
	return managed;
}

/* The innermost method; of a thread with nothing but wrappers, the outermost of these. */
MonoMethod *
mono_method_get_last_managed (void)
{
	MonoMethod *method = NULL;
	mono_stack_walk_no_il (take_managed, &method);
	return method;
}

/* --- from where a signal found it: async-safe --------------------------------------------------------------------- */

typedef struct {
	MonoStackWalkAsyncSafe func;
	void *data;
	bool has_one_body; /* the module knows one body of each method */
} signal_visitor;

static int
visit_signal (const monocle_frame *frame, void *data)
{
	const signal_visitor *visitor = data;
	MonoMethod *method = frame->method;
	if (frame->kind != MONOCLE_FRAME_MANAGED)
		return 0;
	if (visitor->has_one_body) {
		if (!method || !frame->start) /* such a module would ask for it in vain, and not expect that */
			return 0;
		method = monocle__first_body_method (frame);
	}
	return visitor->func (method, monocle_domain_root (), (void *) frame->start,
	                      method ? (int) frame->native_offset : -1, visitor->data);
}

/* Without a context there is nothing to begin with: a handler's own frames say nothing of what it interrupted. */
static bool
has_context (const void *context)
{
	if (!context)
		MONOCLE__LOG_ONCE ("a module walks a stack in a signal handler without the context that sample_hit gave it");
	return context != NULL;
}

void
mono_stack_walk_async_safe (MonoStackWalkAsyncSafe func, void *initial_sig_context, void *user_data)
{
	signal_visitor visitor = { func, user_data, monocle__first_body_is_sampled () };
	if (func && has_context (initial_sig_context))
		walk (initial_sig_context, 0, visit_signal, &visitor);
}

int
monocle_stack_walk_async_safe (void *initial_sig_context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	if (!visit || flags & ~(uint32_t) MONOCLE_WALK_NATIVE || !has_context (initial_sig_context))
		return MONOCLE_E_INVALID;
	return walk (initial_sig_context, flags, visit, data);
}

mono_bool
monocle_code_awaited (uint64_t *ret_found)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret_found = 0;
	return ops->code_awaited ? ops->code_awaited (ops->host, ret_found) : 0;
}
