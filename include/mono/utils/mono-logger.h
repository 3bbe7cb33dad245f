/*
 * SPDX-License-Identifier: MIT
 *
 * mono-logger.h - the runtime's own messages. Not async-safe; ignored outside Mono.
 */
#ifndef MONO_UTILS_LOGGER_H
#define MONO_UTILS_LOGGER_H

#include <mono/utils/mono-publib.h>

MONO_BEGIN_DECLS

typedef void (*MonoPrintCallback) (const char *string, mono_bool is_stdout);
typedef void (*MonoLogCallback) (const char *log_domain, const char *log_level, const char *message, mono_bool fatal,
                                 void *user_data);

/* As MONO_LOG_LEVEL and MONO_LOG_MASK: "debug", "asm,profiler". */
MONO_API void mono_trace_set_level_string (const char *value);
MONO_API void mono_trace_set_mask_string (const char *value);

/* Where messages, and what the runtime prints on stdout and stderr, go from now on. */
MONO_API void mono_trace_set_log_handler (MonoLogCallback callback, void *user_data);
MONO_API void mono_trace_set_print_handler (MonoPrintCallback callback);
MONO_API void mono_trace_set_printerr_handler (MonoPrintCallback callback);

MONO_END_DECLS

#endif
