/*
 * SPDX-License-Identifier: MIT
 *
 * generic-context.c - the arguments of instances. What is no instance has none. Any context.
 */
#include <monocle/host.h>
#include "internals.h"

static MonoGenericContext none;

MonoGenericContext *
mono_class_get_context (MonoClass *klass)
{
	MonoGenericContext *context = monocle_class_context (klass);
	return context ? context : &none;
}

MonoGenericContext *
mono_method_get_context (MonoMethod *method)
{
	MonoGenericContext *context = monocle_method_context (method);
	return context ? context : &none;
}
