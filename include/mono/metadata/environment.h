/*
 * SPDX-License-Identifier: MIT
 *
 * environment.h - the exit code of the program.
 */
#ifndef MONO_METADATA_ENVIRONMENT_H
#define MONO_METADATA_ENVIRONMENT_H

#include <mono/utils/mono-publib.h>

MONO_BEGIN_DECLS

/* What Environment.ExitCode says now; final in runtime_shutdown_end. 0 where the runtime does not tell. Any context. */
MONO_API int32_t mono_environment_exitcode_get (void);
/* Sets it. A profiler must not. Ignored outside Mono. Any context. */
MONO_API void mono_environment_exitcode_set (int32_t value);

MONO_END_DECLS

#endif
