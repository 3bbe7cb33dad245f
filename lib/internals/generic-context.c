/*
 * SPDX-License-Identifier: MIT
 *
 * generic-context.c - the arguments of instances.
 */
#include "internals.h"

static MonoGenericContext none;

MonoGenericContext *
mono_class_get_context (MonoClass *klass)
{
	return &none;
}

MonoGenericContext *
mono_method_get_context (MonoMethod *method)
{
	return &none;
}
