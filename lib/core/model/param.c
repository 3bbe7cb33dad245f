/*
 * SPDX-License-Identifier: MIT
 *
 * param.c - the rows that metadata has for a method's parameters: names, tokens, whether they are marshalled.
 *
 * They are beside the method's description, made when they are first wanted and published by one
 * compare-and-swap. Any thread; any context, except where a function says otherwise.
 */
#include <mono/metadata/attrdefs.h>
#include "arena.h"
#include "dispatch/host.h"
#include "image.h"
#include "method.h"
#include "publish.h"
#include "signature.h"

enum {
	HAS_FIELD_MARSHAL = 0x2000, /* ParamAttributes, II.23.1.13 */
	ROW_MASK = 0xffffff,
};

struct monocle__param {
	const char *name; /* never NULL */
	uint32_t token, flags;
};

static uint32_t
param_count (MonoMethod *definition)
{
	MonoMethodSignature *signature = monocle__signature_of (definition);
	return signature ? signature->count : 0;
}

static bool
param_ask (const monocle_host_ops *ops, MonoMethod *definition, uint32_t number, struct monocle__param *ret)
{
	monocle_param_info info = { .size = sizeof info };
	*ret = (struct monocle__param) { .name = "" };
	if (ops->describe_param (ops->host, definition, number, &info) != 0)
		return true;
	ret->token = info.token;
	ret->flags = info.flags;
	ret->name = monocle__arena_string (info.name ? info.name : "");
	return ret->name != NULL;
}

/* Number 0 is what the method returns. NULL: unknown, or no memory. */
static struct monocle__param *
params_make (MonoMethod *definition)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t count = param_count (definition);
	if (!ops->describe_param || !definition->token || !monocle__image_ask_begin (definition->image))
		return NULL;
	struct monocle__param *params = monocle__arena_alloc ((count + 1) * sizeof *params);
	for (uint32_t i = 0; params && i <= count; i++)
		if (!param_ask (ops, definition, i, &params[i]))
			params = NULL;
	monocle__image_ask_end (definition->image);
	return params;
}

static struct monocle__param *
params_of (MonoMethod *method)
{
	MonoMethod *definition = monocle_method_definition (method);
	if (!definition || !monocle__method_describe (definition))
		return NULL;
	struct monocle__param *known = atomic_load_explicit (&definition->params, memory_order_acquire);
	return known ? known : MONOCLE__PUBLISH (&definition->params, params_make (definition));
}

/* --- mono_method_* ------------------------------------------------------------------------------------------------ */

/* As in Mono, a parameter without a name is called "". */
void
mono_method_get_param_names (MonoMethod *method, const char **names)
{
	struct monocle__param *params = method && names ? params_of (method) : NULL;
	uint32_t count = method && names ? param_count (monocle_method_definition (method)) : 0;
	for (uint32_t i = 0; i < count; i++)
		names[i] = params ? params[i + 1].name : "";
}

uint32_t
mono_method_get_param_token (MonoMethod *method, int idx)
{
	struct monocle__param *params = method ? params_of (method) : NULL;
	if (!params || idx < -1 || idx >= (int) param_count (monocle_method_definition (method)))
		return 0;
	return params[idx + 1].token;
}

/* Signatures that belong to no method know nothing of `out`. */
mono_bool
mono_signature_param_is_out (MonoMethodSignature *sig, int param_num)
{
	MonoMethod *method = sig ? monocle__signature_method (sig) : NULL;
	struct monocle__param *params = method ? params_of (method) : NULL;
	return params && param_num >= 0 && param_num < (int) sig->count &&
	       (params[param_num + 1].flags & MONO_PARAM_ATTR_OUT) != 0;
}

mono_bool
mono_method_has_marshal_info (MonoMethod *method)
{
	struct monocle__param *params = method ? params_of (method) : NULL;
	uint32_t count = params ? param_count (monocle_method_definition (method)) : 0;
	for (uint32_t i = 0; params && i <= count; i++)
		if (params[i].flags & HAS_FIELD_MARSHAL)
			return 1;
	return 0;
}

/* The caller frees each with mono_metadata_free_marshal_spec (): normal context. */
void
mono_method_get_marshal_info (MonoMethod *method, MonoMarshalSpec **mspecs)
{
	struct monocle__param *params = method && mspecs ? params_of (method) : NULL;
	uint32_t count = method && mspecs ? param_count (monocle_method_definition (method)) + 1 : 0;
	MONOCLE__HELD MonoImage *held = monocle__image_hold (method ? method->image : NULL);
	for (uint32_t i = 0; i < count; i++) {
		bool is_marshalled = held && params && params[i].token && params[i].flags & HAS_FIELD_MARSHAL;
		const char *blob =
		    is_marshalled ? mono_metadata_get_marshal_info (method->image, (params[i].token & ROW_MASK) - 1, 0) : NULL;
		mspecs[i] = blob ? mono_metadata_parse_marshal_spec (method->image, blob) : NULL;
	}
}
