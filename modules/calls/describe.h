/*
 * SPDX-License-Identifier: MIT
 *
 * describe.h - arguments and results of slow calls.
 */
#ifndef MONOCLE_MODULES_CALLS_DESCRIBE_H
#define MONOCLE_MODULES_CALLS_DESCRIBE_H

#include <mono/metadata/profiler.h>
#include <monocle/kit.h>

/* Asks the runtime for call contexts. False: it has none, which one line says. Init window. */
bool describe_init (const char *module, bool arguments, bool result, uint32_t string_most);
/* What a filter asks for besides events; learns what has to be known of the method. */
int describe_flags (MonoMethod *method);
/* The method is about to be compiled: an instance, where the filter was asked about its definition. */
void describe_prepare (MonoMethod *method);
/* After the enter: keeps what the arguments are. */
void describe_enter (monocle_kit_spool *spool, MonoMethod *method, MonoProfilerCallContext *context);
/* A monocle_kit_describe_call. */
void describe_call (const monocle_kit_slow_call *call, char *arguments, char *result);
void describe_image_unloading (MonoImage *image);

#endif
