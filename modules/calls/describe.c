/*
 * SPDX-License-Identifier: MIT
 *
 * describe.c - see describe.h. At each enter bytes are copied; text is made of them when the call was slow.
 */
#include "describe.h"

#include <errno.h>

#include <monocle/ext.h>

#include "value.h"

static bool with_arguments, with_result; /* written at init */

bool
describe_init (const char *module, bool arguments, bool result, uint32_t string_most)
{
	if (!mono_profiler_enable_call_context_introspection ()) {
		monocle_kit_log (module, "this runtime does not show arguments and results: slow calls are listed without");
		return false;
	}
	with_arguments = arguments;
	with_result = result;
	value_string_most = string_most;
	return true;
}

void
describe_prepare (MonoMethod *method)
{
	shape_of (method);
}

int
describe_flags (MonoMethod *method)
{
	const method_shape *shape = shape_of (method);
	int flags = 0;
	if (shape && with_arguments && shape->may_be_copied)
		flags |= MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT;
	if (shape && with_result && shape->has_result && (shape->result.kind != VALUE_NAMED || shape->result.is_parameter))
		flags |= MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
	return flags;
}

void
describe_enter (monocle_kit_spool *spool, MonoMethod *method, MonoProfilerCallContext *context)
{
	const method_shape *shape = with_arguments && context ? shape_find (method) : NULL;
	if (!shape || !shape->copied)
		return;
	uint8_t *to = monocle_kit_calls_keep (spool, shape->copied * value_room ());
	size_t size = 0;
	if (!to)
		return;
	for (uint32_t i = 0; i < shape->parameter_count && i < ARGUMENTS_MOST; i++) {
		const value_shape *argument = &shape->arguments[i];
		if (argument->kind == VALUE_NAMED)
			continue;
		void *value = mono_profiler_call_context_get_argument (context, i);
		size += value_copy (argument, value, to + size);
		mono_profiler_call_context_free_buffer (value);
	}
	monocle_kit_calls_kept (spool, size);
}

static void
describe_arguments (const method_shape *shape, const monocle_kit_slow_call *call, char *buffer)
{
	text out;
	const uint8_t *at = call->kept, *end = at + call->kept_size;
	text_begin (&out, buffer, MONOCLE_KIT_ARGUMENTS_SIZE);
	text_put (&out, "(");
	for (uint32_t i = 0; i < shape->parameter_count && i < ARGUMENTS_MOST; i++) {
		text_put (&out, i ? ", " : "");
		value_print (&shape->arguments[i], &at, end, &out);
	}
	text_put (&out, shape->parameter_count > ARGUMENTS_MOST ? ", ...)" : ")");
}

static void
describe_result (const method_shape *shape, MonoProfilerCallContext *context, char *buffer)
{
	uint8_t copy[VALUE_SIZE_MOST];
	const uint8_t *at = copy;
	text out;
	text_begin (&out, buffer, MONOCLE_KIT_RESULT_SIZE);
	void *value = !context                 ? NULL
	            : shape->result_is_awaited ? monocle_call_context_get_awaited_result (context)
	                                       : mono_profiler_call_context_get_result (context);
	size_t size = value_copy (&shape->result, value, copy);
	mono_profiler_call_context_free_buffer (value);
	value_print (&shape->result, &at, copy + size, &out);
}

void
describe_call (const monocle_kit_slow_call *call, char *arguments, char *result)
{
	const method_shape *shape = shape_find (call->method);
	int saved_errno = errno;
	if (shape && with_arguments)
		describe_arguments (shape, call, arguments);
	if (shape && with_result && shape->has_result && call->end == MONOCLE_KIT_RETURNED)
		describe_result (shape, call->context, result);
	errno = saved_errno;
}

void
describe_image_unloading (MonoImage *image)
{
	value_image_unloading ();
	shape_image_unloading (image);
}
