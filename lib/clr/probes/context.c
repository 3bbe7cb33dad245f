/*
 * SPDX-License-Identifier: MIT
 *
 * context.c - probes of methods whose filters ask for call contexts, and what these show.
 *
 * The words that a probe is passed are where the convention puts arguments for which there are no registers: in the
 * frame of the method, from the caller's stack pointer on. A context points there, so it is good until the callback
 * returns. No collection can come meanwhile: the thread is in cooperative mode, and objects stay where they are.
 *
 * One probe serves plain, generic and invoked methods: beside what is copied for it, its branches cost little.
 */
#include "context.h"
#include <errno.h>
#include "invariant.h"
#include "raise.h"
#include "shadow.h"
#include "state.h"

static MonoMethod *
definition_of (const monocle__context_shape *shape)
{
	if (shape->flags & MONOCLE__CONTEXT_GENERIC)
		return ((const monocle__clr_generic *) shape->record)->definition;
	return shape->record;
}

static uintptr_t
shadow_bits (const monocle__context_shape *shape)
{
	return (shape->flags & MONOCLE__CONTEXT_RAISES ? MONOCLE__SHADOW_RAISES : 0) |
	       (shape->flags & MONOCLE__CONTEXT_INVOKES ? MONOCLE__SHADOW_INVOKES : 0);
}

MONOCLE__PROBE static void
enter (const monocle__context_shape *shape, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e)
{
	MonoProfilerCallContext context = { shape, (const uintptr_t *) MONOCLE__CALLER_SP };
	MonoMethod *method = definition_of (shape), *definition = method;
	if (shape->flags & MONOCLE__CONTEXT_GENERIC) {
		uintptr_t keys[] = { a, b, c, d, e };
		method = monocle__probe_generic_instance (shape->record, keys);
	}
	if (shape->flags & MONOCLE__CONTEXT_INVOKES && monocle__clr_listened (MONOCLE_EVENT_method_begin_invoke))
		monocle_raise_method_begin_invoke (method);
	if (shape->flags)
		monocle__shadow_push (method, definition, MONOCLE__CALLER_SP | shadow_bits (shape), MONOCLE__CALLER_IP);
	monocle__raise (MONOCLE_EVENT_method_enter, method, &context);
}

MONOCLE__PROBE static void
leave (const monocle__context_shape *shape, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e)
{
	MonoProfilerCallContext context = { shape, (const uintptr_t *) MONOCLE__CALLER_SP };
	MonoMethod *method = definition_of (shape);
	if (shape->flags)
		method = monocle__shadow_pop (method, MONOCLE__CALLER_SP);
	monocle__raise (MONOCLE_EVENT_method_leave, method, &context);
	if (shape->flags & MONOCLE__CONTEXT_INVOKES && monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (method);
}

monocle__probe
monocle__context_enter (void)
{
	return (monocle__probe) enter;
}

monocle__probe
monocle__context_leave (void)
{
	return (monocle__probe) leave;
}

MonoProfilerCallContext *
monocle__context_empty (void)
{
	static const monocle__context_shape shape = { .own = { MONOCLE__CONTEXT_ABSENT, 0 },
		                                          .result = { MONOCLE__CONTEXT_ABSENT, 0 },
		                                          .awaited_result = { MONOCLE__CONTEXT_ABSENT, 0 } };
	static MonoProfilerCallContext context = { &shape, NULL };
	return &context;
}

/* --- what a context shows ----------------------------------------------------------------------------------------- */

static const monocle__context_slot *
find_slot (const monocle__context_shape *shape, monocle_call_value value, uint32_t position)
{
	switch (value) {
	case MONOCLE_CALL_THIS: return &shape->own;
	case MONOCLE_CALL_RESULT: return &shape->result;
	case MONOCLE_CALL_AWAITED_RESULT: return &shape->awaited_result;
	case MONOCLE_CALL_ARGUMENT: return position < shape->argument_count ? &shape->values[position] : NULL;
	case MONOCLE_CALL_LOCAL:
		return position < shape->local_count ? &shape->values[shape->argument_count + position] : NULL;
	}
	return NULL;
}

int
monocle__context_value (void *host, const MonoProfilerCallContext *context, monocle_call_value value, uint32_t position,
                        const void **ret_data, uint32_t *ret_size)
{
	const monocle__context_slot *slot = find_slot (context->shape, value, position);
	if (!slot || slot->word == MONOCLE__CONTEXT_ABSENT)
		return MONOCLE_E_UNKNOWN;
	*ret_data = (const void *) context->words[slot->word];
	*ret_size = slot->size ? slot->size : (uint32_t) context->words[slot->word + 1];
	return MONOCLE_OK;
}
