/*
 * SPDX-License-Identifier: MIT
 *
 * stack.c - the frames of one thread's stack, as they are put into a profile. In a signal handler, or of a thread that
 * sleeps.
 */
#include "sample.h"

#include <mono/metadata/profiler.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

static void
push (struct stack *stack, void *method, uintptr_t address)
{
	stack->frames[stack->count++] = (monocle_kit_frame) { method, address };
}

/* Stubs that call each other are one to the reader. Of the innermost one the instructions tell what it does. */
static void
push_stub (struct stack *stack, uintptr_t ip)
{
	if (!stack->count && !stack->work && ip == stack->running)
		push (stack, (void *) stub_frame (ip), 0);
	else if (!stack->count || stack->frames[stack->count - 1].method != (void *) MONOCLE_KIT_FRAME_STUB)
		push (stack, (void *) MONOCLE_KIT_FRAME_STUB, 0);
}

/* Native frames come only when they were asked for, to be shown or to be judged. */
static bool
is_only_judged (struct stack *stack, const monocle_frame *frame)
{
	if (stack->has_native || frame->kind != MONOCLE_FRAME_NATIVE || frame->method)
		return false;
	if (!stack->count)
		stack->work |= runtime_work_at (frame->ip);
	return true;
}

static int
see_frame (const monocle_frame *frame, void *data)
{
	struct stack *stack = data;
	if (is_only_judged (stack, frame))
		return 0;
	uintptr_t above = stack->count ? 0 : runtime_frame_above (stack->work, frame->kind == MONOCLE_FRAME_STUB);
	if (above)
		push (stack, (void *) above, 0);
	if (stack->count >= stack->room) {
		stack->is_cut = true;
		return 1;
	}
	if ((stack->has_lines || frame->has_inlined) && frame->start && frame->kind == MONOCLE_FRAME_MANAGED)
		push (stack, NULL, (uintptr_t) frame->start + frame->native_offset);
	else if (frame->method)
		push (stack, frame->method, 0);
	else if (frame->kind == MONOCLE_FRAME_STUB)
		push_stub (stack, frame->ip);
	else if (frame->kind == MONOCLE_FRAME_MANAGED && frame->start)
		push (stack, NULL, (uintptr_t) frame->start);
	else
		push (stack, NULL, frame->ip - (stack->count > 0)); /* After a call may be the next function. */
	return 0;
}

/* Mono's walk leaves native code out; where the thread was is known all the same. */
static void
push_native_leaf (struct stack *stack, const uint8_t *start, int offset)
{
	if (stack->has_native && stack->count == 0 && stack->ip != (uintptr_t) start + (uintptr_t) offset && offset >= 0)
		push (stack, NULL, stack->ip);
}

static mono_bool
see_managed (MonoMethod *method, MonoDomain *domain, void *base, int offset, void *data)
{
	push_native_leaf (data, base, offset);
	/*
	 * Of code that was compiled ahead of time there are no lines, and later perhaps not even names. Where the walk does
	 * not know the method, its first address is what Mono is asked about.
	 */
	bool is_aot = monocle_kit_aot_has ((uintptr_t) base);
	const void *start = is_aot && method ? NULL : base;
	const monocle_frame frame = { method, start, (uintptr_t) base, .native_offset = is_aot ? 0 : (uint32_t) offset };
	return see_frame (&frame, data);
}

bool
stack_walk (struct stack *stack, const void *from)
{
	void *context = (void *) from;
	if (monocle_stack_walk_async_safe)
		return monocle_stack_walk_async_safe (context, MONOCLE_WALK_NATIVE, see_frame, stack) >= 0;
	uintptr_t unprepared = monocle_kit_aot_unprepared (stack->ip, context);
	if (unprepared) { /* The drain thread asks Mono about it: name.c. */
		push (stack, NULL, unprepared);
		return false;
	}
	mono_stack_walk_async_safe (see_managed, context, stack);
	return true;
}

bool
stack_walk_asleep (struct stack *stack, const void *from)
{
	const MonocleAsleep *asleep = from;
	for (uint32_t i = 0; i < asleep->count && !see_frame (&asleep->frames[i], stack); i++)
		;
	return asleep->is_whole;
}

/* What the walk leaves to be said of where the stack begins and ends. */
void
stack_complete (struct stack *stack, const struct subject *subject, bool whole)
{
	char name[THREAD_NAME];
	if (!stack->count && stack->has_native) {
		push (stack, NULL, stack->ip);
	} else if (!stack->count) {
		subject_name (subject, name);
		push (stack, (void *) runtime_frame_alone (stack->work, name), 0);
	} else if (!whole || stack->is_cut) {
		push (stack, (void *) MONOCLE_KIT_FRAME_TRUNCATED, 0);
	}
}
